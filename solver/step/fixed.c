#include "step/fixed.h"

#include "step/between.h"
#include "step/cut.h"
#include "step/leap.h"

#include <float.h>
#include <math.h>

/* --- the lengths --- */

/* A step that divides the interval but for this part of it is meant to, and
 * what is off by more than rounding is in the last one. */
static const double meant_to = 1e-8;

static void count_steps(fixed_steps *f, double t, double t_end)
{
    const double left = fabs(t_end - t), count = left / f->length;
    f->rest = 0;
    f->whole = INT64_MAX;
    if (!(count < 9e15)) return;
    const double near = round(count), off = left - near * f->length;
    const double noise = 8 * DBL_EPSILON * (fabs(t) + fabs(t_end));
    if (near >= 1 && fabs(off) <= meant_to * f->length) {
        f->whole = (int64_t)near;
        if (fabs(off) <= noise) return;
        f->whole--;
        f->rest = f->length + off;
        return;
    }
    f->whole = (int64_t)floor(count);
    f->rest = left - (double)f->whole * f->length;
}

void fixed_start(stepper *s, double direction)
{
    fixed_steps *f = &s->fixed;
    f->h = direction * f->length;
    f->done = f->since = f->alike = 0;
    f->is_off = false;
    f->has_middle = s->is_between = false;
    count_steps(f, s->t_start, s->t_end);
    s->h = f->whole > 0 ? f->h : direction * f->rest;
}

/* Times are multiples of the step and not sums of steps. */
static double time_of(const stepper *s)
{
    const fixed_steps *f = &s->fixed;
    const bool is_last = f->done >= f->whole
        || (f->done + 1 == f->whole && !(f->rest > 0));
    return is_last ? s->t_end : s->t_start + (double)(f->done + 1) * f->h;
}

/* Where the coming step ends: there, or at a stop before it. */
static double target_of(const stepper *s)
{
    return attempt_has_stop(s) && (time_of(s) - s->t_stop) * s->h > 0
        ? s->t_stop
        : time_of(s);
}

static double length_of(const stepper *s)
{
    const fixed_steps *f = &s->fixed;
    const double target = target_of(s);
    if (f->is_off || target != time_of(s)) return target - s->history.t;
    return f->done < f->whole ? f->h : copysign(f->rest, f->h);
}

void fixed_cut(stepper *s)
{
    fixed_steps *f = &s->fixed;
    if (!f->is_off) f->done--;
    f->is_off = true;
    f->alike = 0;
    s->h = length_of(s);
}

/* --- the points --- */

/* The order of the coming step, which lacks points at first. */
static int order_of(const fixed_steps *f)
{
    return f->since + 1 < f->order ? (int)f->since + 1 : f->order;
}

static bool is_given(const stepper *s)
{
    const fixed_steps *f = &s->fixed;
    return f->given && f->since + 1 < f->order + s->formula->more_points;
}

static void prepare(stepper *s)
{
    attempt_prepare(s);
    s->point.t = target_of(s);
    predict(&s->history, &s->grid, s->selector.order, s->layout, &s->point);
}

/* A point that is known takes the place of the corrected one. */
static attempt take_given(stepper *s)
{
    point *p = &s->point;
    const size_t n = s->layout->states;
    prepare(s);
    s->memory.is_made = false;
    for (size_t i = 0; i < n; i++) p->d[i] = p->x[i] - p->d[i];
    dae_status st = between_ask(s);
    if (!st) st = s->fixed.given(s->fixed.giver, p->t, p->x, p->xp);
    for (size_t i = 0; i < n; i++) p->d[i] = p->x[i] - p->d[i];
    if (st) s->newton->status = st;
    return st ? STOPPED : ACCEPTED;
}

/* Back from the prediction to the values of before, as a correction moves. */
static void begin_at_last(stepper *s)
{
    const layout *l = s->layout;
    point *p = &s->point;
    for (size_t j = 0; j < l->unknowns; j++) {
        size_t i = l->first[j + 1] - 1;
        double v = s->history.phi[0][i] - p->x[i];
        p->xp[j] += p->alpha * v;
        for (;; i--, v /= p->alpha) {
            p->x[i] += v;
            p->d[i] += v;
            if (i == l->first[j]) break;
        }
    }
}

/* --- a step --- */

/* A step of half the length for what the first one shows; where there is none the
 * step itself will tell. */
static attempt halve(stepper *s)
{
    const double h = s->h / 2;
    if (!between_wants_middle(s)) return ACCEPTED;
    const attempt a = leap_make(s, s->history.t + h, h);
    if (a == ACCEPTED) between_middle(s);
    return a == STOPPED ? STOPPED : ACCEPTED;
}

/* By a one-step method. */
static attempt make(stepper *s)
{
    newton *nw = s->newton;
    attempt a = halve(s);
    if (a == ACCEPTED) a = leap_make(s, target_of(s), s->h);
    if (a == FAILED_CONVERGENCE && !nw->is_fresh && !nw->is_constant) {
        nw->wants_jacobian = true;
        a = leap_make(s, target_of(s), s->h);
    }
    s->is_converged = a == ACCEPTED;
    if (a == ACCEPTED) a = attempt_bounds(s);
    return a == ACCEPTED ? attempt_poles(s) : a;
}

static attempt solve(stepper *s)
{
    newton *nw = s->newton;
    prepare(s);
    attempt a = attempt_correct(s);
    if (a == FAILED_CONVERGENCE && !nw->is_fresh && !nw->is_constant) {
        nw->wants_jacobian = true;
        prepare(s);
        a = attempt_correct(s);
    }
    if (a == FAILED_CONVERGENCE || a == FAILED_NONFINITE) {
        s->stats->rejected_steps++;
        nw->wants_jacobian = !nw->is_constant;
        prepare(s);
        begin_at_last(s);
        a = attempt_correct(s);
    }
    s->is_converged = a == ACCEPTED;
    if (a == ACCEPTED) a = attempt_bounds(s);
    return a == ACCEPTED ? attempt_poles(s) : a;
}

static void accept(stepper *s)
{
    fixed_steps *f = &s->fixed;
    const bool is_whole = s->point.t == time_of(s);
    attempt_enter(s, s->selector.order < f->order);
    s->is_between = false;
    if (is_given(s)) between_close(s);
    weights_update(s->weights, s->point.x, s->h);
    attempt_keep_bounds(s);
    f->is_off = !is_whole;
    if (is_whole) f->done++;
    f->since++;
    f->alike++;
    s->h = length_of(s);
}

static step_failure why_of(stepper *s, attempt a)
{
    if (a == FAILED_CONVERGENCE) s->stats->convergence_failures++;
    if (a == FAILED_NONFINITE) s->stats->nonfinite_failures++;
    switch (a) {
    case FAILED_NONFINITE: return STEP_NONFINITE;
    case FAILED_SINGULAR: return STEP_SINGULAR;
    case FAILED_BOUND: return STEP_AT_BOUND;
    case STOPPED: return STEP_STOPPED;
    case ACCEPTED:
    case FAILED_ERROR:
    case FAILED_CONVERGENCE:
    case FAILED_GROWTH: break;
    }
    return STEP_TOO_SMALL_CONVERGENCE;
}

/* After an event that was at the next point but for rounding: that one is at a
 * negligible distance, and the formula would have a step that is nothing beside the others. */
static void skip_point(stepper *s)
{
    fixed_steps *f = &s->fixed;
    const double left = fabs(time_of(s) - s->history.t);
    if (f->done + 1 < f->whole && left <= meant_to * f->length) f->done++;
}

step_failure fixed_step(stepper *s)
{
    fixed_steps *f = &s->fixed;
    if (f->is_off) skip_point(s);
    s->tries = (tries){0};
    cut_close(s);
    s->h = length_of(s);
    if (time_of(s) == s->history.t) return STEP_NO_ROOM;
    const one_step *o = s->formula->one_step;
    s->selector.order = o ? o->order : order_of(f);
    const attempt a = o ? make(s) : is_given(s) ? take_given(s) : solve(s);
    if (a != ACCEPTED) return why_of(s, a);
    accept(s);
    return STEP_FINE;
}

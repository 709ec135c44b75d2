/* After an event the past of the solution is another function's. What of it can be
 * gone on with is what both have in common: with values and slopes, and all that
 * is held in the differences beside them up to the tolerance, everything; the error
 * test of the first step says so. Else the value and the slope, which are exact:
 * that is a start, but one of which much more is known than of the first. */
#include "step/resume.h"

#include "newton/norm.h"
#include "step/attempt.h"
#include "step/cut.h"
#include "step/damping.h"
#include "step/starter.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Values may be off by this many tolerances, and what a change of the slope makes of
 * the coming step, before it is clear without a trial that the past is none. */
static const double same_value = 10, same_slope = 1;
/* Of the allowed error, what a first step is to have of it. */
static const double first_aim = 0.25;
/* Factors after a first step that failed, and how many of them. */
static const double again_most = 0.7, again_least = 0.01, again_safety = 0.9;
enum { again_times = 6 };

/* --- what is known at the last point --- */

static void forget_algebraic(const layout *l, double *v)
{
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] == 0) v[l->first[j]] = 0;
}

static double size_of(const stepper *s, double *v)
{
    forget_algebraic(s->layout, v);
    return norm_weighted(s->weights->test, v, s->layout->states);
}

/* Slopes of all states by x and xp. */
static void slopes_of(
    const layout *l, const double *x, const double *xp, double *slope)
{
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t high = l->first[j + 1] - 1;
        for (size_t i = l->first[j]; i < high; i++) slope[i] = x[i + 1];
        slope[high] = xp[j];
    }
}

/* Second derivatives of the polynomial at its newest point; 0 where there is no
 * parabola. */
static void curvature(const stepper *s, double *out)
{
    const history *hi = &s->history;
    const int k = s->last_order > 2 ? s->last_order : 2;
    double value = 1, slope = 0, second = 0, share[HISTORY_ROWS] = {0};
    memset(out, 0, hi->states * sizeof *out);
    if (k >= hi->count) return;
    for (int r = 0; r <= k; r++) {
        share[r] = second / hi->scale[r];
        second = second * hi->back[r] + 2 * slope;
        slope = slope * hi->back[r] + value;
        value *= hi->back[r];
    }
    for (int r = 2; r <= k; r++)
        for (size_t i = 0; i < hi->states; i++)
            out[i] += share[r] * hi->phi[r][i];
}

/* Sizes in tolerances, per time and time^2. */
typedef struct change {
    double before, after; /* slopes */
    double jump;          /* of the slopes */
    double bend;          /* the second derivative, before */
} change;

/* room: N. */
static change measure(
    const stepper *s, const double *x, const double *xp, double *room)
{
    const history *hi = &s->history;
    change c = {0};
    slopes_of(s->layout, x, xp, room);
    c.after = size_of(s, room);
    if (hi->count < 2) return c;
    history_at(hi, s->last_order, 0, 0, hi->states, NULL, room);
    c.before = size_of(s, room);
    double *difference = room;
    const layout *l = s->layout;
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t high = l->first[j + 1] - 1;
        for (size_t i = l->first[j]; i < high; i++) difference[i] -= x[i + 1];
        difference[high] -= xp[j];
    }
    c.jump = size_of(s, difference);
    curvature(s, room);
    c.bend = size_of(s, room);
    return c;
}

/* Of a first step of order 1, whose error is h^2 |x''|/2: x'' changes as the slopes
 * do, as for linear equations. Never more than the step that was. */
static double first_length(const change *c, double hint)
{
    const double speed = c->after;
    const double shortest = speed * hint > first_aim ? first_aim / speed : hint;
    double bend = c->bend;
    if (c->before > 0) bend *= fmax(1, c->after / c->before);
    if (!(bend > 0)) return sqrt(shortest * hint);
    return fmin(fmax(sqrt(2 * first_aim / bend), shortest), hint);
}

/* --- going on --- */

static void begin_again(stepper *s, double t, const double *x, const double *xp,
    double h, double hint)
{
    const layout *l = s->layout;
    point *p = &s->point;
    starter_end(s);
    p->t = t;
    if (p->x != x) memcpy(p->x, x, l->states * sizeof *x);
    if (p->xp != xp) memcpy(p->xp, xp, l->unknowns * sizeof *xp);
    attempt_fill_slopes(l, p);
    attempt_clear_algebraic(l, p);
    if (s->fixed.length > 0) {
        s->fixed.since = s->fixed.alike = 0;
        s->fixed.has_middle = s->is_between = false;
    } else {
        s->h = copysign(fmin(h, s->h_max), s->h);
    }
    weights_update(s->weights, p->x, s->h);
    s->wish = 0;
    s->shortened = 0;
    s->watch.wait = 0;
    s->last_order = 1;
    s->is_first = true;
    s->has_line = s->is_cut = false;
    history_start(&s->history, t, p->x, p->slope, s->h);
    method_begin(s);
    selector_start(&s->selector);
    bounds_clip(&s->newton->bounds, p->x);
    newton_renew(s->newton);
    s->newton->wants_all = true;
    s->stats->restarts++;
    s->resumed = RESUMED_ANEW;
    starter_begin(s, hint);
}

/* Windows begin after an event: what it costs is no want of progress. */
static void begin_window(stepper *s)
{
    if (s->history.count >= 3) damping_pass(s, fabs(s->h));
    const dae_stats *stats = s->stats;
    s->progress = (progress){.t = s->history.t,
        .steps = stats->steps,
        .rejected = stats->rejected_steps,
        .low = stats->steps_at_order[1] + stats->steps_at_order[2]};
}

/* The cubic of a one-step method ends with the new slopes; nothing else of it is
 * read again. */
static void resume_one_step(stepper *s, const double *x, const double *xp)
{
    point *p = &s->point;
    memmove(p->x, x, s->layout->states * sizeof *x);
    memmove(p->xp, xp, s->layout->unknowns * sizeof *xp);
    attempt_fill_slopes(s->layout, p);
    cut_meet(s);
    s->selector.before_length = 0; /* an error of its own */
    method_begin(s);
}

/* At fixed steps no test sees what is left of the past: points that are given are
 * those after the event. */
static bool may_keep(const stepper *s, const double *x, const change *c)
{
    const history *hi = &s->history;
    if (s->fixed.length > 0 && s->fixed.given) return false;
    double *off = s->aside.x;
    for (size_t i = 0; i < hi->states; i++) off[i] = x[i] - hi->phi[0][i];
    if (!(norm_weighted(s->weights->test, off, hi->states) <= same_value))
        return false;
    return c->jump * fabs(s->h) <= same_slope * (s->last_order + 1);
}

void stepper_resume(stepper *s, const double *x, const double *xp)
{
    const layout *l = s->layout;
    starter_end(s);
    begin_window(s);
    pole_forget(&s->poles);
    s->tries = (tries){0};
    if (s->newton->is_constant) s->newton->wants_all = true;
    if (s->newton->is_constant) newton_renew(s->newton);
    const change c = measure(s, x, xp, s->aside.x);
    const bool is_start = s->history.count < 3; /* no step behind it */
    if (!is_start && s->formula->one_step) {
        resume_one_step(s, x, xp);
        return;
    }
    if (is_start || !may_keep(s, x, &c)) {
        const double hint = fabs(s->h);
        begin_again(s, s->history.t, x, xp,
            is_start ? hint : first_length(&c, hint), hint);
        return;
    }
    memcpy(s->aside.x, x, l->states * sizeof *x);
    memcpy(s->aside.xp, xp, l->unknowns * sizeof *xp);
    cut_close(s);
    s->resumed = RESUMED_KEPT;
}

void stepper_restart(
    stepper *s, double t, const double *x, const double *xp, double h_hint)
{
    const double hint = h_hint > 0 ? h_hint : fabs(s->h);
    begin_window(s);
    pole_forget(&s->poles);
    s->tries = (tries){0};
    const change c = measure(s, x, xp, s->aside.x);
    const bool is_whole = s->formula->one_step != NULL;
    begin_again(s, t, x, xp, is_whole ? hint : first_length(&c, hint), hint);
    s->last_h = 0;
}

/* --- after a failure --- */

/* The error of an attempt, had it been made by order 1 from value and slope. */
static double first_error(stepper *s)
{
    const layout *l = s->layout;
    const double *x = s->point.x, *old = s->aside.x;
    double *d = s->point.d;
    slopes_of(l, old, s->aside.xp, d);
    for (size_t i = 0; i < l->states; i++)
        d[i] = x[i] - old[i] - s->grid.h * d[i];
    return size_of(s, d);
}

static double again(double error)
{
    const double factor = again_safety * sqrt(first_aim / error);
    return fmin(fmax(factor, again_least), again_most);
}

bool resume_recovers(stepper *s)
{
    if (starter_works(s)) return false;
    if (s->resumed == RESUMED_ANEW
        && s->tries.failures[FAILED_ERROR] > again_times)
        return false;
    s->stats->rejected_steps++;
    if (s->resumed == RESUMED_KEPT) {
        const double error = s->is_converged ? first_error(s) : HUGE_VAL;
        begin_again(s, s->history.t, s->aside.x, s->aside.xp,
            fabs(s->h) * again(error), fabs(s->h));
        return true;
    }
    s->h *= again(s->estimates.error[SAME]);
    weights_rescale(s->weights, s->h);
    return true;
}

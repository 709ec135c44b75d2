/* One step of a multistep formula in predictor-corrector form [BCP96 5.2].
 * Attempts read the history and write `point`; only accept() writes the
 * history, so there is nothing to undo after a failure. */
#include "step/step.h"

#include "linalg/thresholds.h"
#include "newton/direct.h"
#include "newton/norm.h"
#include "step/attempt.h"
#include "step/cut.h"
#include "step/damping.h"
#include "step/fixed.h"
#include "step/interpolate.h"
#include "step/resume.h"
#include "step/start.h"
#include "step/starter.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Attempts after which a step is given up, by what failed. */
enum {
    error_failures_max = 60,
    convergence_failures_max = 40,
    nonfinite_failures_max = 12,
    singular_failures_max = 5,
    bound_failures_max = 30,
};
/* Attempts that are shortened because disturbances grow within them: at an unstable
 * equilibrium at which nothing happens a run would take ever so many. */
enum { growth_failures_of_run = 2000 };
/* From this failed error test on, order 1 from value and slope alone. */
enum { rebuild_at = 3 };
/* Step factors after the corrector failed, and after it failed often: where
 * an equation jumps, only a step that is nothing beside t gets across. */
static const double convergence_cut = 0.25, convergence_cut_late = 0.1;
enum { late = 8 };
/* Steps are this many units in the last place of t at least, first steps and
 * those that cross a jump: */
static const double least_units = 2, first_units = 128, jump_units = 16;
/* Below this many, steps are rounded to those that t can take. */
static const double exact_units = 1e10;
/* Crossing a jump may also take this share of the time gone by. */
static const double jump_share = 1e-12;

_Static_assert(STOPPED < sizeof(tries){0}.failures / sizeof(int),
    "tries has room for every way to end");

dae_status stepper_init(stepper *s, const formula *f, const layout *l,
    weights *w, newton *nw, dae_stats *stats, int max_order, arena *a)
{
    *s = (stepper){.formula = f, .layout = l, .weights = w, .newton = nw};
    s->stats = stats;
    s->h_max = HUGE_VAL;
    s->t_stop = (double)NAN;
    selector_init(&s->selector, max_order);
    s->selector.moves_past = f->needs_equal_steps;
    if (f->one_step && method_estimates(f)) {
        s->selector.only = f->parts->error_order;
        s->selector.safety = f->parts->safety;
    }
    dae_status st = history_init(
        &s->history, l->states, s->selector.max_order, a);
    if (st) return st;
    point *p = &s->point;
    p->x = ARENA_ARRAY(a, double, l->states);
    p->d = ARENA_ARRAY(a, double, l->states);
    p->xp = ARENA_ARRAY(a, double, l->unknowns);
    s->aside.x = ARENA_ARRAY(a, double, l->states);
    s->aside.xp = ARENA_ARRAY(a, double, l->unknowns);
    s->noise = ARENA_ARRAY(a, double, l->states);
    s->lifted_size = ARENA_ARRAY(a, double, l->states);
    p->slope = l->is_first_order ? p->xp : ARENA_ARRAY(a, double, l->states);
    if ((st = method_init(s, a))) return st;
    mode_init(&s->watch, a);
    if ((st = pole_init(&s->poles, nw->problem, l, a))) return st;
    const bool has_point = p->x && p->d && p->xp && p->slope;
    const bool has_rooms = s->aside.x && s->aside.xp && s->noise
        && s->lifted_size;
    return has_point && has_rooms ? DAE_OK : DAE_MEMORY;
}

void stepper_start(stepper *s, double t, const double *x, const double *xp,
    double direction, double first, double interval)
{
    const layout *l = s->layout;
    point *p = &s->point;
    p->t = t;
    if (p->x != x) memcpy(p->x, x, l->states * sizeof *x);
    if (p->xp != xp) memcpy(p->xp, xp, l->unknowns * sizeof *xp);
    attempt_fill_slopes(l, p);
    attempt_clear_algebraic(l, p);
    memset(p->d, 0, l->states * sizeof *p->d);
    weights_add_noise(s->weights, p->d);
    weights_update(s->weights, p->x, 1);
    double h = first > 0 ? first : start_step(s->weights, p->slope, interval);
    h = fmax(h, first_units * DBL_EPSILON * fabs(t));
    s->h = direction * fmin(h, s->h_max);
    s->t_start = t;
    s->interval = interval;
    s->progress = (progress){.t = t, .steps = s->stats->steps};
    s->last_h = s->wish = 0;
    s->shortened = 0;
    s->lifted_h = s->longest = 0;
    s->is_lifted = false;
    damping_begin(s);
    s->last_order = 1;
    s->is_first = true;
    s->has_line = s->is_cut = false;
    s->resumed = RESUMED_NOT;
    starter_end(s);
    s->tries = (tries){0};
    history_start(&s->history, t, p->x, p->slope, s->h);
    method_begin(s);
    select_aim(&s->selector,
        weights_tightest(s->weights, s->newton->problem->scales, p->x));
    selector_start(&s->selector);
    bounds_clip(&s->newton->bounds, p->x);
    pole_forget(&s->poles);
    if (s->fixed.length > 0) fixed_start(s, direction);
}

/* --- the step length --- */

/* A few units in the last place of t: shorter steps are mostly rounding. */
static double least_step(const stepper *s)
{
    return least_units * DBL_EPSILON * fabs(s->history.t);
}

/* Beside a large t, t + h - t is another step than h: that one is meant. */
static void round_step(stepper *s)
{
    double t = s->history.t, h = (t + s->h) - t;
    if (h != 0 && fabs(h) <= s->h_max) s->h = h;
}

/* Steps may be drawn out by this much to meet t_stop: what is aimed at leaves room
 * for it. As many as these share what is left before it. */
static const double drawn_out = 1.15;
enum { sharing_most = 4 };

static void fit_stop(stepper *s, double left)
{
    const double count = ceil(fabs(left / s->h) / drawn_out);
    if (!(count <= sharing_most) || fabs(left) > count * s->h_max) return;
    const double share = count > 1 ? left / count : left;
    if (fabs(share) < fabs(s->h)) s->wish = fmax(s->wish, fabs(s->h));
    s->h = share;
}

/* Fits the step to what is left of the interval: the end is met exactly, and
 * the two last steps share what is left rather than leave a sliver. */
static void fit_step(stepper *s)
{
    double left = attempt_end(s) - s->history.t;
    if (fabs(s->h) > s->h_max) s->h = copysign(s->h_max, s->h);
    if (attempt_has_stop(s)) {
        fit_stop(s, left);
        if (s->h == left) return;
    } else if (isfinite(left)) {
        double room = fabs(left);
        bool is_last = fabs(s->h) >= room * (1 - 1e-10);
        bool is_sliver = 0.5 * room < least_step(s);
        if (is_last || (fabs(s->h) > 0.5 * room && is_sliver)) {
            s->h = left;
            return;
        }
        if (fabs(s->h) > 0.5 * room) s->h = 0.5 * left;
    }
    if (fabs(s->h) < exact_units * DBL_EPSILON * fabs(s->history.t))
        round_step(s);
}

static bool is_too_small(const stepper *s)
{
    double left = attempt_end(s) - s->history.t;
    if (!isfinite(s->h) || s->h == 0) return true;
    return fabs(s->h) < 0.7 * least_step(s) && s->h != left; /* rounded */
}

/* Fits the step and lifts it to the least there is, unless that has failed:
 * `*has_least` says so and is set when that step comes. */
static bool has_step(stepper *s, bool *has_least)
{
    double least = least_step(s);
    fit_step(s);
    if (is_too_small(s)) {
        if (*has_least || !isfinite(s->h) || s->h_max < least) return false;
        s->h = copysign(least, s->h);
        fit_step(s);
        if (is_too_small(s)) return false;
    }
    *has_least = fabs(s->h) <= 1.5 * least;
    return true;
}

/* --- after an attempt --- */

/* The largest share by which a tolerance is lifted. */
static double note_rounding(stepper *s)
{
    const weights *w = s->weights;
    const double *x = s->history.phi[0];
    double largest = 1;
    for (size_t i = 0; i < s->layout->states; i++) {
        double size = w->rtol * fabs(x[i]);
        double ratio = (size + w->floor[i]) / (size + w->atol[i]);
        largest = fmax(largest, ratio);
        if (!(ratio > s->rounding.ratio)) continue;
        s->rounding = (rounding){ratio, i, s->history.t};
    }
    return largest;
}

/* Tolerances lifted by more are looked at again when the step is so much longer:
 * noise that is due to short steps is gone with them. */
static const double lifted_much = 2, lifted_longer = 2;

/* Failures may come from tolerances below what rounding in the equations
 * allows: those are lifted to the noise, measured at the last point. */
static void allow_for_rounding(stepper *s)
{
    point *p = &s->point;
    double *noise = p->d; /* filled anew by the next attempt */
    stepper_restore(s);
    newton_task task = attempt_task(s);
    newton_noise(s->newton, &task, noise);
    weights_add_noise(s->weights, noise);
    weights_update(s->weights, s->history.phi[0], s->h);
    s->lifted_h = note_rounding(s) > lifted_much ? fabs(s->grid.h) : 0;
    for (size_t i = 0; i < s->layout->states; i++)
        s->lifted_size[i] = fabs(s->history.phi[0][i]);
    s->is_lifted = true;
}

/* Steps that have fallen to this part of the longest one may be chasing rounding. */
static const double fallen_share = 1e-3;

/* Whether rounding alone explains what failed a test, in steps that have fallen: shorter
 * ones pass by chance, one after the other, until none is short enough. */
static bool is_rounding(stepper *s)
{
    const point *p = &s->point;
    if (s->formula->one_step) return false; /* its error is no difference */
    if (fabs(s->h) > fallen_share * s->longest) return false;
    const double *weight = s->weights->test;
    const double most = newton_noise_most(s->layout, p->x);
    double *noise = s->noise;
    for (size_t i = 0; i < s->layout->states; i++)
        if (fabs(p->d[i]) * weight[i] > 1 && fabs(p->d[i]) > most) return false;
    stepper_restore(s);
    newton_task task = attempt_task(s);
    newton_noise(s->newton, &task, noise);
    for (size_t i = 0; i < s->layout->states; i++)
        if (fabs(p->d[i]) * weight[i] > 1
            && !weights_is_noise(p->d[i], noise[i]))
            return false;
    return true;
}

static bool is_lifted_too_long(const stepper *s)
{
    return s->lifted_h > 0 && fabs(s->h) >= lifted_longer * s->lifted_h;
}

/* Rounding falls with what is rounded: a state that has lost a digit since, and whose
 * tolerance is lifted by more than that of its size, has another one. */
static bool is_lifted_too_high(const stepper *s)
{
    const weights *w = s->weights;
    if (!s->is_lifted) return false;
    for (size_t i = 0; i < s->layout->states; i++) {
        const double now = fabs(s->point.x[i]);
        if (now < DIGIT * s->lifted_size[i]
            && w->floor[i] - w->atol[i] > w->rtol * now + w->atol[i])
            return true;
    }
    return false;
}

/* Steps that only get shorter may be chasing rounding, too. */
enum { shortened_max = 20 };

/* Behind a stop the steps are as long as before it, where the error of the short
 * one has nothing against it. */
static void take_wish(stepper *s)
{
    const selector *c = &s->selector;
    const estimates *e = &s->estimates;
    if (c->order == e->k) {
        const double most = fabs(s->grid.h)
            / pow(c->bias * fmax(e->error[SAME], 1e-12), 1.0 / (e->k + 1));
        s->h = copysign(fmax(fabs(s->h), fmin(s->wish, most)), s->h);
    }
    s->wish = 0;
}

/* Of what is below its absolute tolerance that which a residual of the size of its
 * rounding moves most, by the factors of this step; or of all. */
static void note_growth(stepper *s)
{
    growth *g = &s->growth;
    double *moved = s->point.d, most = 0; /* filled anew by the next attempt */
    newton_task task = attempt_task(s);
    if (g->passed++ > 0) return;
    newton_noise(s->newton, &task, moved);
    g->t = s->history.t;
    for (int all = 0; all < 2 && most == 0; all++) {
        for (size_t i = 0; i < s->layout->states; i++) {
            const double weight = s->weights->plain[i];
            const bool is_below = fabs(s->point.x[i]) * weight <= 1;
            if (!(moved[i] * weight > most) || !(is_below || all)) continue;
            most = moved[i] * weight;
            g->state = i;
        }
    }
}

static void accept(stepper *s)
{
    s->longest = fmax(s->longest, fabs(s->h));
    attempt_enter(s, s->selector.is_ramping);
    if (s->tries.is_let_go) note_growth(s);
    s->selector.length = fabs(s->h);
    double factor = select_after_step(&s->selector, &s->estimates);
    s->h *= factor;
    if (s->wish > 0) take_wish(s);
    starter_follow(s);
    s->shortened = factor < 1 ? s->shortened + 1 : 0;
    if (s->shortened % shortened_max == shortened_max - 1
        || is_lifted_too_long(s) || is_lifted_too_high(s))
        allow_for_rounding(s);
    else weights_update(s->weights, s->point.x, s->h);
    attempt_keep_bounds(s);
}

static void shorten(stepper *s, double factor)
{
    s->h *= factor;
    s->wish = 0;
    s->stats->rejected_steps++;
    s->selector.is_ramping = false;
    if (s->selector.hold < 1) s->selector.hold = 1;
    weights_rescale(s->weights, s->h);
}

/* Where derivatives cancel between equations, what is left of these in the
 * iteration matrix is the step's share: the shorter the first step, the fewer
 * digits of it are left. A longer one, a part of the interval still, has more of
 * them; the error test says whether it is too long. */
static const double first_growth = 100, first_share = 1e-4;
static const double first_digits = 1e-12; /* least reciprocal condition */

/* DAE_OK, or DAE_MEMORY. */
static dae_status judge_first(stepper *s, attempt a, bool *is_lost)
{
    iteration *it = s->newton->matrix;
    double rcond = 0;
    *is_lost = false;
    if (s->stats->steps > 0) return DAE_OK;
    if (a != FAILED_SINGULAR) {
        if (!iteration_linear(it)) return DAE_OK;
        const dae_status st = iteration_rcond(it, &rcond);
        if (st) return st;
    }
    *is_lost = rcond < first_digits;
    return DAE_OK;
}

static void lengthen_first(stepper *s)
{
    const double most = first_share * s->interval;
    const double longer = fmin(first_growth * fabs(s->h), most);
    if (longer > fabs(s->h)) s->h = copysign(longer, s->h);
    s->stats->rejected_steps++;
    weights_rescale(s->weights, s->h);
}

/* Order 1 from value and slope alone, as at a start; one-step methods have no
 * more. */
static void rebuild(stepper *s)
{
    history *hi = &s->history;
    if (s->formula->one_step) return;
    history_at(hi, s->last_order, 0, 0, hi->states, NULL, s->point.slope);
    history_start(hi, hi->t, hi->phi[0], s->point.slope, s->h);
    method_begin(s);
    s->selector.order = 1;
    s->selector.steps_at_order = 0;
    s->selector.is_ramping = true;
    s->last_order = 1;
}

/* Small in the residual alone, iterated solutions may be far off: direct ones take their
 * place, for good; false: they are such. */
static bool leave_iterations(stepper *s)
{
    newton *nw = s->newton;
    if (!iteration_is_inexact(nw->matrix)) return false;
    iteration_distrust(nw->matrix);
    nw->alpha = 0;
    return true;
}

/* Shrinking: order 1 errors fall by 4 at least when the step falls by 4. */
static const double shrinking = 0.7;

/* Whether an error has not shrunk with the step since the last test of this order. */
static bool is_unshrunk(stepper *s)
{
    tries *t = &s->tries;
    const double error = s->estimates.error[SAME];
    const bool is_same = t->tested_order == s->selector.order
        && error > shrinking * t->tested_error;
    t->tested_order = s->selector.order;
    t->tested_error = error;
    return is_same;
}

/* A test failed by more: the next prediction is far from this one, and a Jacobian
 * evaluated here is not one of there. Measured on 800 runs of the library at 1e-2
 * to 1e-5: 0.7 % more Jacobians, and 4 % after every failed test; as many steps. */
static const double far_error = 3;

static step_failure after_error(stepper *s, int failure)
{
    s->stats->error_test_failures++;
    if (failure >= error_failures_max) return STEP_TOO_SMALL_ERROR;
    if (is_unshrunk(s)) (void)leave_iterations(s);
    double factor = select_after_failure(&s->selector, &s->estimates, failure);
    const bool is_elsewhere = s->newton->is_fresh
        && s->estimates.error[SAME] > far_error;
    if (failure >= 2 || is_elsewhere) s->newton->wants_jacobian = true;
    if (failure >= 2 || is_rounding(s)) allow_for_rounding(s);
    shorten(s, factor);
    if (failure >= rebuild_at) {
        s->newton->wants_all = true;
        rebuild(s);
    }
    s->tries.is_repairing = failure > rebuild_at;
    return STEP_FINE;
}

/* A distance from the prediction that does not shrink with the step is not
 * an error of this step: the point before was off the algebraic equations by
 * that much, unseen by its own Newton iteration. Up to this many tolerances
 * the step back onto them is taken; further away is another branch. */
static const double repair_max = 100;
/* Where the equations are next to linear on the way, by a Jacobian of this very
 * attempt, it is the same branch up to this many: tolerances may be those of a
 * value that goes through zero, and the last point was made by others. */
static const double repair_max_linear = 1000, linear_rate = 0.01;
/* The step after it: the error will tell. */
static const double repair_growth = 16;

static bool is_repair(const stepper *s, double error_before)
{
    const newton *nw = s->newton;
    double error = s->estimates.error[SAME];
    const bool is_linear = nw->is_fresh && nw->rate > 0
        && nw->rate <= linear_rate;
    return s->is_converged && s->selector.order == 1 && !s->formula->one_step
        && error <= (is_linear ? repair_max_linear : repair_max)
        && error > shrinking * error_before && attempt_keeps(s);
}

/* Takes the attempt at hand as the new point whatever its error and begins
 * the history anew there, with the slopes from before. */
static void repair(stepper *s)
{
    history *hi = &s->history;
    history_at(hi, 1, 0, 0, hi->states, NULL, s->point.slope);
    attempt_count(s);
    s->stats->restarts++;
    s->h *= repair_growth;
    history_start(hi, s->point.t, s->point.x, s->point.slope, s->h);
    method_begin(s);
    if (!s->layout->is_first_order)
        for (size_t j = 0; j < s->layout->unknowns; j++)
            s->point.xp[j] = s->point.slope[s->layout->first[j + 1] - 1];
    selector_start(&s->selector);
    weights_update(s->weights, s->point.x, s->h);
}

/* So short that a jump may be crossed. */
static bool is_short(const stepper *s)
{
    double units = jump_units * DBL_EPSILON * fabs(s->history.t);
    double gone = fabs(s->history.t - s->t_start);
    double share = jump_share * (gone > 0 ? gone : s->interval);
    return fabs(s->h) <= fmax(share, units);
}

static double cut_of(const stepper *s, int failure)
{
    if (failure > late) return convergence_cut_late;
    return s->memory.shorter > 0 ? s->memory.shorter : convergence_cut;
}

/* The corrector failed: first with a Jacobian of this very point, then with
 * a shorter step. */
static step_failure after_convergence(stepper *s, attempt a, int failure)
{
    newton *nw = s->newton;
    bool is_lost;
    if (!nw->is_fresh && !nw->is_constant
        && failure < convergence_failures_max) {
        nw->wants_jacobian = true;
        return STEP_FINE;
    }
    /* before the step is found too long: are solutions too poor? */
    if (leave_iterations(s)) return STEP_FINE;
    const dae_status st = judge_first(s, a, &is_lost);
    if (st) {
        nw->status = st;
        s->tries.failures[a]--; /* to be judged again */
        return STEP_STOPPED;
    }
    s->stats->convergence_failures++;
    if (a == FAILED_SINGULAR && failure >= singular_failures_max)
        return STEP_SINGULAR;
    if (failure >= convergence_failures_max) return STEP_TOO_SMALL_CONVERGENCE;
    nw->wants_all = true;
    if (is_lost) {
        lengthen_first(s);
        return STEP_FINE;
    }
    allow_for_rounding(s);
    shorten(s, cut_of(s, failure));
    if (failure > late) {
        nw->alpha = 0;
        rebuild(s);
    }
    return STEP_FINE;
}

static step_failure after_nonfinite(stepper *s, int failure)
{
    s->stats->nonfinite_failures++;
    if (failure >= nonfinite_failures_max) return STEP_NONFINITE;
    if (s->newton->lost != SIZE_MAX) {
        /* F and its Jacobian are as they should be, the factors are not. */
        if (failure >= singular_failures_max) return STEP_NONFINITE;
        s->newton->wants_all = true;
    }
    shorten(s, failure > late ? convergence_cut_late : convergence_cut);
    return STEP_FINE;
}

/* The unknown furthest beyond a bound; inside and beyond are its distances
 * from it at the old and at the new point. Shorter steps come up to the bound
 * and stop there where the slope at the new point still leads out. */
static step_failure after_bound(stepper *s, int failure)
{
    const bound *at = &s->newton->bounds.at[s->bound];
    double x = s->point.x[at->state], before = s->history.phi[0][at->state];
    bool is_low = x < at->low;
    double inside = is_low ? before - at->low : at->high - before;
    double beyond = is_low ? at->low - x : x - at->high;
    bool is_there = inside * s->weights->plain[at->state] < bound_slack;
    bool leads_out = s->selector.order == 1 && beyond > -inside;
    s->stats->error_test_failures++;
    if (failure > rebuild_at && is_there && leads_out) return STEP_AT_BOUND;
    if (failure >= bound_failures_max) return STEP_AT_BOUND;
    inside = fmax(inside, 0);
    shorten(s, fmin(fmax(inside / (inside + beyond), 0.1), 0.9));
    if (failure >= rebuild_at) rebuild(s);
    return STEP_FINE;
}

/* Whether disturbances grow as fast from the last point on, by a Jacobian of there. */
static newton_outcome grow_before(stepper *s, bool *is_outgrown)
{
    newton *nw = s->newton;
    stepper_restore(s);
    newton_task task = attempt_task(s);
    nw->wants_jacobian = true;
    const newton_outcome out = newton_factors(nw, &task);
    if (out != NEWTON_CONVERGED) return out;
    const dae_status st = newton_is_outgrown(nw, is_outgrown);
    return st ? newton_outcome_of(nw, st) : NEWTON_CONVERGED;
}

/* A formula damps a disturbance that grows within its step, and goes on along a solution
 * that the equations leave: of two branches the wrong one, once an error of less than a
 * tolerance has led there. A step to where that is so is shortened; one from there is
 * let go, which may lead back. */
static step_failure after_growth(stepper *s)
{
    newton *nw = s->newton;
    bool is_outgrown = false;
    if (!nw->is_fresh) {
        nw->wants_jacobian = true;
        return STEP_FINE;
    }
    if (grow_before(s, &is_outgrown) == NEWTON_STOPPED) return STEP_STOPPED;
    nw->wants_jacobian = true;
    if (is_outgrown) {
        s->tries.is_let_go = true;
        return STEP_FINE;
    }
    s->stats->error_test_failures++;
    s->growth.shortened++;
    shorten(s, convergence_cut);
    return STEP_FINE;
}

/* One-step methods have the Jacobian of where a step begins, and gain nothing by it. */
static bool watches_growth(const stepper *s)
{
    return !s->formula->one_step && !s->tries.is_let_go
        && !s->newton->is_constant
        && s->growth.shortened < growth_failures_of_run;
}

static step_failure recover(stepper *s, attempt a)
{
    int *failures = s->tries.failures, failure = ++failures[a];
    if (starter_works(s) && failure >= rebuild_at) {
        starter_fail(s);
        rebuild(s);
    }
    const bool is_behind = s->resumed != RESUMED_NOT;
    if (is_behind && a == FAILED_ERROR && resume_recovers(s)) {
        s->stats->error_test_failures++;
        return STEP_FINE;
    }
    switch (a) {
    case FAILED_ERROR: return after_error(s, failure);
    case FAILED_GROWTH: return after_growth(s);
    case FAILED_CONVERGENCE:
    case FAILED_SINGULAR:
        /* Steps that went that short have another cause. */
        if (a == FAILED_SINGULAR && failures[FAILED_NONFINITE] > late)
            return STEP_NONFINITE;
        if (a == FAILED_SINGULAR && failures[FAILED_CONVERGENCE] > late)
            return STEP_TOO_SMALL_CONVERGENCE;
        return after_convergence(s, a, failure);
    case FAILED_NONFINITE: return after_nonfinite(s, failure);
    case FAILED_BOUND: return after_bound(s, failure);
    case ACCEPTED:
    case STOPPED: break;
    }
    return STEP_STOPPED;
}

/* --- jumps --- */

/* Iterations that a new value of an algebraic unknown may take, in rounds of
 * the corrector, each with a new Jacobian. */
enum { jump_rounds = 10 };
/* How far beyond its tolerance a differential unknown may be off across the
 * shortest step there is: t is not known better. */
static const double jump_error_least = 100;

/* The largest error of a state that has a slope, in tolerances. `d` is a sum
 * of corrections and may have lost what is left of them, where Newton's method
 * went far away and came back; the distance from the prediction has not. */
static double differential_error(const stepper *s)
{
    const layout *l = s->layout;
    const double *w = s->weights->test, *x = s->point.x;
    double *const *phi = s->history.phi, beta = s->grid.beta[1];
    double worst = 0;
    for (size_t j = 0; j < l->unknowns; j++) {
        if (l->order[j] == 0) continue;
        for (size_t i = l->first[j]; i < l->first[j + 1]; i++)
            worst = fmax(
                worst, fabs(w[i] * (x[i] - phi[0][i] - beta * phi[1][i])));
    }
    if (s->formula->one_step) return worst;
    assert(s->selector.order == 1);
    return worst * s->formula->error_constant(s->grid.psi, s->grid.sums, 1);
}

/* Whether some unknown is elsewhere than at the last point. What is not, where Newton's
 * method fails, is not determined there: a turning point, and no jump. */
static bool has_moved(const stepper *s)
{
    const double *w = s->weights->test, *x = s->point.x;
    for (size_t i = 0; i < s->layout->states; i++)
        if (fabs(w[i] * (x[i] - s->history.phi[0][i])) > 1) return true;
    return false;
}

/* Whether the equations jump within the attempt at hand (ACCEPTED): they do
 * not hold at a prediction at a negligible distance. Then `point` becomes
 * what they ask for after the jump. A solution that ends, or turns into a
 * branch of its own, does so with equations that hold up to there. */
static attempt solve_jump(stepper *s)
{
    newton *nw = s->newton;
    attempt_prepare(s);
    predict(&s->history, &s->grid, 1, s->layout, &s->point);
    newton_task task = attempt_task(s);
    task.error_constant = 0; /* its error is not what counts */
    if (!(newton_off(nw, &task) > 1)) return FAILED_CONVERGENCE;
    for (int round = 0; round < jump_rounds; round++) {
        nw->wants_jacobian = !nw->is_constant;
        newton_outcome out = newton_solve(nw, &task);
        if (out == NEWTON_CONVERGED) return ACCEPTED;
        if (out == NEWTON_STOPPED) return STOPPED;
        if (out != NEWTON_DIVERGED) return FAILED_CONVERGENCE;
    }
    return FAILED_CONVERGENCE;
}

/* Begins anew after a jump: algebraic unknowns have new values and no slope
 * yet, the others their new slopes. */
static void restart(stepper *s)
{
    point *p = &s->point;
    weights_update(s->weights, p->x, s->h);
    attempt_count(s);
    s->last_order = 1;
    s->stats->restarts++;
    s->is_first = true;
    attempt_fill_slopes(s->layout, p);
    attempt_clear_algebraic(s->layout, p);
    double h = start_step(s->weights, p->slope, s->interval);
    s->h = copysign(fmin(fmax(h, fabs(s->h)), s->h_max), s->h);
    history_start(&s->history, p->t, p->x, p->slope, s->h);
    method_begin(s);
    selector_start(&s->selector);
    attempt_keep_bounds(s);
}

/* A jump is crossed by order 1 of bdf, of one-step methods too where the matrix is
 * that of its chains. */
static bool has_jumps(const stepper *s)
{
    if (!s->formula->one_step) return s->selector.order == 1;
    return s->layout->is_first_order || s->newton->chain == 1;
}

/* After a failed attempt of order 1: whether it was a jump of algebraic
 * unknowns. Then it was crossed, or passes a bound, or is not complete. */
static bool cross_jump(stepper *s, step_failure *why)
{
    if (!has_jumps(s) || !is_short(s)) return false;
    double allowed = s->tries.has_least ? jump_error_least : 1;
    const newton before = *s->newton;
    attempt a = solve_jump(s);
    if (a == ACCEPTED
        && !(has_moved(s) && differential_error(s) <= allowed
            && attempt_keeps(s)))
        a = FAILED_CONVERGENCE;
    if (a == FAILED_CONVERGENCE) {
        /* What failed, as it was: reports look at it. */
        s->newton->wants_jacobian = !s->newton->is_constant;
        a = attempt_step(s) == STOPPED ? STOPPED : FAILED_CONVERGENCE;
    }
    s->tries.is_crossing = a == STOPPED;
    if (a == STOPPED) {
        newton_rewind(s->newton, &before);
        *why = STEP_STOPPED;
        return true;
    }
    if (a != ACCEPTED) return false;
    bool is_out = attempt_bounds(s) != ACCEPTED;
    *why = is_out ? STEP_AT_BOUND : STEP_FINE;
    if (!is_out) restart(s);
    return true;
}

/* --- progress --- */

/* Steps of a window, windows in a row that got nowhere, what part of the
 * interval is nowhere, and what shares of steps are of low order and of
 * attempts rejected where a solution switches to and fro: steps grow after five at most,
 * and fail. One-step methods have no low order to fall to. */
enum { window_steps = 1000, windows_max = 2 };
static const double nowhere_share = 1e-4, low_share = 0.9,
                    rejected_share = 1.0 / 6;

static void judge_progress(stepper *s)
{
    const dae_stats *stats = s->stats;
    progress *p = &s->progress;
    int64_t steps = stats->steps - p->steps;
    if (steps < window_steps) return;
    int64_t low = stats->steps_at_order[1] + stats->steps_at_order[2];
    double gone = fabs(s->history.t - p->t);
    double rejected = (double)(stats->rejected_steps - p->rejected);
    bool is_stuck = gone <= nowhere_share * s->interval
        && (s->formula->one_step
            || (double)(low - p->low) >= low_share * (double)steps)
        && rejected >= rejected_share * (double)steps;
    int windows = is_stuck ? p->windows + 1 : 0;
    *p = (progress){.t = s->history.t,
        .steps = stats->steps,
        .rejected = stats->rejected_steps,
        .low = low,
        .windows = windows};
}

/* --- one step --- */

/* The step length fell to nothing: say what made it so. */
static step_failure too_small(const int *failures)
{
    if (failures[FAILED_BOUND]) return STEP_AT_BOUND;
    if (failures[FAILED_NONFINITE]) return STEP_NONFINITE;
    if (failures[FAILED_SINGULAR]) return STEP_SINGULAR;
    if (failures[FAILED_CONVERGENCE]) return STEP_TOO_SMALL_CONVERGENCE;
    return failures[FAILED_ERROR] ? STEP_TOO_SMALL_ERROR : STEP_NO_ROOM;
}

/* An attempt, and what an accepted one says of disturbances: whether they grow within the
 * step, and how multistep formulas damp them, whose attempt is one call of the
 * corrector. */
static attempt attempt_watched(stepper *s)
{
    const attempt a = attempt_step(s);
    bool is_outgrown = false;
    if (a != ACCEPTED) return a;
    dae_status st = watches_growth(s)
        ? newton_is_outgrown(s->newton, &is_outgrown)
        : DAE_OK;
    if (!st && is_outgrown) return FAILED_GROWTH;
    if (!st) st = damping_watch(s);
    if (!st) return a;
    newton_rewind(s->newton, &s->before);
    s->newton->status = st;
    return STOPPED;
}

/* The shortest step, where it has failed, from value and slope alone. */
static bool has_rebuilt(stepper *s)
{
    tries *t = &s->tries;
    if (!t->has_least || s->selector.order == 1 || s->formula->one_step)
        return false;
    rebuild(s);
    t->has_least = false;
    return has_step(s, &t->has_least);
}

/* An attempt with what its failure asks for at once; whether the step is at
 * its end with that, and how. */
static bool try_step(stepper *s, step_failure *why)
{
    tries *t = &s->tries;
    double error_before = s->estimates.error[SAME];
    if (!has_step(s, &t->has_least) && !has_rebuilt(s)) {
        *why = too_small(t->failures);
        return true;
    }
    attempt a = attempt_watched(s);
    t->failed = (int)a;
    *why = STEP_FINE;
    if (a == ACCEPTED) {
        accept(s);
        return true;
    }
    if (a == STOPPED) *why = STEP_STOPPED;
    else if (s->progress.windows >= windows_max) *why = STEP_CHATTERS;
    if (*why != STEP_FINE) return true;
    const bool is_past = t->is_repairing && is_repair(s, error_before);
    if (is_past) repair(s);
    return is_past;
}

/* What a failed attempt asks for else: a jump is crossed, or the next attempt
 * is to be another one. Whether the step is at its end with that. */
static bool go_on(stepper *s, step_failure *why)
{
    tries *t = &s->tries;
    attempt a = (attempt)t->failed;
    const bool is_unsolved = a == FAILED_SINGULAR
        || (a == FAILED_CONVERGENCE && s->newton->is_fresh);
    t->is_asking = s->asks && !s->is_first && is_unsolved;
    if (t->is_asking) {
        *why = STEP_UNSOLVED;
        return true;
    }
    const bool may_jump = a == FAILED_ERROR || a == FAILED_CONVERGENCE;
    if (may_jump && !t->is_judging && cross_jump(s, why)) return true;
    *why = recover(s, a);
    t->is_judging = *why == STEP_STOPPED;
    return *why != STEP_FINE;
}

step_failure stepper_step(stepper *s)
{
    step_failure why;
    if (s->fixed.length > 0) return fixed_step(s);
    if (starter_is_lost(s)) return STEP_STOPPED;
    cut_close(s);
    if (!s->tries.is_stopped) s->tries = (tries){0};
    judge_progress(s);
    const tries *t = &s->tries;
    while (
        (t->is_crossing || t->is_judging || t->is_asking || !try_step(s, &why))
        && !go_on(s, &why)) {}
    s->tries.is_stopped = why == STEP_STOPPED || why == STEP_UNSOLVED;
    return why;
}

void stepper_set_aside(stepper *s)
{
    const layout *l = s->layout;
    s->aside.t = s->point.t;
    memcpy(s->aside.x, s->point.x, l->states * sizeof *s->point.x);
    memcpy(s->aside.xp, s->point.xp, l->unknowns * sizeof *s->point.xp);
    stepper_restore(s);
}

void stepper_take_up(stepper *s)
{
    const layout *l = s->layout;
    s->point.t = s->aside.t;
    memcpy(s->point.x, s->aside.x, l->states * sizeof *s->point.x);
    memcpy(s->point.xp, s->aside.xp, l->unknowns * sizeof *s->point.xp);
}

void stepper_restore(stepper *s)
{
    s->point.t = s->history.t;
    interpolate(&s->history, s->layout, s->last_order, s->history.t, s->point.x,
        s->point.xp);
    bounds_clip(&s->newton->bounds, s->point.x);
}

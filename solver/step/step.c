/* One step of a multistep formula in predictor-corrector form [BCP96 5.2].
 * Attempts read the history and write `point`; only accept() writes the
 * history, so there is nothing to undo after a failure. */
#include "step/step.h"

#include "newton/norm.h"
#include "step/interpolate.h"
#include "step/start.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Attempts after which a step is given up, by what failed. */
enum {
    error_failures_max = 10,
    convergence_failures_max = 10,
    nonfinite_failures_max = 10,
    singular_failures_max = 5,
};
/* From this failed error test on, order 1 from value and slope alone. */
enum { rebuild_at = 3 };
/* Step factor after the corrector failed. */
static const double convergence_cut = 0.25;

typedef enum attempt {
    ACCEPTED,
    FAILED_ERROR,
    FAILED_CONVERGENCE,
    FAILED_NONFINITE,
    FAILED_SINGULAR,
    STOPPED,
} attempt;

/* Failed attempts of one step, by attempt. */
typedef struct failures {
    int count[STOPPED + 1];
} failures;

dae_status stepper_init(stepper *s, const formula *f, const layout *l,
    weights *w, newton *nw, dae_stats *stats, int max_order, arena *a)
{
    *s = (stepper){.formula = f, .layout = l, .weights = w, .newton = nw};
    s->stats = stats;
    s->h_max = HUGE_VAL;
    if (max_order > f->max_order) max_order = f->max_order;
    selector_init(&s->selector, max_order, w->rtol);
    dae_status st = history_init(
        &s->history, l->states, s->selector.max_order, a);
    if (st) return st;
    point *p = &s->point;
    p->x = ARENA_ARRAY(a, double, l->states);
    p->d = ARENA_ARRAY(a, double, l->states);
    p->xp = ARENA_ARRAY(a, double, l->unknowns);
    p->slope = l->is_first_order ? p->xp : ARENA_ARRAY(a, double, l->states);
    return p->x && p->d && p->xp && p->slope ? DAE_OK : DAE_MEMORY;
}

/* Slopes of all states at a point: a lower state's is the state above. */
static void fill_slopes(const layout *l, point *p)
{
    if (l->is_first_order) return;
    for (size_t j = 0; j < l->unknowns; j++) {
        size_t high = l->first[j + 1] - 1;
        for (size_t i = l->first[j]; i < high; i++) p->slope[i] = p->x[i + 1];
        p->slope[high] = p->xp[j];
    }
}

/* The slope of an algebraic unknown is not known at a start. */
static void clear_algebraic(const layout *l, point *p)
{
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] == 0) p->slope[l->first[j]] = 0;
}

void stepper_start(stepper *s, double t, const double *x, const double *xp,
    double direction, double first, double interval)
{
    const layout *l = s->layout;
    point *p = &s->point;
    p->t = t;
    if (p->x != x) memcpy(p->x, x, l->states * sizeof *x);
    if (p->xp != xp) memcpy(p->xp, xp, l->unknowns * sizeof *xp);
    fill_slopes(l, p);
    clear_algebraic(l, p);
    memset(p->d, 0, l->states * sizeof *p->d);
    weights_add_noise(s->weights, p->d);
    weights_update(s->weights, p->x, 1);
    double h = first > 0 ? first : start_step(s->weights, p->slope, interval);
    s->h = direction * fmin(h, s->h_max);
    s->last_h = 0;
    s->shortened = 0;
    s->last_order = 1;
    s->is_first = true;
    history_start(&s->history, t, p->x, p->slope, s->h);
    selector_start(&s->selector);
}

/* --- one attempt --- */

/* Fits the step to what is left of the interval: the end is met exactly, and
 * the two last steps share what is left rather than leave a sliver. */
static void fit_step(stepper *s)
{
    double left = s->t_end - s->history.t;
    if (fabs(s->h) > s->h_max) s->h = copysign(s->h_max, s->h);
    if (!isfinite(left)) return;
    if (fabs(s->h) >= fabs(left) * (1 - 1e-10)) s->h = left;
    else if (fabs(s->h) > 0.5 * fabs(left)) s->h = 0.5 * left;
}

/* Steps below a few units in the last place of t cannot be told apart. */
static bool is_too_small(const stepper *s)
{
    double t = s->history.t;
    return !(fabs(s->h) > 4 * DBL_EPSILON * fabs(t)) || s->h == 0
        || !isfinite(s->h);
}

static double new_time(const stepper *s)
{
    double left = s->t_end - s->history.t;
    return s->h == left ? s->t_end : s->history.t + s->h;
}

static void update_coefficients(stepper *s)
{
    history_grid(&s->history, s->h, &s->grid);
    s->point.alpha = s->formula->alpha(
        s->grid.psi, s->grid.sums, s->selector.order);
    s->point.t = new_time(s);
}

static newton_task task_of(stepper *s)
{
    point *p = &s->point;
    newton_task task = {.t = p->t,
        .alpha = p->alpha,
        .h = s->h,
        .x = p->x,
        .xp = p->xp,
        .d = p->d,
        .weights = s->weights};
    task.error_constant = s->formula->error_constant(
        s->grid.psi, s->grid.sums, s->selector.order);
    return task;
}

static attempt correct(stepper *s)
{
    newton_task task = task_of(s);
    newton_clamp(s->newton, &task);
    switch (newton_solve(s->newton, &task)) {
    case NEWTON_CONVERGED: return ACCEPTED;
    case NEWTON_HOPELESS: return FAILED_ERROR;
    case NEWTON_DIVERGED: return FAILED_CONVERGENCE;
    case NEWTON_NONFINITE: return FAILED_NONFINITE;
    case NEWTON_SINGULAR: return FAILED_SINGULAR;
    case NEWTON_STOPPED: break;
    }
    return STOPPED;
}

/* At a start the slope of an algebraic unknown is not known, so its distance
 * from the prediction is no error: the first step itself gives the slope. */
static void settle_algebraic(stepper *s)
{
    const layout *l = s->layout;
    for (size_t j = 0; j < l->unknowns; j++) {
        if (l->order[j] != 0) continue;
        size_t i = l->first[j];
        s->history.phi[1][i] += s->point.d[i] * s->history.scale[1] / s->grid.h;
        s->point.d[i] = 0;
    }
}

static void measure(stepper *s)
{
    error_test_measure(&s->history, &s->grid, s->formula, s->selector.order,
        s->weights->test, s->point.d, select_wants_higher(&s->selector),
        &s->estimates);
}

static attempt error_test(stepper *s)
{
    if (s->is_first) settle_algebraic(s);
    measure(s);
    double error = s->estimates.error[SAME];
    if (!isfinite(error)) return FAILED_NONFINITE;
    return error <= 1 ? ACCEPTED : FAILED_ERROR;
}

static attempt attempt_step(stepper *s)
{
    update_coefficients(s);
    predict(&s->history, &s->grid, s->selector.order, s->layout, &s->point);
    attempt a = correct(s);
    s->is_converged = a == ACCEPTED;
    if (a == FAILED_ERROR) measure(s);
    if (a == ACCEPTED) a = error_test(s);
    return a;
}

/* --- after an attempt --- */

static void count_step(stepper *s)
{
    int k = s->selector.order;
    dae_stats *stats = s->stats;
    s->last_h = s->h;
    s->last_order = k;
    s->is_first = false;
    newton_accepted(s->newton);
    stats->steps++;
    stats->steps_at_order[k]++;
    if (k > stats->max_order) stats->max_order = k;
    stats->last_step = s->h;
}

/* Failures may come from tolerances below what rounding in the equations
 * allows: those are lifted to the noise, measured at the last point. */
static void allow_for_rounding(stepper *s)
{
    point *p = &s->point;
    double *noise = p->d; /* filled anew by the next attempt */
    stepper_restore(s);
    newton_task task = task_of(s);
    newton_noise(s->newton, &task, noise);
    weights_add_noise(s->weights, noise);
    weights_update(s->weights, s->history.phi[0], s->h);
}

/* Steps that only get shorter may be chasing rounding, too. */
enum { shortened_max = 20 };

static void accept(stepper *s)
{
    history_push(&s->history, &s->grid, s->selector.order, s->point.x,
        s->point.d, s->selector.is_ramping);
    s->history.t = s->point.t;
    count_step(s);
    double factor = select_after_step(&s->selector, &s->estimates);
    s->h *= factor;
    s->shortened = factor < 1 ? s->shortened + 1 : 0;
    if (s->shortened % shortened_max == shortened_max - 1)
        allow_for_rounding(s);
    else weights_update(s->weights, s->point.x, s->h);
}

static void shorten(stepper *s, double factor)
{
    s->h *= factor;
    s->stats->rejected_steps++;
    s->selector.is_ramping = false;
    if (s->selector.hold < 1) s->selector.hold = 1;
    weights_rescale(s->weights, s->h);
}

/* Order 1 from value and slope alone, as at a start. */
static void rebuild(stepper *s)
{
    history *hi = &s->history;
    history_at(hi, s->last_order, 0, 0, hi->states, NULL, s->point.slope);
    history_start(hi, hi->t, hi->phi[0], s->point.slope, s->h);
    s->selector.order = 1;
    s->selector.steps_at_order = 0;
    s->selector.is_ramping = true;
    s->last_order = 1;
}

static step_failure after_error(stepper *s, int failure)
{
    s->stats->error_test_failures++;
    if (failure >= error_failures_max) return STEP_TOO_SMALL_ERROR;
    double factor = select_after_failure(&s->selector, &s->estimates, failure);
    if (failure >= 2) {
        s->newton->wants_jacobian = true;
        allow_for_rounding(s);
    }
    shorten(s, factor);
    if (failure >= rebuild_at) rebuild(s);
    return STEP_FINE;
}

/* A distance from the prediction that does not shrink with the step is not
 * an error of this step: the point before was off the algebraic equations by
 * that much, unseen by its own Newton iteration. Up to this many tolerances
 * the step back onto them is taken; further away is another branch. */
static const double repair_max = 100;
/* Shrinking: order 1 errors fall by 4 at least when the step falls by 4. */
static const double repair_ratio = 0.7;
/* The step after it: the error will tell. */
static const double repair_growth = 16;

static bool is_repair(const stepper *s, double error_before)
{
    double error = s->estimates.error[SAME];
    return s->is_converged && s->selector.order == 1 && error <= repair_max
        && error > repair_ratio * error_before;
}

/* Takes the attempt at hand as the new point whatever its error and begins
 * the history anew there, with the slopes from before. */
static void repair(stepper *s)
{
    history *hi = &s->history;
    history_at(hi, 1, 0, 0, hi->states, NULL, s->point.slope);
    count_step(s);
    s->stats->restarts++;
    s->h *= repair_growth;
    history_start(hi, s->point.t, s->point.x, s->point.slope, s->h);
    if (!s->layout->is_first_order)
        for (size_t j = 0; j < s->layout->unknowns; j++)
            s->point.xp[j] = s->point.slope[s->layout->first[j + 1] - 1];
    selector_start(&s->selector);
    weights_update(s->weights, s->point.x, s->h);
}

/* The corrector failed: first with a Jacobian of this very point, then with
 * a shorter step. */
static step_failure after_convergence(stepper *s, attempt a, int failure)
{
    newton *nw = s->newton;
    if (!nw->is_fresh && !nw->is_constant) {
        nw->wants_jacobian = true;
        return STEP_FINE;
    }
    s->stats->convergence_failures++;
    if (a == FAILED_SINGULAR && failure >= singular_failures_max)
        return STEP_SINGULAR;
    if (failure >= convergence_failures_max) return STEP_TOO_SMALL_CONVERGENCE;
    allow_for_rounding(s);
    shorten(s, convergence_cut);
    return STEP_FINE;
}

static step_failure after_nonfinite(stepper *s, int failure)
{
    s->stats->nonfinite_failures++;
    if (failure >= nonfinite_failures_max) return STEP_NONFINITE;
    shorten(s, convergence_cut);
    return STEP_FINE;
}

static step_failure recover(stepper *s, attempt a, failures *f)
{
    int failure = ++f->count[a];
    switch (a) {
    case FAILED_ERROR: return after_error(s, failure);
    case FAILED_CONVERGENCE:
    case FAILED_SINGULAR: return after_convergence(s, a, failure);
    case FAILED_NONFINITE: return after_nonfinite(s, failure);
    case ACCEPTED:
    case STOPPED: break;
    }
    return STEP_STOPPED;
}

/* The step length fell to nothing: say what made it so. */
static step_failure too_small(const failures *f)
{
    if (f->count[FAILED_NONFINITE]) return STEP_NONFINITE;
    if (f->count[FAILED_SINGULAR]) return STEP_SINGULAR;
    if (f->count[FAILED_CONVERGENCE]) return STEP_TOO_SMALL_CONVERGENCE;
    return STEP_TOO_SMALL_ERROR;
}

step_failure stepper_step(stepper *s)
{
    failures f = {{0}};
    for (;;) {
        double error_before = s->estimates.error[SAME];
        fit_step(s);
        if (is_too_small(s)) return too_small(&f);
        attempt a = attempt_step(s);
        if (a == ACCEPTED) break;
        if (f.count[FAILED_ERROR] > rebuild_at && is_repair(s, error_before)) {
            repair(s);
            return STEP_FINE;
        }
        step_failure why = recover(s, a, &f);
        if (why != STEP_FINE) return why;
    }
    accept(s);
    return STEP_FINE;
}

void stepper_restore(stepper *s)
{
    s->point.t = s->history.t;
    interpolate(&s->history, s->layout, s->last_order, s->history.t, s->point.x,
        s->point.xp);
}

/* Predict, correct, test: what a method makes of one step length. */
#include "step/attempt.h"

#include "newton/norm.h"
#include "step/cut.h"
#include "step/interpolate.h"
#include "step/leap.h"
#include "step/regrid.h"
#include "step/starter.h"

#include <assert.h>
#include <math.h>

/* Slopes of all states at a point: a lower state's is the state above. */
void attempt_fill_slopes(const layout *l, point *p)
{
    if (l->is_first_order) return;
    for (size_t j = 0; j < l->unknowns; j++) {
        size_t high = l->first[j + 1] - 1;
        for (size_t i = l->first[j]; i < high; i++) p->slope[i] = p->x[i + 1];
        p->slope[high] = p->xp[j];
    }
}

/* The slope of an algebraic unknown is not known at a start. */
void attempt_clear_algebraic(const layout *l, point *p)
{
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] == 0) p->slope[l->first[j]] = 0;
}

bool attempt_has_stop(const stepper *s)
{
    const double left = s->t_stop - s->history.t;
    return left * s->h > 0 && fabs(left) < fabs(s->t_end - s->history.t);
}

double attempt_end(const stepper *s)
{
    return attempt_has_stop(s) ? s->t_stop : s->t_end;
}

static double new_time(const stepper *s)
{
    const double end = attempt_end(s), left = end - s->history.t;
    return s->h == left ? end : s->history.t + s->h;
}

void attempt_prepare(stepper *s)
{
    pole_prepare(&s->poles);
    if (!s->formula->one_step)
        s->selector.order = cut_gather(
            &s->history, s->last_order, s->selector.order, s->h);
    if (s->formula->needs_equal_steps)
        history_regrid(&s->history, s->selector.order, s->h);
    history_grid(&s->history, s->h, &s->grid);
    s->point.t = new_time(s);
    s->point.alpha = s->formula->one_step
        ? 1 / s->h
        : s->formula->alpha(s->grid.psi, s->grid.sums, s->selector.order);
}

newton_task attempt_task(stepper *s)
{
    point *p = &s->point;
    newton_task task = {.t = p->t,
        .alpha = p->alpha,
        .h = s->h,
        .x = p->x,
        .xp = p->xp,
        .d = p->d,
        .weights = s->weights,
        .part = select_part(&s->selector, fabs(s->h))};
    /* What may be a repair is to converge whatever its error. */
    if (!s->tries.is_repairing && !s->formula->one_step)
        task.error_constant = s->formula->error_constant(
            s->grid.psi, s->grid.sums, s->selector.order);
    return task;
}

static attempt adjust(stepper *s)
{
    if (!s->adjust) return ACCEPTED;
    const dae_status st = s->adjust(s->adjuster, &s->point, s->weights);
    if (st && st != DAE_RETRY) s->newton->status = st;
    return !st ? ACCEPTED : st == DAE_RETRY ? FAILED_CONVERGENCE : STOPPED;
}

attempt attempt_outcome(stepper *s, newton_outcome out, const newton *before)
{
    attempt a = STOPPED;
    switch (out) {
    case NEWTON_CONVERGED:
        if ((a = adjust(s)) != STOPPED) return a;
        break;
    case NEWTON_HOPELESS: return FAILED_ERROR;
    case NEWTON_DIVERGED: return FAILED_CONVERGENCE;
    case NEWTON_NONFINITE: return FAILED_NONFINITE;
    case NEWTON_SINGULAR: return FAILED_SINGULAR;
    case NEWTON_STOPPED: break;
    }
    newton_rewind(s->newton, before);
    return a;
}

/* The correctors after the first that a method brings. */
static newton_outcome correct_further(stepper *s)
{
    const method_parts *p = s->formula->parts;
    if (!p || !p->correct) return NEWTON_CONVERGED;
    transition change = method_transition(s);
    change.history = &s->history;
    change.grid = &s->grid;
    change.k = s->selector.order;
    return p->correct(&change);
}

attempt attempt_correct(stepper *s)
{
    newton_task task = attempt_task(s);
    s->before = *s->newton;
    s->memory.is_made = false;
    newton_outcome out = newton_solve(s->newton, &task);
    if (out == NEWTON_CONVERGED) {
        out = correct_further(s);
        s->memory.is_made = out == NEWTON_CONVERGED;
    }
    return attempt_outcome(s, out, &s->before);
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

/* What the method itself says of its error; false: nothing. */
static bool has_own_error(const stepper *s, double *error)
{
    const method_memory *m = &s->memory;
    const method_parts *p = s->formula->parts;
    if (!p || p->error_order == 0) return false;
    *error = norm_weighted(s->weights->test, m->error, s->layout->states);
    return m->is_made;
}

void attempt_measure(stepper *s)
{
    estimates *e = &s->estimates;
    double own = 0;
    const bool is_own = has_own_error(s, &own);
    if (s->formula->one_step) {
        if (s->selector.only > 0)
            s->selector.only = s->selector.order = s->memory.error_order;
        *e = (estimates){.k = s->selector.order};
        e->has[SAME] = 1;
        e->error[SAME] = e->term[SAME] = own;
        return;
    }
    error_test_measure(&s->history, &s->grid, s->formula, s->selector.order,
        s->weights->test, s->point.d, select_wants_higher(&s->selector), e);
    if (is_own) e->error[SAME] = own;
}

/* Beyond this many tolerances, as they are requested, and so many times what its
 * slopes at both ends of the step make of it, a change is a jump. */
static const double kept_tolerances = 100, kept_slopes = 10;

bool attempt_keeps(const stepper *s)
{
    const size_t states = s->layout->states;
    const point *p = &s->point;
    const weights *w = s->weights;
    const double *old = s->history.phi[0];
    for (size_t i = 0; s->slope_slot && i < states; i++) {
        if (s->slope_slot[i] < 0) continue;
        const size_t k = (size_t)s->slope_slot[i];
        double slope = fabs(k < states ? p->x[k] : p->xp[k - states]);
        if (k < states) slope += fabs(old[k]);
        const double tolerance = w->rtol * fabs(old[i]) + w->atol[i];
        const double most = kept_tolerances * tolerance
            + kept_slopes * fabs(s->h) * slope;
        if (!(fabs(p->x[i] - old[i]) <= most)) return false;
    }
    return true;
}

static attempt error_test(stepper *s)
{
    if (s->is_first && !attempt_keeps(s)) {
        attempt_measure(s);
        return FAILED_ERROR;
    }
    if (s->is_first && !s->formula->one_step) settle_algebraic(s);
    attempt_measure(s);
    double error = s->estimates.error[SAME];
    if (!isfinite(error)) return FAILED_NONFINITE;
    return error <= 1 ? ACCEPTED : FAILED_ERROR;
}

attempt attempt_bounds(stepper *s)
{
    const bounds *b = &s->newton->bounds;
    if (b->count == 0) return ACCEPTED;
    double off = bounds_excess(b, s->point.x, s->weights->plain, &s->bound);
    return off > bound_slack ? FAILED_BOUND : ACCEPTED;
}

/* The last point is only asked for where it is needed: the history has it. */
static void take_last(stepper *s)
{
    interpolate(&s->history, s->layout, s->last_order, s->history.t, s->poles.x,
        s->poles.xp);
}

/* What Newton's method leaves may be larger than the way to the pole. */
static void be_tight(stepper *s)
{
    if (!s->newton->is_tight) s->poles.was_tight = false;
    s->newton->is_tight = true;
}

static attempt find_poles(stepper *s)
{
    pole_watch *w = &s->poles;
    const pole_ends e = {
        s->history.t, s->point.t, s->point.x, s->point.xp, s->stats->steps};
    bool has_changed, is_across = false;
    if (!w->is_known) take_last(s);
    dae_status st = pole_begin(w, e.t0);
    if (!st) st = pole_look(w, &e, &has_changed);
    if (!st && has_changed) {
        take_last(s);
        st = pole_crossed(w, &e, &is_across);
        if (is_across) be_tight(s);
        else if (w->has_passed && !w->was_tight) s->newton->is_tight = false;
    }
    if (!st) return is_across ? FAILED_NONFINITE : ACCEPTED;
    newton_rewind(s->newton, &s->before);
    s->newton->status = st;
    return STOPPED;
}

attempt attempt_poles(stepper *s)
{
    pole_watch *w = &s->poles;
    if (!w->of || pole_is_excluded(w, s->point.x)) return ACCEPTED;
    return find_poles(s);
}

static attempt make(stepper *s)
{
    if (s->formula->one_step) {
        s->grid.h = s->h; /* the rest is of multistep formulas */
        pole_prepare(&s->poles);
        return leap_make(s, new_time(s), s->h);
    }
    attempt_prepare(s);
    predict(&s->history, &s->grid, s->selector.order, s->layout, &s->point);
    return attempt_correct(s);
}

attempt attempt_step(stepper *s)
{
    attempt a = make(s);
    s->is_converged = a == ACCEPTED;
    if (a == FAILED_ERROR) attempt_measure(s);
    if (a == ACCEPTED) a = error_test(s);
    if (a == ACCEPTED) a = attempt_bounds(s);
    if (a == ACCEPTED) a = attempt_poles(s);
    return a;
}

void attempt_count(stepper *s)
{
    const one_step *own = s->formula->one_step;
    const int k = own ? s->memory.order : s->selector.order;
    dae_stats *stats = s->stats;
    assert(k < (int)(sizeof stats->steps_at_order / sizeof(int64_t)));
    s->last_h = s->h;
    s->last_order = own ? s->history.count - 1 : k;
    s->has_line = s->is_first && s->fixed.length == 0 && !starter_works(s);
    s->is_cut = false;
    s->resumed = RESUMED_NOT;
    s->is_first = false;
    newton_accepted(s->newton);
    pole_keep(&s->poles, s->h);
    stats->steps++;
    stats->steps_at_order[k]++;
    if (k > stats->max_order) stats->max_order = k;
    stats->last_step = s->h;
}

void attempt_enter(stepper *s, bool further)
{
    if (s->formula->one_step) leap_keep(s);
    else
        history_push(&s->history, &s->grid, s->selector.order, s->point.x,
            s->point.d, further);
    s->history.t = s->point.t;
    method_keep(s);
    attempt_count(s);
}

/* What is given out is within bounds; the history keeps what was computed. */
void attempt_keep_bounds(stepper *s)
{
    bounds *b = &s->newton->bounds;
    if (b->count == 0) return;
    bounds_note(b, s->point.t, s->point.x, s->weights->plain);
    bounds_clip(b, s->point.x);
}

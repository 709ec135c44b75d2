#include "control/run.h"

#include "base/report.h"
#include "certify/limit.h"
#include "control/failure.h"
#include "control/glance.h"
#include "control/lost.h"
#include "control/options.h"
#include "init/homotopy.h"
#include "init/init.h"
#include "step/interpolate.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* An interval is never crossed in fewer steps where no longest step is given,
 * so that a pulse or an oscillation does not fall between two of them; no round
 * number, lest all of them see the same phase. */
static const double steps_at_least = 20.618;
static const double coarse_time = 1e4 * DBL_EPSILON;
/* Steps in all where no limit is given. */
static const int64_t steps_in_all = 10000000;

/* Facts of the problem and its matrix, as far as they are known. */
static void describe_matrix(run *r)
{
    const linear *lin = iteration_linear(r->engine->matrix);
    r->stats.unknowns = (int64_t)r->engine->layout.states;
    const iteration_size size = iteration_sizes(r->engine->matrix);
    r->stats.columns = size.columns;
    r->stats.condensed = size.condensed_columns;
    r->stats.nonzeros = size.entries;
    r->stats.condensed_nonzeros = size.condensed_entries;
    if (!lin) return;
    r->stats.linear = linear_name(lin);
    r->stats.fill = linear_fill(lin);
    r->stats.whole_fill = size.is_condensed ? size.fill : r->stats.fill;
}

static dae_status check_problem(const dae_problem *p)
{
    return p && p->residual && p->unknown_count > 0 ? DAE_OK : DAE_ARGUMENT;
}

dae_status run_init(run *r, const dae_problem *problem,
    const dae_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds)
{
    dae_status st;
    *r = (run){.problem = problem, .ds = ds};
    r->allocator = alloc_or_default(allocator);
    r->options = options ? *options : dae_options_default();
    if ((st = check_problem(problem))) return st;
    if ((st = options_check(&r->options, ds, &r->formula))) return st;
    r->stats.method = r->formula->name;
    st = engine_create(problem, &r->options, r->formula, &r->stats,
        r->allocator, ds, &r->engine);
    if (st == DAE_MEMORY)
        report(ds, DIAG_E0003, NULL, (text_span){0, 0},
            "out of memory for an integrator of %zu unknowns",
            problem->unknown_count);
    if (!st) describe_matrix(r);
    return st;
}

void run_clear(run *r)
{
    rank_clear(&r->rank);
    engine_free(r->engine);
    reduction_free(r->reduction);
    standing_free(r->standing);
    r->engine = NULL;
    r->reduction = NULL;
    r->standing = NULL;
}

/* --- start --- */

static void begin_stepping(run *r)
{
    const dae_options *o = &r->options;
    stepper *s = &r->engine->stepper;
    double t0 = r->t0;
    bool has_end = o->t_end != t0;
    s->t_end = has_end ? o->t_end : HUGE_VAL * r->direction;
    double longest = has_end ? fabs(o->t_end - t0) / steps_at_least : HUGE_VAL;
    /* Where t is coarse beside the interval, the steps it can tell are few. */
    if (longest < coarse_time * fabs(t0)) longest = HUGE_VAL;
    s->h_max = o->max_step > 0 ? o->max_step : longest;
}

/* Puts the stepper at a start once the direction is known; `towards` is the
 * end of the interval or the first output asked for. */
static void set_direction(run *r, double towards)
{
    r->direction = towards < r->t0 ? -1 : 1;
    begin_stepping(r);
    stepper *s = &r->engine->stepper;
    stepper_start(s, r->t0, s->point.x, s->point.xp, r->direction,
        r->options.first_step, fabs(towards - r->t0));
}

/* Begins at t0 with the values in stepper.point. */
static dae_status begin(run *r, double t0)
{
    const dae_status st = r->reduction
        ? reduction_watch(r->reduction, &r->rank)
        : rank_begin(
            &r->rank, r->engine->problem, &r->engine->layout, r->allocator);
    if (st) return st;
    r->t0 = t0;
    r->direction = 0;
    r->phase = RUN_STARTED;
    r->is_unfinished = false;
    r->steps_before = r->stats.steps;
    r->rescued_at = (double)NAN;
    r->rounding.ratio = 0;
    r->is_described = false;
    newton_reset(&r->engine->newton);
    double end = r->options.t_end;
    set_direction(r, end != t0 ? end : t0 + 1);
    if (end == t0) r->direction = 0;
    return DAE_OK;
}

static dae_status consistent(run *r, double t0, const uint8_t *x_fixed,
    const uint8_t *xp_fixed, bool use_conditions)
{
    init_request q = {.problem = r->engine->problem,
        .layout = &r->engine->layout,
        .matrix = r->engine->matrix,
        .t0 = t0,
        .rtol = r->options.rtol,
        .atol = r->engine->weights.atol,
        .x_fixed = x_fixed,
        .xp_fixed = xp_fixed,
        .use_conditions = use_conditions,
        .is_homotopy_first = r->options.homotopy && use_conditions,
        .allocator = r->allocator,
        .ds = r->ds,
        .interrupt = r->options.interrupt,
        .interrupt_context = r->options.interrupt_context};
    point *p = &r->engine->stepper.point;
    return init_consistent(&q, p->x, p->xp, &r->start_report, &r->stats);
}

/* A higher index is met before the first step instead of by creeping or
 * drifting later; said in `ds`, which may be NULL. */
static dae_status check_limit(run *r, double t0, dae_diagnostics *ds)
{
    point *p = &r->engine->stepper.point;
    weights_update(&r->engine->weights, p->x, 1);
    limit_request q = {.problem = r->engine->problem,
        .layout = &r->engine->layout,
        .matrix = r->engine->matrix,
        .t0 = t0,
        .x = p->x,
        .xp = p->xp,
        .weights = r->engine->weights.plain,
        .scratch = r->engine->scratch,
        .allocator = r->allocator,
        .ds = ds,
        .residuals = &r->stats.residual_evals,
        .jacobians = &r->stats.jacobian_evals,
        .factorizations = &r->stats.factorizations};
    return limit_check(&q);
}

static dae_status tell_memory(run *r, double t0, dae_status st)
{
    if (st == DAE_MEMORY)
        report(r->ds, DIAG_E0003, NULL, (text_span){0, 0},
            "out of memory for the start at t = %.10g", t0);
    return st;
}

/* Holds x of differential unknowns, frees the algebraic ones and xp. */
static dae_status free_algebraic(run *r, double t0)
{
    const layout *l = &r->engine->layout;
    const dae_allocator *a = r->allocator;
    uint8_t *fixed = alloc_zeroed(a, l->states, 1);
    uint8_t *open = alloc_zeroed(a, l->unknowns, 1);
    dae_status st = DAE_MEMORY;
    if (fixed && open) {
        for (size_t j = 0; j < l->unknowns; j++)
            for (size_t s = l->first[j]; s < l->first[j + 1]; s++)
                fixed[s] = l->order[j] > 0;
        st = consistent(r, t0, fixed, open, false);
    }
    alloc_free(a, open, l->unknowns, 1);
    alloc_free(a, fixed, l->states, 1);
    return st;
}

/* From here on `problem` is stepped: the caller's, or a reduced one. */
static dae_status step_problem(run *r, const dae_problem *problem)
{
    engine *e;
    const dae_status st = engine_create(
        problem, &r->options, r->formula, &r->stats, r->allocator, r->ds, &e);
    if (st) return st;
    engine_free(r->engine);
    r->engine = e;
    return DAE_OK;
}

/* What an earlier start has left. */
static dae_status unreduce(run *r)
{
    if (!r->reduction && !r->standing) return DAE_OK;
    const dae_status st = step_problem(r, r->problem);
    if (st) return st;
    reduction_free(r->reduction);
    standing_free(r->standing);
    r->reduction = NULL;
    r->standing = NULL;
    return DAE_OK;
}

/* The values that an analysis has found, as far as the problem asks for them;
 * false: not all of these are among them. */
static bool take_values(run *r, const dae_start_findings *f)
{
    const layout *l = &r->engine->layout;
    point *p = &r->engine->stepper.point;
    bool has_all = true;
    for (size_t j = 0; j < l->unknowns; j++) {
        const double *v = f->values + f->value_first[j];
        const size_t told = f->value_first[j + 1] - f->value_first[j];
        const size_t width = l->first[j + 1] - l->first[j];
        for (size_t o = 0; o <= l->order[j]; o++) {
            const bool is_known = o < told && isfinite(v[o]);
            has_all = has_all && is_known;
            if (!is_known) continue;
            if (o < width) p->x[l->first[j] + o] = v[o];
            else p->xp[j] = v[o];
        }
    }
    return has_all;
}

static void report_start(run *r, const dae_start_findings *f)
{
    r->start_report.conditions = (int64_t)(f->given_count + f->condition_count);
    r->start_report.degrees_missing = (int64_t)f->missing;
    r->start_report.redundant = (int64_t)f->redundant_count;
    r->start_report.residual = f->residual;
}

/* Values that the analysis leaves open are looked for from the others; those
 * it has found stay what they are: everybody sees the same start. */
static dae_status fill_in(run *r, const dae_start_findings *f)
{
    const dae_start *start = r->problem->start;
    dae_diagnostics *ds = r->ds;
    r->ds = NULL;
    const dae_status st = consistent(
        r, start->t0, start->x_fixed, start->xp_fixed, true);
    r->ds = ds;
    if (st && st != DAE_INCONSISTENT && st != DAE_NUMERIC) return st;
    (void)take_values(r, f);
    return DAE_OK;
}

/* The equations as they stand, at the start that the analysis has found. */
static dae_status start_from(run *r, const dae_start_findings *f)
{
    dae_status st = DAE_OK;
    if (!take_values(r, f)) st = fill_in(r, f);
    report_start(r, f);
    return st;
}

/* The start of a higher index: analysis, pick, and what is determined by the
 * states as sharp as the tolerances ask. */
static dae_status step_reduced(run *r, reduction *d, double t0)
{
    dae_status st = step_problem(r, &d->now->problem);
    if (st) {
        reduction_free(d);
        return st;
    }
    r->reduction = d;
    if ((st = reduction_attach(d, r->engine, &r->stats))) return st;
    describe_matrix(r);
    point *p = &r->engine->stepper.point;
    reduced_gather(d->now, d->past[0], p->x, p->xp);
    /* the multipliers that stabilize have index 2 by intention, and are 0 */
    if (!d->now->stabilizer) {
        if ((st = check_limit(r, t0, r->ds))) return st;
        if ((st = free_algebraic(r, t0))) return st;
    }
    report_start(r, &d->analysis->start);
    return reduction_begin(d, r->engine, r->ds);
}

/* A higher index as it stands, because nothing else is wanted. */
static dae_status leave(run *r, const reduction *d)
{
    standing *as_is;
    dae_status st = standing_create(d, r->allocator, r->ds, &as_is);
    if (st) return st;
    st = step_problem(r, &as_is->problem);
    if (st) {
        standing_free(as_is);
        return st;
    }
    r->standing = as_is;
    standing_attach(as_is, r->engine);
    describe_matrix(r);
    (void)take_values(r, &d->analysis->start);
    report_start(r, &d->analysis->start);
    return DAE_OK;
}

/* `*is_started`: a start is found; else it is to be looked for from the
 * guesses, or DAE_UNSUPPORTED: no reduction is known. */
static dae_status reduce(run *r, double t0, bool *is_started)
{
    reduction *d;
    dae_status st = reduction_create(
        r->problem, &r->options, r->allocator, r->ds, &d);
    if (st) return st;
    const dae_start_findings *f = &d->analysis->start;
    *is_started = f->verdict != DAE_START_UNKNOWN;
    if (d->now) return step_reduced(r, d, t0);
    if (d->extended) {
        st = leave(r, d);
    } else if (*is_started) {
        st = start_from(r, f);
        if (!st && !d->is_plain) st = check_limit(r, t0, r->ds);
    }
    reduction_free(d);
    return st;
}

/* Again from the guesses, all conditions held. */
static dae_status search(run *r)
{
    const dae_start *start = r->problem->start;
    const engine *e = r->engine;
    memcpy(e->stepper.point.x, start->x, e->layout.states * sizeof *start->x);
    memcpy(
        e->stepper.point.xp, start->xp, e->layout.unknowns * sizeof *start->xp);
    return consistent(r, start->t0, start->x_fixed, start->xp_fixed, true);
}

/* What the analysis makes of a start that the search has missed: values to
 * begin from, or why there are none. */
static dae_status look_further(run *r, dae_start_findings *told, bool *is_found)
{
    dae_analysis *a;
    const dae_analysis_options asked = {.rtol = r->options.rtol,
        .atol = r->options.atol,
        .homotopy = r->options.homotopy,
        .start_only = 1,
        .interrupt = r->options.interrupt,
        .interrupt_context = r->options.interrupt_context};
    const dae_status st = dae_analyse(
        r->problem, &asked, r->allocator, r->ds, &a);
    if (st) return st;
    const dae_start_findings *f = &a->start;
    *is_found = f->values
        && (f->verdict == DAE_START_CONSISTENT
            || f->verdict == DAE_START_UNDERDETERMINED);
    if (*is_found) (void)take_values(r, f);
    *told = *f; /* its numbers alone outlive the analysis */
    const bool is_shown = f->verdict == DAE_START_INCONSISTENT;
    dae_analysis_free(a);
    return *is_found ? DAE_OK : is_shown ? DAE_INCONSISTENT : DAE_NUMERIC;
}

/* The rest from values that the analysis has found. */
static dae_status finish_start(run *r, const dae_start_findings *f)
{
    const dae_start *start = r->problem->start;
    if (f->homotopy_count)
        homotopy_tell_slot(r->problem, f->homotopy_slot, f->homotopy_guess,
            f->homotopy_value, f->homotopy_count - 1, start->t0, r->ds);
    return consistent(r, start->t0, start->x_fixed, start->xp_fixed, true);
}

/* Where there is no value at the guesses the analysis has the time to look
 * for one; if it found none, there is no need to ask again. */
static bool is_without_value(const run *r)
{
    const size_t count = dae_diagnostics_count(r->ds);
    if (count == 0) return false;
    const dae_diagnostic *last = dae_diagnostics_at(r->ds, count - 1);
    return last && strcmp(last->code, "E0403") == 0;
}

/* The analysis looks further than the search from the guesses. Where it ends
 * without a verdict, the search tells, which says it more plainly. */
static dae_status find_start(run *r)
{
    const report_position before = report_mark(r->ds);
    const dae_status first = search(r);
    const bool is_lost = first == DAE_NUMERIC || first == DAE_INCONSISTENT;
    bool is_found = false;
    if (!is_lost || !r->problem->series || is_without_value(r)) return first;
    report_rewind(r->ds, before);
    dae_start_findings told;
    const dae_status st = look_further(r, &told, &is_found);
    const bool is_plain = st == DAE_NUMERIC;
    if (!is_found && !is_plain) return st;
    report_rewind(r->ds, before);
    return is_found ? finish_start(r, &told) : search(r);
}

/* Up to so many unknowns the analysis decides what is to be done. Above, it is
 * asked only where a quick look finds a higher index or what may hide one. */
enum { ANALYSED_MOST = 5000 };

static dae_status look_quickly(run *r, double t0, bool *is_plain)
{
    const dae_problem *p = r->problem;
    *is_plain = p->unknown_count > ANALYSED_MOST;
    if (*is_plain) *is_plain = check_limit(r, t0, NULL) != DAE_NUMERIC;
    if (!*is_plain || !p->is_smooth) return DAE_OK;
    return glance(p, &r->options, r->allocator, is_plain);
}

dae_status run_initialize(run *r)
{
    const dae_start *start = r->problem->start;
    if (!start || !start->x || !start->xp) return DAE_ARGUMENT;
    dae_status st = unreduce(r);
    if (st) return tell_memory(r, start->t0, st);
    point *p = &r->engine->stepper.point;
    memcpy(p->x, start->x, r->engine->layout.states * sizeof *p->x);
    memcpy(p->xp, start->xp, r->engine->layout.unknowns * sizeof *p->xp);
    r->phase = RUN_CREATED;
    bool is_started = false, is_plain = false;
    st = look_quickly(r, start->t0, &is_plain);
    if (!st && !is_plain) st = reduce(r, start->t0, &is_started);
    if (st == DAE_UNSUPPORTED) st = check_limit(r, start->t0, r->ds);
    if (!st && !is_started) st = find_start(r);
    run_tell_below(r, !st);
    if (st) return tell_memory(r, start->t0, st);
    return tell_memory(r, start->t0, begin(r, start->t0));
}

static bool all_finite(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

dae_status run_start(
    run *r, double t0, const double *x, const double *xp, bool make_consistent)
{
    if (!x || !xp || !isfinite(t0)) return DAE_ARGUMENT;
    dae_status st = unreduce(r);
    if (st) return tell_memory(r, t0, st);
    const layout *l = &r->engine->layout;
    point *p = &r->engine->stepper.point;
    if (!all_finite(x, l->states)) return DAE_ARGUMENT;
    r->phase = RUN_CREATED;
    memcpy(p->x, x, l->states * sizeof *x);
    for (size_t j = 0; j < l->unknowns; j++)
        p->xp[j] = l->order[j] > 0 ? xp[j] : 0;
    if (!all_finite(p->xp, l->unknowns)) return DAE_ARGUMENT;
    st = check_limit(r, t0, r->ds);
    if (!st && make_consistent) st = free_algebraic(r, t0);
    if (st) return tell_memory(r, t0, st);
    return tell_memory(r, t0, begin(r, t0));
}

/* --- steps --- */

static dae_status check_limits(run *r)
{
    const dae_options *o = &r->options;
    int64_t taken = r->stats.steps - r->steps_before;
    if (o->max_steps > 0 && taken >= o->max_steps)
        return failure_too_many_steps(r);
    if (o->max_steps == 0 && r->stats.steps >= steps_in_all)
        return failure_too_many_steps(r);
    if (o->interrupt && o->interrupt(o->interrupt_context))
        return failure_interrupted(r);
    return DAE_OK;
}

/* Goes on with the states of `next`, with the same order and step. */
static dae_status change_states(run *r, reduced *next)
{
    engine *e;
    const size_t states = next->layout.states;
    reduction *d = r->reduction;
    dae_status st = engine_create(&next->problem, &r->options, r->formula,
        &r->stats, r->allocator, r->ds, &e);
    if (st) return st;
    int32_t *from = alloc_zeroed(r->allocator, states, sizeof *from);
    if (from) {
        const carry_source source = reduction_source(d, next, from);
        point *p = &e->stepper.point;
        reduced_gather(next, d->past[0], p->x, p->xp);
        newton_stay_fresh(&e->newton);
        stepper_carry(&e->stepper, &r->engine->stepper, &source);
        failure_keep_rounding(r);
        r->is_described = false;
        alloc_free(r->allocator, from, states, sizeof *from);
        engine_free(r->engine);
        r->engine = e;
        reduction_adopt(d, next, e->stepper.history.t);
        r->stats.state_changes++;
        return DAE_OK;
    }
    engine_free(e);
    return DAE_MEMORY;
}

/* After an accepted step: other states where those at hand will not do. */
static dae_status follow_states(run *r)
{
    reduced *next;
    if (!r->reduction) return DAE_OK;
    dae_status st = reduction_follow(r->reduction, r->engine, r->ds, &next);
    if (st || !next) return st;
    st = change_states(r, next);
    if (st) reduced_free(next);
    return st;
}

/* The point to be looked at after an accepted step. */
static rank_point rank_here(const run *r)
{
    const point *p = &r->engine->stepper.point;
    if (r->reduction) return reduction_point(r->reduction, p->t);
    return (rank_point){.values = iteration_values(r->engine->matrix),
        .t = p->t,
        .x = p->x,
        .xp = p->xp};
}

/* What belongs to an accepted step, made up for where memory ran out for it. */
static dae_status finish_step(run *r)
{
    const rank_point here = rank_here(r);
    const double t = r->engine->stepper.history.t;
    const bool is_again = r->is_unfinished;
    const bool is_end = t == r->engine->stepper.t_end;
    r->is_unfinished = true;
    if (!is_again
        && rank_is_lost(&r->rank, &here, is_end, &r->stats.jacobian_evals)) {
        r->phase = RUN_FAILED;
        r->is_unfinished = false;
        return lost_report(r, true);
    }
    const dae_status st = follow_states(r);
    if (st == DAE_MEMORY)
        report(r->ds, DIAG_E0003, NULL, (text_span){0, 0},
            "out of memory for other states at t = %.10g", t);
    if (st == DAE_NUMERIC) r->phase = RUN_FAILED;
    if (st) return st;
    r->is_unfinished = false;
    if (is_end) {
        failure_note_bounds(r);
        failure_note_rounding(r);
    }
    return DAE_OK;
}

static bool may_be_pick(const run *r, step_failure why)
{
    const double t = r->engine->stepper.history.t;
    if (!r->reduction || r->rescued_at == t) return false;
    return why == STEP_TOO_SMALL_ERROR || why == STEP_TOO_SMALL_CONVERGENCE
        || why == STEP_SINGULAR || why == STEP_NONFINITE || why == STEP_NO_ROOM;
}

/* A step that fails may have leapt to where the states at hand will not do,
 * before they were looked at: others begin anew from the last point. Once at a
 * time; `*is_saved`: there are some. */
static dae_status rescue(run *r, step_failure why, bool *is_saved)
{
    reduced *next;
    if (!may_be_pick(r, why)) return DAE_OK;
    const stepper before = r->engine->stepper;
    dae_status st = reduction_reconsider(r->reduction, r->engine, r->ds, &next);
    if (!st && next && (st = change_states(r, next))) reduced_free(next);
    if (st == DAE_NUMERIC) r->phase = RUN_FAILED;
    if (st || !next) return tell_memory(r, before.history.t, st);
    stepper *s = &r->engine->stepper;
    r->rescued_at = s->history.t;
    r->stats.restarts++;
    stepper_start(s, s->history.t, s->point.x, s->point.xp, r->direction,
        fabs(before.last_h), before.interval);
    *is_saved = true;
    return DAE_OK;
}

dae_status run_step(run *r, double towards)
{
    stepper *s = &r->engine->stepper;
    if (r->phase == RUN_CREATED) return DAE_ARGUMENT;
    if (r->is_unfinished) return finish_step(r);
    if (s->history.t == s->t_end) return DAE_ARGUMENT;
    if (r->direction == 0) set_direction(r, towards);
    dae_status st = check_limits(r);
    if (st) return st;
    bool is_saved;
    step_failure why;
    do {
        is_saved = false;
        why = stepper_step(&r->engine->stepper);
        if (why != STEP_FINE && (st = rescue(r, why, &is_saved))) return st;
    } while (is_saved);
    if (why == STEP_FINE) {
        if (!r->is_described) describe_matrix(r);
        r->is_described = true;
        r->phase = RUN_STARTED;
        if (r->reduction) reduction_remember(r->reduction, r->engine);
        return finish_step(r);
    }
    st = failure_report(r, why);
    stepper_restore(&r->engine->stepper);
    r->phase = RUN_FAILED;
    return st;
}

const double *run_x(const run *r)
{
    return r->reduction ? r->reduction->x : r->engine->stepper.point.x;
}

const double *run_xp(const run *r)
{
    return r->reduction ? r->reduction->xp : r->engine->stepper.point.xp;
}

void run_interpolate(const run *r, double t, double *x, double *xp)
{
    const stepper *s = &r->engine->stepper;
    const reduction *d = r->reduction;
    double *own_x = d ? d->stepped_x : x, *own_xp = d ? d->stepped_xp : xp;
    interpolate(&s->history, s->layout, s->last_order, t, own_x, own_xp);
    if (own_x) bounds_clip(&s->newton->bounds, own_x);
    if (d) reduction_show(d, own_x, own_xp, x, xp);
}

bool run_covers(const run *r, double t)
{
    const stepper *s = &r->engine->stepper;
    double now = s->history.t, before = now - s->last_h;
    /* The last bits of before are those of a difference. */
    double slack = 4 * DBL_EPSILON * (fabs(now) + fabs(before));
    if (s->last_h == 0) return t == now;
    return s->last_h > 0 ? t >= before - slack && t <= now
                         : t <= before + slack && t >= now;
}

/* Whether the run has come to tout or beyond it. */
static bool is_beyond(const run *r, double tout)
{
    double now = r->engine->stepper.history.t;
    if (now == tout) return true;
    return r->direction != 0 && (now - tout) * r->direction > 0;
}

dae_status run_cover(run *r, double tout)
{
    if (r->phase == RUN_CREATED || !isfinite(tout)) return DAE_ARGUMENT;
    const stepper *s = &r->engine->stepper;
    bool has_end = isfinite(s->t_end) && r->direction != 0;
    if (has_end && (tout - s->t_end) * r->direction > 0) return DAE_ARGUMENT;
    r->steps_before = r->stats.steps;
    while (r->is_unfinished || !is_beyond(r, tout)) {
        dae_status st = run_step(r, tout);
        if (st) return st;
    }
    return run_covers(r, tout) ? DAE_OK : DAE_ARGUMENT;
}

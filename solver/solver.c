/* The public integrator: nothing but delegation to run/begin.h and
 * run/run.h. */
#include <dae/solver.h>

#include "base/report.h"
#include "linalg/libraries.h"
#include "linalg/thresholds.h"
#include "run/begin.h"
#include "run/outline.h"
#include "run/run.h"

struct dae_solver {
    run run;
};

dae_options dae_options_default(void)
{
    return (dae_options){
        .rtol = START_RTOL, .atol = START_ATOL, .max_order = 0};
}

dae_status dae_solver_create(const dae_problem *problem,
    const dae_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_solver **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    if (!out) return DAE_ARGUMENT;
    *out = NULL;
    if (problem && problem->events && problem->events->when_count
        && !problem->events->roots) {
        report(ds, DIAG_E0210, NULL, (text_span){0, 0},
            "runs with events (`when`) are not available yet");
        return DAE_UNSUPPORTED;
    }
    dae_solver *solver = alloc_zeroed(a, 1, sizeof *solver);
    if (!solver) {
        report(ds, DIAG_E0003, NULL, (text_span){0, 0},
            "out of memory for an integrator");
        return DAE_MEMORY;
    }
    dae_status st = run_init(&solver->run, problem, options, a, ds);
    if (st) {
        alloc_free(a, solver, 1, sizeof *solver);
        return libraries_report(ds, st);
    }
    *out = solver;
    return DAE_OK;
}

void dae_solver_free(dae_solver *solver)
{
    if (!solver) return;
    const dae_allocator *a = solver->run.allocator;
    run_clear(&solver->run);
    alloc_free(a, solver, 1, sizeof *solver);
}

void dae_solver_rest(dae_solver *solver)
{
    if (solver) run_rest(&solver->run);
}

int dae_solver_stands_at_event(const dae_solver *solver)
{
    return solver && run_stands_at_event(&solver->run);
}

const uint8_t *dae_solver_truths(const dae_solver *solver)
{
    return solver ? run_truths(&solver->run) : NULL;
}

dae_status dae_solver_initialize(dae_solver *solver)
{
    if (!solver) return DAE_ARGUMENT;
    return libraries_report(solver->run.ds, begin_initialized(&solver->run));
}

dae_status dae_solver_start(dae_solver *solver, double t0, const double *x,
    const double *xp, int make_consistent)
{
    if (!solver) return DAE_ARGUMENT;
    return libraries_report(solver->run.ds,
        begin_at(&solver->run, t0, x, xp, make_consistent != 0));
}

dae_status dae_solver_step(dae_solver *solver)
{
    if (!solver) return DAE_ARGUMENT;
    return libraries_report(
        solver->run.ds, run_step(&solver->run, solver->run.options.t_end));
}

dae_status dae_solver_advance(
    dae_solver *solver, double tout, double *x, double *xp)
{
    if (!solver) return DAE_ARGUMENT;
    dae_status st = run_cover(&solver->run, tout);
    if (st) return libraries_report(solver->run.ds, st);
    return dae_solver_interpolate(solver, tout, x, xp);
}

dae_status dae_solver_interpolate(
    const dae_solver *solver, double t, double *x, double *xp)
{
    if (!solver || solver->run.phase == RUN_CREATED) return DAE_ARGUMENT;
    if (!run_covers(&solver->run, t)) return DAE_ARGUMENT;
    return run_interpolate(&solver->run, t, x, xp);
}

dae_status dae_solver_values(const dae_solver *solver, const size_t *slots,
    size_t slot_count, size_t count, const double *t, double *x)
{
    if (!solver || solver->run.phase == RUN_CREATED || count == 0)
        return DAE_ARGUMENT;
    const run *r = &solver->run;
    if (!run_covers(r, t[0]) || !run_covers(r, t[count - 1]))
        return DAE_ARGUMENT;
    const history_places at = {slots, slot_count, count, t};
    return run_values(r, &at, x);
}

double dae_solver_time(const dae_solver *solver)
{
    if (!solver) return (double)NAN;
    return solver->run.engine->stepper.history.t;
}

double dae_solver_last_step(const dae_solver *solver)
{
    if (!solver) return 0;
    return solver->run.engine->stepper.last_h;
}

double dae_solver_longest_step(const dae_solver *solver)
{
    if (!solver) return 0;
    const stepper *s = &solver->run.engine->stepper;
    return s->fixed.length > 0 ? s->fixed.length : s->h_max;
}

int dae_solver_last_order(const dae_solver *solver)
{
    if (!solver) return 0;
    const stepper *s = &solver->run.engine->stepper;
    const one_step *own = s->formula->one_step;
    return own ? s->memory.order : s->last_order;
}

const double *dae_solver_x(const dae_solver *solver)
{
    if (!solver) return NULL;
    return run_x(&solver->run);
}

const double *dae_solver_xp(const dae_solver *solver)
{
    if (!solver) return NULL;
    return run_xp(&solver->run);
}

const dae_stats *dae_solver_stats(const dae_solver *solver)
{
    if (!solver) return NULL;
    return &solver->run.stats;
}

const dae_index_report *dae_solver_index_report(const dae_solver *solver)
{
    if (!solver) return NULL;
    return &solver->run.index_report;
}

const dae_start_report *dae_solver_start_report(const dae_solver *solver)
{
    if (!solver) return NULL;
    return &solver->run.start_report;
}

dae_reduction_report dae_solver_reduction(const dae_solver *solver)
{
    if (!solver) return (dae_reduction_report){0};
    return outline_reduction(&solver->run);
}

size_t dae_solver_state_name(
    const dae_solver *solver, size_t state, char *text, size_t size)
{
    if (!solver || (!text && size)) return 0;
    return outline_state_name(&solver->run, state, text, size);
}

int64_t dae_solver_largest_error(const dae_solver *solver, double *error)
{
    if (error) *error = 0;
    if (!solver || solver->run.phase == RUN_CREATED) return -1;
    return outline_largest_error(&solver->run, error);
}

size_t dae_solver_error_name(
    const dae_solver *solver, int64_t key, char *text, size_t size)
{
    if (!solver || (!text && size) || solver->run.phase == RUN_CREATED)
        return 0;
    return outline_error_name(&solver->run, key, text, size);
}

dae_status dae_solver_condensation(dae_solver *solver, dae_condensation *out)
{
    if (!out || !solver || solver->run.phase == RUN_CREATED)
        return DAE_ARGUMENT;
    return outline_condensation(&solver->run, out);
}

size_t dae_solver_taken_name(const dae_solver *solver, dae_name_kind kind,
    size_t taken, char *text, size_t size)
{
    if (!solver || (!text && size)) return 0;
    return outline_taken_name(&solver->run, kind, taken, text, size);
}

dae_status dae_solver_reduced(
    const dae_solver *solver, dae_reduced_system **out)
{
    if (!out) return DAE_ARGUMENT;
    *out = NULL;
    if (!solver || solver->run.phase == RUN_CREATED) return DAE_ARGUMENT;
    const run *r = &solver->run;
    if (!r->reduction || !r->reduction->now) return DAE_OK;
    shown_point at;
    const dae_status st = run_reduced_point(r, &at);
    return st ? st : outline_create(r->reduction, at, r->allocator, out);
}

void dae_reduced_system_free(dae_reduced_system *system)
{
    outline_free(system);
}

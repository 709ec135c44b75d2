/* What can be asked of a run: where it stands, what it has found. */
#include "run/run_object.h"

#include <math.h>
#include <string.h>

/* ---- where it stands ---- */

dae_solver *dae_run_solver(const dae_run *r)
{
    return r ? r->solution.solver : NULL;
}

double dae_run_time(const dae_run *r)
{
    return is_prepared(r) ? r->solution.t : (double)NAN;
}

/* Before a solution is set up as the settings say. */
static double bound_of(const dae_run *r, setting_id id)
{
    if (!r) return (double)NAN;
    if (r->solution.request)
        return id == SETTING_FROM ? r->solution.t0 : r->solution.t1;
    return settings_number(&r->request.settings, r->request.model, id);
}

double dae_run_begin(const dae_run *r)
{
    return bound_of(r, SETTING_FROM);
}

double dae_run_end(const dae_run *r)
{
    return bound_of(r, SETTING_TO);
}

int dae_run_has_start(const dae_run *r)
{
    return r && r->solution.has_start;
}

int dae_run_has_ended(const dae_run *r)
{
    return r && r->solution.has_ended;
}

int dae_run_is_stopped(const dae_run *r)
{
    return r && r->solution.is_stopped;
}

size_t dae_run_stop(const dae_run *r)
{
    return r && r->solution.is_stopped ? r->solution.stop : SIZE_MAX;
}

const double *dae_run_x(const dae_run *r)
{
    return r ? r->solution.x : NULL;
}

const double *dae_run_xp(const dae_run *r)
{
    return r ? r->solution.xp : NULL;
}

const double *dae_run_discretes(const dae_run *r)
{
    return r ? r->solution.discretes : NULL;
}

const double *dae_run_observed(const dae_run *r)
{
    return r ? r->solution.observed : NULL;
}

const dae_problem *dae_run_problem(const dae_run *r)
{
    return r && r->solution.request ? &r->solution.problem : NULL;
}

size_t dae_run_unknown_at(const dae_run *r, size_t k)
{
    const bool is_one = is_prepared(r)
        && k < dae_model_unknown_count(r->request.model);
    return is_one ? solution_unknown_at(&r->solution, k) : SIZE_MAX;
}

size_t dae_run_discrete_at(const dae_run *r, size_t k)
{
    const bool is_one = is_prepared(r) && k < r->solution.discrete_count;
    return is_one ? r->solution.discrete_at[k] : SIZE_MAX;
}

double dae_run_rtol(const dae_run *r)
{
    return is_prepared(r) ? solution_rtol(&r->solution) : (double)NAN;
}

double dae_run_atol(const dae_run *r, size_t j)
{
    const bool is_one = is_prepared(r) && j < r->solution.unknown_count;
    return is_one ? solution_atol(&r->solution, j) : (double)NAN;
}

int64_t dae_run_output_count(const dae_run *r)
{
    const bool is_listed = is_prepared(r) && grid_is_listed(&r->solution.grid);
    return is_listed ? r->solution.grid.count : 0;
}

double dae_run_output_time(const dae_run *r, int64_t i)
{
    if (i < 0 || i >= dae_run_output_count(r)) return (double)NAN;
    return grid_time(&r->solution.grid, i);
}

int dae_run_is_logarithmic(const dae_run *r)
{
    return r && r->solution.grid.kind == GRID_LOG && r->solution.t0 >= 0
        && r->solution.t1 > 0;
}

/* ---- results ---- */

dae_status dae_columns_create(
    dae_run *r, const char *list, const char *asker, dae_columns **out)
{
    if (out) *out = NULL;
    if (!out || !is_prepared(r) || !asker) return DAE_ARGUMENT;
    const dae_allocator *a = r->request.allocator;
    dae_columns *c = alloc_zeroed(a, 1, sizeof *c);
    if (!c) return DAE_MEMORY;
    const dae_status st = columns_init(c, &r->solution, list, asker, r->ds);
    columns_link(c, &r->columns);
    if (st) dae_columns_free(c);
    else *out = c;
    return st;
}

dae_columns *dae_run_columns(dae_run *r)
{
    return r && r->monitor.keeps ? &r->monitor.columns : NULL;
}

static size_t row_length(const dae_run *r)
{
    return r->monitor.columns.count + 1;
}

size_t dae_run_row_count(const dae_run *r)
{
    return r ? r->monitor.rows.count / row_length(r) : 0;
}

double dae_run_row_time(const dae_run *r, size_t row)
{
    if (row >= dae_run_row_count(r)) return (double)NAN;
    return r->monitor.rows.items[row * row_length(r)];
}

double dae_run_value(const dae_run *r, size_t row, size_t column)
{
    if (row >= dae_run_row_count(r) || column + 1 >= row_length(r))
        return (double)NAN;
    return r->monitor.rows.items[row * row_length(r) + column + 1];
}

dae_point dae_run_point(const dae_run *r)
{
    if (!r || !r->solution.has_start) return (dae_point){.t = (double)NAN};
    const solution *s = &r->solution;
    return (dae_point){s->has_ended ? DAE_POINT_END : 0, s->t, s->x, s->xp,
        s->discretes, s->observed};
}

dae_status dae_run_final(dae_run *r, const char *name, double *value)
{
    if (!r || !name || !value) return DAE_ARGUMENT;
    *value = (double)NAN;
    if (!r->solution.has_start) return run_refuse_to_go_on(r);
    dae_columns all;
    dae_status st = columns_init(&all, &r->solution, NULL, "", r->ds);
    const size_t k = st ? SIZE_MAX : dae_columns_find(&all, name);
    const dae_point p = dae_run_point(r);
    if (k != SIZE_MAX)
        *value = dae_point_value(r->request.model, all.sources[k], &p);
    else if (!st)
        st = dae_columns_lost(&all)
            ? DAE_MEMORY
            : columns_refuse(&all, "", name, strlen(name), r->ds);
    columns_clear(&all);
    return st;
}

/* ---- events ---- */

int dae_run_notes_events(const dae_run *r)
{
    return r && r->monitor.events.run;
}

size_t dae_run_event_count(const dae_run *r)
{
    return r ? r->monitor.events.entries.count : 0;
}

int64_t dae_run_events_left_out(const dae_run *r)
{
    return r ? r->monitor.events.left_out : 0;
}

const dae_occurrence *dae_run_event_at(const dae_run *r, size_t k)
{
    return k < dae_run_event_count(r) ? &r->monitor.events.entries.items[k]
                                      : NULL;
}

const dae_change *dae_run_change_at(const dae_run *r, size_t k, size_t i)
{
    const dae_occurrence *o = dae_run_event_at(r, k);
    if (!o || i >= (size_t)o->own_count + o->shared_count) return NULL;
    const size_t at = i < o->own_count ? o->own + i
                                       : o->shared + i - o->own_count;
    return &r->monitor.events.changes.items[at];
}

/* ---- verdicts ---- */

dae_verdicts dae_run_verdicts(const dae_run *r)
{
    return r ? r->verdicts : (dae_verdicts){0};
}

dae_index_report dae_analysis_report(const dae_analysis *a)
{
    if (!a) return (dae_index_report){0, 0, -1, -1};
    const bool is_found = a->verdict == DAE_INDEX_FOUND;
    return (dae_index_report){1, is_found && a->certificate == DAE_CERTIFIED,
        is_found ? a->index : -1, a->degrees_of_freedom};
}

int dae_diagnostic_is_of_start(const dae_diagnostic *d)
{
    /* what is not determined there is chosen, as where a condition is missing */
    static const char *const structural[] = {"W0305", "W0306"};
    if (!d || !d->code) return 0;
    for (size_t k = 0; k < sizeof structural / sizeof *structural; k++)
        if (strcmp(d->code, structural[k]) == 0) return 1;
    return strncmp(d->code, "W04", 3) == 0;
}

size_t dae_run_drift_count(const dae_run *r)
{
    return r ? r->monitor.drift_count : 0;
}

dae_status dae_run_drift_at(const dae_run *r, size_t k, dae_drift *out)
{
    if (!out || k >= dae_run_drift_count(r)) return DAE_ARGUMENT;
    const watched *w = &r->monitor.drifts[k];
    const drift *d = &w->drift;
    *out = (dae_drift){w->name, d->has_any, w->first, d->largest, d->at,
        d->has_any ? drift_mean(d) : (double)NAN, d->last};
    return DAE_OK;
}

/* ---- the error of the solution ---- */

dae_global_error dae_run_global_error(const dae_run *r)
{
    return r ? r->global : (dae_global_error){.estimate = (double)NAN};
}

dae_estimate dae_run_estimate(const dae_run *r)
{
    return r ? r->estimate : (dae_estimate){.count = 0};
}

dae_atol_check dae_run_atol_check(const dae_run *r)
{
    return r ? r->atol_check : (dae_atol_check){.difference = (double)NAN};
}

#include "run/estimate.h"

#include "base/report.h"

#include <math.h>
#include <string.h>

static double value_of(const solution *r, size_t j)
{
    return dae_model_unknown_value(r->model, j, 0, r->x, r->xp);
}

/* Both have the same events behind them, as far as can be told. */
static bool are_alike(const solution *r, const solution *finer)
{
    if (r->is_stopped != finer->is_stopped) return false;
    if (r->event_count == finer->event_count) return true;
    return !solution_ends_at_event(
        r->event_count > finer->event_count ? r : finer);
}

static dae_status compare(
    dae_estimate *e, const solution *r, const solution *finer, arena *memory)
{
    double sum = 0;
    e->has_sides = !are_alike(r, finer);
    e->last_events[0] = r->event_count ? r->last_event : (double)NAN;
    e->last_events[1] = finer->event_count ? finer->last_event : (double)NAN;
    e->end = r->t - finer->t;
    if (e->has_sides) return DAE_OK;
    e->count = dae_model_unknown_count(r->model);
    double *differences = ARENA_ARRAY(memory, double, e->count);
    e->differences = differences;
    if (!differences) return DAE_MEMORY;
    for (size_t j = 0; j < e->count; j++) {
        double d = value_of(r, j) - value_of(finer, j);
        double weight = solution_rtol(r) * fabs(value_of(finer, j))
            + solution_atol(r, j);
        differences[j] = d;
        if (fabs(d) > 0) sum += (d / weight) * (d / weight);
    }
    e->norm = e->count ? sqrt(sum / (double)e->count) : 0;
    e->is_known = true;
    return DAE_OK;
}

dae_status estimate_make(
    dae_estimate *e, const solution *r, dae_diagnostics *ds, arena *memory)
{
    solution finer;
    *e = (dae_estimate){.count = 0};
    const tolerance_factors tenth = {
        0.1 * r->factors.rtol, 0.1 * r->factors.atol};
    dae_status st = solution_init(&finer, r->request, tenth, true, ds);
    if (!st) st = solution_start(&finer);
    if (!st) st = solution_steps(&finer);
    if (!st) st = compare(e, r, &finer, memory);
    solution_clear(&finer);
    return st;
}

dae_status estimate_try(dae_estimate *e, const solution *r, arena *memory)
{
    const text_span none = {0, 0};
    dae_diagnostics *quiet;
    if (dae_diagnostics_create(r->request->allocator, &quiet))
        return DAE_MEMORY;
    dae_status st = estimate_make(e, r, quiet, memory);
    if (st && st != DAE_MEMORY && st != DAE_INTERRUPTED) {
        const char *why = solution_last_error(quiet);
        if (dae_diagnostics_lost(quiet)) report_lost(r->ds);
        report(r->ds, DIAG_W0531, NULL, none,
            "the error at the end is not estimated by a run at a tenth of the "
            "tolerances: %s",
            why ? why : "it failed");
        st = DAE_OK;
    }
    dae_diagnostics_free(quiet);
    return st;
}

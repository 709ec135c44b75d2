/* The start that was found, and where switches are at a point. */
#include "report/object.h"

#include <dae/events.h>
#include <math.h>

dae_status dae_report_start(const dae_report *r, double *x, double *xp)
{
    if (!r || !x || !xp) return DAE_ARGUMENT;
    const dae_problem *p = dae_model_problem(r->model);
    const dae_start_findings *s = &r->analysis->start;
    size_t at = 0;
    if (!s->values || s->verdict == DAE_START_UNKNOWN
        || s->verdict == DAE_START_UNSOLVED)
        return DAE_INCONSISTENT;
    for (size_t j = 0; j < p->unknown_count; j++) {
        const size_t highest = p->order ? p->order[j] : 1;
        const double *values = s->values + s->value_first[j];
        const size_t known = s->value_first[j + 1] - s->value_first[j];
        for (size_t k = 0; k < highest || k == 0; k++)
            x[at++] = k < known ? values[k] : (double)NAN;
        if (highest) xp[j] = highest < known ? values[highest] : (double)NAN;
    }
    return DAE_OK;
}

/* The value of a switch at g; NaN where the point alone does not say. */
static double side_of(dae_switch_kind kind, double g)
{
    const bool is_edge = !(fabs(g) > 0);
    if (isnan(g)) return (double)NAN;
    switch (kind) {
    case DAE_SWITCH_BELOW:
    case DAE_SWITCH_NOT_ABOVE: return is_edge ? (double)NAN : g < 0;
    case DAE_SWITCH_SIGN: return is_edge ? (double)NAN : g > 0 ? 1 : -1;
    case DAE_SWITCH_FLOOR: return floor(g);
    case DAE_SWITCH_CEIL: return ceil(g);
    }
    return (double)NAN;
}

dae_status dae_switch_sides(const dae_problem *problem, double t,
    const double *x, const double *xp, double *sides)
{
    if (!problem || !x || !xp || !sides) return DAE_ARGUMENT;
    const dae_events *e = problem->events;
    if (!e || e->switch_count == 0) return DAE_OK;
    const dae_status st = e->roots(problem->self, t, x, xp, sides);
    for (size_t k = 0; k < e->switch_count; k++) {
        const double held = e->held[e->discrete_count + k];
        if (!isnan(held)) sides[k] = held;
        else if (st) sides[k] = (double)NAN;
        else sides[k] = side_of((dae_switch_kind)e->switches[k].kind, sides[k]);
    }
    return st;
}

/* The states follow from the given values where the matrix has full rank. In
 * the dead point of a crank it has not: its angle determines where the slider
 * is, and not the other way round. */
#include "run/given.h"
#include "base/report.h"
#include "linalg/naming.h"
#include <math.h>

/* As part of the value, or of the nominal one, or of 1: a double root that is
 * found within tolerances of 1e-6 and less is as near. */
static const double NEAR = 1e-2;

static bool is_kept(
    const dae_problem *problem, size_t unknown, double found, double given)
{
    const dae_scales *scales = problem->scales;
    const double nominal = scales && scales->nominal ? scales->nominal[unknown]
                                                     : 0;
    const double size = fmax(fabs(found), fabs(given));
    return fabs(found - given) <= NEAR * fmax(size, nominal > 0 ? nominal : 1);
}

static dae_status tell(const dae_problem *problem, const layout *l, size_t slot,
    double t0, double found, double given, dae_diagnostics *ds)
{
    char name[NAMING_SIZE];
    const dae_source *source = NULL;
    text_span span = {0, 0};
    int order;
    naming_slot(problem, l, slot, name, sizeof name);
    naming_place(problem, DAE_NAME_UNKNOWN, naming_unknown(l, slot, &order),
        &source, &span);
    report(ds, DIAG_E0502, source, span,
        "at t = %.10g the equations lose rank: they do not determine `%s`, "
        "given as %.6g, by the states",
        t0, name, given);
    report_label(ds, "the states would go on with `%s` = %.6g", name, found);
    report_numeric(ds, t0, 0, 0, NULL, name);
    report_help(ds,
        "the start is singular: begin beside it, or give values with which a "
        "solution goes on from there");
    return DAE_NUMERIC;
}

dae_status given_keep(const dae_problem *problem, const layout *l, double t0,
    double *x, double *xp, dae_diagnostics *ds)
{
    const dae_start *s = problem->start;
    for (size_t k = 0; k < l->states + l->unknowns; k++) {
        const bool is_state = k < l->states;
        const size_t at = is_state ? k : k - l->states;
        const double *values = is_state ? s->x : s->xp;
        const uint8_t *fixed = is_state ? s->x_fixed : s->xp_fixed;
        double *to = is_state ? &x[at] : &xp[at];
        int order;
        if (!values || !fixed || !fixed[at]) continue;
        if (!is_state && l->order[at] == 0) continue;
        const size_t unknown = naming_unknown(l, k, &order);
        if (!is_kept(problem, unknown, *to, values[at]))
            return tell(problem, l, k, t0, *to, values[at], ds);
        *to = values[at];
    }
    return DAE_OK;
}

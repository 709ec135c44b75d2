#include "run/fits.h"

#include "base/report.h"
#include "run/roles.h"

/* E0505 at the place of what does not fit. */
static dae_status refuse(const run *r, dae_name_kind kind, size_t index,
    const char *why, const char *help)
{
    const dae_source *source;
    text_span span;
    char name[NAMING_SIZE];
    naming_text(r->engine->problem, kind, index, name, sizeof name);
    naming_place(r->engine->problem, kind, index, &source, &span);
    report(r->ds, DIAG_E0505, source, span, "`%s` does not fit: %s `%s`",
        r->formula->name, why, name);
    report_help(r->ds, "%s", help);
    return DAE_ARGUMENT;
}

static const char implicit_ones[] =
    "an explicit method wants x' from x alone: use an implicit one, such as "
    "bdf, trapezoid or euler-linear";
static const char motion_alone[] =
    "the method is for equations of motion: write x'' = a(x) with one unknown "
    "and its second derivative, or use rk4";

static dae_status check_ode(const run *r)
{
    const layout *l = &r->engine->layout;
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] == 0)
            return refuse(r, DAE_NAME_UNKNOWN, j,
                "the equations have no derivative of", implicit_ones);
    for (size_t i = 0; i < l->unknowns; i++)
        if (!r->engine->newton.is_slope_row[i])
            return refuse(r, DAE_NAME_EQUATION, i,
                "a highest derivative does not occur in equation",
                implicit_ones);
    return DAE_OK;
}

static dae_status check_second_order(const run *r)
{
    const layout *l = &r->engine->layout;
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] != 2)
            return refuse(r, DAE_NAME_UNKNOWN, j,
                "there is no second derivative of", motion_alone);
    return DAE_OK;
}

/* No entry of a velocity. */
static dae_status check_at_rest(const run *r)
{
    const layout *l = &r->engine->layout;
    const dae_pattern *p = iteration_pattern(r->engine->matrix);
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t velocity = l->first[j] + 1;
        const int64_t k = p->column_start[velocity];
        if (k == p->column_start[velocity + 1]) continue;
        return refuse(r, DAE_NAME_EQUATION, (size_t)p->row[k],
            "a velocity occurs in equation",
            "the half kicks want an acceleration that depends on places alone: "
            "use symplectic-euler, or rk4");
    }
    return DAE_OK;
}

/* Places and velocities. */
static dae_status check_turning(const run *r, double t0)
{
    size_t equation;
    const dae_status st = roles_find(r, t0, &equation);
    if (st || equation == SIZE_MAX) return st;
    return refuse(r, DAE_NAME_EQUATION, equation,
        "neither w' = a(q) nor q' = Z(q) w is equation",
        "unknowns have to be places q and velocities w: slopes of velocities "
        "depend on places alone, those of places are linear in velocities; use "
        "rk4, or for x'' = a(x, x') symplectic-euler");
}

dae_status fits_check(const run *r, double t0)
{
    const one_step *o = r->formula->one_step;
    dae_status st = DAE_OK;
    if (!o) return DAE_OK;
    if (o->needs & ONE_STEP_ODE) st = check_ode(r);
    if (!st && o->needs & ONE_STEP_SECOND_ORDER) st = check_second_order(r);
    if (!st && o->needs & ONE_STEP_AT_REST) st = check_at_rest(r);
    if (!st && o->needs & ONE_STEP_TURNING) st = check_turning(r, t0);
    return st;
}

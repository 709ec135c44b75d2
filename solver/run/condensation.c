/* Both matrices are factorized, of the step that comes next, so that the sizes
 * of their factors are those that a run has. */
#include "run/condensation.h"
#include "linalg/naming.h"
#include "newton/newton.h"
#include <stdio.h>

/* Values of the Jacobian at the point. */
static dae_status evaluate(run *r)
{
    engine *e = r->engine;
    const dae_problem *p = e->problem;
    const point *at = &e->stepper.point;
    const double h = e->stepper.h;
    const dae_status st = p->residual(
        p->self, at->t, at->x, at->xp, e->scratch);
    r->stats.residual_evals++;
    if (st) return st;
    weights_update(&e->weights, at->x, h);
    r->stats.jacobian_evals++;
    return iteration_evaluate(e->matrix, at->t, at->x, at->xp, e->scratch,
        e->weights.plain, h, &r->stats.residual_evals);
}

/* -1 of a singular matrix. */
static dae_status tell_fill(
    run *r, dae_status st, int64_t *fill, const char **name)
{
    const linear *l = iteration_linear(r->engine->matrix);
    r->stats.factorizations++;
    *fill = st ? -1 : linear_fill(l);
    *name = l ? linear_name(l) : "";
    return st == DAE_NUMERIC || st == DAE_RETRY ? DAE_OK : st;
}

static dae_status factor_both(run *r, dae_condensation *out)
{
    iteration *matrix = r->engine->matrix;
    const double h = r->engine->stepper.h, alpha = h != 0 ? 1 / h : 1;
    const dae_status st = tell_fill(
        r, iteration_factor(matrix, alpha), &out->fill, &out->linear);
    if (st) return st;
    return tell_fill(r, iteration_factor_condensed(matrix, alpha),
        &out->condensed_fill, &out->condensed_linear);
}

dae_status condensation_measure(run *r, dae_condensation *out)
{
    iteration *matrix = r->engine->matrix;
    *out = (dae_condensation){.t = r->engine->stepper.point.t,
        .step = r->engine->stepper.h,
        .fill = -1,
        .condensed_fill = -1,
        .linear = "",
        .condensed_linear = ""};
    dae_status st = evaluate(r);
    if (!st) st = factor_both(r, out);
    newton_reset(&r->engine->newton);
    if (st && st != DAE_RETRY) return st;
    const iteration_size size = iteration_sizes(matrix);
    out->columns = size.columns;
    out->nonzeros = size.entries;
    out->condensed_columns = size.condensed_columns;
    out->condensed_nonzeros = size.condensed_entries;
    out->taken = (size_t)(size.columns - size.condensed_columns);
    return DAE_OK;
}

size_t condensation_name(
    const run *r, dae_name_kind kind, size_t taken, char *text, size_t size)
{
    const dae_problem *p = r->engine->problem;
    size_t row, column;
    if (size > 0) text[0] = '\0';
    if (!iteration_taken(r->engine->matrix, taken, &row, &column)) return 0;
    const size_t index = kind == DAE_NAME_EQUATION ? row : column;
    if (p->name) return p->name(p->self, kind, index, text, size);
    char own[NAMING_SIZE];
    return (size_t)snprintf(
        text, size, "%s", naming_text(p, kind, index, own, sizeof own));
}

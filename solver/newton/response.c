#include "newton/response.h"

#include "linalg/jacobian.h"

#include <math.h>

/* Lower states of y but for what the highest one adds: alpha y_o = v_o + y_(o+1). */
static void fill_chains(
    const layout *l, const double *v, double alpha, double *y)
{
    for (size_t j = 0; j < l->unknowns; j++) {
        size_t s = l->first[j + 1] - 1;
        y[s] = 0;
        for (; s > l->first[j]; s--) y[s - 1] = (v[s - 1] + y[s]) / alpha;
    }
}

static inline void subtract_column(const dae_pattern *pattern,
    const double *values, size_t column, double factor, double *restrict rows)
{
    const int64_t end = pattern->column_start[column + 1];
    for (int64_t p = pattern->column_start[column]; p < end; p++)
        rows[pattern->row[p]] -= values[p] * factor;
}

/* The highest states' corrections, in nw->delta, join. */
static void add_highest(const newton *nw, double alpha, double *y)
{
    const layout *l = nw->layout;
    if (l->is_first_order) {
        for (size_t j = 0; j < l->unknowns; j++) y[j] = nw->delta[j];
        return;
    }
    for (size_t j = 0; j < l->unknowns; j++) {
        double change = nw->delta[j];
        for (size_t s = l->first[j + 1]; s-- > l->first[j]; change /= alpha)
            y[s] += change;
    }
}

/* dF/dx' v less dF/dx of the lower states of y, into nw->delta. */
static void fill_rows(newton *nw, const double *v, const double *y)
{
    const layout *l = nw->layout;
    const dae_pattern *pattern = iteration_pattern(nw->matrix);
    const double *values = iteration_values(nw->matrix);
    for (size_t i = 0; i < l->unknowns; i++) nw->delta[i] = 0;
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t high = l->first[j + 1] - 1;
        if (l->order[j] > 0)
            subtract_column(
                pattern, values, l->states + j, -v[high], nw->delta);
        for (size_t s = l->first[j]; s < high; s++)
            subtract_column(pattern, values, s, y[s], nw->delta);
    }
}

/* Of a response, as a part: an eigenvalue of two of them in a plane, whose sides may be
 * nearly parallel, then has two or three digits. */
static const double response_part = 1e-5;

static dae_status solve(newton *nw, const double *weight)
{
    const layout *l = nw->layout;
    if (!weight) return iteration_solve(nw->matrix, nw->delta);
    for (size_t j = 0; j < l->unknowns; j++)
        nw->unit[j] = weight[l->first[j + 1] - 1];
    const linear_goal goal = {nw->unit, 0, response_part};
    return iteration_solve_within(nw->matrix, nw->delta, &goal);
}

dae_status newton_response(
    newton *nw, const double *weight, const double *v, double *y, double *alpha)
{
    const double at = nw->alpha;
    *alpha = 0;
    if (!nw->has_jacobian || !(fabs(at) > 0) || !isfinite(at)) return DAE_OK;
    if (!nw->layout->is_first_order) fill_chains(nw->layout, v, at, y);
    fill_rows(nw, v, y);
    const dae_status st = solve(nw, weight);
    if (st == DAE_NUMERIC || st == DAE_RETRY) return DAE_OK;
    if (st) return st;
    if (any_overflow(nw->delta, nw->layout->unknowns)) return DAE_OK;
    add_highest(nw, at, y);
    *alpha = at;
    return DAE_OK;
}

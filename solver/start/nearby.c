/* A double root such as x^2 + y^2 = 1 at x = 1 leaves y open to first order,
 * although y is isolated: the second derivative says so. */
#include "start/nearby.h"
#include "base/splitmix.h"
#include "linalg/basis.h"
#include "linalg/rrqr.h"
#include "linalg/thresholds.h"
#include "start/gauss_newton.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { SHORTER = 3, DIRECTIONS_MOST = 32 };

/* ---- another solution -------------------------------------------------------- */

/* A number in [-1, 1) for each k, the same in every run. */
static double number_of(size_t k)
{
    return splitmix_unit(splitmix(k * UINT64_C(0x9E3779B97F4A7C15)));
}

void nearby_sizes(const init_system *s, const tangent *t, double *size)
{
    double most = 0;
    for (size_t j = 0; j < t->columns; j++)
        most = fmax(most, s->scale[t->slot_at[j]] * t->unit[j]);
    for (size_t j = 0; j < t->columns; j++)
        size[j] = fmax(s->scale[t->slot_at[j]], ASIDE * most / t->unit[j]);
}

/* v (columns), in the tangent's units, to the slots' own, with the largest 1
 * against `size`; what that divided v by. */
static double stretch(const tangent *t, const double *size, double *v)
{
    double most = 0;
    for (size_t j = 0; j < t->columns; j++) {
        v[j] /= t->column_size[j];
        most = fmax(most, fabs(v[j]) / size[j]);
    }
    if (!(most > 0)) return 1;
    for (size_t j = 0; j < t->columns; j++) v[j] /= most;
    return most;
}

static void step_along(init_system *s, const tangent *t, const double *from,
    const double *v, double by)
{
    for (size_t j = 0; j < t->columns; j++) {
        const size_t k = (size_t)t->slot_at[j];
        s->z[k] = fmin(fmax(from[k] + by * v[j], s->low[k]), s->high[k]);
    }
}

static dae_status solve_equations(
    init_system *s, const tangent *t, bool *is_moved)
{
    gauss_newton_result result;
    subset all = {.rows = ARENA_ARRAY(&s->arena, int32_t, s->equations),
        .slots = ARENA_ARRAY(&s->arena, int32_t, t->columns),
        .row_count = s->equations,
        .slot_count = t->columns};
    if (!all.rows || !all.slots) return DAE_MEMORY;
    memcpy(all.slots, t->slot_at, t->columns * sizeof *all.slots);
    for (size_t i = 0; i < s->equations; i++) all.rows[i] = (int32_t)i;
    memcpy(s->guess, s->z, s->slots * sizeof *s->guess);
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = gauss_newton_solve(s, &all, &result);
    if (!st && result.end == GAUSS_NEWTON_SOLVED) {
        if ((st = unknowns_residual(s, s->z, s->res))) return st;
        if ((st = unknowns_jacobian(s))) return st;
        *is_moved = true;
    }
    return st;
}

dae_status nearby_go(
    nearby *w, init_system *s, const tangent *t, bool *is_moved)
{
    arena *a = &s->arena;
    dae_status st = DAE_OK;
    w->z = ARENA_ARRAY(a, double, s->slots);
    w->guess = ARENA_ARRAY(a, double, s->slots);
    w->res = ARENA_ARRAY(a, double, s->rows);
    double *v = ARENA_ARRAY(a, double, t->columns);
    double *size = ARENA_ARRAY(a, double, t->columns);
    *is_moved = false;
    if (!w->z || !w->guess || !w->res || !v || !size) return DAE_MEMORY;
    memcpy(w->z, s->z, s->slots * sizeof *s->z);
    memcpy(w->guess, s->guess, s->slots * sizeof *s->z);
    memcpy(w->res, s->res, s->rows * sizeof *s->res);
    assert(t->freedom > 0);
    for (size_t d = 0; d < t->freedom; d++)
        for (size_t j = 0; j < t->columns; j++)
            v[j] += number_of(d) * t->free[d * t->columns + j];
    nearby_sizes(s, t, size);
    (void)stretch(t, size, v);
    double by = ASIDE;
    for (int k = 0; k < SHORTER && !*is_moved; k++, by /= 10) {
        step_along(s, t, w->z, v, by);
        st = solve_equations(s, t, is_moved);
        if (st && st != DAE_RETRY) return st;
    }
    return DAE_OK;
}

dae_status nearby_return(const nearby *w, init_system *s)
{
    memcpy(s->z, w->z, s->slots * sizeof *s->z);
    memcpy(s->guess, w->guess, s->slots * sizeof *s->z);
    memcpy(s->res, w->res, s->rows * sizeof *s->res);
    const dae_status st = unknowns_jacobian(s);
    if (!st) unknowns_measure(s);
    return st;
}

/* Asked by start/proportion of a point where all rows hold. A solution is found
 * again from beside it, to most of its digits; what comes of a root that has
 * half of them is not. */
#include "start/uncertain.h"
#include "start/carried.h"
#include "start/damped.h"
#include "start/least.h"
#include "start/moment.h"
#include <math.h>

/* So many times what it was taken for is out of all proportion. */
static const double BEYOND = 1e6;
/* So far beside, as part of the sizes: more than the root of rounding. */
static const double ASIDE = 1e-5;
/* A value that changes by this part of itself has not one digit. */
static const double HALF = 0.5;
/* A step to a double root halves what is left, and doubles its reciprocal. */
static const double LARGE = 0.25;
static const double PIVOT_ZERO = 1e-12;
/* Signs that rounding errors are tried with. */
enum { SIGNS = 3 };
/* In roundings of a row, and in units of a value: less says nothing. */
static const double LEFT = 1e3, SMALL = 10;

static bool is_beyond(const init_system *s, size_t slot)
{
    return s->is_free[slot]
        && fabs(s->z[slot]) > BEYOND * carried_unit(s, slot);
}

/* Is more left of some row than rounding explains, by far? */
static bool is_any_left(const init_system *s, const submatrix *m)
{
    for (size_t i = 0; i < m->rows; i++) {
        const size_t row = (size_t)m->row_at[i];
        if (fabs(s->res[row]) > LEFT * s->noise[row]) return true;
    }
    return false;
}

/* A linear system at the point, whose sizes are those of the values. */
typedef struct linearized {
    const submatrix *m;
    double *values; /* entries */
    double *scale;  /* columns */
    double *r, *d;  /* rows, columns */
} linearized;

static dae_status linearize(
    linearized *w, init_system *s, const submatrix *m, bool *is_small)
{
    arena *a = &s->arena;
    size_t cells;
    *is_small = size_mul(m->rows, m->columns, &cells) && cells <= LEAST_LIMIT;
    if (!*is_small) return DAE_OK;
    *w = (linearized){.m = m,
        .values = ARENA_ARRAY(a, double, m->entries),
        .scale = ARENA_ARRAY(a, double, m->columns),
        .r = ARENA_ARRAY(a, double, m->rows),
        .d = ARENA_ARRAY(a, double, m->columns)};
    int32_t *number = ARENA_ARRAY(a, int32_t, s->rows);
    if (!w->values || !w->scale || !w->r || !w->d || !number) return DAE_MEMORY;
    submatrix_values(m, s, number, w->values);
    for (size_t j = 0; j < m->columns; j++) {
        const size_t k = (size_t)m->slot_at[j];
        w->scale[j] = fmax(s->scale[k], fabs(s->z[k]));
    }
    return DAE_OK;
}

/* d := what takes r away. DAE_NUMERIC: it has overflowed. */
static dae_status answer(linearized *w, init_system *s)
{
    return least_solve(&s->arena, w->m, w->values, w->scale, w->r,
        fmax(PIVOT_ZERO, s->fuzz), w->d);
}

/* Where tolerances admit more than rounding leaves: what is left of the rows
 * would change the value so much. */
static dae_status look_here(init_system *s, linearized *w, size_t *slot)
{
    const submatrix *m = w->m;
    if (!is_any_left(s, m)) return DAE_OK;
    for (size_t i = 0; i < m->rows; i++) w->r[i] = s->res[m->row_at[i]];
    const dae_status st = answer(w, s);
    if (st) return st == DAE_NUMERIC ? DAE_OK : st;
    for (size_t j = 0; j < m->columns && *slot == s->slots; j++) {
        const size_t k = (size_t)m->slot_at[j];
        const bool is_small = fabs(s->z[k]) <= SMALL * carried_unit(s, k);
        if (!is_small && fabs(w->d[j]) > LARGE * fabs(s->z[k])) *slot = k;
    }
    return DAE_OK;
}

/* What rounding alone makes of the values beyond: 1 / y where y^2 is 0 but for
 * rounding is as large as that, wherever a search sets out. The signs of the
 * errors are not known. */
static dae_status look_at_rounding(init_system *s, linearized *w, size_t *slot)
{
    const submatrix *m = w->m;
    for (unsigned t = 0; t < SIGNS && *slot == s->slots; t++) {
        for (size_t i = 0; i < m->rows; i++) {
            const size_t row = (size_t)m->row_at[i];
            w->r[i] = t && (i >> (t - 1)) & 1 ? -s->noise[row] : s->noise[row];
        }
        const dae_status st = answer(w, s);
        if (st) return st == DAE_NUMERIC ? DAE_OK : st;
        for (size_t j = 0; j < m->columns && *slot == s->slots; j++) {
            const size_t k = (size_t)m->slot_at[j];
            if (is_beyond(s, k) && fabs(w->d[j]) > HALF * fabs(s->z[k]))
                *slot = k;
        }
    }
    return DAE_OK;
}

static void step_aside(init_system *s, const submatrix *m, double way)
{
    for (size_t j = 0; j < m->columns; j++) {
        const size_t k = (size_t)m->slot_at[j];
        if (is_beyond(s, k)) continue;
        const double part = ASIDE * (1 - 0.05 * (double)(j % 11));
        const double by = part * fmax(carried_unit(s, k), fabs(s->z[k]));
        s->z[k] = fmin(fmax(s->z[k] + way * by, s->low[k]), s->high[k]);
    }
}

static dae_status look_again(init_system *s, const submatrix *m,
    const double *z, double way, size_t *slot)
{
    damped_result result;
    step_aside(s, m, way);
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = damped_reach(s, m, s->scale, &result);
    if (st || result.outcome != DAMPED_SOLVED)
        return st == DAE_RETRY ? DAE_OK : st;
    for (size_t j = 0; j < m->columns && *slot == s->slots; j++) {
        const size_t k = (size_t)m->slot_at[j];
        const double moved = fabs(s->z[k] - z[k]);
        const bool is_large = fabs(z[k]) > BEYOND * carried_unit(s, k);
        if (is_large && !(moved <= HALF * fabs(z[k]))) *slot = k;
    }
    return DAE_OK;
}

dae_status uncertain_find(init_system *s, const submatrix *m, size_t *slot)
{
    moment here;
    bool is_any = false;
    *slot = s->slots;
    for (size_t j = 0; j < m->columns && !is_any; j++)
        is_any = is_beyond(s, (size_t)m->slot_at[j]);
    const arena_position mark = arena_mark(&s->arena);
    linearized w;
    bool is_small;
    dae_status st = linearize(&w, s, m, &is_small);
    if (!st && is_small) st = look_here(s, &w, slot);
    if (!st && is_small && is_any && *slot == s->slots)
        st = look_at_rounding(s, &w, slot);
    if (!st && *slot == s->slots) st = carried_find(s, m, slot);
    if (!is_any || st || *slot < s->slots) {
        arena_release(&s->arena, mark);
        return st;
    }
    st = moment_take(&here, s);
    /* on either side: Newton's steps to a double root halve what is left, and
     * may end where they ended before */
    for (int k = 0; k < 2 && !st && *slot == s->slots; k++) {
        st = look_again(s, m, here.z, k ? -1 : 1, slot);
        moment_return(&here, s);
    }
    arena_release(&s->arena, mark);
    if (st) return st;
    st = unknowns_jacobian(s);
    return st == DAE_RETRY ? DAE_OK : st;
}

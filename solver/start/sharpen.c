/* The last thing done to a solved start: Newton steps without damping, as long
 * as residuals fall towards their rounding. What tolerances admit is not what
 * ranks and reports should see. */
#include "start/sharpen.h"
#include "start/least.h"
#include "start/order.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS = 8, SWEEPS = 4 };
/* So many rounding errors of the terms: where no row keeps
 * more, tolerances saw what there is. */
static const double COARSE = 1e5;
/* So many of one row are a share of its terms that no rounding leaves, however
 * little it is for the tolerances of what stands in it. */
static const double UNMET = 1e9;
/* Pivots of a balanced matrix. */
static const double PIVOT_ZERO = 1e-12;
/* Blocks cost a residual of everything each: as in start/blocks. */
static const double WORTH = 1e7;
/* What a row without values of its own may keep, as part of its tolerance. */
static const double LEAST = 1e-12;

typedef struct sharpening {
    init_system *s;
    submatrix m;
    double *values;       /* entries */
    double *scale;        /* columns */
    double *r, *size;     /* local rows */
    double *most, *least; /* the larger of both */
    double *d;            /* columns */
    double *z, *res;      /* the best point */
    int32_t *local;       /* rows of the system */
} sharpening;

static dae_status sharpening_init(sharpening *w)
{
    init_system *s = w->s;
    arena *a = &s->arena;
    w->values = ARENA_ARRAY(a, double, w->m.entries);
    w->scale = ARENA_ARRAY(a, double, w->m.columns);
    w->r = ARENA_ARRAY(a, double, w->m.rows);
    w->size = ARENA_ARRAY(a, double, w->m.rows);
    w->d = ARENA_ARRAY(a, double, w->m.columns);
    const size_t larger = w->m.rows > w->m.columns ? w->m.rows : w->m.columns;
    w->most = ARENA_ARRAY(a, double, larger);
    w->least = ARENA_ARRAY(a, double, larger);
    w->z = ARENA_ARRAY(a, double, s->slots);
    w->res = ARENA_ARRAY(a, double, s->rows);
    w->local = ARENA_ARRAY(a, int32_t, s->rows);
    const bool has_all = w->values && w->scale && w->r && w->size && w->d
        && w->most && w->least && w->z && w->res && w->local;
    return has_all ? DAE_OK : DAE_MEMORY;
}

/* The largest residual as part of what rounding explains. */
static double worst(const sharpening *w)
{
    const init_system *s = w->s;
    double most = 0;
    for (size_t i = 0; i < w->m.rows; i++) {
        const size_t row = (size_t)w->m.row_at[i];
        const double least = fmax(s->noise[row], LEAST * s->tolerance[row]);
        const double part = fabs(s->res[row]) / fmax(least, DBL_MIN);
        if (!(part <= most)) most = part;
    }
    return most;
}

static bool is_unmet(const sharpening *w)
{
    const init_system *s = w->s;
    for (size_t i = 0; i < w->m.rows; i++) {
        const size_t row = (size_t)w->m.row_at[i];
        const double rest = fabs(s->res[row]);
        if (rest > UNMET * s->noise[row] && rest > LEAST * s->tolerance[row])
            return true;
    }
    return false;
}

/* The largest and the smallest entry of each row or column, scaled. */
static void find_extremes(sharpening *w, bool by_rows)
{
    const submatrix *m = &w->m;
    const size_t count = by_rows ? m->rows : m->columns;
    for (size_t k = 0; k < count; k++) w->most[k] = w->least[k] = 0;
    for (size_t j = 0; j < m->columns; j++)
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const size_t i = (size_t)m->row[p], k = by_rows ? i : j;
            const double entry = fabs(w->values[p]) * w->scale[j] / w->size[i];
            if (!(entry > 0)) continue;
            w->most[k] = fmax(w->most[k], entry);
            w->least[k] = w->least[k] > 0 ? fmin(w->least[k], entry) : entry;
        }
}

/* Units in which entries are as alike as can be [CR72]: what a row measures
 * in small units is then not small. */
static void find_units(sharpening *w)
{
    const submatrix *m = &w->m;
    for (size_t i = 0; i < m->rows; i++) w->size[i] = 1;
    for (size_t j = 0; j < m->columns; j++) w->scale[j] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        find_extremes(w, true);
        for (size_t i = 0; i < m->rows; i++)
            if (w->most[i] > 0)
                w->size[i] *= sqrt(w->most[i]) * sqrt(w->least[i]);
        find_extremes(w, false);
        for (size_t j = 0; j < m->columns; j++)
            if (w->most[j] > 0)
                w->scale[j] /= sqrt(w->most[j]) * sqrt(w->least[j]);
    }
}

/* Units in which each column is as large in some row as anything there: small
 * entries, which may be errors, stay small. */
static void find_largest(sharpening *w)
{
    const submatrix *m = &w->m;
    for (size_t i = 0; i < m->rows; i++) w->size[i] = 1;
    for (size_t j = 0; j < m->columns; j++) w->scale[j] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        find_extremes(w, true);
        for (size_t i = 0; i < m->rows; i++)
            if (w->most[i] > 0) w->size[i] *= w->most[i];
        find_extremes(w, false);
        for (size_t j = 0; j < m->columns; j++)
            if (w->most[j] > 0) w->scale[j] /= w->most[j];
    }
}

/* One step; DAE_RETRY: to a place without values, or out of bounds. */
static dae_status step(sharpening *w, bool is_alike)
{
    init_system *s = w->s;
    submatrix_values(&w->m, s, w->local, w->values);
    if (is_alike) find_units(w);
    else find_largest(w);
    for (size_t i = 0; i < w->m.rows; i++) w->r[i] = s->res[w->m.row_at[i]];
    dae_status st = least_solve(&s->arena, &w->m, w->values, w->scale, w->r,
        fmax(PIVOT_ZERO, s->fuzz), w->d);
    if (st) return st == DAE_NUMERIC ? DAE_RETRY : st;
    for (size_t j = 0; j < w->m.columns; j++) {
        const size_t k = (size_t)w->m.slot_at[j];
        s->z[k] += w->d[j];
        if (!(s->z[k] >= s->low[k] && s->z[k] <= s->high[k])) return DAE_RETRY;
    }
    if ((st = unknowns_residual(s, s->z, s->res))) return st;
    if ((st = unknowns_jacobian(s))) return st;
    unknowns_measure(s);
    return DAE_OK;
}

static void keep(sharpening *w)
{
    memcpy(w->z, w->s->z, w->s->slots * sizeof *w->z);
    memcpy(w->res, w->s->res, w->s->rows * sizeof *w->res);
}

static dae_status go_back(sharpening *w)
{
    init_system *s = w->s;
    memcpy(s->z, w->z, s->slots * sizeof *s->z);
    memcpy(s->res, w->res, s->rows * sizeof *s->res);
    const dae_status st = unknowns_jacobian(s);
    if (!st) unknowns_measure(s);
    return st;
}

/* As long as it helps. */
static dae_status go_on(sharpening *w)
{
    bool is_alike = false;
    dae_status st = DAE_OK;
    double best = worst(w);
    keep(w);
    for (int k = 0; k < STEPS && best > 1; k++) {
        st = step(w, is_alike);
        if (st && st != DAE_RETRY) return st;
        const double now = st ? best : worst(w);
        if (now < best / 2) {
            best = now;
            keep(w);
            continue;
        }
        if ((st = go_back(w)) || is_alike) break;
        is_alike = true;
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

static dae_status sharpen_part(
    init_system *s, const subset *p, bool is_block, bool *is_left)
{
    sharpening w = {.s = s};
    dae_status st = submatrix_init(
        &w.m, s, p->rows, p->row_count, p->slots, p->slot_count);
    if (!st) st = sharpening_init(&w);
    if (st) return st;
    const bool is_coarse = is_block ? is_unmet(&w) : worst(&w) >= COARSE;
    if (is_coarse) st = go_on(&w);
    *is_left = is_unmet(&w);
    return st;
}

/* What is small for the unknowns of others may be all there is of a row: a force
 * in a unit of its own. Blocks have no others. */
static dae_status sharpen_blocks(init_system *s, const subset *all)
{
    block_order o;
    bool is_left;
    dae_status st = order_init(&o, s, all);
    if (st || (double)o.count * (double)s->n > WORTH) return st;
    for (size_t b = 0; b < o.count && !st; b++) {
        const arena_position mark = arena_mark(&s->arena);
        const subset block = order_block(&o, b);
        st = sharpen_part(s, &block, true, &is_left);
        arena_release(&s->arena, mark);
    }
    return st;
}

dae_status sharpen(init_system *s, const subset *all)
{
    size_t cells;
    bool is_left = false;
    if (!all->row_count || !all->slot_count
        || !size_mul(all->row_count, all->slot_count, &cells)
        || cells > LEAST_LIMIT)
        return DAE_OK;
    dae_status st = unknowns_jacobian(s);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    unknowns_measure(s);
    const arena_position mark = arena_mark(&s->arena);
    st = sharpen_part(s, all, false, &is_left);
    if (!st && is_left && all->row_count == all->slot_count)
        st = sharpen_blocks(s, all);
    arena_release(&s->arena, mark);
    return st;
}

/* Elimination of the loose columns: what a free one changes in the others is
 * the same whichever rows serve as pivots, so N depends on the point alone and
 * smoothly. */
#include "reduce/loose.h"
#include "linalg/gauss_jordan.h"
#include <assert.h>
#include <string.h>

static size_t count_set(const uint8_t *flags, size_t count)
{
    size_t set = 0;
    for (size_t k = 0; k < count; k++) set += flags[k] != 0;
    return set;
}

static dae_status take(loose *l, arena *a)
{
    const dae_pattern *p = l->e->problem.pattern;
    const size_t entries = (size_t)p->column_start[l->e->columns];
    l->row_of = ARENA_ARRAY(a, int32_t, l->e->rows);
    if (!l->row_of) return DAE_MEMORY;
    memset(l->row_of, 0xff, l->e->rows * sizeof *l->row_of);
    for (size_t k = 0; k < l->count; k++) {
        const int32_t c = l->column[k];
        for (int64_t q = p->column_start[c]; q < p->column_start[c + 1]; q++)
            if (l->row_of[p->row[q]] < 0)
                l->row_of[p->row[q]] = (int32_t)l->used++;
    }
    l->n = ARENA_ARRAY(a, double, l->rows * l->count);
    l->g = ARENA_ARRAY(a, double, l->used * l->count);
    l->is_done = ARENA_ARRAY(a, uint8_t, l->used);
    l->pivot = ARENA_ARRAY(a, size_t, l->count);
    l->values = ARENA_ARRAY(a, double, entries);
    return l->n && l->g && l->is_done && l->pivot && l->values ? DAE_OK
                                                               : DAE_MEMORY;
}

dae_status loose_create(const extended *e, const uint8_t *is_loose,
    const uint8_t *is_free, arena *a, loose **out)
{
    const size_t count = count_set(is_loose, e->columns);
    *out = NULL;
    if (!count_set(is_free, e->columns)) return DAE_OK;
    loose *l = ARENA_NEW(a, loose);
    if (!l) return DAE_MEMORY;
    l->e = e;
    l->column = ARENA_ARRAY(a, int32_t, count);
    l->is_free = ARENA_ARRAY(a, uint8_t, count);
    if (!l->column || !l->is_free) return DAE_MEMORY;
    for (size_t c = 0; c < e->columns; c++) {
        if (!is_loose[c]) continue;
        l->is_free[l->count] = is_free[c];
        l->rows += is_free[c] != 0;
        l->column[l->count++] = (int32_t)c;
    }
    const dae_status st = take(l, a);
    if (!st) *out = l;
    return st;
}

static void load(loose *l, const double *values)
{
    assert(l->count > 0 && l->rows > 0 && l->rows <= l->count);
    const dae_pattern *p = l->e->problem.pattern;
    memset(l->g, 0, l->used * l->count * sizeof *l->g);
    memset(l->is_done, 0, l->used);
    for (size_t k = 0; k < l->count; k++) {
        const int32_t c = l->column[k];
        for (int64_t q = p->column_start[c]; q < p->column_start[c + 1]; q++)
            l->g[(size_t)l->row_of[p->row[q]] * l->count + k] = values[q];
    }
}

void loose_update(loose *l, const double *values)
{
    load(l, values);
    memset(l->n, 0, l->rows * l->count * sizeof *l->n);
    for (size_t k = 0, at = 0; k < l->count; k++)
        if (l->is_free[k]) l->n[at++ * l->count + k] = 1;
    for (size_t k = 0; k < l->count; k++) {
        l->pivot[k] = l->is_free[k]
            ? l->used
            : jordan_row(l->g, l->used, l->count, k, l->is_done);
        if (l->pivot[k] == l->used) continue;
        jordan_eliminate(l->g, l->used, l->count, l->pivot[k], k, NULL);
        l->is_done[l->pivot[k]] = 1;
    }
    for (size_t k = 0; k < l->count; k++) {
        if (l->pivot[k] == l->used) continue;
        const double *row = l->g + l->pivot[k] * l->count;
        for (size_t j = 0, at = 0; j < l->count; j++)
            if (l->is_free[j]) l->n[at++ * l->count + k] = -row[j];
    }
}

dae_status loose_residual(
    loose *l, double t, const double *columns, double *res)
{
    const dae_problem *e = &l->e->problem;
    const dae_status st = e->jacobian(
        e->self, DAE_ALL, t, columns, NULL, l->values);
    if (st) return st;
    loose_update(l, l->values);
    for (size_t i = 0; i < l->rows; i++) {
        res[i] = 0;
        for (size_t k = 0; k < l->count; k++)
            res[i] += l->n[i * l->count + k] * columns[l->column[k]];
    }
    return DAE_OK;
}

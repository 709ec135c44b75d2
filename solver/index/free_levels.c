/* A number c added to the unknowns of a set S changes no equation if in every row,
 * for each order of derivative by itself, the partial derivatives by the unknowns
 * of S add up to 0 at all points: then the derivative of F along the shift is 0
 * everywhere, for any function of time as c. */
#include "index/free_levels.h"

#include "index/generic_points.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { POINTS = 3 };

/* Of the partial derivatives of one row. */
typedef struct total {
    double sum, size;
} total;

/* Adds up those of one order at the sampler's point. */
static bool cancels(
    const sampler *s, const uint8_t *is_in, size_t order, total *row, bool *any)
{
    const layout *l = s->layout;
    const dae_pattern *g = sampler_pattern(s);
    const double *value = sampler_values(s);
    memset(row, 0, l->unknowns * sizeof *row);
    for (size_t j = 0; j < l->unknowns; j++) {
        if (!is_in[j] || order > l->order[j]) continue;
        const size_t c = layout_column(l, j, order);
        for (int64_t e = g->column_start[c]; e < g->column_start[c + 1]; e++) {
            row[g->row[e]].sum += value[e];
            row[g->row[e]].size += fabs(value[e]);
        }
    }
    for (size_t i = 0; i < l->unknowns; i++) {
        if (!(fabs(row[i].sum) <= CIRCUIT_ZERO * row[i].size)) return false;
        *any = *any || row[i].size > 0;
    }
    return true;
}

static dae_status test(
    sampler *s, const uint8_t *is_in, total *row, bool *is_floating)
{
    const layout *l = s->layout;
    size_t highest = 0;
    dae_status st = DAE_OK;
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] > highest) highest = l->order[j];
    for (unsigned k = 0; k < POINTS && !st; k++) {
        bool is_shift = true, any = false;
        if ((st = points_sample(s, k))) break;
        for (size_t o = 0; o <= highest && is_shift; o++)
            is_shift = cancels(s, is_in, o, row, &any);
        if (!is_shift || !any) return DAE_OK;
    }
    *is_floating = !st;
    return st == DAE_RETRY || st == DAE_LIMIT ? DAE_OK : st;
}

dae_status floating_test(const dae_problem *problem, const uint8_t *is_in,
    const dae_allocator *allocator, bool *is_floating)
{
    const dae_allocator *a = alloc_or_default(allocator);
    const size_t n = problem->unknown_count;
    sampler *s = NULL;
    layout l;
    *is_floating = false;
    dae_status st = layout_init(&l, problem, a);
    if (st) return st;
    total *row = alloc_zeroed(a, n, sizeof *row);
    st = row ? sampler_create(problem, &l, a, &s) : DAE_MEMORY;
    if (!st) st = test(s, is_in, row, is_floating);
    sampler_free(s);
    alloc_free(a, row, n, sizeof *row);
    layout_clear(&l);
    return st == DAE_LIMIT ? DAE_OK : st;
}

/* Reports the marked unknowns as a finding. */
static dae_status take(const dae_problem *problem, const uint8_t *is_in,
    const dae_allocator *a, array_findings *out)
{
    const size_t n = problem->unknown_count;
    array_findings_clear(out, a);
    out->loose = alloc_zeroed(a, n, sizeof *out->loose);
    if (!out->loose) return DAE_MEMORY;
    out->outcome = ARRAY_NO_INDEX;
    out->verdict = DAE_INDEX_FLOATING;
    out->index = out->degrees_of_freedom = -1;
    out->loose_room = n;
    for (size_t j = 0; j < n; j++)
        if (is_in[j])
            out->loose[out->loose_count++] = (dae_slot){(int32_t)j, 0};
    assert(out->loose_count > 0);
    return DAE_OK;
}

dae_status floating_find(const dae_problem *problem, const uint8_t *candidates,
    const dae_allocator *allocator, array_findings *out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    const size_t n = problem->unknown_count;
    uint8_t *all = alloc_zeroed(a, n, 1);
    bool is_floating = false;
    if (!all) return DAE_MEMORY;
    for (size_t j = 0; j < n; j++)
        all[j] = !dae_group_is_expression(problem, j);
    const uint8_t *is_in = all;
    dae_status st = floating_test(problem, is_in, a, &is_floating);
    if (!st && !is_floating && candidates) {
        is_in = candidates;
        st = floating_test(problem, is_in, a, &is_floating);
    }
    if (!st && is_floating) st = take(problem, is_in, a, out);
    alloc_free(a, all, n, 1);
    return st;
}

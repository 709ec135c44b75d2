/* An entry of order o that is 0 is listed if d_j - c_i < o: were it not 0, it would
 * violate the inequality that proves the offsets c, d. An entry that is not 0, but may
 * be rounding error, is listed if d_j - c_i = o: only then can it affect them. If the
 * structure is singular, both are listed for any offsets. */
#include "analysis/analysis.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>

/* ---- what is 0 --------------------------------------------------------------- */

static bool matters(const analysis *a, size_t k)
{
    const dae_structure *s = a->structure;
    const signature *g = a->signature;
    const size_t i = (size_t)g->zero_row[k], j = (size_t)g->zero_column[k];
    if (!is_visible(a->problem, i) || !is_visible(a->problem, j)) return false;
    return !s->is_regular || s->d[j] - s->c[i] < g->zero_order[k];
}

static dae_status list_zeros(analysis *a)
{
    const signature *g = a->signature;
    size_t count = 0;
    for (size_t k = 0; k < g->zero_count; k++) count += matters(a, k);
    if (count == 0) return DAE_OK;
    dae_zero *zeros = ARENA_ARRAY(&a->memory, dae_zero, count);
    if (!zeros) return DAE_MEMORY;
    count = 0;
    for (size_t k = 0; k < g->zero_count; k++)
        if (matters(a, k))
            zeros[count++] = (dae_zero){.equation = g->zero_row[k],
                .slot = {g->zero_column[k], g->zero_order[k]},
                .varies = g->zero_varies[k]};
    assert(count <= g->zero_count);
    a->found.zeros = zeros;
    a->found.zero_count = count;
    return DAE_OK;
}

/* ---- rounding errors of 0 ---------------------------------------------------- */

/* Rounding bounds are expensive, so they are computed for few entries. */
enum { ROUNDED_MOST = 5 };

static bool is_tight(const analysis *a, size_t k, size_t j)
{
    const dae_structure *s = a->structure;
    const signature *g = a->signature;
    return !s->is_regular || s->d[j] - s->c[g->row[k]] == g->order[k];
}

/* Marks those among tight entries; false: there are none. */
static bool mark_tiny(
    const analysis *a, const double *value, double *most, uint8_t *asked)
{
    const dae_pattern *pattern = a->problem->pattern;
    const signature *g = a->signature;
    const size_t columns = a->layout.states + a->layout.unknowns;
    const int64_t entries = pattern->column_start[columns];
    bool is_any = false;
    for (int64_t e = 0; e < entries; e++)
        most[pattern->row[e]] = fmax(most[pattern->row[e]], fabs(value[e]));
    for (size_t j = 0; j < g->table.columns; j++)
        for (int64_t k = g->column_start[j]; k < g->column_start[j + 1]; k++) {
            const int64_t e = g->entry[k];
            const double size = fabs(value[e]);
            asked[e] = pattern->kind[e] != DAE_ENTRY_VARYING && size > 0
                && size <= CIRCUIT_ZERO * fmax(1, most[g->row[k]])
                && is_tight(a, (size_t)k, j);
            is_any = is_any || asked[e];
        }
    return is_any;
}

static dae_status take_rounded(
    analysis *a, const double *value, const uint8_t *is_rounded)
{
    const signature *g = a->signature;
    a->rounded = ARENA_ARRAY(&a->memory, rounded_entry, ROUNDED_MOST);
    if (!a->rounded) return DAE_MEMORY;
    for (size_t j = 0; j < g->table.columns; j++)
        for (int64_t k = g->column_start[j]; k < g->column_start[j + 1]; k++)
            if (is_rounded[g->entry[k]] && a->rounded_count < ROUNDED_MOST)
                a->rounded[a->rounded_count++] = (rounded_entry){
                    .equation = g->row[k],
                    .slot = {(int32_t)j, g->order[k]},
                    .value = value[g->entry[k]]};
    return DAE_OK;
}

static dae_status list_rounded(analysis *a)
{
    const dae_problem *p = a->problem;
    if (!p->rounded || !p->jacobian || !p->pattern || !p->pattern->kind)
        return DAE_OK;
    const size_t n = p->unknown_count;
    const size_t entries = (size_t)
                               p->pattern->column_start[a->layout.states + n];
    double *value = ARENA_ARRAY(&a->memory, double, entries);
    double *most = ARENA_ARRAY(&a->memory, double, n);
    uint8_t *asked = ARENA_ARRAY(&a->memory, uint8_t, entries);
    uint8_t *is_rounded = ARENA_ARRAY(&a->memory, uint8_t, entries);
    if (!value || !most || !asked || !is_rounded) return DAE_MEMORY;
    dae_status st = p->jacobian(p->self, DAE_ALL, a->t0, a->x, a->xp, value);
    if (st == DAE_RETRY) return DAE_OK;
    if (st || !mark_tiny(a, value, most, asked)) return st;
    st = p->rounded(p->self, asked, is_rounded);
    return st ? st : take_rounded(a, value, is_rounded);
}

dae_status coefficients_list(analysis *a)
{
    dae_status st = list_zeros(a);
    const arena_position mark = arena_mark(&a->memory);
    if (!st) st = list_rounded(a);
    if (!a->rounded) arena_release(&a->memory, mark);
    return st;
}

/* A number c added to the unknowns of a set S changes no equation if in every row,
 * for each order of derivative by itself, the partial derivatives by the unknowns
 * of S add up to 0, wherever one looks: then F has the derivative 0 along the
 * shift everywhere, for any function of time as c. */
#include "index/floating.h"

#include "index/points.h"
#include "index/ranks.h"
#include "linalg/layout.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { POINTS = 3 };

typedef struct shift {
    const array_request *q;
    const dae_allocator *allocator;
    layout layout;
    sampler *sampler;
    size_t orders;      /* the highest and 1 */
    uint8_t *is_in;     /* unknowns: of S */
    double *sum, *size; /* rows * orders */
} shift;

static dae_status shift_init(shift *s, const array_request *q)
{
    s->q = q;
    s->allocator = alloc_or_default(q->allocator);
    const dae_status st = layout_init(&s->layout, q->problem, s->allocator);
    const size_t n = s->layout.unknowns;
    if (st) return st;
    for (size_t j = 0; j < n; j++)
        if (s->layout.order[j] + (size_t)1 > s->orders)
            s->orders = s->layout.order[j] + (size_t)1;
    s->is_in = alloc_zeroed(s->allocator, n, 1);
    s->sum = alloc_zeroed(s->allocator, n * s->orders, sizeof *s->sum);
    s->size = alloc_zeroed(s->allocator, n * s->orders, sizeof *s->size);
    if (!s->is_in || !s->sum || !s->size) return DAE_MEMORY;
    return sampler_create(q->problem, &s->layout, s->allocator, &s->sampler);
}

static void shift_clear(shift *s)
{
    const size_t n = s->layout.unknowns;
    alloc_free(s->allocator, s->is_in, n, 1);
    alloc_free(s->allocator, s->sum, n * s->orders, sizeof *s->sum);
    alloc_free(s->allocator, s->size, n * s->orders, sizeof *s->size);
    sampler_free(s->sampler);
    layout_clear(&s->layout);
}

static size_t column_of(const shift *s, size_t j, size_t order)
{
    const layout *l = &s->layout;
    assert(j < l->unknowns && order <= l->order[j]);
    const bool is_top = order == l->order[j] && order > 0;
    return is_top ? l->states + j : l->first[j] + order;
}

/* ---- is it a shift? ------------------------------------------------------------------- */

/* Adds up the entries at the sampler's point. */
static bool cancels_here(shift *s)
{
    const dae_pattern *g = sampler_pattern(s->sampler);
    const double *value = sampler_values(s->sampler);
    const size_t count = s->layout.unknowns * s->orders;
    for (size_t k = 0; k < count; k++) s->sum[k] = s->size[k] = 0;
    for (size_t j = 0; j < s->layout.unknowns; j++) {
        if (!s->is_in[j]) continue;
        for (size_t o = 0; o <= s->layout.order[j]; o++) {
            const size_t c = column_of(s, j, o);
            for (int64_t e = g->column_start[c]; e < g->column_start[c + 1];
                 e++) {
                const size_t k = (size_t)g->row[e] * s->orders + o;
                s->sum[k] += value[e];
                s->size[k] += fabs(value[e]);
            }
        }
    }
    bool has_some = false;
    for (size_t k = 0; k < count; k++) {
        if (!(fabs(s->sum[k]) <= CIRCUIT_ZERO * s->size[k])) return false;
        has_some = has_some || s->size[k] > 0;
    }
    return has_some;
}

static dae_status test(shift *s, bool *is_shift)
{
    dae_status st = DAE_OK;
    *is_shift = true;
    for (unsigned k = 0; k < POINTS && *is_shift && !st; k++) {
        st = points_sample(s->sampler, k);
        if (!st) *is_shift = cancels_here(s);
    }
    if (st) *is_shift = false;
    return st == DAE_RETRY || st == DAE_LIMIT ? DAE_OK : st;
}

/* ---- which unknowns? ------------------------------------------------------------------- */

static void take_all(shift *s)
{
    const uint8_t *group = s->q->problem->index_group;
    for (size_t j = 0; j < s->layout.unknowns; j++)
        s->is_in[j] = !group || group[j] != 255;
}

/* The partial derivatives of each order below those of the one before. */
static void spread(const shift *s, double *a)
{
    const size_t n = s->layout.unknowns, rows = n * s->orders;
    const dae_pattern *g = sampler_pattern(s->sampler);
    const double *value = sampler_values(s->sampler);
    for (size_t j = 0; j < n; j++)
        for (size_t o = 0; o <= s->layout.order[j]; o++) {
            const size_t c = column_of(s, j, o);
            for (int64_t e = g->column_start[c]; e < g->column_start[c + 1];
                 e++)
                a[j * rows + o * n + (size_t)g->row[e]] = value[e];
        }
}

/* Those that vectors move which all orders' partial derivatives make 0. */
static dae_status take_loose(shift *s, bool *is_some)
{
    const size_t n = s->layout.unknowns, rows = n * s->orders;
    *is_some = false;
    if (n > FLOATING_DENSE) return DAE_OK;
    double *a = alloc_zeroed(s->allocator, rows * n, sizeof *a);
    double *share = alloc_zeroed(s->allocator, n, sizeof *share);
    dae_status st = a && share ? points_sample(s->sampler, 0) : DAE_MEMORY;
    if (!st) {
        spread(s, a);
        st = ranks_null(a, rows, n, 0, s->allocator, share);
    }
    for (size_t j = 0; j < n && !st; j++) {
        s->is_in[j] = share[j] > EFFECT_ERROR;
        *is_some = *is_some || s->is_in[j];
    }
    alloc_free(s->allocator, a, rows * n, sizeof *a);
    alloc_free(s->allocator, share, n, sizeof *share);
    return st == DAE_RETRY || st == DAE_LIMIT || st == DAE_NUMERIC ? DAE_OK
                                                                   : st;
}

static dae_status tell(const shift *s, array_findings *out)
{
    const size_t n = s->layout.unknowns;
    dae_slot *loose = alloc_zeroed(s->allocator, n, sizeof *loose);
    if (!loose) return DAE_MEMORY;
    array_findings_clear(out, s->allocator);
    out->outcome = ARRAY_NO_INDEX;
    out->verdict = DAE_INDEX_FLOATING;
    out->index = out->degrees_of_freedom = -1;
    out->loose = loose;
    out->loose_room = n;
    for (size_t j = 0; j < n; j++)
        if (s->is_in[j])
            out->loose[out->loose_count++] = (dae_slot){(int32_t)j, 0};
    return DAE_OK;
}

static dae_status find(shift *s, const uint8_t *candidates, array_findings *out)
{
    bool is_some = true, is_shift = false;
    take_all(s);
    dae_status st = test(s, &is_shift);
    if (!st && !is_shift && candidates) {
        memcpy(s->is_in, candidates, s->layout.unknowns);
        st = test(s, &is_shift);
    }
    if (!st && !is_shift) st = take_loose(s, &is_some);
    if (!st && !is_shift && is_some) st = test(s, &is_shift);
    return st || !is_shift ? st : tell(s, out);
}

dae_status floating_find(
    const array_request *q, const uint8_t *candidates, array_findings *out)
{
    shift s = {0};
    dae_status st = shift_init(&s, q);
    if (!st) st = find(&s, candidates, out);
    shift_clear(&s);
    return st == DAE_LIMIT ? DAE_OK : st;
}

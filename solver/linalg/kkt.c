/* Sparse, one pattern for all steps, and regular whatever the rank of J is. */
#include "linalg/kkt.h"
#include "graph/transpose.h"
#include "linalg/jacobian.h"
#include "linalg/linear.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>

struct kkt {
    size_t rows, columns, size;
    const int64_t *column_start;
    const int32_t *row;
    transposed t;         /* J by rows */
    int64_t *start;       /* size + 1: the symmetric matrix */
    int32_t *index;       /* entries */
    double *values;       /* entries */
    double *column_scale; /* columns */
    double *row_scale;    /* rows */
    double *b;            /* size */
    size_t entries;
    double eps;
    linear *linear;
    const dae_allocator *a;
};

/* Column j < columns: 1 at j, then J's column below; column columns + i: J's
 * row, then -eps on the diagonal. */
static void make_pattern(kkt *k)
{
    size_t at = 0;
    const int32_t shift = (int32_t)k->columns;
    for (size_t j = 0; j < k->columns; j++) {
        k->start[j] = (int64_t)at;
        k->index[at++] = (int32_t)j;
        for (int64_t p = k->column_start[j]; p < k->column_start[j + 1]; p++)
            k->index[at++] = k->row[p] + shift;
    }
    for (size_t i = 0; i < k->rows; i++) {
        k->start[k->columns + i] = (int64_t)at;
        for (int64_t p = k->t.start[i]; p < k->t.start[i + 1]; p++)
            k->index[at++] = k->t.index[p];
        k->index[at++] = (int32_t)i + shift;
    }
    k->start[k->size] = (int64_t)at;
}

static dae_status kkt_init(kkt *k)
{
    dae_status st = transpose_pattern(
        k->rows, k->columns, k->column_start, k->row, k->a, &k->t);
    if (st) return st;
    k->entries = k->size + 2 * k->t.entries;
    k->start = alloc_zeroed(k->a, k->size + 1, sizeof *k->start);
    k->index = alloc_zeroed(k->a, k->entries, sizeof *k->index);
    k->values = alloc_zeroed(k->a, k->entries, sizeof *k->values);
    k->column_scale = alloc_zeroed(k->a, k->columns, sizeof *k->column_scale);
    k->row_scale = alloc_zeroed(k->a, k->rows, sizeof *k->row_scale);
    k->b = alloc_zeroed(k->a, k->size, sizeof *k->b);
    if (!k->start || !k->index || !k->values || !k->column_scale
        || !k->row_scale || !k->b)
        return DAE_MEMORY;
    make_pattern(k);
    return linear_create(
        k->size, k->start, k->index, DAE_LINEAR_AUTO, k->a, &k->linear);
}

dae_status kkt_create(size_t rows, size_t columns, const int64_t *column_start,
    const int32_t *row, double noise, const dae_allocator *allocator, kkt **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    *out = NULL;
    if (rows + columns >= INT32_MAX) return DAE_LIMIT;
    kkt *k = alloc_zeroed(a, 1, sizeof *k);
    if (!k) return DAE_MEMORY;
    *k = (kkt){.rows = rows,
        .columns = columns,
        .size = rows + columns,
        .column_start = column_start,
        .row = row,
        .a = a,
        .eps = fmax(LEAST_CHANGE_ROUNDING, noise * noise)};
    const dae_status st = kkt_init(k);
    if (st) {
        kkt_free(k);
        return st;
    }
    assert(k->size == rows + columns);
    *out = k;
    return DAE_OK;
}

void kkt_free(kkt *k)
{
    if (!k) return;
    linear_free(k->linear);
    alloc_free(k->a, k->start, k->size + 1, sizeof *k->start);
    alloc_free(k->a, k->index, k->entries, sizeof *k->index);
    alloc_free(k->a, k->values, k->entries, sizeof *k->values);
    alloc_free(k->a, k->column_scale, k->columns, sizeof *k->column_scale);
    alloc_free(k->a, k->row_scale, k->rows, sizeof *k->row_scale);
    alloc_free(k->a, k->b, k->size, sizeof *k->b);
    transpose_clear(&k->t);
    alloc_free(k->a, k, 1, sizeof *k);
}

/* Each row's largest entry, after the columns' scaling, becomes 1. */
static void scale_rows(kkt *k, const double *values)
{
    for (size_t i = 0; i < k->rows; i++) {
        double largest = 0;
        for (int64_t p = k->t.start[i]; p < k->t.start[i + 1]; p++)
            largest = fmax(largest,
                fabs(values[k->t.entry[p]]) * k->column_scale[k->t.index[p]]);
        k->row_scale[i] = largest > 0 ? 1 / largest : 1;
        if (!isfinite(k->row_scale[i])) k->row_scale[i] = 1;
    }
}

dae_status kkt_factor(kkt *k, const double *values, const double *scale)
{
    size_t at = 0;
    for (size_t j = 0; j < k->columns; j++) {
        assert(scale[j] >= 0);
        k->column_scale[j] = scale[j];
    }
    scale_rows(k, values);
    for (size_t j = 0; j < k->columns; j++) {
        k->values[at++] = 1;
        for (int64_t p = k->column_start[j]; p < k->column_start[j + 1]; p++)
            k->values[at++] = values[p] * scale[j] * k->row_scale[k->row[p]];
    }
    for (size_t i = 0; i < k->rows; i++) {
        for (int64_t p = k->t.start[i]; p < k->t.start[i + 1]; p++)
            k->values[at++] = values[k->t.entry[p]] * scale[k->t.index[p]]
                * k->row_scale[i];
        k->values[at++] = -k->eps;
    }
    return linear_factor(k->linear, k->values);
}

double kkt_work(const kkt *k)
{
    const double work = linear_work(k->linear);
    return isnan(work) ? (double)k->entries * (double)k->size : work;
}

dae_status kkt_solve(
    kkt *k, const double *r, const double *deviation, double *d)
{
    for (size_t j = 0; j < k->columns; j++) {
        const double s = k->column_scale[j];
        k->b[j] = deviation && s > 0 ? -deviation[j] / s : 0;
    }
    for (size_t i = 0; i < k->rows; i++)
        k->b[k->columns + i] = -r[i] * k->row_scale[i];
    const dae_status st = linear_solve(k->linear, k->b);
    if (st) return st;
    if (any_overflow(k->b, k->columns + k->rows)) return DAE_NUMERIC;
    for (size_t j = 0; j < k->columns; j++) d[j] = k->b[j] * k->column_scale[j];
    return DAE_OK;
}

void kkt_multipliers(const kkt *k, double *u)
{
    for (size_t i = 0; i < k->rows; i++)
        u[i] = k->b[k->columns + i] * k->row_scale[i];
}

/* By linalg/rank_revealing_qr.h. */
#include "linalg/ranks.h"
#include "linalg/rank_revealing_qr.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool fits(size_t rows, size_t columns)
{
    return rows <= 1 << 14 && columns <= 1 << 14;
}

static dae_status load(rrqr *f, arena *memory, const double *a, size_t rows,
    size_t columns, const dae_allocator *allocator)
{
    arena_init(memory, allocator, 0);
    if (!fits(rows, columns)) return DAE_LIMIT;
    if (!rrqr_init(f, memory, rows, columns)) return DAE_MEMORY;
    if (rows > 0 && columns > 0) memcpy(f->a, a, rows * columns * sizeof *a);
    return DAE_OK;
}

dae_status ranks_count(const double *a, size_t rows, size_t columns,
    double error, const dae_allocator *allocator, size_t *rank, bool *is_sure)
{
    rrqr f;
    arena memory;
    const double zero = rank_zero_of(larger(rows, columns), error);
    *rank = 0;
    const dae_status st = load(&f, &memory, a, rows, columns, allocator);
    if (!st) {
        rrqr_factor_scaled(&f, zero);
        assert(f.rank <= rows && f.rank <= columns);
        *rank = f.rank;
        if (f.rank > 0 && f.least < TWO_DIGITS * zero) *is_sure = false;
    }
    arena_clear(&memory);
    return st;
}

dae_status ranks_null(const double *a, size_t rows, size_t columns,
    double error, const dae_allocator *allocator, double *share)
{
    rrqr f;
    arena memory;
    dae_status st = load(&f, &memory, a, rows, columns, allocator);
    if (!st) {
        rrqr_factor_scaled(&f, rank_zero_of(larger(rows, columns), error));
        st = rrqr_null_shares(&f, &memory, share);
    }
    arena_clear(&memory);
    return st;
}

dae_status ranks_solve(const double *a, size_t rows, size_t columns,
    double error, double *b, const dae_allocator *allocator)
{
    rrqr f;
    arena memory;
    double *x = NULL;
    dae_status st = load(&f, &memory, a, rows, columns, allocator);
    if (!st && !(x = ARENA_ARRAY(&memory, double, columns))) st = DAE_MEMORY;
    if (!st) {
        rrqr_factor_scaled(&f, rank_zero_of(larger(rows, columns), error));
        rrqr_complete(&f);
        rrqr_solve(&f, b, x);
        memcpy(b, x, columns * sizeof *b);
    }
    arena_clear(&memory);
    return st;
}

/* By columns, the transpose has the rows in their order. */
dae_status ranks_dependency(const double *a, size_t rows, size_t columns,
    const dae_allocator *allocator, size_t *row, double *factor)
{
    rrqr f;
    arena memory;
    *row = rows;
    arena_init(&memory, allocator, 0);
    dae_status st = fits(rows, columns) ? DAE_OK : DAE_LIMIT;
    if (!st && !rrqr_init(&f, &memory, columns, rows)) st = DAE_MEMORY;
    if (st) goto done;
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            f.a[i * columns + j] = a[j * rows + i];
    rrqr_factor_in_order(&f, VALUES_ERROR);
    for (size_t i = rows; i-- > 0;)
        if (!rrqr_is_pivot(&f, i)) *row = i;
    if (*row == rows) goto done;
    assert(*row < rows);
    rrqr_dependency(&f, *row, factor);
    for (size_t i = 0; i < rows; i++) factor[i] = -factor[i];
    factor[*row] = 1;
done:
    arena_clear(&memory);
    return st;
}

/* ---- a square matrix ------------------------------------------------------------ */

static int compare_down(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (y > x) - (y < x);
}

dae_status ranks_pivots(const matrix_view *m, const double *row,
    const double *column, arena *memory, double *pivot)
{
    rrqr f;
    const size_t n = m->rows;
    const arena_position mark = arena_mark(memory);
    assert(m->columns == n);
    if (!rrqr_init(&f, memory, n, n)) return DAE_MEMORY;
    scale_to_dense(m, row, column, f.a);
    rrqr_factor(&f, 0);
    for (size_t k = 0; k < n; k++)
        pivot[k] = k < f.rank ? fabs(f.a[(size_t)f.pivot[k] * n + k]) : 0;
    qsort(pivot, n, sizeof *pivot, compare_down);
    arena_release(memory, mark);
    return DAE_OK;
}

double ranks_zero(size_t n, double noise)
{
    return 2 * UNITS_OFF * noise * sqrt((double)n + 12);
}

size_t ranks_above(const double *pivot, size_t n, double zero)
{
    size_t rank = 0;
    while (rank < n && pivot[rank] > zero) rank++;
    return rank;
}

ranks_verdict ranks_judge(
    const double *pivot, size_t n, double zero, double regular, size_t *rank)
{
    assert(n > 0 && regular >= zero);
    *rank = ranks_above(pivot, n, zero);
    if (pivot[n - 1] >= regular) return RANKS_REGULAR;
    if (*rank == n) return RANKS_DOUBTFUL;
    if (*rank > 0 && pivot[*rank - 1] < fmax(HALF_DIGITS, TWO_DIGITS * zero))
        return RANKS_DOUBTFUL;
    return RANKS_SINGULAR;
}

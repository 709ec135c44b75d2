/* Ranks and null vectors of the derivative array by linalg/rank_revealing_qr.h, for the
 * index. */
#include "index/derivative_array_rank.h"
#include "linalg/rank_revealing_qr.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
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
        if (f.rank > 0 && f.least < RANK_GAP * zero) *is_sure = false;
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

/* What damped.c takes its steps from where the matrix is small, and sharpen.c
 * always: LAPACK's complete orthogonal factorization decides on the rank.
 * kkt.c has the larger ones. */
#include "start/least.h"
#include "linalg/blas.h"
#include <math.h>
#include <string.h>

void dgelsy_(const int *m, const int *n, const int *nrhs, double *a,
    const int *lda, double *b, const int *ldb, int *jpvt, const double *rcond,
    int *rank, double *work, const int *lwork, int *info);

/* Columns of a block of LAPACK's, at most. */
enum { BLOCK = 64 };

/* The scaled matrix, by columns; `row_size` gets what divides the rows. */
static void spread(const submatrix *m, const double *values,
    const double *scale, double *matrix, double *row_size)
{
    for (size_t j = 0; j < m->columns; j++)
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const double entry = values[p] * scale[j];
            matrix[j * m->rows + (size_t)m->row[p]] = entry;
            row_size[m->row[p]] = fmax(row_size[m->row[p]], fabs(entry));
        }
    for (size_t i = 0; i < m->rows; i++)
        if (!(row_size[i] > 0) || !isfinite(row_size[i])) row_size[i] = 1;
    for (size_t j = 0; j < m->columns; j++)
        for (size_t i = 0; i < m->rows; i++)
            matrix[j * m->rows + i] /= row_size[i];
}

static dae_status solve(arena *a, const submatrix *m, const double *values,
    const double *scale, const double *r, double zero, double *d)
{
    const int rows = (int)m->rows, columns = (int)m->columns, one = 1;
    const int longer = rows > columns ? rows : columns;
    const int lwork = (longer + 1) * (BLOCK + 2) + 3 * longer;
    int rank = 0, info = 0;
    double *matrix = ARENA_ARRAY(a, double, m->rows * m->columns);
    double *row_size = ARENA_ARRAY(a, double, m->rows);
    double *b = ARENA_ARRAY(a, double, (size_t)longer);
    double *work = ARENA_ARRAY(a, double, (size_t)lwork);
    int *pivot = ARENA_ARRAY(a, int, m->columns);
    if (!matrix || !row_size || !b || !work || !pivot) return DAE_MEMORY;
    spread(m, values, scale, matrix, row_size);
    for (size_t i = 0; i < m->rows; i++) b[i] = -r[i] / row_size[i];
    blas_use_one_thread();
    dgelsy_(&rows, &columns, &one, matrix, &rows, b, &longer, pivot, &zero,
        &rank, work, &lwork, &info);
    if (info != 0 || any_overflow(b, m->columns)) return DAE_NUMERIC;
    for (size_t j = 0; j < m->columns; j++) d[j] = b[j] * scale[j];
    return DAE_OK;
}

dae_status least_solve(arena *a, const submatrix *m, const double *values,
    const double *scale, const double *r, double zero, double *d)
{
    const arena_position mark = arena_mark(a);
    const dae_status st = solve(a, m, values, scale, r, zero, d);
    arena_release(a, mark);
    return st;
}

/* What a start's tangents are found with, where all directions are wanted at
 * once; rows that come one by one go to basis.h. LAPACK forms Q only for the
 * columns that are asked for. */
#include "linalg/null_space.h"
#include "linalg/blas.h"
#include <limits.h>
#include <math.h>

void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt,
    double *tau, double *work, const int *lwork, int *info);
void dormqr_(const char *side, const char *trans, const int *m, const int *n,
    const int *k, const double *a, const int *lda, const double *tau, double *c,
    const int *ldc, double *work, const int *lwork, int *info,
    size_t side_length, size_t trans_length);

/* A block of LAPACK's is up to 64 columns wide. */
enum { BLOCK = 64 };

/* The transpose, factorized: `m` x `n` by columns, m = columns of A. */
typedef struct factors {
    double *qr, *tau, *work;
    int m, n, lwork;
    size_t rank;
} factors;

static dae_status factorize(factors *f, arena *a, double zero)
{
    int info = 0;
    const size_t least = (size_t)(f->m < f->n ? f->m : f->n);
    int *pivot = ARENA_ARRAY(a, int, (size_t)f->n);
    f->tau = ARENA_ARRAY(a, double, least);
    f->lwork = (f->m > f->n ? f->m : f->n) * (BLOCK + 2) + 1;
    f->work = ARENA_ARRAY(a, double, (size_t)f->lwork);
    if (!pivot || !f->tau || !f->work) return DAE_MEMORY;
    blas_use_one_thread();
    dgeqp3_(
        &f->m, &f->n, f->qr, &f->m, pivot, f->tau, f->work, &f->lwork, &info);
    if (info != 0) return DAE_NUMERIC;
    const size_t lda = (size_t)f->m;
    const double most = fabs(f->qr[0]);
    while (f->rank < least && fabs(f->qr[f->rank * (lda + 1)]) > zero * most)
        f->rank++;
    return DAE_OK;
}

/* The last columns of Q. */
static dae_status last_columns(factors *f, double *basis, size_t dimension)
{
    const int count = (int)dimension, rank = (int)f->rank;
    int info = 0;
    for (size_t k = 0; k < dimension; k++)
        basis[k * (size_t)f->m + f->rank + k] = 1;
    if (rank == 0 || count == 0) return DAE_OK;
    dormqr_("L", "N", &f->m, &count, &rank, f->qr, &f->m, f->tau, basis, &f->m,
        f->work, &f->lwork, &info, 1, 1);
    return info == 0 ? DAE_OK : DAE_NUMERIC;
}

static void transpose(
    const double *from, size_t rows, size_t columns, double *to)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            to[i * columns + j] = from[j * rows + i];
}

dae_status null_space(arena *a, double *matrix, size_t rows, size_t columns,
    double zero, double **basis, size_t *dimension)
{
    factors f = {.rank = 0};
    size_t cells;
    *basis = NULL;
    *dimension = 0;
    if (rows > INT_MAX / (BLOCK + 3) || columns > INT_MAX / (BLOCK + 3)
        || !size_mul(rows, columns, &cells))
        return DAE_LIMIT;
    f.m = (int)columns;
    f.n = (int)rows;
    if (cells > 0) {
        f.qr = ARENA_ARRAY(a, double, cells);
        if (!f.qr) return DAE_MEMORY;
        transpose(matrix, rows, columns, f.qr);
        const dae_status st = factorize(&f, a, zero);
        if (st) return st;
    }
    *dimension = columns - f.rank;
    *basis = ARENA_ARRAY(a, double, columns **dimension);
    if (!*basis) return DAE_MEMORY;
    return last_columns(&f, *basis, *dimension);
}

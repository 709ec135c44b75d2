#include "init/orthogonal.h"
#include "sparse/blas.h"
#include <limits.h>
#include <math.h>
#include <string.h>

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

bool row_basis_init(row_basis *b, arena *a, size_t width)
{
    *b = (row_basis){.width = width, .q = ARENA_ARRAY(a, double, width *width)};
    return b->q != NULL;
}

static double length(const double *x, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += x[k] * x[k];
    return sqrt(sum);
}

double row_basis_rest(const row_basis *b, double *row)
{
    const size_t n = b->width;
    for (int pass = 0; pass < 2; pass++) { /* again, against cancellation */
        for (size_t j = 0; j < b->count; j++) {
            const double *q = b->q + j * n;
            double by = 0;
            for (size_t k = 0; k < n; k++) by += q[k] * row[k];
            for (size_t k = 0; k < n; k++) row[k] -= by * q[k];
        }
    }
    return length(row, n);
}

bool row_basis_add(row_basis *b, double *row, double zero)
{
    const double rest = row_basis_rest(b, row);
    if (b->count == b->width || !(rest > zero)) return false;
    double *q = b->q + b->count++ * b->width;
    for (size_t k = 0; k < b->width; k++) q[k] = row[k] / rest;
    return true;
}

void equilibrate(double *matrix, size_t rows, size_t columns, double *row_size,
    double *column_size)
{
    for (size_t i = 0; i < rows; i++) {
        double most = 0;
        for (size_t j = 0; j < columns; j++)
            most = fmax(most, fabs(matrix[j * rows + i]));
        if (!(most > 0)) most = 1;
        for (size_t j = 0; j < columns; j++) matrix[j * rows + i] /= most;
        if (row_size) row_size[i] = most;
    }
    for (size_t j = 0; j < columns; j++) {
        double most = 0;
        for (size_t i = 0; i < rows; i++)
            most = fmax(most, fabs(matrix[j * rows + i]));
        if (!(most > 0)) most = 1;
        for (size_t i = 0; i < rows; i++) matrix[j * rows + i] /= most;
        if (column_size) column_size[j] = most;
    }
}

enum { SWEEPS = 6 };
static const double NO_SAY = 1e-8;

/* 1 / root of the largest and the smallest of so many entries; 1: none. */
static double middle(const double *x, size_t count, size_t stride)
{
    double most = 0, least = (double)INFINITY;
    for (size_t k = 0; k < count; k++) most = fmax(most, fabs(x[k * stride]));
    for (size_t k = 0; k < count; k++) {
        const double size = fabs(x[k * stride]);
        if (size > NO_SAY * most && size < least) least = size;
    }
    return most > 0 ? 1 / (sqrt(most) * sqrt(least)) : 1;
}

static void sweep(double *matrix, size_t rows, size_t columns, double *row_size,
    double *column_size)
{
    for (size_t i = 0; i < rows; i++) {
        const double by = middle(matrix + i, columns, rows);
        for (size_t j = 0; j < columns; j++) matrix[j * rows + i] *= by;
        row_size[i] /= by;
    }
    for (size_t j = 0; j < columns; j++) {
        double *column = matrix + j * rows;
        const double by = middle(column, rows, 1);
        for (size_t i = 0; i < rows; i++) column[i] *= by;
        column_size[j] /= by;
    }
}

bool balance(arena *a, double *matrix, size_t rows, size_t columns,
    double *row_size, double *column_size)
{
    double *rest = ARENA_ARRAY(a, double, rows + columns);
    if (!rest) return false;
    for (size_t i = 0; i < rows; i++) row_size[i] = 1;
    for (size_t j = 0; j < columns; j++) column_size[j] = 1;
    for (int k = 0; k < SWEEPS; k++)
        sweep(matrix, rows, columns, row_size, column_size);
    equilibrate(matrix, rows, columns, rest, rest + rows);
    for (size_t i = 0; i < rows; i++) row_size[i] *= rest[i];
    for (size_t j = 0; j < columns; j++) column_size[j] *= rest[rows + j];
    return true;
}

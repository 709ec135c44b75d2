/* The only linear algebra of array/: singular values, as a gap between large
 * ones and errors is what a rank comes to. Scaling is by powers of 2, so that
 * it adds no rounding. */
#include "array/ranks.h"
#include "dense/basis.h"
#include "dense/blas.h"
#include "dense/scale.h"
#include <limits.h>
#include <math.h>
#include <string.h>

/* Singular values up to RANKS_SMALL times the error of entries can be errors;
 * the smallest that counts has to be RANKS_GAP times larger. */
static const double RANKS_SMALL = 1e2, RANKS_GAP = 1e2;
/* Rounding alone. */
static const double RANKS_ERROR = 1e-15;

void dgesdd_(const char *job, const int *m, const int *n, double *a,
    const int *lda, double *s, double *u, const int *ldu, double *vt,
    const int *ldvt, double *work, const int *lwork, int *iwork, int *info,
    size_t job_length);
void dgelsy_(const int *m, const int *n, const int *nrhs, double *a,
    const int *lda, double *b, const int *ldb, int *jpvt, const double *rcond,
    int *rank, double *work, const int *lwork, int *info);

/* ---- scaling --------------------------------------------------------------- */

/* Columns may not be stretched more than so much beyond what is typical. */
static void level_within(double *a, size_t rows, size_t columns,
    const double *size, double stretch, double *column)
{
    for (size_t j = 0; j < columns; j++) {
        const double limit = stretch / (column[j] * power_under(size[j]));
        const double f = fmin(power_under(column_most(a, rows, j)),
            power_under(1 / fmax(limit, 1)));
        column[j] *= f;
        scale_column(a, rows, j, f);
    }
}

void ranks_equilibrate(double *a, size_t rows, size_t columns,
    const double *size, double stretch, double *row, double *column)
{
    enum { SWEEPS = 4 };
    for (size_t i = 0; i < rows; i++) row[i] = 1;
    for (size_t j = 0; j < columns; j++) {
        column[j] = 1 / power_under(size[j]);
        scale_column(a, rows, j, column[j]);
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        level_rows(a, rows, columns, row);
        level_within(a, rows, columns, size, stretch, column);
    }
}

void ranks_balance(
    double *a, size_t rows, size_t columns, double *row, double *column)
{
    enum { SWEEPS = 20 };
    for (size_t i = 0; i < rows; i++) row[i] = 1;
    for (size_t j = 0; j < columns; j++) column[j] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (size_t i = 0; i < rows; i++) {
            const double f = power_under_root(row_most(a, rows, columns, i));
            row[i] *= f;
            scale_row(a, rows, columns, i, f);
        }
        for (size_t j = 0; j < columns; j++) {
            const double f = power_under_root(column_most(a, rows, j));
            column[j] *= f;
            scale_column(a, rows, j, f);
        }
    }
}

/* ---- singular values -------------------------------------------------------- */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Where the values, falling, part into large ones and errors. */
static size_t part(const double *s, size_t count, double error, bool *is_sure)
{
    const double most = count > 0 ? s[0] : 0;
    const double zero = RANKS_SMALL * fmax(error, RANKS_ERROR) * most;
    size_t rank = count;
    if (!(most > 0)) return 0;
    while (rank > 0 && s[rank - 1] <= zero) rank--;
    if (rank == 0 || s[rank - 1] < RANKS_GAP * zero) *is_sure = false;
    return rank;
}

/* job 'N': values alone; 'A': all right vectors too (vt: columns^2). */
static dae_status decompose(char job, double *a, size_t rows, size_t columns,
    double *s, double *vt, const dae_allocator *allocator)
{
    const int m = (int)rows, n = (int)columns, ask = -1;
    const size_t least = smaller(rows, columns);
    const size_t left = job == 'A' ? rows * rows : 1;
    double wanted = 0, none = 0;
    int info = 0;
    dae_status st = DAE_MEMORY;
    int *iwork = alloc_zeroed(allocator, 8 * least, sizeof *iwork);
    double *u = alloc_zeroed(allocator, left, sizeof *u), *work = NULL;
    size_t length = 0;
    if (!vt) vt = &none;
    const int ldu = job == 'A' ? m : 1, ldvt = job == 'A' ? n : 1;
    if (!iwork || !u) goto done;
    dgesdd_(&job, &m, &n, a, &m, s, u, &ldu, vt, &ldvt, &wanted, &ask, iwork,
        &info, 1);
    if (info == 0 && wanted < (double)INT_MAX) {
        length = (size_t)wanted + 1;
        const int lwork = (int)length;
        work = alloc_zeroed(allocator, length, sizeof *work);
        if (!work) goto done;
        dgesdd_(&job, &m, &n, a, &m, s, u, &ldu, vt, &ldvt, work, &lwork, iwork,
            &info, 1);
    }
    st = info == 0 ? DAE_OK : DAE_NUMERIC;
done:
    alloc_free(allocator, iwork, 8 * least, sizeof *iwork);
    alloc_free(allocator, u, left, sizeof *u);
    alloc_free(allocator, work, length, sizeof *work);
    return st;
}

static bool fits(size_t rows, size_t columns)
{
    return rows <= 1 << 14 && columns <= 1 << 14;
}

dae_status ranks_count(double *a, size_t rows, size_t columns, double error,
    const dae_allocator *allocator, size_t *rank, bool *is_sure)
{
    const size_t count = smaller(rows, columns);
    *rank = 0;
    if (count == 0) return DAE_OK;
    if (!fits(rows, columns)) return DAE_LIMIT;
    blas_use_one_thread();
    double *s = alloc_zeroed(allocator, count, sizeof *s);
    if (!s) return DAE_MEMORY;
    const dae_status st = decompose('N', a, rows, columns, s, NULL, allocator);
    if (!st) *rank = part(s, count, error, is_sure);
    alloc_free(allocator, s, count, sizeof *s);
    return st;
}

dae_status ranks_null(double *a, size_t rows, size_t columns, double error,
    const dae_allocator *allocator, double *share)
{
    const size_t count = smaller(rows, columns);
    bool is_sure = true;
    for (size_t j = 0; j < columns; j++) share[j] = count == 0;
    if (count == 0) return DAE_OK;
    if (!fits(rows, columns)) return DAE_LIMIT;
    blas_use_one_thread();
    double *s = alloc_zeroed(allocator, count, sizeof *s);
    double *vt = alloc_zeroed(allocator, columns * columns, sizeof *vt);
    dae_status st = s && vt ? DAE_OK : DAE_MEMORY;
    if (!st) st = decompose('A', a, rows, columns, s, vt, allocator);
    if (!st) {
        const size_t rank = part(s, count, error, &is_sure);
        for (size_t j = 0; j < columns; j++) {
            double sum = 0;
            for (size_t k = rank; k < columns; k++)
                sum += vt[j * columns + k] * vt[j * columns + k];
            share[j] = sqrt(sum);
        }
    }
    alloc_free(allocator, s, count, sizeof *s);
    alloc_free(allocator, vt, columns * columns, sizeof *vt);
    return st;
}

/* ---- least squares ---------------------------------------------------------- */

dae_status ranks_solve(double *a, size_t rows, size_t columns, double *b,
    const dae_allocator *allocator)
{
    /* what is below is no information at a point known to a few digits */
    const double small = 1e-12;
    const int m = (int)rows, n = (int)columns, one = 1, ask = -1;
    const int ldb = (int)larger(rows, columns);
    double wanted = 0, *work = NULL;
    size_t length = 0;
    int info = 0, rank = 0;
    if (smaller(rows, columns) == 0) {
        memset(b, 0, columns * sizeof *b);
        return DAE_OK;
    }
    if (!fits(rows, columns)) return DAE_LIMIT;
    blas_use_one_thread();
    int *pivot = alloc_zeroed(allocator, columns, sizeof *pivot);
    if (!pivot) return DAE_MEMORY;
    dgelsy_(&m, &n, &one, a, &m, b, &ldb, pivot, &small, &rank, &wanted, &ask,
        &info);
    length = (size_t)wanted + 1;
    work = alloc_zeroed(allocator, length, sizeof *work);
    if (work) {
        const int lwork = (int)length;
        dgelsy_(&m, &n, &one, a, &m, b, &ldb, pivot, &small, &rank, work,
            &lwork, &info);
    }
    const dae_status st = work ? DAE_OK : DAE_MEMORY;
    alloc_free(allocator, work, length, sizeof *work);
    alloc_free(allocator, pivot, columns, sizeof *pivot);
    return st ? st : info == 0 ? DAE_OK : DAE_NUMERIC;
}

/* ---- dependencies ------------------------------------------------------------ */

/* Row `row` by the rows before it. */
static dae_status express(const double *a, size_t rows, size_t columns,
    size_t row, const dae_allocator *allocator, double *factor)
{
    const size_t room = larger(row, columns);
    double *at = alloc_zeroed(allocator, columns * row, sizeof *at);
    double *b = alloc_zeroed(allocator, room, sizeof *b);
    dae_status st = at && b ? DAE_OK : DAE_MEMORY;
    if (!st) {
        for (size_t j = 0; j < columns; j++) {
            for (size_t i = 0; i < row; i++)
                at[i * columns + j] = a[j * rows + i];
            b[j] = a[j * rows + row];
        }
        st = ranks_solve(at, columns, row, b, allocator);
    }
    memset(factor, 0, rows * sizeof *factor);
    for (size_t i = 0; i < row && !st; i++) factor[i] = -b[i];
    factor[row] = 1;
    alloc_free(allocator, at, columns * row, sizeof *at);
    alloc_free(allocator, b, room, sizeof *b);
    return st;
}

/* The first row that depends on those before it, else `rows`. */
static dae_status find_dependent(
    const double *a, size_t rows, size_t columns, arena *memory, size_t *found)
{
    const double small = 1e-9;
    row_basis b;
    double *row = ARENA_ARRAY(memory, double, columns);
    if (!row || !row_basis_init(&b, memory, columns, rows)) return DAE_MEMORY;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < columns; j++) {
            row[j] = a[j * rows + i];
            sum += row[j] * row[j];
        }
        /* more rows than columns: the next one depends, whatever it is */
        if (row_basis_add(&b, row, small * sqrt(sum))) continue;
        *found = i;
        return DAE_OK;
    }
    *found = rows;
    return DAE_OK;
}

dae_status ranks_dependency(const double *a, size_t rows, size_t columns,
    const dae_allocator *allocator, size_t *row, double *factor)
{
    arena memory;
    *row = rows;
    if (!fits(rows, columns)) return DAE_LIMIT;
    arena_init(&memory, allocator, 0);
    const dae_status st = find_dependent(a, rows, columns, &memory, row);
    arena_clear(&memory);
    if (st || *row == rows) return st;
    return express(a, rows, columns, *row, allocator, factor);
}

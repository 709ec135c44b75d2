/* The only linear algebra of index/: singular values, as a gap between large
 * ones and errors is what a rank comes to. Scaling is by powers of 2, so that
 * it adds no rounding. */
#include "index/ranks.h"
#include "linalg/basis.h"
#include "linalg/blas.h"
#include "linalg/scale.h"
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

void ranks_equilibrate(double *a, size_t rows, size_t columns,
    const double *size, double stretch, double *row, double *column)
{
    enum { SWEEPS = 4 };
    const matrix_view m = {rows, columns, NULL, NULL, a};
    for (size_t j = 0; j < columns; j++) column[j] = 1 / power_under(size[j]);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        scale_rows(&m, column, row);
        scale_columns(&m, row, column);
        for (size_t j = 0; j < columns; j++)
            column[j] = fmin(column[j], power_under(1 / (stretch * size[j])));
    }
    scale_by(&m, row, column, a);
}

dae_status ranks_unify(double *a, size_t rows, size_t columns,
    const dae_allocator *allocator, double *row, double *column)
{
    double *work = alloc_zeroed(allocator, rows, sizeof *work);
    if (!work) return DAE_MEMORY;
    const matrix_view m = {rows, columns, NULL, NULL, a};
    scale_equilibrate(&m, row, column, work);
    scale_by(&m, row, column, a);
    alloc_free(allocator, work, rows, sizeof *work);
    return DAE_OK;
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

/* job 'N': values alone; 'A': all left vectors (u: rows^2) and right ones (vt:
 * columns^2) too. */
static dae_status decompose(char job, double *a, size_t rows, size_t columns,
    double *s, double *u, double *vt, const dae_allocator *allocator)
{
    const int m = (int)rows, n = (int)columns, ask = -1;
    const size_t least = smaller(rows, columns);
    double wanted = 0, none = 0, *work = NULL;
    int info = 0;
    dae_status st = DAE_MEMORY;
    int *iwork = alloc_zeroed(allocator, 8 * least, sizeof *iwork);
    size_t length = 0;
    if (!u) u = &none;
    if (!vt) vt = &none;
    const int ldu = job == 'A' ? m : 1, ldvt = job == 'A' ? n : 1;
    if (!iwork) goto done;
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
    const dae_status st = decompose(
        'N', a, rows, columns, s, NULL, NULL, allocator);
    if (!st) *rank = part(s, count, error, is_sure);
    alloc_free(allocator, s, count, sizeof *s);
    return st;
}

/* Singular values, and all vectors: columns of u, rows of vt. */
typedef struct decomposition {
    size_t rows, columns, rank;
    double *s, *u, *vt;
} decomposition;

static void decomposition_clear(
    decomposition *d, const dae_allocator *allocator)
{
    alloc_free(allocator, d->s, smaller(d->rows, d->columns), sizeof *d->s);
    alloc_free(allocator, d->u, d->rows * d->rows, sizeof *d->u);
    alloc_free(allocator, d->vt, d->columns * d->columns, sizeof *d->vt);
}

/* Spends a; to be cleared whatever the outcome. */
static dae_status decomposition_make(decomposition *d, double *a, size_t rows,
    size_t columns, double error, const dae_allocator *allocator)
{
    const size_t count = smaller(rows, columns);
    bool is_sure = true;
    *d = (decomposition){.rows = rows, .columns = columns};
    if (!fits(rows, columns)) return DAE_LIMIT;
    blas_use_one_thread();
    d->s = alloc_zeroed(allocator, count, sizeof *d->s);
    d->u = alloc_zeroed(allocator, rows * rows, sizeof *d->u);
    d->vt = alloc_zeroed(allocator, columns * columns, sizeof *d->vt);
    if (!d->s || !d->u || !d->vt) return DAE_MEMORY;
    const dae_status st = decompose(
        'A', a, rows, columns, d->s, d->u, d->vt, allocator);
    if (!st) d->rank = part(d->s, count, error, &is_sure);
    return st;
}

dae_status ranks_null(double *a, size_t rows, size_t columns, double error,
    const dae_allocator *allocator, double *share)
{
    decomposition d;
    for (size_t j = 0; j < columns; j++) share[j] = rows == 0;
    if (smaller(rows, columns) == 0) return DAE_OK;
    const dae_status st = decomposition_make(
        &d, a, rows, columns, error, allocator);
    for (size_t j = 0; j < columns && !st; j++) {
        double sum = 0;
        for (size_t k = d.rank; k < columns; k++)
            sum += d.vt[j * columns + k] * d.vt[j * columns + k];
        share[j] = sqrt(sum);
    }
    decomposition_clear(&d, allocator);
    return st;
}

/* What is left of `vector` in the span of the last vectors of a basis, whose
 * vector k has its part i at basis[i * along + k * across]. */
static void keep_last(const double *basis, size_t count, size_t first,
    size_t along, size_t across, double *vector, double *part)
{
    for (size_t k = first; k < count; k++) {
        part[k] = 0;
        for (size_t i = 0; i < count; i++)
            part[k] += basis[i * along + k * across] * vector[i];
    }
    for (size_t i = 0; i < count; i++) {
        vector[i] = 0;
        for (size_t k = first; k < count; k++)
            vector[i] += basis[i * along + k * across] * part[k];
    }
}

dae_status ranks_null_parts(double *a, size_t rows, size_t columns,
    double error, const dae_allocator *allocator, double *left, double *right)
{
    decomposition d;
    const size_t most = larger(rows, columns);
    if (smaller(rows, columns) == 0) return DAE_OK;
    double *room = alloc_zeroed(allocator, most, sizeof *room);
    dae_status st = decomposition_make(&d, a, rows, columns, error, allocator);
    if (!room) st = DAE_MEMORY;
    if (!st) {
        keep_last(d.u, rows, d.rank, 1, rows, left, room);
        keep_last(d.vt, columns, d.rank, columns, 1, right, room);
    }
    decomposition_clear(&d, allocator);
    alloc_free(allocator, room, most, sizeof *room);
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

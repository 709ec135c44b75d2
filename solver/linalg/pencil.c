/* Infinite eigenvalues are taken off first [VD79]: M is compressed to r full
 * rows by QR with exchanges; the rows of B beside its zero rows are equations
 * that hold at once, and columns are turned until they touch n - r unknowns
 * alone. What remains is a pencil of order r with the same finite eigenvalues.
 * As often as this can be done, so many levels of constraints there are. An
 * infinite eigenvalue of a chain of length k would else be met as k finite ones
 * of size eps^(-1/k): a system of index 3 would show motions of a time scale
 * 1e-5 that it does not have.
 *
 * Rows and columns are brought to sizes near 1 before, by powers of 2, and M
 * as a whole, so that "zero" means something whatever the units. */
#include "linalg/pencil.h"
#include "linalg/complex.h"
#include "linalg/libraries.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Of LAPACK's block; sweeps of scaling, which converge by half a power each. */
enum { BLOCK = 64, SWEEPS = 12 };

typedef struct pencil {
    lapack_library lapack;
    double *m, *b;   /* lda x n */
    double *compact; /* n x n: the columns that are compressed */
    double *tau, *work;
    int *exchange;
    int lda, n, lwork;
    double unit; /* of lambda: M was multiplied by it */
    double zero; /* what is not told from 0 */
} pencil;

/* ---- scaling ---- */

static double most_of(const double *a, size_t count, size_t stride)
{
    double most = 0;
    for (size_t k = 0; k < count; k++) most = fmax(most, fabs(a[k * stride]));
    return most;
}

static void scale_part(double *a, size_t count, size_t stride, double factor)
{
    for (size_t k = 0; k < count; k++) a[k * stride] *= factor;
}

/* The power of 2 near 1/sqrt(size). */
static double half_under(double size)
{
    int exponent = 0;
    if (!(size > 0)) return 1;
    (void)frexp(size, &exponent);
    return ldexp(1, -exponent / 2);
}

static void scale_lines(pencil *p, size_t stride, size_t along)
{
    const size_t n = (size_t)p->n;
    for (size_t k = 0; k < n; k++) {
        double *m = p->m + k * along, *b = p->b + k * along;
        const double factor = half_under(
            fmax(most_of(m, n, stride), most_of(b, n, stride)));
        scale_part(m, n, stride, factor);
        scale_part(b, n, stride, factor);
    }
}

/* By what power of 2 the rows of B are larger than those of M, in the mean of
 * the rows that have both: the size of a typical eigenvalue. */
static int typical_exponent(const pencil *p)
{
    const size_t n = (size_t)p->n;
    long sum = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        const double of_m = most_of(p->m + i, n, n);
        const double of_b = most_of(p->b + i, n, n);
        int exponent = 0;
        if (!(of_m > 0) || !(of_b > 0)) continue;
        (void)frexp(of_b / of_m, &exponent);
        sum += exponent;
        count++;
    }
    return count ? (int)(sum / count) : 0;
}

static void scale(pencil *p)
{
    const size_t n = (size_t)p->n;
    p->unit = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        const int exponent = typical_exponent(p);
        scale_part(p->m, n * n, 1, ldexp(1, exponent));
        p->unit = ldexp(p->unit, exponent);
        scale_lines(p, n, 1);
        scale_lines(p, 1, n);
    }
}

/* ---- one level of constraints ---- */

/* QR with exchanges of `columns` columns in p->compact (order p->n); the number
 * of pivots that are not zero. */
static dae_status factorize(pencil *p, int columns, int *rank)
{
    int info = 0;
    const int least = p->n < columns ? p->n : columns;
    memset(p->exchange, 0, (size_t)p->n * sizeof *p->exchange);
    p->lapack.dgeqp3(&p->n, &columns, p->compact, &p->n, p->exchange, p->tau,
        p->work, &p->lwork, &info);
    if (info != 0) return DAE_NUMERIC;
    for (*rank = 0; *rank < least; ++*rank) {
        const size_t at = (size_t)*rank * ((size_t)p->n + 1);
        if (!(fabs(p->compact[at]) > p->zero)) break;
    }
    return DAE_OK;
}

static void copy_matrix(const pencil *p, const double *from)
{
    for (size_t j = 0; j < (size_t)p->n; j++)
        memcpy(p->compact + j * (size_t)p->n, from + j * (size_t)p->lda,
            (size_t)p->n * sizeof *from);
}

/* M = Q R P': M becomes R P', with zeros where they are, B becomes Q' B. */
static dae_status compress_rows(pencil *p, int *rank)
{
    int info = 0;
    const size_t n = (size_t)p->n, lda = (size_t)p->lda;
    copy_matrix(p, p->m);
    const dae_status st = factorize(p, p->n, rank);
    if (st) return st;
    for (size_t k = 0; k < n; k++) {
        double *column = p->m + (size_t)(p->exchange[k] - 1) * lda;
        const size_t full = k < (size_t)*rank ? k + 1 : (size_t)*rank;
        memset(column, 0, n * sizeof *column);
        memcpy(column, p->compact + k * n, full * sizeof *column);
    }
    p->lapack.dormqr("L", "T", &p->n, &p->n, &p->n, p->compact, &p->n, p->tau,
        p->b, &p->lda, p->work, &p->lwork, &info, 1, 1);
    return info == 0 ? DAE_OK : DAE_NUMERIC;
}

/* Columns turned by rows that nearly depend on each other are turned by an
 * error as much larger as the last pivot is smaller than 1. */
static void lose_digits(pencil *p, double pivot)
{
    const double zero = rank_zero((size_t)p->lda) / fmin(pivot, 1);
    p->zero = fmin(fmax(p->zero, zero), HALF_DIGITS);
}

/* The rows of B below `rank` are independent, else the pencil is singular; the
 * columns are turned until these rows touch the first ones alone, and the rest
 * moves up. */
static dae_status take_off(pencil *p, int rank)
{
    const int count = p->n - rank;
    assert(rank >= 0 && count > 0);
    const size_t n = (size_t)p->n, lda = (size_t)p->lda;
    int found = 0, info = 0;
    for (size_t i = 0; i < (size_t)count; i++)
        for (size_t j = 0; j < n; j++)
            p->compact[i * n + j] = p->b[j * lda + (size_t)rank + i];
    const dae_status st = factorize(p, count, &found);
    if (st || found < count) return DAE_NUMERIC;
    lose_digits(p, fabs(p->compact[(size_t)(count - 1) * (n + 1)]));
    double *parts[] = {p->m, p->b};
    for (size_t k = 0; k < 2; k++) {
        if (rank == 0) break;
        p->lapack.dormqr("R", "N", &rank, &p->n, &count, p->compact, &p->n,
            p->tau, parts[k], &p->lda, p->work, &p->lwork, &info, 1, 1);
        if (info != 0) return DAE_NUMERIC;
        for (size_t j = 0; j < (size_t)rank; j++)
            memmove(parts[k] + j * lda, parts[k] + (j + (size_t)count) * lda,
                (size_t)rank * sizeof(double));
    }
    p->n = rank;
    return DAE_OK;
}

static dae_status take_all_off(
    pencil *p, const pencil_stop *stop, dae_eigenvalues *out)
{
    while (p->n > 0) {
        int rank = 0;
        if (stop->ask && stop->ask(stop->context)) return DAE_INTERRUPTED;
        dae_status st = compress_rows(p, &rank);
        if (st) return st;
        if (rank == p->n) return DAE_OK;
        out->infinite_count += (size_t)(p->n - rank);
        out->index++;
        if ((st = take_off(p, rank))) return st;
    }
    return DAE_OK;
}

/* ---- what is left ---- */

static int compare(const void *a, const void *b)
{
    const dae_complex *x = a, *y = b;
    const double of_x = complex_modulus(*x), of_y = complex_modulus(*y);
    if (of_x < of_y || of_x > of_y) return of_x < of_y ? -1 : 1;
    if (x->re < y->re || x->re > y->re) return x->re < y->re ? -1 : 1;
    return x->im > y->im ? -1 : x->im < y->im;
}

/* LAPACK's A v = mu M v has A = B, so lambda = -mu. Pairs are made so exactly. */
static void collect(const pencil *p, const double *re, const double *im,
    const double *beta, dae_eigenvalues *out)
{
    for (int k = 0; k < p->n; k++) {
        const double factor = -p->unit / beta[k];
        dae_complex *at = &out->finite[out->finite_count++];
        /* + 0: no negative zero */
        *at = complex_of(re[k] * factor + 0.0, im[k] * factor + 0.0);
        if (!(fabs(im[k]) > 0) || k + 1 == p->n) continue;
        at[1] = complex_of(at->re, -at->im);
        out->finite_count++;
        k++;
    }
    qsort(out->finite, out->finite_count, sizeof *out->finite, compare);
}

static dae_status solve(pencil *p, arena *a, dae_eigenvalues *out)
{
    int info = 0, one = 1, lwork = -1;
    double wanted = 0, unused = 0;
    const size_t n = (size_t)p->n;
    double *values = ARENA_ARRAY(a, double, 3 * n);
    if (!values) return DAE_MEMORY;
    p->lapack.dggev("N", "N", &p->n, p->b, &p->lda, p->m, &p->lda, values,
        values + n, values + 2 * n, &unused, &one, &unused, &one, &wanted,
        &lwork, &info, 1, 1);
    if (info != 0) return DAE_NUMERIC;
    lwork = (int)wanted;
    double *work = ARENA_ARRAY(a, double, (size_t)lwork);
    if (!work) return DAE_MEMORY;
    p->lapack.dggev("N", "N", &p->n, p->b, &p->lda, p->m, &p->lda, values,
        values + n, values + 2 * n, &unused, &one, &unused, &one, work, &lwork,
        &info, 1, 1);
    if (info != 0) return DAE_NUMERIC;
    collect(p, values, values + n, values + 2 * n, out);
    return DAE_OK;
}

dae_status pencil_eigenvalues(size_t n, double *m, double *b, arena *a,
    const pencil_stop *stop, dae_eigenvalues *out)
{
    assert(!n || (m && b && out->finite));
    pencil p = {.m = m, .b = b, .lda = (int)n, .n = (int)n};
    out->finite_count = out->infinite_count = 0;
    out->index = 0;
    if (n == 0) return DAE_OK;
    p.lwork = (int)n * (BLOCK + 2) + BLOCK * (BLOCK + 2);
    p.compact = ARENA_ARRAY(a, double, n *n);
    p.tau = ARENA_ARRAY(a, double, n);
    p.exchange = ARENA_ARRAY(a, int, n);
    p.work = ARENA_ARRAY(a, double, (size_t)p.lwork);
    if (!p.compact || !p.tau || !p.exchange || !p.work) return DAE_MEMORY;
    p.zero = rank_zero(n);
    dae_status st = lapack_load(&p.lapack);
    if (st) return st;
    scale(&p);
    st = take_all_off(&p, stop, out);
    if (st || p.n == 0) return st;
    if (stop->ask && stop->ask(stop->context)) return DAE_INTERRUPTED;
    return solve(&p, a, out);
}

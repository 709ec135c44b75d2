/* Scaling to geometric means, then to largest entries of 1, and pivots,
 * complete ones up to a small size and by columns above. What a pivot's size
 * means is decided by those who ask, bundle.c above all. */
#include "index/pivots.h"

#include "linalg/blas.h"
#include "linalg/eliminate.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt,
    double *tau, double *work, const int *lwork, int *info);

enum {
    SWEEPS = 3, /* of means: exponents are whole, so more change nothing */

    BLOCK = 32,  /* of dgeqp3 */
    RANGE = 1000 /* of exponents: doubles have so many and some */
};

/* ---- scaling ---------------------------------------------------------------------- */

static int exponent_of(double value)
{
    int e;
    (void)frexp(value, &e);
    return e;
}

/* Exponents of the rows' factors from those of the columns: such that their
 * entries have a mean of 0, or a largest of 0. */
static void balance_rows(
    const square *a, double *r, const double *c, double *count, bool mean)
{
    for (size_t i = 0; i < a->n; i++) {
        r[i] = mean ? 0 : -(double)INFINITY;
        count[i] = 0;
    }
    for (size_t j = 0; j < a->n; j++) {
        for (int64_t p = a->column_start[j]; p < a->column_start[j + 1]; p++) {
            const int32_t i = a->row[p];
            if (a->values[p] == 0) continue;
            const double e = exponent_of(a->values[p]) + c[j];
            r[i] = mean ? r[i] + e : fmax(r[i], e);
            count[i]++;
        }
    }
    for (size_t i = 0; i < a->n; i++) {
        if (count[i] == 0) r[i] = 0;
        else r[i] = mean ? -rint(r[i] / count[i]) : -r[i];
    }
}

static void balance_columns(
    const square *a, const double *r, double *c, bool mean)
{
    for (size_t j = 0; j < a->n; j++) {
        double sum = 0, most = -(double)INFINITY;
        int64_t count = 0;
        for (int64_t p = a->column_start[j]; p < a->column_start[j + 1]; p++) {
            if (a->values[p] == 0) continue;
            const double e = exponent_of(a->values[p]) + r[a->row[p]];
            sum += e;
            most = fmax(most, e);
            count++;
        }
        if (count == 0) c[j] = 0;
        else c[j] = mean ? -rint(sum / (double)count) : -most;
    }
}

static double power_of(double exponent)
{
    return ldexp(1, (int)fmax(-RANGE, fmin(RANGE, exponent)));
}

void scale_find(const square *a, double *r, double *c, double *work)
{
    for (size_t j = 0; j < a->n; j++) c[j] = 0;
    for (int k = 0; k < SWEEPS; k++) {
        balance_rows(a, r, c, work, true);
        balance_columns(a, r, c, true);
    }
    balance_columns(a, r, c, false);
    balance_rows(a, r, c, work, false);
    for (size_t j = 0; j < a->n; j++) {
        r[j] = power_of(r[j]);
        c[j] = power_of(c[j]);
    }
}

void scale_apply(
    const square *a, const double *r, const double *c, double *values)
{
    for (size_t j = 0; j < a->n; j++)
        for (int64_t p = a->column_start[j]; p < a->column_start[j + 1]; p++)
            values[p] = a->values[p] * r[a->row[p]] * c[j];
}

/* ---- pivots ------------------------------------------------------------------------ */

static void eliminate(double *m, size_t n, double *pivot)
{
    const size_t rank = eliminate_fully(m, n, n, 0, NULL);
    for (size_t k = 0; k < n; k++) pivot[k] = k < rank ? fabs(m[k * n + k]) : 0;
}

size_t pivots_room(size_t n)
{
    /* tau, the exchanges (ints), and what dgeqp3 works in */
    return n <= PIVOTS_SMALL ? 0 : n + n + 2 * n + (n + 1) * BLOCK;
}

static int compare_down(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (y > x) - (y < x);
}

dae_status pivots_find(double *m, size_t n, double *work, double *pivot)
{
    if (n <= PIVOTS_SMALL) {
        eliminate(m, n, pivot);
    } else {
        const int order = (int)n;
        const int room = (int)(2 * n + (n + 1) * BLOCK);
        int info = 0, *exchange = (int *)(void *)(work + n);
        if (n > INT_MAX / (BLOCK + 2) - 1) return DAE_LIMIT;
        blas_use_one_thread();
        memset(exchange, 0, n * sizeof *exchange);
        dgeqp3_(&order, &order, m, &order, exchange, work, work + 2 * n, &room,
            &info);
        if (info != 0) return DAE_NUMERIC;
        for (size_t k = 0; k < n; k++) pivot[k] = fabs(m[k * n + k]);
    }
    qsort(pivot, n, sizeof *pivot, compare_down);
    return DAE_OK;
}

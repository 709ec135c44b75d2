/* Dense LU with partial pivoting. Pivots are chosen as if rows were scaled to
 * a largest entry of 1 (implicit scaling), so the units of equations do not matter.
 * Own elimination for the smallest systems, for which a call of LAPACK costs more than
 * the work; LAPACK above. */
#include "linalg/backend.h"
#include "linalg/full_lu.h"
#include "linalg/libraries.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Above, dgetrf is faster (measured with OpenBLAS 0.3.21: 24 to 40). */
enum { DENSE_OWN = 32 };

typedef struct dense {
    linear_system s;
    lapack_library lapack; /* above DENSE_OWN */
    double *lu;            /* n * n, by columns */
    double *scale;         /* [row of A]: 1 / largest entry */
    double *work;          /* n: scales in pivot order, then pivots */
    int *pivot;            /* row exchanged with row k; LAPACK counts from 1 */
    double rcond;
} dense;

static void dense_free(void *state)
{
    dense *d = state;
    if (!d) return;
    const dae_allocator *a = d->s.allocator;
    const size_t n = d->s.n;
    alloc_free(a, d->lu, n * n, sizeof *d->lu);
    alloc_free(a, d->scale, n, sizeof *d->scale);
    alloc_free(a, d->work, n, sizeof *d->work);
    alloc_free(a, d->pivot, n, sizeof *d->pivot);
    alloc_free(a, d, 1, sizeof *d);
}

static dae_status dense_create(const linear_system *s, void **out)
{
    const dae_allocator *a = s->allocator;
    size_t entries;
    *out = NULL;
    if (s->n > INT_MAX || !size_mul(s->n, s->n, &entries)) return DAE_LIMIT;
    dense *d = alloc_zeroed(a, 1, sizeof *d);
    if (!d) return DAE_MEMORY;
    d->s = *s;
    d->lu = alloc_zeroed(a, entries, sizeof *d->lu);
    d->scale = alloc_zeroed(a, s->n, sizeof *d->scale);
    d->work = alloc_zeroed(a, s->n, sizeof *d->work);
    d->pivot = alloc_zeroed(a, s->n, sizeof *d->pivot);
    dae_status st = d->lu && d->scale && d->work && d->pivot ? DAE_OK
                                                             : DAE_MEMORY;
    if (!st && s->n > DENSE_OWN) st = lapack_load(&d->lapack);
    if (st) dense_free(d);
    else *out = d;
    return st;
}

/* Spreads the entries out and finds the row scales; false where a row is
 * zero or not finite. */
static bool load(dense *d, const double *values)
{
    const size_t n = d->s.n;
    const int64_t *start = d->s.column_start;
    const int32_t *row = d->s.row;
    double *restrict largest = d->scale, *restrict column = d->lu;
    int64_t p = 0;
    assert(start[n] >= 0 && (size_t)start[n] <= n * n);
    for (size_t i = 0; i < n; i++) largest[i] = 0;
    for (size_t j = 0; j < n; j++, column += n) {
        const int64_t end = start[j + 1];
        for (size_t i = 0; i < n; i++) column[i] = 0;
        for (; p < end; p++) {
            const int32_t i = row[p];
            const double size = fabs(values[p]);
            column[i] = values[p];
            /* written so that a NaN stays */
            if (!(size <= largest[i])) largest[i] = size;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!(largest[i] > 0) || !isfinite(largest[i])) return false;
        largest[i] = 1 / largest[i];
        if (!isfinite(largest[i])) return false;
    }
    return true;
}

/* LAPACK on explicitly scaled rows; work[k] as above. */
static dae_status eliminate_large(dense *d)
{
    const size_t n = d->s.n;
    const int order = (int)n;
    int info = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) d->lu[j * n + i] *= d->scale[i];
    d->lapack.dgetrf(&order, &order, d->lu, &order, d->pivot, &info);
    if (info != 0) return DAE_NUMERIC;
    for (size_t k = 0; k < n; k++) d->work[k] = fabs(d->lu[k * n + k]);
    return DAE_OK;
}

static dae_status dense_factor(void *state, const double *values)
{
    dense *d = state;
    size_t column;
    d->rcond = 0;
    if (!load(d, values)) return DAE_NUMERIC;
    memcpy(d->work, d->scale, d->s.n * sizeof *d->work);
    if (d->s.n > DENSE_OWN) {
        const dae_status st = eliminate_large(d);
        if (st) return st;
    } else if (!full_eliminate(d->s.n, d->lu, d->work, d->pivot)) {
        return DAE_NUMERIC;
    }
    d->rcond = least_pivot_ratio(&d->s, values, d->scale, d->work, &column);
    return d->rcond > LU_PIVOT_ZERO ? DAE_OK : DAE_NUMERIC;
}

static dae_status solve_large(const dense *d, double *b)
{
    const int order = (int)d->s.n, one = 1;
    int info = 0;
    for (size_t i = 0; i < d->s.n; i++) b[i] *= d->scale[i];
    d->lapack.dgetrs(
        "N", &order, &one, d->lu, &order, d->pivot, b, &order, &info, 1);
    return info == 0 ? DAE_OK : DAE_NUMERIC;
}

static dae_status dense_solve(void *state, double *b)
{
    const dense *d = state;
    if (d->s.n > DENSE_OWN) return solve_large(d, b);
    full_permute(d->s.n, d->pivot, b);
    full_substitute(d->s.n, d->lu, b);
    return DAE_OK;
}

static int64_t dense_fill(const void *state)
{
    const dense *d = state;
    return (int64_t)(d->s.n * d->s.n);
}

static double dense_rcond(const void *state)
{
    const dense *d = state;
    return d->rcond;
}

static int dense_sign(const void *state)
{
    const dense *d = state;
    const int first = d->s.n > DENSE_OWN ? 1 : 0; /* LAPACK counts from 1 */
    int sign = d->rcond > 0 ? 1 : 0;
    for (size_t k = 0; k < d->s.n; k++) {
        if (d->pivot[k] != (int)k + first) sign = -sign;
        if (d->lu[k * d->s.n + k] < 0) sign = -sign;
    }
    return sign;
}

const linear_backend dense_backend = {"dense", DAE_LINEAR_DENSE, dense_create,
    dense_free, dense_factor, NULL, dense_solve, dense_fill, dense_rcond,
    dense_sign, NULL};

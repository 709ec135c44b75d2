/* KLU [DN10]: block triangular form, AMD within blocks, and refactorization on
 * the old pivots, which are kept as long as entries do not grow. KLU
 * allocates through SuiteSparse's process-wide hooks, which have no context argument
 * and so cannot use a dae_allocator; its failures are still reported. */
#include "graph/parity.h"
#include "linalg/backend.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <klu.h>
#include <math.h>
#include <string.h>

typedef struct klu {
    linear_system s;
    int *start; /* the columns' starts as KLU counts them */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double growth; /* reciprocal growth at the last full factorization */
    double rcond;
    int64_t failed_column;
} klu;

static void klu_release(void *state)
{
    klu *k = state;
    if (k->numeric) klu_free_numeric(&k->numeric, &k->common);
}

static void klu_state_free(void *state)
{
    klu *k = state;
    if (!k) return;
    const dae_allocator *a = k->s.allocator;
    klu_release(k);
    if (k->symbolic) klu_free_symbolic(&k->symbolic, &k->common);
    alloc_free(a, k->start, k->s.n + 1, sizeof *k->start);
    alloc_free(a, k, 1, sizeof *k);
}

static dae_status status_of(const klu_common *c)
{
    switch (c->status) {
    case KLU_OK: return DAE_OK;
    case KLU_OUT_OF_MEMORY: return DAE_MEMORY;
    case KLU_TOO_LARGE: return DAE_LIMIT;
    default: return DAE_NUMERIC;
    }
}

/* KLU takes its arguments as writable and leaves them alone. */
static int *pattern_rows(const klu *k)
{
    return (int *)(uintptr_t)k->s.row;
}

static double *entries(const double *values)
{
    return (double *)(uintptr_t)values;
}

static dae_status analyse(klu *k)
{
    const size_t n = k->s.n;
    k->start = alloc_zeroed(k->s.allocator, n + 1, sizeof *k->start);
    if (!k->start) return DAE_MEMORY;
    for (size_t j = 0; j <= n; j++) k->start[j] = (int)k->s.column_start[j];
    klu_defaults(&k->common);
    k->common.scale = 2; /* rows by their largest entry */
    k->symbolic = klu_analyze((int)n, k->start, pattern_rows(k), &k->common);
    if (k->symbolic) return DAE_OK;
    const dae_status st = status_of(&k->common);
    return st ? st : DAE_MEMORY;
}

static dae_status klu_create(const linear_system *s, void **out)
{
    *out = NULL;
    if (s->n >= INT32_MAX || s->column_start[s->n] >= INT32_MAX)
        return DAE_LIMIT;
    klu *k = alloc_zeroed(s->allocator, 1, sizeof *k);
    if (!k) return DAE_MEMORY;
    k->s = *s;
    k->failed_column = -1;
    const dae_status st = analyse(k);
    if (st) {
        klu_state_free(k);
        return st;
    }
    *out = k;
    return DAE_OK;
}

static dae_status factor_fresh(klu *k, const double *values)
{
    klu_release(k);
    k->numeric = klu_factor(
        k->start, pattern_rows(k), entries(values), k->symbolic, &k->common);
    if (!k->numeric) {
        const dae_status st = status_of(&k->common);
        k->failed_column = k->common.singular_col;
        return st ? st : DAE_MEMORY;
    }
    klu_rgrowth(k->start, pattern_rows(k), entries(values), k->symbolic,
        k->numeric, &k->common);
    k->growth = k->common.rgrowth;
    return DAE_OK;
}

/* On the old pivots; false if they are no longer suitable. */
static bool refactor(klu *k, const double *values)
{
    const int ok = klu_refactor(k->start, pattern_rows(k), entries(values),
        k->symbolic, k->numeric, &k->common);
    if (!ok || k->common.status != KLU_OK) return false;
    klu_rgrowth(k->start, pattern_rows(k), entries(values), k->symbolic,
        k->numeric, &k->common);
    return k->common.rgrowth > THIRD_OF_DIGITS * k->growth;
}

/* least_pivot_ratio of the last factorization. Pivots in the order of A's columns
 * and scales in that of its rows stand in KLU's work space, of at least 4 n
 * numbers, which holds nothing between its calls. */
static double pivot_ratio(const klu *k, const double *values, size_t *column)
{
    const double *diagonal = k->numeric->Udiag;
    double *pivot = k->numeric->Work, *scale = pivot + k->s.n;
    assert(k->numeric->worksize >= 2 * k->s.n * sizeof *pivot);
    for (size_t p = 0; p < k->s.n; p++) {
        assert(k->numeric->Rs[p] > 0);
        pivot[k->symbolic->Q[p]] = fabs(diagonal[p]);
        scale[k->numeric->Pnum[p]] = 1 / k->numeric->Rs[p];
    }
    return least_pivot_ratio(&k->s, values, scale, pivot, column);
}

static dae_status klu_factor_values(void *state, const double *values)
{
    klu *k = state;
    dae_status st;
    size_t column = 0;
    k->rcond = 0;
    k->failed_column = -1;
    if (k->s.n == 0) return DAE_OK;
    if (k->numeric && refactor(k, values)) {
        k->rcond = pivot_ratio(k, values, &column);
        if (k->rcond > VALUES_ERROR) return DAE_OK;
    }
    if ((st = factor_fresh(k, values))) return st;
    k->rcond = pivot_ratio(k, values, &column);
    if (k->rcond > LU_PIVOT_ZERO) return DAE_OK;
    k->failed_column = (int64_t)column;
    return DAE_NUMERIC;
}

static dae_status klu_solve_vector(void *state, double *b)
{
    klu *k = state;
    if (k->s.n == 0) return DAE_OK;
    if (!k->numeric) return DAE_NUMERIC;
    const int ok = klu_solve(
        k->symbolic, k->numeric, (int)k->s.n, 1, b, &k->common);
    return ok ? DAE_OK : DAE_NUMERIC;
}

static int64_t klu_fill(const void *state)
{
    const klu *k = state;
    if (!k->numeric) return 0;
    return (int64_t)k->numeric->lnz + k->numeric->unz + k->numeric->nzoff
        - k->numeric->n;
}

static double klu_state_rcond(const void *state)
{
    const klu *k = state;
    return k->rcond;
}

static int klu_sign(const void *state)
{
    const klu *k = state;
    if (k->s.n == 0) return 1;
    if (!k->numeric) return 0;
    const double *diagonal = k->numeric->Udiag;
    uint8_t *seen = k->numeric->Work; /* as in pivot_ratio */
    int sign = permutation_sign(k->s.n, k->numeric->Pnum, seen)
        * permutation_sign(k->s.n, k->symbolic->Q, seen);
    for (size_t p = 0; p < k->s.n; p++)
        if (diagonal[p] < 0) sign = -sign;
    return sign;
}

void klu_estimate(const void *state, double *flops, double *lu)
{
    const klu *k = state;
    *flops = k->symbolic->est_flops;
    *lu = k->symbolic->lnz + k->symbolic->unz + (double)k->symbolic->nzoff;
}

int64_t klu_failed_column(const void *state)
{
    const klu *k = state;
    return k->failed_column;
}

const linear_backend klu_backend = {"klu", DAE_LINEAR_KLU, klu_create,
    klu_state_free, klu_factor_values, klu_release, klu_solve_vector, klu_fill,
    klu_state_rcond, klu_sign, NULL};

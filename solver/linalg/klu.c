/* KLU [DN10]: block triangular form, AMD within blocks, and refactorization on
 * the old pivots, which are kept as long as entries do not grow. KLU
 * allocates through SuiteSparse's process-wide hooks, which have no context argument
 * and so cannot use a dae_allocator; its failures are still reported.
 *
 * Where all blocks are single entries, as slopes of a start and formulas of unknowns often
 * are, nothing is left for KLU to do: the rows are solved in order, with its scales. It
 * would take a hundred bytes for each of them. */
#include "graph/parity.h"
#include "linalg/backend.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <klu.h>
#include <math.h>
#include <string.h>

/* Pivots in an order in which the matrix is triangular: every row has entries in columns
 * of earlier pivots and in its own. */
typedef struct triangle {
    int32_t *row, *column; /* n: of each pivot; NULL: there is no such order */
    double *scale;         /* [row of A]: its largest entry; NULL: no factors */
    double *pivot;         /* n: in their order, scaled */
    double *work;          /* n */
    double *scaled;        /* entries */
} triangle;

typedef struct klu {
    linear_system s;
    triangle triangle; /* where it is one, there is nothing of KLU's */
    int *start;        /* the columns' starts as KLU counts them */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double growth; /* reciprocal growth at the last full factorization */
    double rcond;
    int64_t failed_column;
} klu;

/* ---- triangles ---------------------------------------------------------------- */

static size_t entry_count(const linear_system *s)
{
    return (size_t)s->column_start[s->n];
}

static void triangle_release(triangle *t, const linear_system *s)
{
    const dae_allocator *a = s->allocator;
    alloc_free(a, t->scale, s->n, sizeof *t->scale);
    alloc_free(a, t->pivot, s->n, sizeof *t->pivot);
    alloc_free(a, t->work, s->n, sizeof *t->work);
    alloc_free(a, t->scaled, entry_count(s), sizeof *t->scaled);
    t->scale = t->pivot = t->work = t->scaled = NULL;
}

static void triangle_clear(triangle *t, const linear_system *s)
{
    triangle_release(t, s);
    alloc_free(s->allocator, t->row, s->n, sizeof *t->row);
    alloc_free(s->allocator, t->column, s->n, sizeof *t->column);
    t->row = t->column = NULL;
}

/* A row of which one column is left gives that column's unknown. `left`: columns of each
 * row that are left, `mix`: the exclusive or of their numbers. */
static bool find_order(
    triangle *t, const linear_system *s, int32_t *left, int32_t *mix)
{
    size_t found = 0;
    for (size_t j = 0; j < s->n; j++)
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++) {
            left[s->row[p]]++;
            mix[s->row[p]] ^= (int32_t)j;
        }
    for (size_t i = 0; i < s->n; i++)
        if (left[i] == 1) t->row[found++] = (int32_t)i;
    for (size_t k = 0; k < found; k++) {
        const int32_t j = t->column[k] = mix[t->row[k]];
        if (left[t->row[k]] != 1) return false; /* two rows for one column */
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++) {
            const int32_t i = s->row[p];
            mix[i] ^= j;
            if (--left[i] == 1) t->row[found++] = i;
        }
    }
    return found == s->n;
}

static dae_status triangle_init(triangle *t, const linear_system *s)
{
    const dae_allocator *a = s->allocator;
    int32_t *left = alloc_zeroed(a, s->n, sizeof *left);
    int32_t *mix = alloc_zeroed(a, s->n, sizeof *mix);
    t->row = alloc_zeroed(a, s->n, sizeof *t->row);
    t->column = alloc_zeroed(a, s->n, sizeof *t->column);
    const bool has_room = left && mix && t->row && t->column;
    if (!has_room || !find_order(t, s, left, mix)) triangle_clear(t, s);
    alloc_free(a, left, s->n, sizeof *left);
    alloc_free(a, mix, s->n, sizeof *mix);
    return has_room ? DAE_OK : DAE_MEMORY;
}

static dae_status triangle_take(triangle *t, const linear_system *s)
{
    const dae_allocator *a = s->allocator;
    if (t->scale) return DAE_OK;
    t->scale = alloc_zeroed(a, s->n, sizeof *t->scale);
    t->pivot = alloc_zeroed(a, s->n, sizeof *t->pivot);
    t->work = alloc_zeroed(a, s->n, sizeof *t->work);
    t->scaled = alloc_zeroed(a, entry_count(s), sizeof *t->scaled);
    if (t->scale && t->pivot && t->work && t->scaled) return DAE_OK;
    triangle_release(t, s);
    return DAE_MEMORY;
}

static void triangle_scale(
    triangle *t, const linear_system *s, const double *values)
{
    for (size_t i = 0; i < s->n; i++) t->scale[i] = 0;
    for (size_t p = 0; p < entry_count(s); p++) {
        double *most = &t->scale[s->row[p]];
        if (fabs(values[p]) > *most) *most = fabs(values[p]);
    }
    for (size_t i = 0; i < s->n; i++)
        if (!(t->scale[i] > 0)) t->scale[i] = 1; /* as KLU has a row of zeros */
    for (size_t k = 0; k < s->n; k++) {
        const int32_t j = t->column[k];
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++) {
            t->scaled[p] = values[p] / t->scale[s->row[p]];
            if (s->row[p] == t->row[k]) t->pivot[k] = t->scaled[p];
        }
    }
}

/* As least_pivot_ratio has it. */
static double triangle_ratio(
    const triangle *t, const linear_system *s, size_t *column)
{
    double least = 1;
    for (size_t k = 0; k < s->n; k++) {
        const int32_t j = t->column[k];
        double ratio = fabs(t->pivot[k]), largest = 0;
        if (ratio >= least) continue;
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++)
            largest = fmax(largest, fabs(t->scaled[p]));
        ratio = largest > 0 ? ratio / largest : 0;
        if (ratio >= least) continue;
        least = isnan(ratio) ? 0 : ratio;
        *column = (size_t)j;
    }
    return least;
}

static int triangle_sign(const triangle *t, size_t n)
{
    uint8_t *seen = (uint8_t *)t->work;
    int sign = permutation_sign(n, t->row, seen)
        * permutation_sign(n, t->column, seen);
    for (size_t k = 0; k < n; k++)
        if (t->pivot[k] < 0) sign = -sign;
    return sign;
}

static void triangle_solve(triangle *t, const linear_system *s, double *b)
{
    for (size_t i = 0; i < s->n; i++) b[i] /= t->scale[i];
    for (size_t k = 0; k < s->n; k++) {
        const int32_t j = t->column[k];
        const double x = t->work[j] = b[t->row[k]] / t->pivot[k];
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++)
            if (s->row[p] != t->row[k]) b[s->row[p]] -= t->scaled[p] * x;
    }
    memcpy(b, t->work, s->n * sizeof *b);
}

/* ---- KLU ---------------------------------------------------------------------- */

static void klu_release(void *state)
{
    klu *k = state;
    triangle_release(&k->triangle, &k->s);
    if (k->numeric) klu_free_numeric(&k->numeric, &k->common);
}

static void klu_state_free(void *state)
{
    klu *k = state;
    if (!k) return;
    const dae_allocator *a = k->s.allocator;
    klu_release(k);
    triangle_clear(&k->triangle, &k->s);
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
    dae_status st = triangle_init(&k->triangle, s);
    if (!st && !k->triangle.row) st = analyse(k);
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

static dae_status factor_triangle(klu *k, const double *values)
{
    size_t column = 0;
    triangle *t = &k->triangle;
    const dae_status st = triangle_take(t, &k->s);
    if (st) return st;
    triangle_scale(t, &k->s, values);
    k->rcond = triangle_ratio(t, &k->s, &column);
    if (k->rcond > LU_PIVOT_ZERO) return DAE_OK;
    klu_release(k);
    k->failed_column = (int64_t)column;
    return DAE_NUMERIC;
}

static dae_status klu_factor_values(void *state, const double *values)
{
    klu *k = state;
    dae_status st;
    size_t column = 0;
    k->rcond = 0;
    k->failed_column = -1;
    if (k->s.n == 0) return DAE_OK;
    if (k->triangle.row) return factor_triangle(k, values);
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
    if (k->triangle.scale) triangle_solve(&k->triangle, &k->s, b);
    if (k->triangle.scale) return DAE_OK;
    if (!k->numeric) return DAE_NUMERIC;
    const int ok = klu_solve(
        k->symbolic, k->numeric, (int)k->s.n, 1, b, &k->common);
    return ok ? DAE_OK : DAE_NUMERIC;
}

static int64_t klu_fill(const void *state)
{
    const klu *k = state;
    if (k->triangle.scale) return k->s.column_start[k->s.n];
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
    if (k->triangle.scale) return triangle_sign(&k->triangle, k->s.n);
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
    *flops = 0;
    *lu = (double)(k->s.n + entry_count(&k->s));
    if (k->triangle.row) return;
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

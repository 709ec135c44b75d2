#include "linalg/small.h"

#include "linalg/full_lu.h"
#include "linalg/jacobian.h"
#include "linalg/thresholds.h"

#include <assert.h>
#include <string.h>

typedef struct pair_factors {
    double *re, *im;
    int order[SMALL_MOST]; /* of rows */
} pair_factors;

struct small {
    size_t n;
    int count, pairs;
    size_t numbers;            /* of all planes and factors */
    double *values;            /* these, planes first */
    double *lu;                /* n n */
    double pivots[SMALL_MOST]; /* scaled, of the last factors */
    double scale[SMALL_MOST];  /* 1 over the largest entry of each row */
    int pivot[SMALL_MOST], order[SMALL_MOST];
    const dae_allocator *a;
    pair_factors pair[]; /* pairs */
};

/* Calls a function that is unrolled for the smallest sizes (base/unrolled.h). */
#define BY_SIZE(function, n, ...)                                              \
    switch (n) {                                                               \
    case 1: function(1, __VA_ARGS__); break;                                   \
    case 2: function(2, __VA_ARGS__); break;                                   \
    case 3: function(3, __VA_ARGS__); break;                                   \
    case 4: function(4, __VA_ARGS__); break;                                   \
    case 5: function(5, __VA_ARGS__); break;                                   \
    case 6: function(6, __VA_ARGS__); break;                                   \
    default: function(n, __VA_ARGS__); break;                                  \
    }

static size_t size_with(int pairs)
{
    return sizeof(small) + (size_t)pairs * sizeof(pair_factors);
}

dae_status small_create(
    size_t n, int count, int pairs, const dae_allocator *allocator, small **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    const size_t square = n * n;
    assert(n <= SMALL_MOST && count >= 2 && pairs >= 0);
    *out = NULL;
    small *s = alloc_zeroed(a, 1, size_with(pairs));
    if (!s) return DAE_MEMORY;
    s->n = n;
    s->count = count;
    s->pairs = pairs;
    s->a = a;
    s->numbers = square * (size_t)(count + 1 + 2 * pairs);
    s->values = alloc_zeroed(a, s->numbers, sizeof *s->values);
    if (!s->values) {
        small_free(s);
        return DAE_MEMORY;
    }
    s->lu = s->values + (size_t)count * square;
    for (int k = 0; k < pairs; k++) {
        s->pair[k].re = s->lu + (size_t)(1 + 2 * k) * square;
        s->pair[k].im = s->pair[k].re + square;
    }
    *out = s;
    return DAE_OK;
}

void small_free(small *s)
{
    if (!s) return;
    alloc_free(s->a, s->values, s->numbers, sizeof *s->values);
    alloc_free(s->a, s, 1, size_with(s->pairs));
}

double *small_planes(small *s)
{
    return s->values;
}

/* --- sums --- */

/* The plane whose power is 1, and the last one, are nearly always all that there is. */
UNROLLED void sum_of(const size_t n, const small *s, const dae_complex *power,
    double *restrict a)
{
    const size_t square = n * n, below = (size_t)s->count - 2;
    const double *plane = s->values + below * square;
    const double by = power[below + 1].re;
    for (size_t j = 0; j < square; j += n)
        for (size_t i = j; i < j + n; i++)
            a[i] = plane[i] + by * plane[square + i];
    for (size_t e = 0; e < below; e++)
        for (size_t i = 0; i < square; i++)
            a[i] += power[e].re * s->values[e * square + i];
}

UNROLLED void sum_of_pair(const size_t n, const small *s,
    const dae_complex *power, double *restrict re, double *restrict im)
{
    const size_t square = n * n, below = (size_t)s->count - 2;
    const double *plane = s->values + below * square;
    const dae_complex by = power[below + 1];
    for (size_t j = 0; j < square; j += n)
        for (size_t i = j; i < j + n; i++) {
            re[i] = plane[i] + by.re * plane[square + i];
            im[i] = by.im * plane[square + i];
        }
    for (size_t e = 0; e < below; e++)
        for (size_t i = 0; i < square; i++) {
            const double value = s->values[e * square + i];
            re[i] += power[e].re * value;
            im[i] += power[e].im * value;
        }
}

/* --- pivots --- */

/* 1 over the largest entries of rows, `sum` of all sizes. False: one is 0, or has
 * overflowed, or an entry is NaN. */
UNROLLED bool invert_of(
    const size_t n, const double *most, double sum, double *scale)
{
    bool is_fine = !isnan(sum);
    for (size_t i = 0; i < n; i++) {
        scale[i] = 1 / most[i];
        is_fine &= !is_overflow(most[i]);
        is_fine &= !is_overflow(scale[i]);
    }
    return is_fine;
}

/* Whether a pivot is rounding beside its column of A, as in linalg/linear.h. Entries are
 * at most 1: of a large one the column is not looked at. */
static bool is_rounding(const small *s, const dae_complex *power, size_t j)
{
    const size_t n = s->n, square = n * n;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        dae_complex sum = {0, 0};
        for (int e = 0; e < s->count; e++)
            sum = complex_add(sum,
                complex_scaled(
                    power[e], s->values[(size_t)e * square + j * n + i]));
        most = fmax(most, full_size(sum.re, sum.im) * s->scale[i]);
    }
    return !(s->pivots[j] > LU_PIVOT_ZERO * most);
}

UNROLLED bool have_large_of(const size_t n, const double *pivots)
{
    bool result = true;
    for (size_t k = 0; k < n; k++) result &= pivots[k] > LU_PIVOT_ZERO;
    return result;
}

static bool is_clear(const small *s, const dae_complex *power)
{
    for (size_t k = 0; k < s->n; k++)
        if (!(s->pivots[k] > LU_PIVOT_ZERO) && is_rounding(s, power, k))
            return false;
    return true;
}

/* --- real --- */

/* *is_fine: there are factors; *is_large: no pivot is to be looked at. */
UNROLLED void factor_of(const size_t n, small *s, const dae_complex *power,
    bool *is_fine, bool *is_large)
{
    double *restrict a = s->lu, scale[SMALL_MOST], most[SMALL_MOST], sum = 0;
    sum_of(n, s, power, a);
    for (size_t i = 0; i < n; i++) most[i] = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            const double size = fabs(a[j * n + i]);
            most[i] = size > most[i] ? size : most[i];
            sum += size;
        }
    if (!(*is_fine = invert_of(n, most, sum, scale))) return;
    for (size_t i = 0; i < n; i++) s->scale[i] = scale[i];
    *is_fine = full_eliminate(n, a, scale, s->pivot);
    if (*is_fine) full_order(n, s->pivot, s->order);
    *is_large = *is_fine && have_large_of(n, scale);
    for (size_t i = 0; i < n; i++) s->pivots[i] = scale[i];
}

bool small_factor(small *s, const dae_complex *power)
{
    bool is_fine, is_large = false;
    BY_SIZE(factor_of, s->n, s, power, &is_fine, &is_large)
    return is_fine && (is_large || is_clear(s, power));
}

/* In registers, as far as these go. */
UNROLLED void solve_of(const size_t n, const small *s, double *b)
{
    double y[SMALL_MOST];
    for (size_t i = 0; i < n; i++) y[i] = b[s->order[i]];
    full_substitute(n, s->lu, y);
    for (size_t i = 0; i < n; i++) b[i] = y[i];
}

void small_solve(const small *s, double *b)
{
    BY_SIZE(solve_of, s->n, s, b)
}

int small_sign(const small *s)
{
    int sign = 1;
    for (size_t k = 0; k < s->n; k++) {
        if (s->pivot[k] != (int)k) sign = -sign;
        if (s->lu[k * s->n + k] < 0) sign = -sign;
    }
    return sign;
}

/* --- complex --- */

UNROLLED void factor_of_pair(const size_t n, small *s, pair_factors *f,
    const dae_complex *power, bool *is_fine, bool *is_large)
{
    double *restrict re = f->re, *restrict im = f->im, scale[SMALL_MOST];
    double most[SMALL_MOST], sum = 0;
    int pivot[SMALL_MOST];
    sum_of_pair(n, s, power, re, im);
    for (size_t i = 0; i < n; i++) most[i] = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            const double size = full_size(re[j * n + i], im[j * n + i]);
            most[i] = size > most[i] ? size : most[i];
            sum += size;
        }
    if (!(*is_fine = invert_of(n, most, sum, scale))) return;
    for (size_t i = 0; i < n; i++) s->scale[i] = scale[i];
    *is_fine = full_eliminate_complex(n, re, im, scale, pivot);
    if (*is_fine) full_order(n, pivot, f->order);
    *is_large = *is_fine && have_large_of(n, scale);
    for (size_t i = 0; i < n; i++) s->pivots[i] = scale[i];
}

bool small_factor_pair(small *s, int k, const dae_complex *power)
{
    bool is_fine, is_large = false;
    assert(k >= 0 && k < s->pairs);
    BY_SIZE(factor_of_pair, s->n, s, &s->pair[k], power, &is_fine, &is_large)
    return is_fine && (is_large || is_clear(s, power));
}

UNROLLED void solve_of_pair(
    const size_t n, const pair_factors *f, double *re, double *im)
{
    double y[SMALL_MOST], yi[SMALL_MOST];
    for (size_t i = 0; i < n; i++) {
        const size_t from = (size_t)f->order[i];
        y[i] = re[from], yi[i] = im[from];
    }
    full_substitute_complex(n, f->re, f->im, y, yi);
    for (size_t i = 0; i < n; i++) re[i] = y[i], im[i] = yi[i];
}

void small_solve_pair(const small *s, int k, double *re, double *im)
{
    assert(k >= 0 && k < s->pairs);
    BY_SIZE(solve_of_pair, s->n, &s->pair[k], re, im)
}

UNROLLED void solve_of_all(
    const size_t n, const small *s, int pairs, double *b, size_t step)
{
    solve_of(n, s, b);
    for (const pair_factors *f = s->pair; f < s->pair + pairs; f++) {
        solve_of_pair(n, f, b + step, b + 2 * step);
        b += 2 * step;
    }
}

void small_solve_all(const small *s, int pairs, double *b, size_t step)
{
    assert(pairs <= s->pairs);
    BY_SIZE(solve_of_all, s->n, s, pairs, b, step)
}

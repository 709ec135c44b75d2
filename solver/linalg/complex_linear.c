#include "linalg/complex_linear.h"

#include "linalg/full_lu.h"
#include "linalg/operation_list.h"
#include "linalg/thresholds.h"

#include <assert.h>
#include <klu.h>
#include <math.h>
#include <string.h>

static double size_of(dae_complex a)
{
    return fabs(a.re) + fabs(a.im);
}

static dae_complex inverse_of(dae_complex a)
{
    return complex_over(complex_of(1, 0), a);
}

/* a - l u */
static inline dae_complex less_product(
    dae_complex a, dae_complex l, dae_complex u)
{
    return complex_less(a, complex_times(l, u));
}

#define NUMBER dae_complex
#define OWN(name) name##_complex
#define SIZE(a) size_of(a)
#define INVERSE(a) inverse_of(a)
#define TIMES(a, b) complex_times(a, b)
#define LESS(a, l, u) less_product(a, l, u)
#include "linalg/list_run.h"

/* Factors of one system. Of the dense ones real and imaginary parts stand apart,
 * by columns, so that the loops over a column are loops over vectors. */
typedef struct factors {
    dae_linear kind;
    int list; /* of those of complex_linear, that of its slots; -1: none */
    ARRAY(dae_complex) slots;
    double *re, *im; /* n n: L below, U above the diagonal, whose pivots are
                           inverted */
    int *exchanged;  /* row exchanged with row k in step k */
    klu_numeric *numeric;
    double growth; /* of KLU's pivots when they were chosen */
    bool has_any;
} factors;

struct complex_linear {
    size_t n;
    const int64_t *column_start;
    const int32_t *row;
    int systems;
    factors *factors;
    operation_list *lists; /* as many as systems, each of which uses one */
    double *largest;       /* n: of a list: entries of its rows */
    dae_complex *room;     /* 2 n: of a list: right side, solution */
    double *
        scale; /* 2 n: dense: 1 over the largest entry of each row, in the order
                      of A and of the pivots */
    double *side; /* 2 n: KLU: right side, then solution */
    int *start;   /* n + 1: KLU */
    klu_symbolic *symbolic;
    klu_common common;
    const dae_allocator *a;
};

/* --- life --- */

static dae_status take_lists(complex_linear *c)
{
    const linear_system s = {c->n, c->column_start, c->row, c->a};
    c->largest = alloc_zeroed(c->a, c->n, sizeof *c->largest);
    c->room = alloc_zeroed(c->a, 2 * c->n, sizeof *c->room);
    c->lists = alloc_zeroed(c->a, (size_t)c->systems, sizeof *c->lists);
    if (!c->largest || !c->room || !c->lists) return DAE_MEMORY;
    dae_status st = DAE_OK;
    for (int k = 0; k < c->systems && !st; k++)
        st = operation_list_init(&c->lists[k], &s);
    return st;
}

static dae_status take_dense(complex_linear *c)
{
    const size_t n = c->n;
    size_t entries;
    if (n > INT32_MAX || !size_mul(n, n, &entries)) return DAE_LIMIT;
    c->scale = alloc_zeroed(c->a, 2 * n, sizeof *c->scale);
    bool is_fine = c->scale != NULL;
    for (int k = 0; k < c->systems && is_fine; k++) {
        factors *f = &c->factors[k];
        f->re = alloc_zeroed(c->a, entries, sizeof *f->re);
        f->im = alloc_zeroed(c->a, entries, sizeof *f->im);
        f->exchanged = alloc_zeroed(c->a, n, sizeof *f->exchanged);
        is_fine = f->re && f->im && f->exchanged;
    }
    return is_fine ? DAE_OK : DAE_MEMORY;
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
static int *rows_of(const complex_linear *c)
{
    return (int *)(uintptr_t)c->row;
}

static dae_status take_klu(complex_linear *c)
{
    const size_t n = c->n;
    if (c->symbolic) return DAE_OK;
    if (n >= INT32_MAX || c->column_start[n] >= INT32_MAX) return DAE_LIMIT;
    if (!c->start) c->start = alloc_zeroed(c->a, n + 1, sizeof *c->start);
    if (!c->side) c->side = alloc_zeroed(c->a, 2 * n, sizeof *c->side);
    if (!c->start || !c->side) return DAE_MEMORY;
    for (size_t j = 0; j <= n; j++) c->start[j] = (int)c->column_start[j];
    klu_defaults(&c->common);
    c->common.scale = 2; /* rows by their largest entry */
    c->symbolic = klu_analyze((int)n, c->start, rows_of(c), &c->common);
    if (c->symbolic) return DAE_OK;
    const dae_status st = status_of(&c->common);
    return st ? st : DAE_MEMORY;
}

dae_status complex_linear_create(size_t n, const int64_t *column_start,
    const int32_t *row, dae_linear kind, int systems,
    const dae_allocator *allocator, complex_linear **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    assert(systems > 0);
    *out = NULL;
    complex_linear *c = alloc_zeroed(a, 1, sizeof *c);
    if (!c) return DAE_MEMORY;
    *c = (complex_linear){.n = n,
        .column_start = column_start,
        .row = row,
        .systems = systems,
        .a = a};
    c->factors = alloc_zeroed(a, (size_t)systems, sizeof *c->factors);
    dae_status st = c->factors ? DAE_OK : DAE_MEMORY;
    if (n == 0) kind = DAE_LINEAR_DENSE;
    for (int k = 0; k < systems && !st; k++)
        c->factors[k] = (factors){.kind = kind, .list = -1};
    if (!st && kind == DAE_LINEAR_LIST) st = take_lists(c);
    else if (!st) st = kind == DAE_LINEAR_DENSE ? take_dense(c) : take_klu(c);
    if (st) complex_linear_free(c);
    else *out = c;
    return st;
}

void complex_linear_free(complex_linear *c)
{
    if (!c) return;
    const size_t n = c->n;
    for (int k = 0; c->factors && k < c->systems; k++) {
        factors *f = &c->factors[k];
        alloc_free(c->a, f->re, n * n, sizeof *f->re);
        alloc_free(c->a, f->im, n * n, sizeof *f->im);
        alloc_free(c->a, f->exchanged, n, sizeof *f->exchanged);
        ARRAY_FREE(c->a, &f->slots);
        if (f->numeric) klu_z_free_numeric(&f->numeric, &c->common);
    }
    for (int k = 0; c->lists && k < c->systems; k++)
        operation_list_clear(&c->lists[k]);
    alloc_free(c->a, c->lists, (size_t)c->systems, sizeof *c->lists);
    alloc_free(c->a, c->largest, n, sizeof *c->largest);
    alloc_free(c->a, c->room, 2 * n, sizeof *c->room);
    if (c->symbolic) klu_free_symbolic(&c->symbolic, &c->common);
    alloc_free(c->a, c->factors, (size_t)c->systems, sizeof *c->factors);
    alloc_free(c->a, c->scale, 2 * n, sizeof *c->scale);
    alloc_free(c->a, c->side, 2 * n, sizeof *c->side);
    alloc_free(c->a, c->start, n + 1, sizeof *c->start);
    alloc_free(c->a, c, 1, sizeof *c);
}

/* --- lists --- */

/* By list q, if there is one. False: its pivots do not suit the values. */
static bool run_list(complex_linear *c, factors *f, int q,
    const dae_complex *values, double zero)
{
    const operation_list *o = &c->lists[q];
    assert(o->is_found && f->slots.capacity >= o->slots);
    list_load_complex(o, values, f->slots.items, c->largest);
    f->list = q;
    return list_eliminate_complex(o, values, f->slots.items, c->largest, zero);
}

static bool is_used(const complex_linear *c, int q, const factors *by_others)
{
    bool result = false;
    for (int k = 0; k < c->systems && !result; k++)
        result = &c->factors[k] != by_others && c->factors[k].list == q;
    return result;
}

/* On the pivots of the other systems. */
static bool run_other_lists(
    complex_linear *c, factors *f, const dae_complex *values)
{
    const int own = f->list;
    for (int q = 0; q < c->systems; q++)
        if (q != own && is_used(c, q, f)
            && run_list(c, f, q, values, VALUES_ERROR))
            return true;
    f->list = -1;
    return false;
}

/* A list that no other system uses is made for the values: there is one, as there are as
 * many as systems. */
static dae_status factor_new_list(
    complex_linear *c, factors *f, const dae_complex *values)
{
    int q = 0;
    while (is_used(c, q, f)) q++;
    assert(q < c->systems);
    operation_list *o = &c->lists[q];
    const dae_status st = operation_list_find(o, &values->re, &values->im, 2);
    if (st) return st;
    if (!ARRAY_RESERVE(c->a, &f->slots, o->slots)) return DAE_MEMORY;
    return run_list(c, f, q, values, LU_PIVOT_ZERO) ? DAE_OK : DAE_NUMERIC;
}

static bool reserve_slots(complex_linear *c, factors *f)
{
    size_t most = 0;
    for (int q = 0; q < c->systems; q++)
        if (c->lists[q].is_found && c->lists[q].slots > most)
            most = c->lists[q].slots;
    return ARRAY_RESERVE(c->a, &f->slots, most);
}

static dae_status factor_list(
    complex_linear *c, factors *f, const dae_complex *values)
{
    if (f->list >= 0 && run_list(c, f, f->list, values, VALUES_ERROR))
        return DAE_OK;
    if (!reserve_slots(c, f)) return DAE_MEMORY;
    if (run_other_lists(c, f, values)) return DAE_OK;
    return factor_new_list(c, f, values);
}

static void solve_list(complex_linear *c, const factors *f, double *restrict re,
    double *restrict im)
{
    dae_complex *b = c->room, *x = b + c->n;
    for (size_t i = 0; i < c->n; i++) b[i] = complex_of(re[i], im[i]);
    list_solve_complex(&c->lists[f->list], f->slots.items, b, x);
    for (size_t j = 0; j < c->n; j++) re[j] = x[j].re, im[j] = x[j].im;
}

/* --- dense --- */

/* Spreads the entries out and finds the row scales, as linalg/dense.c does; false where
 * a row is zero or not finite. */
static bool load(complex_linear *c, factors *f, const dae_complex *values)
{
    const size_t n = c->n;
    const int64_t *start = c->column_start;
    const int32_t *row = c->row;
    double *restrict scale = c->scale, *restrict re = f->re,
                     *restrict im = f->im;
    int64_t p = 0;
    for (size_t i = 0; i < n; i++) scale[i] = 0;
    for (size_t j = 0; j < n; j++, re += n, im += n) {
        const int64_t end = start[j + 1];
        for (size_t i = 0; i < n; i++) re[i] = im[i] = 0;
        for (; p < end; p++) {
            const int32_t i = row[p];
            const double size = size_of(values[p]);
            re[i] = values[p].re;
            im[i] = values[p].im;
            /* written so that a NaN stays */
            if (!(size <= scale[i])) scale[i] = size;
        }
    }
    for (size_t i = 0; i < n; i++) {
        scale[i] = 1 / scale[i];
        if (!(scale[i] > 0) || !isfinite(scale[i])) return false;
    }
    return true;
}

/* Whether a pivot of this scaled size is rounding beside its column of A, as in
 * linalg/dense.c. Entries are at most 1: the column of a large one is not looked at. */
static bool is_rounding(const complex_linear *c, const dae_complex *values,
    size_t column, double size)
{
    double most = 0;
    if (size > LU_PIVOT_ZERO) return false;
    const int64_t end = c->column_start[column + 1];
    for (int64_t p = c->column_start[column]; p < end; p++)
        most = fmax(most, size_of(values[p]) * c->scale[c->row[p]]);
    return !(size > LU_PIVOT_ZERO * most);
}

static bool eliminate(complex_linear *c, factors *f, const dae_complex *values)
{
    const size_t n = c->n;
    double *scale = c->scale + n;
    memcpy(scale, c->scale, n * sizeof *scale);
    if (!full_eliminate_complex(n, f->re, f->im, scale, f->exchanged))
        return false;
    for (size_t k = 0; k < n; k++)
        if (is_rounding(c, values, k, scale[k])) return false;
    return true;
}

static dae_status factor_dense(
    complex_linear *c, factors *f, const dae_complex *values)
{
    return load(c, f, values) && eliminate(c, f, values) ? DAE_OK : DAE_NUMERIC;
}

/* --- KLU --- */

static dae_status factor_fresh(complex_linear *c, factors *f, double *values)
{
    if (f->numeric) klu_z_free_numeric(&f->numeric, &c->common);
    f->numeric = klu_z_factor(
        c->start, rows_of(c), values, c->symbolic, &c->common);
    if (!f->numeric) {
        const dae_status st = status_of(&c->common);
        return st ? st : DAE_MEMORY;
    }
    klu_z_rgrowth(
        c->start, rows_of(c), values, c->symbolic, f->numeric, &c->common);
    f->growth = c->common.rgrowth;
    return DAE_OK;
}

/* On the old pivots; false if they are no longer suitable. */
static bool refactor(complex_linear *c, factors *f, double *values)
{
    const int ok = klu_z_refactor(
        c->start, rows_of(c), values, c->symbolic, f->numeric, &c->common);
    if (!ok || c->common.status != KLU_OK) return false;
    klu_z_rgrowth(
        c->start, rows_of(c), values, c->symbolic, f->numeric, &c->common);
    return c->common.rgrowth > THIRD_OF_DIGITS * f->growth;
}

static dae_status factor_klu(complex_linear *c, factors *f, double *values)
{
    if (f->numeric && refactor(c, f, values)) return DAE_OK;
    return factor_fresh(c, f, values);
}

static dae_status solve_klu(
    complex_linear *c, const factors *f, double *re, double *im)
{
    for (size_t i = 0; i < c->n; i++) {
        c->side[2 * i] = re[i];
        c->side[2 * i + 1] = im[i];
    }
    const int ok = klu_z_solve(
        c->symbolic, f->numeric, (int)c->n, 1, c->side, &c->common);
    for (size_t i = 0; i < c->n; i++) {
        re[i] = c->side[2 * i];
        im[i] = c->side[2 * i + 1];
    }
    return ok ? DAE_OK : DAE_NUMERIC;
}

/* --- either --- */

dae_status complex_linear_factor(complex_linear *c, int k, dae_complex *values)
{
    assert(k >= 0 && k < c->systems);
    _Static_assert(sizeof(dae_complex) == 2 * sizeof(double),
        "KLU takes real and imaginary parts in turn");
    factors *f = &c->factors[k];
    f->has_any = false;
    dae_status st = DAE_LIMIT;
    if (f->kind == DAE_LINEAR_LIST) st = factor_list(c, f, values);
    else if (f->kind == DAE_LINEAR_DENSE) st = factor_dense(c, f, values);
    if (st == DAE_LIMIT && !(st = take_klu(c))) {
        f->kind = DAE_LINEAR_KLU;
        st = factor_klu(c, f, &values->re);
    }
    f->has_any = !st;
    return st;
}

static void solve_full(
    const complex_linear *c, const factors *f, double *re, double *im)
{
    full_permute(c->n, f->exchanged, re);
    full_permute(c->n, f->exchanged, im);
    full_substitute_complex(c->n, f->re, f->im, re, im);
}

dae_status complex_linear_solve(
    complex_linear *c, int k, double *re, double *im)
{
    assert(k >= 0 && k < c->systems);
    const factors *f = &c->factors[k];
    if (!f->has_any) return DAE_NUMERIC;
    if (f->kind == DAE_LINEAR_LIST) solve_list(c, f, re, im);
    else if (f->kind == DAE_LINEAR_DENSE) solve_full(c, f, re, im);
    else return solve_klu(c, f, re, im);
    return DAE_OK;
}

/* The dependencies that repair.c combines: dependent equations of a singular block, as
 * few as elimination finds, with integer weights where possible. */
#include "linalg/row_dependency.h"
#include "linalg/scale.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* The elimination in progress. Rows become, one after the other, either pivot
 * rows, reduced by those before them, or dependent ones:
 *     row i = sum over k of factor[i][k] * reduced[k]  (+ reduced row i).
 * A pivot is the largest entry of its reduced row, which is partial pivoting
 * on the transposed matrix. */
typedef struct elimination {
    size_t rows, columns, rank;
    double *scaled;  /* rows * columns: equilibrated */
    double *reduced; /* rank rows */
    double *factor;  /* rank * rows: of pivot row k by pivot rows before it */
    double *row_scale;
    int32_t *pivot_row, *pivot_column;
    double *sum, *magnitude; /* columns: the row being reduced */
    double *f, *u;           /* rows */
    double *fine;            /* rows: what u lacks, far below its last digit */
} elimination;

enum { REFINED_MOST = 10 };

/* By rows, the matrix is its transpose by columns. */
static dae_status scale_matrix(elimination *e, arena *a)
{
    double *column_scale = ARENA_ARRAY(a, double, e->columns);
    if (!column_scale) return DAE_MEMORY;
    const matrix_view m = {e->columns, e->rows, NULL, NULL, e->scaled};
    scale_rows(&m, NULL, column_scale);
    scale_columns(&m, column_scale, e->row_scale);
    scale_by(&m, column_scale, e->row_scale, e->scaled);
    return DAE_OK;
}

/* Subtracts multiples f of the pivot rows from `sum`, so that it is 0 in their
 * columns; `magnitude` gets the sums of the terms' magnitudes. */
static void reduce(elimination *e)
{
    for (size_t k = 0; k < e->rank; k++) {
        const double *row = e->reduced + k * e->columns;
        const size_t p = (size_t)e->pivot_column[k];
        const double f = e->sum[p] / row[p];
        e->f[k] = f;
        if (f == 0) continue;
        for (size_t j = 0; j < e->columns; j++) {
            e->sum[j] -= f * row[j];
            e->magnitude[j] += fabs(f * row[j]);
        }
        e->sum[p] = 0;
    }
}

/* The column of the largest entry that is more than rounding; -1: none. */
static int32_t find_pivot(const elimination *e)
{
    int32_t best = -1;
    double most = 0;
    for (size_t j = 0; j < e->columns; j++) {
        const double size = fabs(e->sum[j]);
        if (size > most && size > CIRCUIT_ZERO * e->magnitude[j]) {
            most = size;
            best = (int32_t)j;
        }
    }
    return best;
}

static void keep_pivot(elimination *e, int32_t row, int32_t column)
{
    const size_t k = e->rank++;
    memcpy(e->reduced + k * e->columns, e->sum, e->columns * sizeof *e->sum);
    memcpy(e->factor + k * e->rows, e->f, k * sizeof *e->f);
    e->pivot_row[k] = row;
    e->pivot_column[k] = column;
}

/* Multiples f of reduced rows as multiples of the rows themselves, in place:
 * row_k = reduced_k + sum over l < k of factor[k][l] * reduced_l. */
static void unreduce(const elimination *e, double *f)
{
    for (size_t k = e->rank; k-- > 0;)
        for (size_t l = 0; l < k; l++)
            f[l] -= f[k] * e->factor[k * e->rows + l];
}

static void load_row(elimination *e, size_t i)
{
    memcpy(e->sum, e->scaled + i * e->columns, e->columns * sizeof *e->sum);
    for (size_t j = 0; j < e->columns; j++) e->magnitude[j] = fabs(e->sum[j]);
}

/* *high + *low += a * b, of which nothing is lost but what is below the last
 * digit of *low [Dek71]. */
static void add_product(double *high, double *low, double a, double b)
{
    const double product = a * b, lost = fma(a, b, -product);
    const double sum = *high + product, back = sum - *high;
    *low += (*high - (sum - back)) + (product - back) + lost;
    *high = sum;
}

/* What row i + sum of (u + fine)[k] * pivot row k leaves, into `sum`. */
static void load_rest(elimination *e, size_t i)
{
    for (size_t j = 0; j < e->columns; j++) {
        double high = e->scaled[i * e->columns + j], low = 0;
        e->magnitude[j] = fabs(high);
        for (size_t k = 0; k < e->rank; k++) {
            const size_t row = (size_t)e->pivot_row[k];
            const double value = e->scaled[row * e->columns + j];
            if (value == 0) continue;
            add_product(&high, &low, e->u[k], value);
            add_product(&high, &low, e->fine[k], value);
            e->magnitude[j] += fabs(e->u[k] * value);
        }
        e->sum[j] = high + low;
    }
}

/* Subtracts f from u; returns the size of f relative to u. */
static double correct(elimination *e)
{
    double most = 1, change = 0;
    for (size_t k = 0; k < e->rank; k++) {
        double high = e->u[k], low = e->fine[k];
        add_product(&high, &low, e->f[k], -1);
        e->u[k] = high + low;
        e->fine[k] = low - (e->u[k] - high);
        most = fmax(most, fabs(e->u[k]));
        change = fmax(change, fabs(e->f[k]));
    }
    return change / most;
}

/* u so that row i + sum of u[k] * pivot row k = 0. What it leaves is computed
 * with twice the digits, so that refining by it goes on until all digits of u
 * are right, however near the rows are to others that depend: weights that are
 * simple fractions are recognized by them. */
static void solve_dependent(elimination *e, size_t i)
{
    double before = (double)INFINITY;
    memset(e->u, 0, e->rows * sizeof *e->u);
    memset(e->fine, 0, e->rows * sizeof *e->fine);
    for (int pass = 0; pass < REFINED_MOST; pass++) {
        load_rest(e, i);
        reduce(e);
        unreduce(e, e->f);
        const double change = correct(e);
        if (change <= DIGIT * DIGIT * DBL_EPSILON
            || (pass > 1 && !(change < before / 2)))
            return;
        before = change;
    }
}

/* Members are those whose weights are not rounding; rows are of size 1. */
static dae_status keep_circuit(
    elimination *e, size_t i, arena *a, circuit_list *out)
{
    circuit *c = &out->items[out->count++];
    double most = 1;
    size_t count = 1, at = 0;
    for (size_t k = 0; k < e->rank; k++) most = fmax(most, fabs(e->u[k]));
    for (size_t k = 0; k < e->rank; k++)
        count += fabs(e->u[k]) > CIRCUIT_ZERO * most;
    c->count = count;
    c->member = ARENA_ARRAY(a, int32_t, count);
    c->weight = ARENA_ARRAY(a, double, count);
    if (!c->member || !c->weight) return DAE_MEMORY;
    for (size_t k = 0; k < e->rank; k++) {
        const size_t row = (size_t)e->pivot_row[k];
        if (!(fabs(e->u[k]) > CIRCUIT_ZERO * most)) continue;
        c->member[at] = e->pivot_row[k];
        c->weight[at++] = e->u[k] * e->row_scale[row] / e->row_scale[i];
    }
    c->member[at] = (int32_t)i;
    c->weight[at] = 1;
    assert(at + 1 == c->count);
    return DAE_OK;
}

static dae_status take_rooms(elimination *e, const double *value, arena *a)
{
    const size_t rows = e->rows, columns = e->columns;
    size_t all = 0, square;
    if (!size_mul(rows, columns, &all) || !size_mul(rows, rows, &square))
        return DAE_MEMORY;
    e->scaled = ARENA_ARRAY(a, double, all);
    e->reduced = ARENA_ARRAY(a, double, all);
    e->factor = ARENA_ARRAY(a, double, square);
    e->row_scale = ARENA_ARRAY(a, double, rows);
    e->pivot_row = ARENA_ARRAY(a, int32_t, rows);
    e->pivot_column = ARENA_ARRAY(a, int32_t, rows);
    e->sum = ARENA_ARRAY(a, double, columns);
    e->magnitude = ARENA_ARRAY(a, double, columns);
    e->f = ARENA_ARRAY(a, double, rows);
    e->u = ARENA_ARRAY(a, double, rows);
    e->fine = ARENA_ARRAY(a, double, rows);
    if (!e->scaled || !e->reduced || !e->factor || !e->row_scale
        || !e->pivot_row || !e->pivot_column || !e->sum || !e->magnitude
        || !e->f || !e->u || !e->fine)
        return DAE_MEMORY;
    memcpy(e->scaled, value, all * sizeof *value);
    return DAE_OK;
}

dae_status circuits_find(size_t rows, size_t columns, const double *value,
    const int32_t *order, arena *a, circuit_list *out)
{
    elimination e = {.rows = rows, .columns = columns};
    dae_status st;
    *out = (circuit_list){0};
    out->items = ARENA_ARRAY(a, circuit, rows);
    if (!out->items) return DAE_MEMORY;
    if ((st = take_rooms(&e, value, a))) return st;
    if ((st = scale_matrix(&e, a))) return st;
    for (size_t k = 0; k < rows; k++) {
        const int32_t i = order[k];
        load_row(&e, (size_t)i);
        reduce(&e);
        const int32_t pivot = find_pivot(&e);
        if (pivot >= 0) {
            keep_pivot(&e, i, pivot);
            continue;
        }
        solve_dependent(&e, (size_t)i);
        if ((st = keep_circuit(&e, (size_t)i, a, out))) return st;
    }
    assert(e.rank + out->count == rows);
    return DAE_OK;
}

bool circuit_holds(const circuit *c, size_t columns, const double *value)
{
    for (size_t j = 0; j < columns; j++) {
        double sum = 0, magnitude = 0;
        for (size_t k = 0; k < c->count; k++) {
            const double term = c->weight[k]
                * value[(size_t)c->member[k] * columns + j];
            sum += term;
            magnitude += fabs(term);
        }
        if (!(fabs(sum) <= CIRCUIT_ZERO * magnitude)) return false;
    }
    return true;
}

/* ---- weights --------------------------------------------------------------- */

/* Of simple fractions; others must agree in all digits. A number that is no fraction is
 * taken for one of these once in 10^5 times. */
enum { LARGEST_DIVISOR = 16, LARGEST_WHOLE = 10000 };
/* Of whole number and divisor, and of a common divisor. */
static const int64_t LARGEST_PRODUCT = 10000000000, LARGEST_COMMON = 1000000000;
/* Whole numbers that doubles can still add up. */
static const int64_t LARGEST_ENTRY = 1000000000000;

static bool is_fraction(double w, double whole, double divisor, double error)
{
    return whole != 0 && fabs(w * divisor - whole) <= error * fabs(whole);
}

/* By continued fractions: each in turn is the nearest of its size. */
static long exact_divisor_of(double w)
{
    double p = 1, q = 0, p_before = 0, q_before = 1, rest = w;
    for (int k = 0; k < 40; k++) {
        const double digit = floor(rest);
        const double p_next = digit * p + p_before;
        const double q_next = digit * q + q_before;
        p_before = p, q_before = q;
        p = p_next, q = q_next;
        if (!(fabs(p) * q <= (double)LARGEST_PRODUCT)) return 0;
        if (is_fraction(w, p, q, rounding_of(9))) return (long)q;
        rest = 1 / (rest - digit);
    }
    return 0;
}

/* The smallest q for which w*q is whole; 0: none. */
static long divisor_of(double w, bool is_rational)
{
    for (long q = 1; q <= LARGEST_DIVISOR; q++) {
        const double whole = nearbyint(w * (double)q);
        if (fabs(whole) > LARGEST_WHOLE) continue;
        if (is_fraction(w, whole, (double)q, DIGIT * CIRCUIT_ZERO)) return q;
    }
    return is_rational ? exact_divisor_of(w) : 0;
}

static long gcd(long a, long b)
{
    while (b) {
        const long r = a % b;
        a = b;
        b = r;
    }
    return a;
}

bool circuit_is_whole(const double *value, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (value[k] != nearbyint(value[k])
            || fabs(value[k]) > (double)LARGEST_ENTRY)
            return false;
    return true;
}

void circuit_simplify(double *weight, size_t count, bool is_rational)
{
    const double first = weight[0];
    long common = 1;
    bool is_simple = true;
    for (size_t k = 0; k < count; k++) {
        const double w = weight[k] / first;
        const long q = divisor_of(w, is_rational);
        weight[k] = q > 0 ? nearbyint(w * (double)q) / (double)q : w;
        is_simple = is_simple && q > 0;
        if (!is_simple) continue;
        const long factor = q / gcd(common, q);
        is_simple = (double)common * (double)factor <= (double)LARGEST_COMMON;
        if (is_simple) common *= factor;
    }
    /* the first is 1 and the fractions are in lowest terms: no common divisor */
    for (size_t k = 0; k < count && is_simple; k++)
        weight[k] = nearbyint(weight[k] * (double)common);
}

/* Rows are taken LANES at a time and their coefficients kept in local arrays,
 * which the compiler makes vectors of; a result is written when all of it is
 * there, so that it may take the place of an operand. */
#include "code/plane_arithmetic.h"
#include "code/series_run.h"
#include <dae/problem.h>
#include <math.h>

enum { LANES = 8 };

/* Calls f(..., first row, how many rows): a constant where it can be. */
#define BY_LANES(e, f, ...)                                                    \
    do {                                                                       \
        size_t first_ = 0;                                                     \
        for (; first_ + LANES <= (e)->rows; first_ += LANES)                   \
            f(__VA_ARGS__, first_, LANES);                                     \
        if (first_ < (e)->rows) f(__VA_ARGS__, first_, (e)->rows - first_);    \
    } while (0)

static inline const double *row(const plane *x, size_t k)
{
    return x->value + k * x->stride;
}

/* x + sign y */
static void add(const plane_extent *e, const plane *x, const plane *y,
    double sign, plane *d)
{
    for (size_t k = 0; k < e->terms; k++) {
        const double *a = k > 0 && x->is_constant ? NULL : row(x, k);
        const double *b = k > 0 && y->is_constant ? NULL : row(y, k);
        double *out = d->value + k * d->stride;
        if (!b)
            for (size_t i = 0; i < e->rows; i++) out[i] = a[i] + sign * 0.0;
        else if (!a)
            for (size_t i = 0; i < e->rows; i++) out[i] = 0.0 + sign * b[i];
        else
            for (size_t i = 0; i < e->rows; i++) out[i] = a[i] + sign * b[i];
    }
}

static void scale(
    const plane_extent *e, const plane *x, double factor, plane *d)
{
    for (size_t k = 0; k < e->terms; k++) {
        const double *a = row(x, k);
        double *out = d->value + k * d->stride;
        for (size_t i = 0; i < e->rows; i++) out[i] = factor * a[i];
    }
}

static void copy(const plane_extent *e, const plane *x, plane *d)
{
    scale(e, x, 1, d);
}

/* By a constant. From the highest coefficient on, since d may be c. */
static void mul_constant(
    const plane_extent *e, const plane *c, const plane *x, plane *d)
{
    for (size_t k = e->terms; k-- > 0;) {
        const double *a = row(c, 0), *b = row(x, k);
        double *out = d->value + k * d->stride;
        if (k > 0)
            for (size_t i = 0; i < e->rows; i++) out[i] = 0.0 + a[i] * b[i];
        else
            for (size_t i = 0; i < e->rows; i++) out[i] = a[i] * b[i];
    }
}

typedef double lanes[LANES];

static inline void write_lanes(
    const plane_extent *e, lanes *from, plane *d, size_t first, size_t count)
{
    for (size_t k = 0; k < e->terms; k++) {
        double *out = d->value + k * d->stride + first;
        for (size_t l = 0; l < count; l++) out[l] = from[k][l];
    }
}

static inline void mul_lanes(const plane_extent *e, const plane *x,
    const plane *y, plane *d, size_t first, size_t count)
{
    lanes out[DAE_SERIES_TERMS_MAX];
    const double *x0 = x->value + first, *y0 = y->value + first;
    for (size_t l = 0; l < count; l++) out[0][l] = x0[l] * y0[l];
    for (size_t k = 1; k < e->terms; k++) {
        lanes sum = {0};
        for (size_t j = 0; j <= k; j++) {
            const double *a = row(x, j) + first, *b = row(y, k - j) + first;
            for (size_t l = 0; l < count; l++) sum[l] += a[l] * b[l];
        }
        for (size_t l = 0; l < count; l++) out[k][l] = sum[l];
    }
    write_lanes(e, out, d, first, count);
}

static void mul(const plane_extent *e, const plane *x, const plane *y, plane *d)
{
    if (e->terms > 1 && x->is_constant) mul_constant(e, x, y, d);
    else if (e->terms > 1 && y->is_constant) mul_constant(e, y, x, d);
    else BY_LANES(e, mul_lanes, e, x, y, d);
}

static inline void div_lanes(const plane_extent *e, const plane *x,
    const plane *y, plane *d, size_t first, size_t count)
{
    lanes out[DAE_SERIES_TERMS_MAX];
    const double *below = y->value + first;
    for (size_t k = 0; k < e->terms; k++) {
        lanes sum = {0}, top = {0};
        for (size_t j = 1; j <= k && !y->is_constant; j++) {
            const double *b = row(y, j) + first;
            for (size_t l = 0; l < count; l++) sum[l] += b[l] * out[k - j][l];
        }
        if (k == 0 || !x->is_constant)
            for (size_t l = 0; l < count; l++) top[l] = row(x, k)[first + l];
        if (k > 0)
            for (size_t l = 0; l < count; l++) top[l] -= sum[l];
        for (size_t l = 0; l < count; l++) out[k][l] = top[l] / below[l];
    }
    write_lanes(e, out, d, first, count);
}

/* An infinity below is 0 above, and would not be seen any more. */
static bool is_finite(const plane_extent *e, const plane *x)
{
    bool result = true;
    for (size_t k = 0; k < e->terms && !(k > 0 && x->is_constant); k++)
        for (size_t i = 0; i < e->rows; i++)
            result &= isfinite(row(x, k)[i]) != 0;
    return result;
}

static bool power(const plane_extent *e, const plane *x, uint32_t exponent,
    plane *inner, plane *d)
{
    if (exponent != 2 && exponent != 3) return false;
    inner->is_constant = x->is_constant;
    mul(e, x, x, exponent == 2 ? d : inner);
    if (exponent == 3) mul(e, x, inner, d);
    return true;
}

/* One operation on two. */
static bool apply(const plane_extent *e, unsigned op, const plane *x,
    const plane *y, plane *d, bool *has_flaw)
{
    switch ((node_op)op) {
    case NODE_ADD: add(e, x, y, 1, d); return true;
    case NODE_SUB: add(e, x, y, -1, d); return true;
    case NODE_MUL: mul(e, x, y, d); return true;
    case NODE_NEG: scale(e, x, -1, d); return true;
    case NODE_DIV:
        if (!is_finite(e, y)) *has_flaw = true;
        BY_LANES(e, div_lanes, e, x, y, d);
        return true;
    default: return false;
    }
}

/* Between values that do not change; a switch that is not held is NaN. */
static void compare(
    const plane_extent *e, node_op op, const plane *const x[3], plane *d)
{
    const node n = {.op = (uint8_t)op};
    const plane *second = node_arity(op) > 1 ? x[1] : x[0];
    for (size_t i = 0; i < e->rows; i++)
        d->value[i] = node_apply(&n, x[0]->value[i], second->value[i], 0);
}

/* By a condition that does not change. From the highest coefficient on, since d
 * may be the condition. */
static void choose(const plane_extent *e, const plane *const x[3], plane *d)
{
    for (size_t k = e->terms; k-- > 0;) {
        const double *b = k > 0 && x[1]->is_constant ? NULL : row(x[1], k);
        const double *c = k > 0 && x[2]->is_constant ? NULL : row(x[2], k);
        double *out = d->value + k * d->stride;
        for (size_t i = 0; i < e->rows; i++) {
            const double *from = x[0]->value[i] != 0 ? b : c;
            out[i] = from ? from[i] : 0;
        }
    }
}

static bool apply_choice(
    const plane_extent *e, node_op op, const plane *const x[3], plane *d)
{
    if (!x[0]->is_constant) return false;
    if (op == NODE_SELECT) {
        choose(e, x, d);
        return true;
    }
    if (op < NODE_LT || op > NODE_NOT) return false;
    if (node_arity(op) > 1 && !x[1]->is_constant) return false;
    compare(e, op, x, d);
    return true;
}

bool plane_apply(const plane_extent *e, unsigned op, uint32_t number,
    const plane *const x[3], plane *inner, plane *d, bool *has_flaw)
{
    const series_operation *what = &series_operations[op];
    if (op == OP_MOVE) {
        copy(e, x[0], d);
        return true;
    }
    if (what->inner == NODE_POWI) return power(e, x[0], number, inner, d);
    if (apply_choice(e, (node_op)what->inner, x, d)) return true;
    if (what->outer == NODE_CONST)
        return apply(e, what->inner, x[0], x[1], d, has_flaw);
    inner->is_constant = x[0]->is_constant && x[1]->is_constant;
    apply(e, what->inner, x[0], x[1], inner, has_flaw);
    if (what->is_from) apply(e, what->outer, x[2], inner, d, has_flaw);
    else apply(e, what->outer, inner, x[2], d, has_flaw);
    return true;
}

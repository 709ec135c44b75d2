/* What the tests of lang/ir share: an allocator that fails on demand and sees
 * leaks, seeded random numbers, random expressions, and an evaluator of values
 * and derivatives in long double that shares no formula with lang/ir. */
#ifndef IR_SUPPORT_H
#define IR_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/diff.h"
#include "ir/shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof(a)[0])

/* ---- an allocator that fails at the n-th call --------------------------- */

typedef struct test_heap {
    long calls, fail_at; /* -1: never */
    size_t bytes;        /* still out */
} test_heap;

static inline void *test_heap_resize(
    void *context, void *block, size_t old_size, size_t size)
{
    test_heap *h = context;
    if (size > 0 && h->calls++ == h->fail_at) return NULL;
    if (size == 0) {
        h->bytes -= old_size;
        free(block);
        return NULL;
    }
    void *moved = realloc(block, size);
    if (moved) h->bytes += size - (block ? old_size : 0);
    return moved;
}

/* ---- random numbers ----------------------------------------------------- */

static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}
static inline unsigned random_below(uint64_t *state, unsigned limit)
{
    return (unsigned)(random_bits(state) % limit);
}
/* In -1..1 */
static inline double random_number(uint64_t *state)
{
    return (double)(random_bits(state) >> 11) * 0x1p-52 - 1;
}

/* ---- random expressions ------------------------------------------------- */

typedef struct random_kind {
    const node_op *ops;
    size_t op_count;
} random_kind;

#define WITHOUT_SIGNALS
static const node_op every_op[] = {
#define X(name, arity, text) NODE_##name,
#include "ir/ops.def"
#undef X
};
#undef WITHOUT_SIGNALS
static const node_op smooth_ops[] = {NODE_ADD, NODE_SUB, NODE_MUL, NODE_MUL,
    NODE_NEG, NODE_SIN, NODE_COS, NODE_ATAN, NODE_TANH, NODE_ERF, NODE_ASINH,
    NODE_POWI, NODE_SINC, NODE_COSC, NODE_SINCC};
static const random_kind every_kind = {every_op, COUNT_OF(every_op)};
static const random_kind smooth_kind = {smooth_ops, COUNT_OF(smooth_ops)};

enum { random_unknowns = 4, random_definitions = 2, random_orders = 3 };

/* Draws stand in statements of their own: the order in which arguments are
 * evaluated is the compiler's. */
static inline node_id random_leaf(shape_pool *p, uint64_t *r)
{
    static const double numbers[] = {0.5, 2, -1, 3, 0.1, -2.5, 1e-3};
    unsigned kind = random_below(r, 8);
    unsigned order = random_below(r, 3) == 0 ? random_below(r, random_orders)
                                             : 0;
    switch (kind) {
    case 0: return shape_hole(p, LEAF_TIME, 9, 0);
    case 1: return shape_hole(p, LEAF_PARAM, 10 + random_below(r, 2), 0);
    case 2:
        return shape_hole(
            p, LEAF_DEFINITION, 20 + random_below(r, random_definitions), 0);
    case 3: return shape_const(p, numbers[random_below(r, 7)]);
    default:
        return shape_hole(
            p, LEAF_UNKNOWN, random_below(r, random_unknowns), order);
    }
}

static inline node_id random_shape(
    shape_pool *p, uint64_t *r, random_kind kind, int depth)
{
    if (depth == 0 || random_below(r, 10) == 0) return random_leaf(p, r);
    node_op op = kind.ops[random_below(r, (unsigned)kind.op_count)];
    node_id a = random_shape(p, r, kind, depth - 1);
    if (op == NODE_POWI)
        return shape_powi(p, a, (int32_t)random_below(r, 7) - 2);
    if (node_is_family(op))
        return shape_family(p, op, random_below(r, 3),
            shape_binary(
                p, NODE_MUL, shape_unary(p, NODE_SIN, a), shape_const(p, 4)));
    if (node_arity(op) == 1) return shape_unary(p, op, a);
    node_id b = random_shape(p, r, kind, depth - 1);
    if (node_arity(op) == 2) return shape_binary(p, op, a, b);
    return shape_select(p, a, b, random_shape(p, r, kind, depth - 1));
}

/* ---- values and derivatives in long double ------------------------------ */

static inline long double shifted_cosine(long double angle, unsigned k)
{
    switch (k % 4) {
    case 0: return cosl(angle);
    case 1: return -sinl(angle);
    case 2: return -cosl(angle);
    default: return sinl(angle);
    }
}

/* Stumpff's function number k, or its derivative, by the defining series. */
static inline long double stumpff_sum(unsigned k, long double a, int derivative)
{
    long double term = 1, sum = 0;
    for (unsigned j = 2; j <= k + 2u * (unsigned)derivative; j++) term /= j;
    if (derivative) term = -term;
    for (unsigned i = 0; i < 200; i++) {
        unsigned j = k + 2 * (i + (unsigned)derivative);
        sum += derivative ? term * (i + 1) : term;
        term *= -a / ((j + 1.0L) * (j + 2.0L));
    }
    return sum;
}

/* The k-th derivative of the functions of rotations as the integral over u in
 * 0..1 of (1-u)^m/m! u^k cos(u*a + k*pi/2), by Gauss's rule in panels. */
static inline long double family_integral(unsigned m, unsigned k, long double a)
{
    static const long double x[] = {0.0L, 0.538469310105683091036314420700208L,
        0.906179845938663992797626878299392L};
    static const long double w[] = {0.568888888888888888888888888888889L,
        0.478628670499366468041291514835638L,
        0.236926885056189087514264040719917L};
    if (!isfinite(a)) return a - a;
    int panels = 40 + (int)(fabsl(a) * 12) + (int)k * 4;
    long double sum = 0;
    for (int i = 0; i < panels; i++) {
        for (int j = -2; j <= 2; j++) {
            long double node_x = j < 0 ? -x[-j] : x[j];
            long double u = (i + 0.5L + node_x / 2) / panels;
            long double weight = w[abs(j)] / 2 / panels;
            long double wave = shifted_cosine(u * a, k);
            long double shape = m == 0 ? 1
                : m == 1               ? 1 - u
                                       : (1 - u) * (1 - u) / 2;
            sum += weight * shape * powl(u, k) * wave;
        }
    }
    return sum;
}

static inline long double value_ld(
    const node *n, long double a, long double b, long double c)
{
    switch ((node_op)n->op) {
    case NODE_ADD: return a + b;
    case NODE_SUB: return a - b;
    case NODE_MUL: return a * b;
    case NODE_DIV: return a / b;
    case NODE_NEG: return -a;
    case NODE_POW: return powl(a, b);
    case NODE_POWI: return powl(a, n->exponent);
    case NODE_SQRT: return sqrtl(a);
    case NODE_CBRT: return cbrtl(a);
    case NODE_EXP: return expl(a);
    case NODE_EXPM1: return expm1l(a);
    case NODE_LOG: return logl(a);
    case NODE_LOG1P: return log1pl(a);
    case NODE_LOG10: return log10l(a);
    case NODE_SIN: return sinl(a);
    case NODE_COS: return cosl(a);
    case NODE_TAN: return tanl(a);
    case NODE_ASIN: return asinl(a);
    case NODE_ACOS: return acosl(a);
    case NODE_ATAN: return atanl(a);
    case NODE_ATAN2: return atan2l(a, b);
    case NODE_SINH: return sinhl(a);
    case NODE_COSH: return coshl(a);
    case NODE_TANH: return tanhl(a);
    case NODE_ASINH: return asinhl(a);
    case NODE_ACOSH: return acoshl(a);
    case NODE_ATANH: return atanhl(a);
    case NODE_HYPOT: return hypotl(a, b);
    case NODE_ERF: return erfl(a);
    case NODE_ABS: return fabsl(a);
    case NODE_SIGN: return a > 0 ? 1 : a < 0 ? -1 : a;
    case NODE_FLOOR: return floorl(a);
    case NODE_CEIL: return ceill(a);
    case NODE_MOD: return a - b * floorl(a / b);
    case NODE_MIN: return isnan(a) ? a : isnan(b) || b < a ? b : a;
    case NODE_MAX: return isnan(a) ? a : isnan(b) || b > a ? b : a;
    case NODE_SINC: return family_integral(0, n->order, a);
    case NODE_COSC: return family_integral(1, n->order, a);
    case NODE_SINCC: return family_integral(2, n->order, a);
    case NODE_STUMPFF: return stumpff_sum(n->order, a, 0);
    case NODE_LT: return a < b;
    case NODE_LE: return a <= b;
    case NODE_EQ: return a == b;
    case NODE_NE: return a != b;
    case NODE_AND: return a != 0 && b != 0;
    case NODE_OR: return a != 0 || b != 0;
    case NODE_NOT: return a == 0;
    case NODE_SELECT: return a != 0 ? b : c;
    default: return (long double)n->value;
    }
}

/* A value with its derivative; `moves` says whether it depends at all on what
 * is varied, so that 0*Inf does not arise where nothing is multiplied. */
typedef struct dual {
    long double v, d;
    bool moves;
} dual;

static inline long double slope_ld(const node *n, long double a)
{
    switch ((node_op)n->op) {
    case NODE_NEG: return -1;
    case NODE_POWI: return n->exponent * powl(a, n->exponent - 1);
    case NODE_SQRT: return powl(a, -0.5L) / 2;
    case NODE_CBRT: return 1 / (3 * powl(cbrtl(a), 2));
    case NODE_EXP: return expl(a);
    case NODE_EXPM1: return expl(a);
    case NODE_LOG: return 1 / a;
    case NODE_LOG1P: return 1 / (1 + a);
    case NODE_LOG10: return 1 / (a * logl(10.0L));
    case NODE_SIN: return cosl(a);
    case NODE_COS: return -sinl(a);
    case NODE_TAN: return 1 / (cosl(a) * cosl(a));
    case NODE_ASIN: return 1 / cosl(asinl(a));
    case NODE_ACOS: return -1 / sinl(acosl(a));
    case NODE_ATAN: return 1 / (1 + a * a);
    case NODE_SINH: return coshl(a);
    case NODE_COSH: return sinhl(a);
    case NODE_TANH: return 1 / (coshl(a) * coshl(a));
    case NODE_ASINH: return 1 / hypotl(1, a);
    case NODE_ACOSH: return 1 / sinhl(acoshl(a));
    case NODE_ATANH: return 1 / (1 - a * a);
    case NODE_ERF: return 2 / sqrtl(acosl(-1.0L)) * expl(-a * a);
    case NODE_ABS: return a > 0 ? 1 : a < 0 ? -1 : 0;
    case NODE_SINC: return family_integral(0, n->order + 1u, a);
    case NODE_COSC: return family_integral(1, n->order + 1u, a);
    case NODE_SINCC: return family_integral(2, n->order + 1u, a);
    case NODE_STUMPFF: return stumpff_sum(n->order, a, 1);
    default: return 0;
    }
}

static inline long double slope2_ld(
    const node *n, long double a, long double b, int k)
{
    switch ((node_op)n->op) {
    case NODE_ADD: return 1;
    case NODE_SUB: return k == 0 ? 1 : -1;
    case NODE_MUL: return k == 0 ? b : a;
    case NODE_DIV: return k == 0 ? 1 / b : -a / (b * b);
    case NODE_POW:
        if (k == 0) return b * powl(a, b - 1);
        return a == 0 ? 0 : logl(a) * powl(a, b);
    case NODE_ATAN2: return (k == 0 ? b : -a) / (a * a + b * b);
    case NODE_HYPOT:
        return a == 0 && b == 0 ? 0 : (k == 0 ? a : b) / hypotl(a, b);
    case NODE_MOD: return k == 0 ? 1 : -floorl(a / b);
    default: return 0;
    }
}

static inline dual dual_apply(const node *n, dual a, dual b, dual c)
{
    dual r = {value_ld(n, a.v, b.v, c.v), 0, false};
    dual taken;
    switch ((node_op)n->op) {
    case NODE_SELECT: taken = a.v != 0 ? b : c; break;
    case NODE_MIN: taken = b.v < a.v ? b : a; break;
    case NODE_MAX: taken = b.v > a.v ? b : a; break;
    default:
        if (node_arity((node_op)n->op) == 1) {
            if (a.moves) r.d = slope_ld(n, a.v) * a.d;
            r.moves = a.moves;
        } else {
            if (a.moves) r.d += slope2_ld(n, a.v, b.v, 0) * a.d;
            if (b.moves) r.d += slope2_ld(n, a.v, b.v, 1) * b.d;
            r.moves = a.moves || b.moves;
        }
        return r;
    }
    r.d = taken.d;
    r.moves = taken.moves;
    return r;
}

/* Gives a leaf's value and derivative. */
typedef dual dual_leaf_fn(const void *context, const node *hole);

/* All nodes of a pool; free the result. */
static inline dual *dual_pass(
    const shape_pool *p, dual_leaf_fn *leaf, const void *context)
{
    dual *v = calloc(p->nodes.count, sizeof *v);
    assert_non_null(v);
    for (size_t i = 0; i < p->nodes.count; i++) {
        const node *n = &p->nodes.items[i];
        int arity = node_arity((node_op)n->op);
        dual none = {0, 0, false};
        if (n->op == NODE_CONST) {
            v[i] = (dual){(long double)n->value, 0, false};
        } else if (n->op == NODE_HOLE) {
            v[i] = leaf(context, n);
        } else {
            v[i] = dual_apply(n, v[n->a], arity > 1 ? v[n->b] : none,
                arity > 2 ? v[n->c] : none);
        }
    }
    return v;
}

#endif

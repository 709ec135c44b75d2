/* Ends are computed to nearest: they decide about 0 alone, and a sum that
 * rounding keeps from 0 is not 0 in a run either. */
#include "ir/bounds.h"

#include "ir/collect.h"
#include <math.h>

/* A search goes so deep, and meets so many nodes. */
enum { DEEPEST = 24, MOST = 256 };

typedef struct search {
    const system_tables *s;
    int left;         /* nodes */
    uint8_t *is_used; /* unknowns above 0; NULL: anything */
} search;

/* Where a node is, and what stands in its holes. */
typedef struct place {
    const shape_pool *pool;
    const uint32_t *holes; /* NULL: elements of params */
    int depth;
} place;

static bounds make(double low, double high)
{
    const bool is_known = low <= high; /* no NaN */
    return (bounds){is_known ? low : -(double)INFINITY,
        is_known ? high : (double)INFINITY, low > 0 || high < 0, true};
}

static bounds anything(bool is_total)
{
    return (bounds){-(double)INFINITY, (double)INFINITY, false, is_total};
}

/* 0 times an end that is out of reach is 0. */
static double product(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static bounds times(bounds a, bounds b)
{
    const double p[] = {product(a.low, b.low), product(a.low, b.high),
        product(a.high, b.low), product(a.high, b.high)};
    bounds r = make(fmin(fmin(p[0], p[1]), fmin(p[2], p[3])),
        fmax(fmax(p[0], p[1]), fmax(p[2], p[3])));
    r.is_never_zero = a.is_never_zero && b.is_never_zero;
    return r;
}

static bounds plus(bounds a, bounds b)
{
    bounds r = make(a.low + b.low, a.high + b.high);
    const bool has_one = a.is_never_zero || b.is_never_zero;
    if (has_one && a.low >= 0 && b.low >= 0) r.is_never_zero = true;
    if (has_one && a.high <= 0 && b.high <= 0) r.is_never_zero = true;
    return r;
}

static bounds minus(bounds a)
{
    return (bounds){-a.high, -a.low, a.is_never_zero, a.is_total};
}

static bounds size_of(bounds a)
{
    bounds r = a.low >= 0 ? a : a.high <= 0 ? minus(a) : a;
    if (a.low < 0 && a.high > 0) r = make(0, fmax(-a.low, a.high));
    r.is_never_zero = a.is_never_zero;
    return r;
}

/* 1 / a; a is never 0. */
static bounds inverse(bounds a)
{
    bounds r = anything(true);
    if (a.low >= 0) r = make(1 / a.high, 1 / a.low);
    if (a.high <= 0) r = minus(make(1 / -a.low, 1 / -a.high));
    r.is_never_zero = true;
    return r;
}

static bounds power(bounds a, int32_t exponent)
{
    const double e = fabs((double)exponent);
    if (exponent < 0 && !a.is_never_zero) return anything(false);
    const bounds of = exponent % 2 ? a : size_of(a);
    bounds r = make(pow(of.low, e), pow(of.high, e));
    r.is_never_zero = a.is_never_zero;
    return exponent < 0 ? inverse(r) : r;
}

static bounds hull(bounds a, bounds b)
{
    bounds r = make(fmin(a.low, b.low), fmax(a.high, b.high));
    r.is_never_zero = a.is_never_zero && b.is_never_zero;
    return r;
}

/* Of a function that rises everywhere; `keeps_zero`: 0 where its argument is. */
static bounds rising(const node *n, bounds a, bool keeps_zero)
{
    bounds r = make(node_apply(n, a.low, 0, 0), node_apply(n, a.high, 0, 0));
    if (keeps_zero) r.is_never_zero = a.is_never_zero;
    return r;
}

static bounds of_unary(const node *n, bounds a)
{
    bounds r;
    switch ((node_op)n->op) {
    case NODE_NEG: return minus(a);
    case NODE_ABS: return size_of(a);
    case NODE_POWI: return power(a, n->exponent);
    case NODE_EXP:
        r = rising(n, a, false);
        r.is_never_zero = true;
        return r;
    case NODE_SQRT: return a.low >= 0 ? rising(n, a, true) : anything(false);
    case NODE_LOG: return a.low > 0 ? rising(n, a, false) : anything(false);
    case NODE_COSH: return make(1, (double)INFINITY);
    case NODE_SIN:
    case NODE_COS: return make(-1, 1);
    case NODE_CBRT:
    case NODE_EXPM1:
    case NODE_ATAN:
    case NODE_SINH:
    case NODE_TANH:
    case NODE_ASINH:
    case NODE_ERF:
    case NODE_SIGN: return rising(n, a, true);
    case NODE_FLOOR:
    case NODE_CEIL: return rising(n, a, false);
    case NODE_NOT: return make(0, 1);
    default: return anything(false);
    }
}

static bounds of_binary(const node *n, bounds a, bounds b)
{
    bounds r;
    switch ((node_op)n->op) {
    case NODE_ADD: return plus(a, b);
    case NODE_SUB: return plus(a, minus(b));
    case NODE_MUL: return n->a == n->b ? power(a, 2) : times(a, b);
    case NODE_DIV:
        return b.is_never_zero ? times(a, inverse(b)) : anything(false);
    case NODE_HYPOT:
        r = make(0, (double)INFINITY);
        r.is_never_zero = a.is_never_zero || b.is_never_zero;
        return r;
    case NODE_MIN:
        r = make(fmin(a.low, b.low), fmin(a.high, b.high));
        r.is_never_zero = a.is_never_zero && b.is_never_zero;
        return r;
    case NODE_MAX:
        r = make(fmax(a.low, b.low), fmax(a.high, b.high));
        r.is_never_zero = a.is_never_zero && b.is_never_zero;
        return r;
    case NODE_LT:
    case NODE_LE:
    case NODE_EQ:
    case NODE_NE:
    case NODE_AND:
    case NODE_OR: return make(0, 1);
    default: return anything(false);
    }
}

static bounds look(search *q, node_id id, place at);

static bounds of_hole(search *q, const node *n, place at)
{
    const system_tables *s = q->s;
    if (!at.holes) return anything(true);
    const uint32_t object = at.holes[n->a];
    if (q->is_used && n->kind == LEAF_UNKNOWN && n->order == 0) {
        bounds above = make(0, (double)INFINITY);
        above.is_never_zero = true;
        q->is_used[object] = 1;
        return above;
    }
    if (q->is_used && n->kind == LEAF_PARAM)
        return make(
            s->param_values.items[object], s->param_values.items[object]);
    if (n->kind == LEAF_PARAM)
        return look(q, object, (place){&s->params, NULL, at.depth + 1});
    if (n->kind != LEAF_DEFINITION) return anything(true);
    const definition *d = &s->definitions.items[object];
    if (n->order > 0 || d->row_count != 1) return anything(false);
    const row_ref ref = s->row_refs.items[d->first_row];
    const row_list *l = &s->groups[GROUP_DEFINITION].lists.items[ref.list];
    const uint32_t *row = l->data.items + ref.row * (1 + (size_t)l->hole_count);
    return look(q, l->root, (place){&s->shapes, row + 1, at.depth + 1});
}

static bounds look(search *q, node_id id, place at)
{
    const node *n = shape_node(at.pool, id);
    const int arity = node_arity((node_op)n->op);
    bounds of[3] = {anything(true), anything(true), anything(true)}, r;
    bool is_total = true;
    if (at.depth >= DEEPEST || q->left-- <= 0) return anything(false);
    if (n->op == NODE_CONST) return make(n->value, n->value);
    if (n->op == NODE_HOLE) return of_hole(q, n, at);
    at.depth++;
    for (int k = 0; k < arity; k++) {
        of[k] = look(q, node_operand(n, k), at);
        is_total = is_total && of[k].is_total;
    }
    if (arity == 1) r = of_unary(n, of[0]);
    else r = arity == 2 ? of_binary(n, of[0], of[1]) : hull(of[1], of[2]);
    if (is_total) return r;
    /* its values, where there are any, are between the ends; next to where there is none
     * they may be as near to 0 as you like: exp(1/x) */
    r.is_never_zero = r.is_total = false;
    return r;
}

bounds bounds_of(const system_tables *s, node_id id, const uint32_t *holes)
{
    search q = {.s = s, .left = MOST};
    return look(&q, id, (place){&s->shapes, holes, 0});
}

bounds bounds_above_zero(
    const system_tables *s, node_id id, const uint32_t *holes, uint8_t *is_used)
{
    search q = {.s = s, .left = MOST, .is_used = is_used};
    return look(&q, id, (place){&s->shapes, holes, 0});
}

/* What an equation says is told by its factors.
 *
 * Factors that are never 0 say nothing: (1 + x^2)*(y' - x) = 0 is y' = x, and so
 * is exp(t)*y' = exp(t)*x. Left in, their derivatives would stand in the Jacobian
 * wherever an equation does not hold yet, and ranks there be those of another
 * system. Numbers and params that stand alone stay: they are units.
 *
 * A root that keeps the sign of what it is of has an unbounded slope where that is
 * 0, which no iteration passes: it is made an unknown, of which the inverse of the
 * root is a smooth function. */
#include "sema/lowering.h"

#include <assert.h>

#include "ir/bounds.h"

enum { FACTORS = 16 };

/* +- a b c / (d e) */
typedef struct factors {
    node_id of[FACTORS];
    bool is_divisor[FACTORS];
    size_t count;
    bool is_negative;
} factors;

static bool is_product(node_op op)
{
    return op == NODE_MUL || op == NODE_DIV || op == NODE_NEG;
}

/* False: there are too many. */
static bool take_apart(const shape_pool *p, node_id root, factors *f)
{
    *f = (factors){.of = {root}, .count = 1};
    for (size_t k = 0; k < f->count;) {
        const node *n = shape_node(p, f->of[k]);
        if (!is_product((node_op)n->op)) {
            k++;
            continue;
        }
        f->of[k] = n->a;
        if (n->op == NODE_NEG) {
            f->is_negative = !f->is_negative;
            continue;
        }
        if (f->count == FACTORS) return false;
        f->is_divisor[f->count] = f->is_divisor[k] != (n->op == NODE_DIV);
        f->of[f->count++] = n->b;
    }
    return true;
}

static node_id put_together(shape_pool *p, const factors *f)
{
    node_id above = NODE_NONE, below = NODE_NONE;
    for (size_t k = 0; k < f->count; k++) {
        node_id *to = f->is_divisor[k] ? &below : &above;
        *to = *to == NODE_NONE ? f->of[k]
                               : shape_binary(p, NODE_MUL, *to, f->of[k]);
    }
    if (above == NODE_NONE) above = shape_const(p, 1);
    if (below != NODE_NONE) above = shape_binary(p, NODE_DIV, above, below);
    return f->is_negative ? shape_unary(p, NODE_NEG, above) : above;
}

static void leave_out(factors *f, size_t k)
{
    f->count--;
    for (; k < f->count; k++) {
        f->of[k] = f->of[k + 1];
        f->is_divisor[k] = f->is_divisor[k + 1];
    }
}

/* What a factor is asked with. */
typedef struct inquiry {
    lowering *l;
    const uint32_t *objects; /* of the leaves; NULL: not listed yet */
} inquiry;

static bool list_objects(inquiry *q)
{
    const builder *b = q->l->builder;
    if (q->objects) return true;
    uint32_t *objects = ARENA_ARRAY(
        &q->l->scratch, uint32_t, b->leaves.count + 1);
    for (size_t k = 0; objects && k < b->leaves.count; k++)
        objects[k] = b->leaves.items[k].object;
    q->objects = objects;
    if (!objects) q->l->failed_memory = true;
    return objects != NULL;
}

static bool varies(const inquiry *q, node_id id)
{
    return shape_node(&q->l->s->shapes, id)->flags
        & (NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION | NODE_HAS_TIME);
}

static bool is_idle(inquiry *q, node_id id)
{
    if (!varies(q, id) || !list_objects(q)) return false;
    const bounds b = bounds_of(q->l->s, id, q->objects);
    return b.is_total && b.is_never_zero;
}

/* Whether something is left to be 0 without factor k. */
static bool has_other(const inquiry *q, const factors *f, size_t k)
{
    for (size_t i = 0; i < f->count; i++)
        if (i != k && !f->is_divisor[i] && varies(q, f->of[i])) return true;
    return false;
}

static node_id of_product(inquiry *q, node_id root)
{
    shape_pool *p = &q->l->s->shapes;
    factors f;
    if (!take_apart(p, root, &f)) return root;
    const size_t before = f.count;
    for (size_t k = f.count; k-- > 0;)
        if (has_other(q, &f, k) && is_idle(q, f.of[k])) leave_out(&f, k);
    return f.count < before ? put_together(p, &f) : root;
}

/* The place of the same factor on the same side of the fraction bar. */
static size_t find_same(const factors *f, node_id id, bool is_divisor)
{
    size_t k = 0;
    while (k < f->count && (f->of[k] != id || f->is_divisor[k] != is_divisor))
        k++;
    return k;
}

/* Of a = b, what stands on both sides. */
static node_id of_sides(inquiry *q, node_id root)
{
    shape_pool *p = &q->l->s->shapes;
    const node n = *shape_node(p, root);
    factors a, b;
    if (!take_apart(p, n.a, &a) || !take_apart(p, n.b, &b)) return root;
    const size_t before = a.count;
    for (size_t k = a.count; k-- > 0;) {
        const size_t same = find_same(&b, a.of[k], a.is_divisor[k]);
        if (same == b.count || !is_idle(q, a.of[k])) continue;
        leave_out(&a, k);
        leave_out(&b, same);
    }
    if (a.count == before) return root;
    const node_id left = put_together(p, &a);
    return shape_binary(p, (node_op)n.op, left, put_together(p, &b));
}

/* ---- signed roots ------------------------------------------------------------- */

static void multiply(factors *f, node_id by, bool is_divisor)
{
    assert(f->count < FACTORS);
    f->is_divisor[f->count] = is_divisor;
    f->of[f->count++] = by;
}

static size_t find_op(const shape_pool *p, const factors *f, node_op op)
{
    size_t k = 0;
    while (
        k < f->count && (f->is_divisor[k] || shape_node(p, f->of[k])->op != op))
        k++;
    return k;
}

/* Puts c*S(of)*sqrt(under) together, S(of) a definition; `under` has no sign. */
static value make_root(
    lowering *l, factors *c, node_id of, factors *under, text_span span)
{
    shape_pool *p = &l->s->shapes;
    const node_id size = shape_unary(
        p, NODE_SQRT, shape_unary(p, NODE_ABS, of));
    const node_id root = shape_binary(
        p, NODE_MUL, shape_unary(p, NODE_SIGN, of), size);
    if (root == NODE_NONE) return value_error();
    const value v = define_unknown(l, OWN_ROOT, root, of, span);
    if (v.kind != VALUE_EXPR) return v;
    multiply(c, v.node, false);
    if (under->count)
        multiply(c, shape_unary(p, NODE_SQRT, put_together(p, under)), false);
    return (value){.kind = VALUE_EXPR, .node = put_together(p, c)};
}

static bool moves_here(const shape_pool *p, node_id id)
{
    return shape_node(p, id)->flags & (NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION);
}

/* a - b of b - a, and -a of a. */
static bool is_turned(const shape_pool *p, node_id one, node_id other)
{
    const node *a = shape_node(p, one), *b = shape_node(p, other);
    if (a->op == NODE_NEG && a->a == other) return true;
    return a->op == NODE_SUB && b->op == NODE_SUB && a->a == b->b
        && a->b == b->a;
}

/* Takes abs(e) or abs(c*e) from what is under a root, c*e with numbers and params
 * in c, and leaves abs(c). */
static bool take_size(shape_pool *p, factors *under, node_id e)
{
    const size_t k = find_op(p, under, NODE_ABS);
    if (under->is_negative || k == under->count) return false;
    const node_id inner = shape_node(p, under->of[k])->a;
    factors rest;
    leave_out(under, k);
    if (inner == e || is_turned(p, inner, e)) return true;
    if (!take_apart(p, inner, &rest)) return false;
    const size_t at = find_same(&rest, e, false);
    if (at == rest.count) return false;
    leave_out(&rest, at);
    rest.is_negative = false;
    for (size_t i = 0; i < rest.count; i++)
        if (moves_here(p, rest.of[i])) return false;
    if (rest.count) /* in the place of abs(c*e) */
        multiply(
            under, shape_unary(p, NODE_ABS, put_together(p, &rest)), false);
    return true;
}

/* The factor sign(e), or a weight that stands for it, and e; f->count: none. */
static size_t find_sign(
    lowering *l, const factors *f, const factors *under, node_id *e)
{
    const shape_pool *p = &l->s->shapes;
    const size_t sign = find_op(p, f, NODE_SIGN);
    const size_t size = find_op(p, under, NODE_ABS);
    if (sign < f->count) *e = shape_node(p, f->of[sign])->a;
    if (sign < f->count || size == under->count) return sign;
    for (size_t k = 0; k < f->count; k++) {
        if (f->is_divisor[k]) continue;
        *e = sliding_of(l, f->of[k], shape_node(p, under->of[size])->a);
        if (*e != NODE_NONE) return k;
    }
    return f->count;
}

static value of_signed_product(lowering *l, value v, text_span span)
{
    shape_pool *p = &l->s->shapes;
    factors f, under;
    node_id e = NODE_NONE;
    if (!take_apart(p, v.node, &f)) return v;
    const size_t root = find_op(p, &f, NODE_SQRT);
    if (root == f.count) return v;
    if (!take_apart(p, shape_node(p, f.of[root])->a, &under)) return v;
    const size_t sign = find_sign(l, &f, &under, &e);
    if (sign == f.count || !moves_here(p, e)) return v;
    if (!take_size(p, &under, e)) return v;
    leave_out(&f, root > sign ? root : sign);
    leave_out(&f, root > sign ? sign : root);
    return make_root(l, &f, e, &under, span);
}

/* Whether a node, or with is_negative its negative, is high - low as written. */
static bool is_difference(const shape_pool *p, node_id id, bool is_negative,
    node_id high, node_id low)
{
    const node *n = shape_node(p, id);
    const node_id up = is_negative ? low : high,
                  down = is_negative ? high : low;
    double zero;
    if (n->op == NODE_SUB) return n->a == up && n->b == down;
    return id == up && shape_is_const(p, down, &zero) && zero == 0;
}

/* A product of params without its sign. */
static node_id without_sign(shape_pool *params, node_id id, bool *is_negative)
{
    const node n = *shape_node(params, id);
    if (n.op == NODE_CONST && n.value < 0) {
        *is_negative = !*is_negative;
        return shape_const(params, -n.value);
    }
    if (!is_product((node_op)n.op)) return id;
    const node_id a = without_sign(params, n.a, is_negative);
    if (n.op == NODE_NEG) {
        *is_negative = !*is_negative;
        return a;
    }
    const node_id b = without_sign(params, n.b, is_negative);
    return shape_binary(params, (node_op)n.op, a, b);
}

/* Makes factors that are numbers and params positive; false: no memory. */
static bool take_signs(lowering *l, factors *f)
{
    const shape_pool *p = &l->s->shapes;
    for (size_t k = f->count; k-- > 0;) {
        const node n = *shape_node(p, f->of[k]);
        double c = 0;
        if (n.op == NODE_CONST) c = n.value;
        if (n.op == NODE_HOLE && n.kind == LEAF_PARAM) {
            const uint32_t param = l->builder->leaves.items[n.a].object;
            const node_id bare = without_sign(
                &l->s->params, param, &f->is_negative);
            (void)shape_is_const(&l->s->params, bare, &c);
            f->of[k] = builder_node(
                l, (value){.kind = VALUE_PARAM, .node = bare});
            if (f->of[k] == NODE_NONE) l->failed_memory = true;
        }
        if (c == -1) f->is_negative = !f->is_negative;
        if (c == 1 || c == -1) leave_out(f, k);
    }
    return !l->failed_memory;
}

/* Takes high - low from what is under a root; false: it is not there. */
static bool take_difference(
    const shape_pool *p, factors *under, node_id high, node_id low)
{
    size_t k = 0;
    while (k < under->count
        && (under->is_divisor[k]
            || !is_difference(p, under->of[k], under->is_negative, high, low)))
        k++;
    if (k == under->count) return false;
    leave_out(under, k);
    under->is_negative = false;
    return true;
}

static bool are_same(const factors *a, factors b)
{
    if (a->count != b.count) return false;
    for (size_t k = 0; k < a->count; k++) {
        const size_t at = find_same(&b, a->of[k], a->is_divisor[k]);
        if (at == b.count) return false;
        leave_out(&b, at);
    }
    return true;
}

/* A branch c*sqrt(r*(high - low)): c, and r in `under`. */
static bool take_branch(lowering *l, node_id branch, node_id high, node_id low,
    factors *c, factors *under)
{
    const shape_pool *p = &l->s->shapes;
    if (!take_apart(p, branch, c)) return false;
    const size_t root = find_op(p, c, NODE_SQRT);
    if (root == c->count) return false;
    if (!take_apart(p, shape_node(p, c->of[root])->a, under)) return false;
    leave_out(c, root);
    return take_signs(l, c) && take_signs(l, under)
        && take_difference(p, under, high, low);
}

static value of_signed_branches(lowering *l, value v, text_span span)
{
    shape_pool *p = &l->s->shapes;
    const node n = *shape_node(p, v.node);
    const node c = *shape_node(p, n.a);
    factors above, below, under_above, under_below;
    if (c.op != NODE_LT && c.op != NODE_LE) return v;
    if (!take_branch(l, n.b, c.b, c.a, &above, &under_above)
        || !take_branch(l, n.c, c.a, c.b, &below, &under_below)
        || above.is_negative == below.is_negative || !are_same(&above, below)
        || !are_same(&under_above, under_below))
        return v;
    const node_id e = shape_binary(p, NODE_SUB, c.b, c.a);
    if (e == NODE_NONE || !moves_here(p, e)) return v;
    return make_root(l, &above, e, &under_above, span);
}

value factors_signed_root(lowering *l, value v, text_span span)
{
    if (v.kind != VALUE_EXPR) return v;
    const node_op op = (node_op)shape_node(&l->s->shapes, v.node)->op;
    if (op == NODE_MUL) v = of_signed_product(l, v, span);
    if (op == NODE_SELECT) v = of_signed_branches(l, v, span);
    if (v.kind != VALUE_EXPR || v.node == NODE_NONE) l->failed_memory = true;
    return l->failed_memory ? value_error() : v;
}

/* ---- factors that are never 0 ---------------------------------------------------- */

value factors_dropped(lowering *l, value v)
{
    if (v.kind != VALUE_EXPR) return v;
    inquiry q = {.l = l};
    const shape_pool *p = &l->s->shapes;
    const node *n = shape_node(p, v.node);
    const arena_position mark = arena_mark(&l->scratch);
    const bool is_sum = n->op == NODE_ADD || n->op == NODE_SUB;
    if (is_product((node_op)n->op)) v.node = of_product(&q, v.node);
    else if (is_sum && is_product((node_op)shape_node(p, n->a)->op)
        && is_product((node_op)shape_node(p, n->b)->op))
        v.node = of_sides(&q, v.node);
    arena_release(&l->scratch, mark);
    if (v.node == NODE_NONE) l->failed_memory = true;
    return l->failed_memory ? value_error() : v;
}

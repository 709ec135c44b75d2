/* Derivatives of shapes.
 *
 * What is not chosen must do no harm: below a branch of SELECT, MIN or MAX a
 * partial may be Inf or NaN (sqrt'(0), log(-1)) where the branch is not taken,
 * and 0*Inf is NaN. So the gradient's adjoints carry a *mask*, the condition
 * under which they count, and every product with a partial is taken inside
 * SELECT(mask, ..., 0). That costs one node per branch and leaf, where
 * separate gradients of the branches would cost a square for a minimum of many
 * items. Forward accumulation needs none of this: SELECT chooses between
 * finished derivatives. */
#include "ir/diff.h"
#include "ir/collect.h"

#include <assert.h>
#include <float.h>

enum { order_limit = 250 };

/* ---- short names for makers --------------------------------------------- */

static node_id num(shape_pool *p, double value)
{
    return shape_const(p, value);
}
static node_id add(shape_pool *p, node_id a, node_id b)
{
    return shape_binary(p, NODE_ADD, a, b);
}
static node_id sub(shape_pool *p, node_id a, node_id b)
{
    return shape_binary(p, NODE_SUB, a, b);
}
static node_id mul(shape_pool *p, node_id a, node_id b)
{
    return shape_binary(p, NODE_MUL, a, b);
}
static node_id over(shape_pool *p, node_id a, node_id b)
{
    return shape_binary(p, NODE_DIV, a, b);
}
static node_id neg(shape_pool *p, node_id a)
{
    return shape_unary(p, NODE_NEG, a);
}
static node_id root_of(shape_pool *p, node_id a)
{
    return shape_unary(p, NODE_SQRT, a);
}
static node_id square(shape_pool *p, node_id a)
{
    return shape_powi(p, a, 2);
}
static bool is_zero(const shape_pool *p, node_id id)
{
    double value;
    return shape_is_const(p, id, &value) && value == 0;
}

/* C leaves open in which order arguments are worked out, and nodes are numbered
 * as they are made: of two arguments that make nodes one has a name, so that
 * all compilers give the same numbers. */

/* ---- partials ----------------------------------------------------------- */

/* (1 - a)*(1 + a): near a = 1 without the cancellation of 1 - a^2 */
static node_id one_minus_square(shape_pool *p, node_id a)
{
    node_id one = num(p, 1), below = sub(p, one, a);
    return mul(p, below, add(p, one, a));
}

/* b*a^(b-1), and a^b*log(a), which is 0 at a = 0 where a^b is smooth */
static node_id power_partial(
    shape_pool *p, node_id id, node_id a, node_id b, int operand)
{
    if (operand == 0) {
        node_id lower = sub(p, b, num(p, 1));
        return mul(p, b, shape_binary(p, NODE_POW, a, lower));
    }
    node_id zero = num(p, 0);
    node_id growth = mul(p, id, shape_unary(p, NODE_LOG, a));
    return shape_select(p, shape_binary(p, NODE_EQ, a, zero), zero, growth);
}

static node_id atan2_partial(shape_pool *p, node_id a, node_id b, int operand)
{
    node_id a2 = square(p, a), size = add(p, a2, square(p, b));
    return operand == 0 ? over(p, b, size) : neg(p, over(p, a, size));
}

/* operand/node; at the tip of the cone 0, as for abs. */
static node_id hypot_partial(shape_pool *p, node_id id, node_id operand)
{
    node_id tip = shape_binary(p, NODE_EQ, id, num(p, 0));
    return over(p, operand, shape_select(p, tip, num(p, 1), id));
}

/* The condition under which MIN or MAX gives its second operand. */
static node_id second_is_taken(shape_pool *p, node_op op, node_id a, node_id b)
{
    return op == NODE_MIN ? shape_binary(p, NODE_LT, b, a)
                          : shape_binary(p, NODE_LT, a, b);
}

static node_id choice_partial(shape_pool *p, node n, int operand)
{
    node_id zero = num(p, 0), one = num(p, 1);
    if (n.op == NODE_SELECT) {
        if (operand == 0) return zero;
        return operand == 1 ? shape_select(p, n.a, one, zero)
                            : shape_select(p, n.a, zero, one);
    }
    node_id second = second_is_taken(p, (node_op)n.op, n.a, n.b);
    return operand == 0 ? shape_select(p, second, zero, one)
                        : shape_select(p, second, one, zero);
}

/* Of a signal by its argument: of the same piece. */
static node_id table_partial(shape_pool *p, node n)
{
    const node_id a = n.a, piece = n.b;
    n.order++;
    return shape_again(p, &n, a, piece, NODE_NONE);
}

static node_id arithmetic_partial(
    shape_pool *p, node_id id, node n, int operand)
{
    switch ((node_op)n.op) {
    case NODE_ADD: return num(p, 1);
    case NODE_SUB: return num(p, operand == 0 ? 1 : -1);
    case NODE_NEG: return num(p, -1);
    case NODE_MUL: return operand == 0 ? n.b : n.a;
    case NODE_DIV:
        return operand == 0 ? over(p, num(p, 1), n.b)
                            : neg(p, over(p, id, n.b));
    case NODE_POW: return power_partial(p, id, n.a, n.b, operand);
    case NODE_POWI: { /* the exponent is within +-1024 */
        node_id factor = num(p, n.exponent);
        return mul(p, factor, shape_powi(p, n.a, n.exponent - 1));
    }
    case NODE_ATAN2: return atan2_partial(p, n.a, n.b, operand);
    case NODE_HYPOT: return hypot_partial(p, id, operand == 0 ? n.a : n.b);
    case NODE_MOD:
        if (operand == 0) return num(p, 1);
        return neg(p, shape_unary(p, NODE_FLOOR, over(p, n.a, n.b)));
    case NODE_MIN:
    case NODE_MAX:
    case NODE_SELECT: return choice_partial(p, n, operand);
    case NODE_TABLE: return operand == 0 ? table_partial(p, n) : num(p, 0);
    default: return num(p, 0); /* comparisons, and, or */
    }
}

/* c_k' = (k c_{k+2} - c_{k+1})/2, which is smooth at 0 too. */
static node_id stumpff_partial(shape_pool *p, unsigned k, node_id a)
{
    node_id next = shape_family(p, NODE_STUMPFF, k + 1, a);
    node_id after = shape_family(p, NODE_STUMPFF, k + 2, a);
    node_id half = num(p, 0.5);
    return mul(p, half, sub(p, mul(p, num(p, k), after), next));
}

/* Of f(a); `id` is f(a) itself. */
static node_id function_partial(shape_pool *p, node_id id, node n)
{
    node_id a = n.a, one = num(p, 1), factor;
    switch ((node_op)n.op) {
    case NODE_SQRT: return over(p, num(p, 0.5), id);
    case NODE_CBRT:
        factor = num(p, 3);
        return over(p, one, mul(p, factor, square(p, id)));
    case NODE_EXP: return id;
    case NODE_EXPM1: /* f + 1 would lose all digits below -36 */
        return shape_unary(p, NODE_EXP, a);
    case NODE_LOG: return over(p, one, a);
    case NODE_LOG1P: return over(p, one, add(p, one, a));
    case NODE_LOG10: /* 1/log(10) */
        return over(p, num(p, 0.43429448190325182765), a);
    case NODE_SIN: return shape_unary(p, NODE_COS, a);
    case NODE_COS: return neg(p, shape_unary(p, NODE_SIN, a));
    case NODE_TAN: return add(p, one, square(p, id));
    case NODE_ASIN: return over(p, one, root_of(p, one_minus_square(p, a)));
    case NODE_ACOS:
        factor = num(p, -1);
        return over(p, factor, root_of(p, one_minus_square(p, a)));
    case NODE_ATAN: return over(p, one, add(p, one, square(p, a)));
    case NODE_SINH: return shape_unary(p, NODE_COSH, a);
    case NODE_COSH: return shape_unary(p, NODE_SINH, a);
    case NODE_TANH: return one_minus_square(p, id);
    case NODE_ASINH: return over(p, one, root_of(p, add(p, one, square(p, a))));
    case NODE_ACOSH:
        factor = sub(p, a, one);
        return over(p, one, root_of(p, mul(p, factor, add(p, a, one))));
    case NODE_ATANH: return over(p, one, one_minus_square(p, a));
    case NODE_ERF: /* 2/sqrt(pi) */
        factor = num(p, 1.1283791670955125739);
        a = shape_unary(p, NODE_EXP, neg(p, square(p, a)));
        return mul(p, factor, a);
    case NODE_ABS: return shape_unary(p, NODE_SIGN, a);
    case NODE_SINC:
    case NODE_COSC:
    case NODE_SINCC: return shape_family(p, (node_op)n.op, n.order + 1u, a);
    case NODE_STUMPFF: return stumpff_partial(p, n.order, a);
    default: return num(p, 0); /* sign, floor, ceil, not */
    }
}

node_id diff_partial(shape_pool *p, node_id id, int operand)
{
    if (id == NODE_NONE) return NODE_NONE;
    node n = *shape_node(p, id); /* a copy: makers move the nodes */
    int arity = node_arity((node_op)n.op);
    assert(operand >= 0 && operand < arity);
    if (arity > 1 || n.op == NODE_NEG || n.op == NODE_POWI)
        return arithmetic_partial(p, id, n, operand);
    return function_partial(p, id, n);
}

/* Whether an operation is a step: its derivative is 0 where it has one. */
static bool is_step(int op)
{
    return (op >= NODE_LT && op <= NODE_NOT) || op == NODE_SIGN
        || op == NODE_FLOOR || op == NODE_CEIL || op == NODE_PIECE;
}

/* Whether operand k's changes reach the node, as far as `flags` go. */
static bool follows(const shape_pool *p, node_id id, int k, int flags)
{
    const node *n = shape_node(p, id);
    if (is_step(n->op) || (n->op == NODE_SELECT && k == 0)) return false;
    if (n->op == NODE_TABLE && k == 1) return false;
    return (shape_node(p, node_operand(n, k))->flags & flags) != 0;
}

static bool follows_leaves(const shape_pool *p, node_id id, int k)
{
    return follows(p, id, k, NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION);
}

static bool follows_time(const shape_pool *p, node_id id, int k)
{
    return follows(
        p, id, k, NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION | NODE_HAS_TIME);
}

/* factor * d(node)/d(operand k), without a detour through 1/b or -1. */
static node_id times_partial(
    shape_pool *p, node_id factor, node_id id, int operand)
{
    node n = *shape_node(p, id);
    switch ((node_op)n.op) {
    case NODE_ADD: return factor;
    case NODE_SUB: return operand == 0 ? factor : neg(p, factor);
    case NODE_NEG: return neg(p, factor);
    case NODE_DIV:
        if (operand == 0) return over(p, factor, n.b);
        return neg(p, over(p, mul(p, factor, id), n.b));
    default: return mul(p, factor, diff_partial(p, id, operand));
    }
}

/* The same of a gradient, which takes the largest number for an exp that overflows:
 * 1/(1 + exp(a)) divides by it twice, and 0*Inf would be no number where the derivative
 * is 0. */
static node_id times_gradient(
    shape_pool *p, node_id factor, node_id id, int operand)
{
    if (shape_node(p, id)->op != NODE_EXP)
        return times_partial(p, factor, id, operand);
    return mul(p, factor, shape_binary(p, NODE_MIN, id, num(p, DBL_MAX)));
}

/* Without memory, or beyond an index or order that a node can hold? */
static dae_status cause_of_none(const shape_pool *p)
{
    return p->failed ? DAE_MEMORY : DAE_LIMIT;
}

/* ---- the gradient ------------------------------------------------------- */

/* What the root gains from a node: `value` where `mask` is true, nothing
 * where it is false; without a mask (NODE_NONE) everywhere. Where the mask is
 * false, `value` is 0. A value of NODE_NONE: nothing yet. */
typedef struct adjoint {
    node_id value, mask;
} adjoint;

typedef struct sweep {
    shape_pool *pool;
    node_id *nodes; /* what the root depends on, ascending */
    adjoint *adjoints;
    size_t count;
} sweep;

/* a + b, where both are chosen by one condition inside the choice. */
static node_id add_values(shape_pool *p, node_id a, node_id b)
{
    if (a == NODE_NONE || b == NODE_NONE) return NODE_NONE;
    node x = *shape_node(p, a), y = *shape_node(p, b);
    if (x.op == NODE_SELECT && y.op == NODE_SELECT && x.a == y.a) {
        node_id first = add(p, x.b, y.b);
        return shape_select(p, x.a, first, add(p, x.c, y.c));
    }
    return add(p, a, b);
}

/* The mask of a sum; NODE_NONE where either counts everywhere. */
static node_id either_mask(shape_pool *p, node_id a, node_id b)
{
    if (a == NODE_NONE || b == NODE_NONE) return NODE_NONE;
    if (a == b) return a;
    node x = *shape_node(p, a), y = *shape_node(p, b);
    if ((x.op == NODE_NOT && x.a == b) || (y.op == NODE_NOT && y.a == a))
        return NODE_NONE;
    return shape_binary(p, NODE_OR, a, b);
}

/* SELECT(mask, value, 0), with the same choice inside `value` taken off. */
static node_id masked(shape_pool *p, node_id mask, node_id value)
{
    if (mask == NODE_NONE || value == NODE_NONE) return value;
    return shape_select(p, mask, value, num(p, 0));
}

static node_id unmasked(shape_pool *p, node_id mask, node_id value)
{
    if (mask == NODE_NONE || value == NODE_NONE) return value;
    node v = *shape_node(p, value), m = *shape_node(p, mask);
    if (v.op != NODE_SELECT) return value;
    if (v.a == mask && is_zero(p, v.c)) return v.b;
    if (m.op == NODE_NOT && v.a == m.a && is_zero(p, v.b)) return v.c;
    return value;
}

static dae_status contribute(sweep *s, node_id to, adjoint more)
{
    if (more.value == NODE_NONE) return cause_of_none(s->pool);
    if (is_zero(s->pool, more.value)) return DAE_OK;
    adjoint *have = &s->adjoints[collect_place(s->nodes, s->count, to)];
    if (have->value == NODE_NONE) {
        *have = more;
        return DAE_OK;
    }
    have->value = add_values(s->pool, have->value, more.value);
    have->mask = either_mask(s->pool, have->mask, more.mask);
    return have->value == NODE_NONE ? cause_of_none(s->pool) : DAE_OK;
}

/* The mask of the branch that operand k is. */
static node_id branch_mask(shape_pool *p, node_id id, int k)
{
    node n = *shape_node(p, id);
    node_id condition = n.op == NODE_SELECT
        ? n.a
        : second_is_taken(p, (node_op)n.op, n.a, n.b);
    /* of either kind, operand 1 is the one taken where it is true */
    return k == 1 ? condition : shape_unary(p, NODE_NOT, condition);
}

static dae_status pass_to_branch(sweep *s, node_id id, adjoint of, int k)
{
    shape_pool *p = s->pool;
    node_id mask = branch_mask(p, id, k);
    node_id value = unmasked(p, of.mask, of.value);
    if (of.mask != NODE_NONE) mask = shape_binary(p, NODE_AND, of.mask, mask);
    if (mask == NODE_NONE) return cause_of_none(p);
    adjoint to = {masked(p, mask, value), mask};
    return contribute(s, node_operand(shape_node(p, id), k), to);
}

static dae_status pass_to_operand(sweep *s, node_id id, adjoint of, int k)
{
    shape_pool *p = s->pool;
    int op = shape_node(p, id)->op;
    if (op == NODE_SELECT || op == NODE_MIN || op == NODE_MAX)
        return pass_to_branch(s, id, of, k);
    node_id value = unmasked(p, of.mask, of.value);
    adjoint to = {masked(p, of.mask, times_gradient(p, value, id, k)), of.mask};
    return contribute(s, node_operand(shape_node(p, id), k), to);
}

static dae_status sweep_down(sweep *s)
{
    for (size_t i = s->count; i-- > 0;) {
        adjoint of = s->adjoints[i];
        if (of.value == NODE_NONE) continue;
        node_id id = s->nodes[i];
        int arity = node_arity((node_op)shape_node(s->pool, id)->op);
        for (int k = 0; k < arity; k++) {
            if (!follows_leaves(s->pool, id, k)) continue;
            dae_status st = pass_to_operand(s, id, of, k);
            if (st) return st;
        }
    }
    return DAE_OK;
}

static bool is_entry(const sweep *s, size_t i)
{
    const node *n = shape_node(s->pool, s->nodes[i]);
    node_id value = s->adjoints[i].value;
    return n->op == NODE_HOLE
        && (n->flags & (NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION))
        && value != NODE_NONE && !is_zero(s->pool, value);
}

static dae_status take_entries(
    const sweep *s, gradient_entry **entries, size_t *count)
{
    size_t found = 0, place = 0;
    for (size_t i = 0; i < s->count; i++) found += is_entry(s, i);
    gradient_entry *e = alloc_zeroed(s->pool->allocator, found, sizeof *e);
    if (!e) return DAE_MEMORY;
    for (size_t i = 0; i < s->count; i++)
        if (is_entry(s, i))
            e[place++] = (gradient_entry){s->nodes[i], s->adjoints[i].value};
    *entries = e;
    *count = found;
    return DAE_OK;
}

dae_status diff_gradient(
    shape_pool *p, node_id root, gradient_entry **entries, size_t *count)
{
    *entries = NULL;
    *count = 0;
    if (root == NODE_NONE) return cause_of_none(p);
    sweep s = {.pool = p};
    dae_status st = collect_nodes(
        p, &root, 1, follows_leaves, &s.nodes, &s.count);
    if (st) return st;
    s.adjoints = alloc_zeroed(p->allocator, s.count, sizeof *s.adjoints);
    if (!s.adjoints) {
        st = DAE_MEMORY;
        goto done;
    }
    for (size_t i = 0; i < s.count; i++)
        s.adjoints[i] = (adjoint){NODE_NONE, NODE_NONE};
    s.adjoints[s.count - 1].value = num(p, 1); /* the root is the last */
    if ((st = sweep_down(&s))) goto done;
    if (p->failed) { /* where nothing was passed on */
        st = DAE_MEMORY;
        goto done;
    }
    st = take_entries(&s, entries, count);
done:
    alloc_free(p->allocator, s.adjoints, s.count, sizeof *s.adjoints);
    alloc_free(p->allocator, s.nodes, s.count, sizeof *s.nodes);
    return st;
}

/* ---- the time derivative ------------------------------------------------ */

typedef struct forward {
    shape_pool *pool;
    node_id *nodes; /* what the root depends on, ascending */
    node_id *rates; /* their time derivatives */
    size_t count;
} forward;

static node_id leaf_rate(shape_pool *p, node_id id)
{
    node n = *shape_node(p, id);
    if (n.op == NODE_HOLE && n.kind == LEAF_TIME) return num(p, 1);
    if (n.op != NODE_HOLE || n.kind == LEAF_PARAM || n.kind == LEAF_HELD)
        return num(p, 0);
    if (n.order >= order_limit) return NODE_NONE;
    return shape_hole(p, (leaf_kind)n.kind, n.a, n.order + 1u);
}

static node_id operand_rate(const forward *f, node_id id, int k)
{
    if (!follows_time(f->pool, id, k)) return num(f->pool, 0);
    node_id operand = node_operand(shape_node(f->pool, id), k);
    return f->rates[collect_place(f->nodes, f->count, operand)];
}

static node_id choice_rate(const forward *f, node_id id)
{
    shape_pool *p = f->pool;
    node n = *shape_node(p, id);
    node_id rate = operand_rate(f, id, 1);
    if (n.op == NODE_SELECT)
        return shape_select(p, n.a, rate, operand_rate(f, id, 2));
    node_id second = second_is_taken(p, (node_op)n.op, n.a, n.b);
    return shape_select(p, second, rate, operand_rate(f, id, 0));
}

/* Sum over the operands of d(node)/d(operand) * rate(operand). */
static node_id node_rate(const forward *f, node_id id)
{
    shape_pool *p = f->pool;
    int op = shape_node(p, id)->op, arity = node_arity((node_op)op);
    if (arity == 0) return leaf_rate(p, id);
    if (op == NODE_SELECT || op == NODE_MIN || op == NODE_MAX)
        return choice_rate(f, id);
    node_id sum = num(p, 0);
    for (int k = 0; k < arity; k++) {
        node_id rate = operand_rate(f, id, k);
        if (rate != NODE_NONE && is_zero(p, rate)) continue;
        sum = add(p, sum, times_partial(p, rate, id, k));
    }
    return sum;
}

dae_status diff_time(shape_pool *p, node_id root, size_t budget, node_id *out)
{
    *out = NODE_NONE;
    if (root == NODE_NONE) return cause_of_none(p);
    forward f = {.pool = p};
    size_t before = p->nodes.count;
    dae_status st = collect_nodes(
        p, &root, 1, follows_time, &f.nodes, &f.count);
    if (st) return st;
    f.rates = alloc_zeroed(p->allocator, f.count, sizeof *f.rates);
    if (!f.rates) {
        st = DAE_MEMORY;
        goto done;
    }
    for (size_t i = 0; i < f.count; i++) {
        f.rates[i] = node_rate(&f, f.nodes[i]);
        st = f.rates[i] == NODE_NONE ? cause_of_none(p) : DAE_OK;
        if (!st && p->nodes.count - before > budget) st = DAE_LIMIT;
        if (st) goto done;
    }
    *out = f.rates[f.count - 1];
done:
    alloc_free(p->allocator, f.rates, f.count, sizeof *f.rates);
    alloc_free(p->allocator, f.nodes, f.count, sizeof *f.nodes);
    return st;
}

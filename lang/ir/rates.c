/* Forward accumulation over nodes ascending. Quotients and roots are
 * differentiated by what they are, q' = (a' - b' q)/b, whose rate divides by b
 * once more and no oftener. */
#include "ir/rates.h"
#include "ir/collect.h"
#include "ir/diff.h"
#include <assert.h>
#include <math.h>

void rates_init(
    rates *r, shape_pool *p, size_t most, rates_slot_fn *is_slot, void *context)
{
    *r = (rates){
        .pool = p, .most = most, .is_slot = is_slot, .context = context};
}

void rates_clear(rates *r)
{
    ARRAY_FREE(r->pool->allocator, &r->rate);
    ARRAY_FREE(r->pool->allocator, &r->jumps);
}

/* ---- short names for makers ------------------------------------------------ */

static node_id num(shape_pool *p, double value)
{
    return shape_const(p, value);
}

static node_id two(shape_pool *p, node_op op, node_id a, node_id b)
{
    return shape_binary(p, op, a, b);
}

static node_id is_equal(shape_pool *p, node_id a, node_id b)
{
    return two(p, NODE_EQ, a, b);
}

/* NaN where `there` holds. */
static node_id broken(shape_pool *p, node_id there, node_id rate)
{
    const node_id nothing = num(p, (double)NAN);
    return shape_select(p, there, nothing, rate);
}

/* Where `there` holds, or where one of two operands jumps, for a jump can step
 * over the place. */
static node_id there_or_jump(
    const rates *r, node_id there, node_id a, node_id b)
{
    shape_pool *p = r->pool;
    const node_id operand[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        if (operand[k] == NODE_NONE
            || !(r->jumps.items[operand[k]] & RATES_JUMPS))
            continue;
        const node_id rate = rates_of(r, operand[k]);
        there = two(p, NODE_OR, there, two(p, NODE_NE, rate, rate));
    }
    return there;
}

static bool is_nan(const shape_pool *p, node_id id)
{
    double value;
    return shape_is_const(p, id, &value) && isnan(value);
}

/* a*b' + b*a' */
static node_id product_rate(
    shape_pool *p, node_id a, node_id b, node_id da, node_id db)
{
    const node_id first = two(p, NODE_MUL, da, b);
    return two(p, NODE_ADD, first, two(p, NODE_MUL, a, db));
}

/* ---- rates ------------------------------------------------------------------ */

static bool varies(const shape_pool *p, node_id id)
{
    return (shape_node(p, id)->flags & (NODE_HAS_UNKNOWN | NODE_HAS_TIME)) != 0;
}

static node_id leaf_rate(const rates *r, const node *n)
{
    assert(n->kind == LEAF_TIME || n->kind == LEAF_UNKNOWN);
    if (n->kind == LEAF_TIME) return num(r->pool, 1);
    if (!r->is_slot(r->context, n->a, n->order + 1u)) return num(r->pool, 0);
    return shape_hole(r->pool, LEAF_UNKNOWN, n->a, n->order + 1u);
}

static bool is_truth(const shape_pool *p, node_id id)
{
    const unsigned op = shape_node(p, id)->op;
    return op >= NODE_LT && op <= NODE_NOT;
}

/* 0, and NaN where the truth of a condition changes. */
static node_id condition_rate(const rates *r, node_id id)
{
    shape_pool *p = r->pool;
    const node_id zero = num(p, 0);
    if (r->jumps.items[id] & RATES_STEPS) return rates_of(r, id);
    const node_id there = is_equal(p, id, zero);
    return broken(p, there_or_jump(r, there, id, NODE_NONE), zero);
}

static node_id choice_rate(const rates *r, node n)
{
    shape_pool *p = r->pool;
    if (is_nan(p, n.b)) return broken(p, n.a, rates_of(r, n.c));
    const node_id rate = shape_select(
        p, n.a, rates_of(r, n.b), rates_of(r, n.c));
    return two(p, NODE_ADD, rate, condition_rate(r, n.a));
}

/* The first where both are equal. */
static node_id extremum_rate(const rates *r, node n)
{
    shape_pool *p = r->pool;
    const node_id second = n.op == NODE_MIN ? two(p, NODE_LT, n.b, n.a)
                                            : two(p, NODE_LT, n.a, n.b);
    const node_id rate = shape_select(
        p, second, rates_of(r, n.b), rates_of(r, n.a));
    const node_id there = is_equal(p, n.a, n.b);
    return broken(p, there_or_jump(r, there, n.a, n.b), rate);
}

/* a - b*floor(a/b) */
static node_id remainder_rate(const rates *r, node n)
{
    shape_pool *p = r->pool;
    const node_id quotient = two(p, NODE_DIV, n.a, n.b);
    const node_id whole = shape_unary(p, NODE_FLOOR, quotient);
    const node_id less = two(p, NODE_MUL, rates_of(r, n.b), whole);
    const node_id rate = two(p, NODE_SUB, rates_of(r, n.a), less);
    const node_id there = is_equal(p, quotient, whole);
    return broken(p, there_or_jump(r, there, n.a, n.b), rate);
}

static node_id step_rate(const rates *r, node_id id, node n)
{
    shape_pool *p = r->pool;
    const node_id zero = num(p, 0);
    node_id there = NODE_NONE, second = NODE_NONE;
    switch ((node_op)n.op) {
    case NODE_SIGN: there = is_equal(p, n.a, zero); break;
    case NODE_FLOOR:
    case NODE_CEIL: there = is_equal(p, n.a, id); break;
    case NODE_PIECE:
        there = is_equal(p, id, shape_unary(p, NODE_FLOOR, id));
        break;
    case NODE_NOT: return condition_rate(r, n.a);
    case NODE_AND:
    case NODE_OR:
        there = condition_rate(r, n.a);
        return two(p, NODE_ADD, there, condition_rate(r, n.b));
    default:
        second = n.b;
        there = is_equal(p, n.a, n.b);
        break;
    }
    return broken(p, there_or_jump(r, there, n.a, second), zero);
}

static node_id quotient_rate(const rates *r, node_id id, node n)
{
    shape_pool *p = r->pool;
    const node_id less = two(p, NODE_MUL, rates_of(r, n.b), id);
    const node_id above = two(p, NODE_SUB, rates_of(r, n.a), less);
    return two(p, NODE_DIV, above, n.b);
}

static node_id root_rate(const rates *r, node_id id, node n)
{
    shape_pool *p = r->pool;
    const node_id half = num(p, 0.5);
    return two(p, NODE_DIV, two(p, NODE_MUL, half, rates_of(r, n.a)), id);
}

/* (a a' + b b')/id, which has no value at the tip of the cone. */
static node_id hypotenuse_rate(const rates *r, node_id id, node n)
{
    shape_pool *p = r->pool;
    const node_id sum = product_rate(
        p, n.a, n.b, rates_of(r, n.b), rates_of(r, n.a));
    return two(p, NODE_DIV, sum, id);
}

/* By partial derivatives. */
static node_id chained_rate(const rates *r, node_id id, node n)
{
    shape_pool *p = r->pool;
    node_id sum = num(p, 0);
    for (int k = 0; k < node_arity((node_op)n.op); k++) {
        const node_id operand = node_operand(&n, k);
        if (!varies(p, operand)) continue;
        const node_id partial = diff_partial(p, id, k);
        const node_id rate = rates_of(r, operand);
        sum = two(p, NODE_ADD, sum, two(p, NODE_MUL, partial, rate));
    }
    return sum;
}

/* Where the base is 0, and on the cut, series look closer. */
static node_id function_rate(const rates *r, node_id id, node n)
{
    shape_pool *p = r->pool;
    const node_id zero = num(p, 0), rate = chained_rate(r, id, n);
    if (n.op == NODE_POW) return broken(p, is_equal(p, n.a, zero), rate);
    if (n.op != NODE_ATAN2) return rate;
    const node_id side = two(p, NODE_LE, n.b, zero);
    const node_id there = two(p, NODE_AND, is_equal(p, n.a, zero), side);
    return broken(p, there, rate);
}

static node_id magnitude_rate(const rates *r, node n)
{
    shape_pool *p = r->pool;
    const node_id zero = num(p, 0), rate = rates_of(r, n.a);
    const node_id minus = shape_unary(p, NODE_NEG, rate);
    const node_id below = two(p, NODE_LT, n.a, zero);
    return broken(
        p, is_equal(p, n.a, zero), shape_select(p, below, minus, rate));
}

/* The polynomial of the piece; at its knots as the number of the piece. */
static node_id signal_rate(const rates *r, node_id id, node n)
{
    shape_pool *p = r->pool;
    const node_id slope = diff_partial(p, id, 0);
    const node_id rate = two(p, NODE_MUL, slope, rates_of(r, n.a));
    return two(p, NODE_ADD, rate, rates_of(r, n.b));
}

static node_id node_rate(const rates *r, node_id id)
{
    shape_pool *p = r->pool;
    const node n = *shape_node(p, id); /* makers move the nodes */
    if (!varies(p, id)) return num(p, 0);
    switch ((node_op)n.op) {
    case NODE_HOLE: return leaf_rate(r, &n);
    case NODE_ADD:
    case NODE_SUB:
        return two(p, (node_op)n.op, rates_of(r, n.a), rates_of(r, n.b));
    case NODE_NEG: return shape_unary(p, NODE_NEG, rates_of(r, n.a));
    case NODE_MUL:
        return product_rate(p, n.a, n.b, rates_of(r, n.a), rates_of(r, n.b));
    case NODE_DIV: return quotient_rate(r, id, n);
    case NODE_SQRT: return root_rate(r, id, n);
    case NODE_HYPOT: return hypotenuse_rate(r, id, n);
    case NODE_ABS: return magnitude_rate(r, n);
    case NODE_MIN:
    case NODE_MAX: return extremum_rate(r, n);
    case NODE_MOD: return remainder_rate(r, n);
    case NODE_SELECT: return choice_rate(r, n);
    case NODE_TABLE: return signal_rate(r, id, n);
    case NODE_SIGN:
    case NODE_FLOOR:
    case NODE_CEIL:
    case NODE_PIECE: return step_rate(r, id, n);
    default: break;
    }
    return is_truth(p, id) ? step_rate(r, id, n) : function_rate(r, id, n);
}

static unsigned jumps_below(const rates *r, node n)
{
    unsigned jumps = 0;
    for (int k = 0; k < node_arity((node_op)n.op); k++)
        jumps |= r->jumps.items[node_operand(&n, k)];
    return jumps & RATES_JUMPS;
}

static unsigned jumps_of(const rates *r, node_id id)
{
    const node n = *shape_node(r->pool, id);
    const uint8_t *of = r->jumps.items;
    if (!varies(r->pool, id)) return RATES_STEPS;
    if (is_truth(r->pool, id)) return RATES_JUMPS | RATES_STEPS;
    switch ((node_op)n.op) {
    case NODE_HOLE: return 0;
    case NODE_SIGN:
    case NODE_FLOOR:
    case NODE_CEIL: return RATES_JUMPS | RATES_STEPS;
    case NODE_MOD:
    case NODE_ATAN2:
    case NODE_PIECE: return RATES_JUMPS;
    case NODE_SELECT:
        return (of[n.b] & of[n.c] & RATES_STEPS) | jumps_below(r, n)
            | (varies(r->pool, n.a) ? RATES_JUMPS : 0);
    default: return jumps_below(r, n);
    }
}

static bool reserve(rates *r)
{
    const dae_allocator *a = r->pool->allocator;
    while (r->rate.count < r->pool->nodes.count)
        if (!ARRAY_PUSH(a, &r->rate, NODE_NONE) || !ARRAY_PUSH(a, &r->jumps, 0))
            return false;
    return true;
}

dae_status rates_take(rates *r, const node_id *roots, size_t count)
{
    shape_pool *p = r->pool;
    node_id *nodes;
    size_t node_count;
    if (!reserve(r)) return DAE_MEMORY;
    dae_status st = shape_needed(p, roots, count, &nodes, &node_count);
    if (st) return st;
    for (size_t k = 0; k < node_count && !st; k++) {
        if (rates_of(r, nodes[k]) != NODE_NONE) continue;
        r->jumps.items[nodes[k]] = (uint8_t)jumps_of(r, nodes[k]);
        const node_id rate = node_rate(r, nodes[k]);
        r->rate.items[nodes[k]] = rate;
        if (rate == NODE_NONE) st = p->failed ? DAE_MEMORY : DAE_LIMIT;
        if (p->nodes.count > r->most) st = DAE_LIMIT;
    }
    alloc_free(p->allocator, nodes, node_count, sizeof *nodes);
    return st;
}

/* Factors that are never 0 say nothing: (1 + x^2)*(y' - x) = 0 is y' = x, and so
 * is exp(t)*y' = exp(t)*x. Left in, their derivatives would stand in the Jacobian
 * wherever an equation does not hold yet, and ranks there be those of another
 * system. Numbers and params that stand alone stay: they are units. */
#include "sema/lowering.h"

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

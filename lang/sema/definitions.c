/* Making definitions of terms, and knowing which of them follow the unknowns
 * and which only time. */
#include "sema/lowering.h"

#include <assert.h>

/* Remembers whether definition `id` (the next one) depends on unknowns. */
static bool note_definition(lowering *l, uint32_t id, bool moves)
{
    while (l->definition_moves.count <= id) {
        if (!ARRAY_PUSH(l->allocator, &l->definition_moves, 0)) return false;
    }
    l->definition_moves.items[id] = moves;
    return true;
}

/* Looks at the leaves of the current builder, which an expression of it has
 * at most: a leaf that dropped out again makes the answer cautious. */
bool value_moves(const lowering *l, value v)
{
    if (v.kind != VALUE_EXPR) return false;
    uint8_t flags = shape_node(&l->s->shapes, v.node)->flags;
    if (flags & NODE_HAS_UNKNOWN) return true;
    if (!(flags & NODE_HAS_DEFINITION)) return false;
    for (size_t k = 0; k < l->builder->leaves.count; k++) {
        const builder_leaf *leaf = &l->builder->leaves.items[k];
        if (leaf->kind == LEAF_DEFINITION
            && l->definition_moves.items[leaf->object]) {
            return true;
        }
    }
    return false;
}

value define_term(lowering *l, definition_kind kind, node_id root)
{
    bool moves = value_moves(l, (value){.kind = VALUE_EXPR, .node = root});
    term t;
    uint32_t id;
    dae_status st = term_finish(l, root, &t);
    if (!st) st = system_begin_definition(l->s, kind, &id);
    if (!st) {
        l->s->definitions.items[id].span = l->part_span;
        st = system_add_row(
            l->s, GROUP_DEFINITION, t.root, t.count, id, t.holes);
    }
    if (st || !note_definition(l, id, moves)) {
        l->failed_memory = true;
        return value_error();
    }
    return (value){.kind = VALUE_DEFINITION, .node = id};
}

node_id weight_choice(shape_pool *p, node_id v, node_id e, node_id above,
    node_id below, node_id between)
{
    const node_id one = shape_const(p, 1);
    const node_id sum = shape_binary(p, NODE_ADD, v, e);
    const node_id high = shape_binary(p, NODE_MIN, sum, one);
    const node_id is_up = shape_binary(p, NODE_LT, one, sum);
    const node_id is_down = shape_binary(p, NODE_LT, high, shape_const(p, -1));
    return shape_select(
        p, is_up, above, shape_select(p, is_down, below, between));
}

/* e - v*abs(v); or v - max(min(v + e, 1), -1), whose three pieces are v - 1, v + 1
 * and e. Of e that counts which is not lost beside 1, as in the comparisons of v + e: a
 * time at which it is 0 is known to rounding only. */
static node_id own_equation(
    shape_pool *p, definition_own own, node_id v, node_id e)
{
    if (own == OWN_ROOT)
        return shape_binary(p, NODE_SUB, e,
            shape_binary(p, NODE_MUL, v, shape_unary(p, NODE_ABS, v)));
    assert(own == OWN_WEIGHT);
    const node_id one = shape_const(p, 1);
    const node_id seen = shape_binary(p, NODE_ADD, e, one);
    return weight_choice(p, v, e, shape_binary(p, NODE_SUB, v, one),
        shape_binary(p, NODE_ADD, v, one),
        shape_binary(p, NODE_SUB, seen, one));
}

value define_unknown(
    lowering *l, definition_own own, node_id root, node_id of, text_span span)
{
    const text_span outer = l->part_span;
    l->part_span = span;
    const value d = define_term(l, DEFINITION_PART, root);
    l->part_span = outer;
    const value v = value_resolve(l, d);
    if (v.kind != VALUE_EXPR) return value_error();
    l->s->definitions.items[d.node].own = (uint8_t)own;
    const value equation = {.kind = VALUE_EXPR,
        .node = own_equation(&l->s->shapes, own, v.node, of)};
    if (add_value_row(l, GROUP_OWN, d.node, equation)) l->failed_memory = true;
    return l->failed_memory ? value_error() : v;
}

value value_export(lowering *l, definition_kind kind, value v)
{
    if (v.kind != VALUE_EXPR) return v;
    const node *n = shape_node(&l->s->shapes, v.node);
    if (n->op == NODE_HOLE && n->kind == LEAF_UNKNOWN) {
        value alias = {.kind = VALUE_ALIAS};
        alias.node = l->builder->leaves.items[n->a].object;
        alias.number = n->order;
        return alias;
    }
    bool is_plain = n->op == NODE_HOLE && n->kind == LEAF_DEFINITION
        && n->order == 0;
    if (is_plain) {
        uint32_t id = l->builder->leaves.items[n->a].object;
        return (value){.kind = VALUE_DEFINITION, .node = id};
    }
    return define_term(l, kind, v.node);
}

value value_resolve(lowering *l, value v)
{
    if (v.kind == VALUE_DEFINITION) {
        return builder_leaf_value(l, LEAF_DEFINITION, v.node, 0);
    }
    if (v.kind == VALUE_ALIAS) {
        return builder_leaf_value(l, LEAF_UNKNOWN, v.node, (unsigned)v.number);
    }
    return v;
}

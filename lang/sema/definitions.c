/* Making definitions of terms, and knowing which of them follow the unknowns
 * and which only time. */
#include "sema/lowering.h"

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

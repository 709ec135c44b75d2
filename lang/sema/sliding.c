/* `sliding = on`: what a sign or a condition chooses between becomes a combination
 * that an internal unknown weighs, the sign's value v between -1 and 1
 * (definition_own). Where both sides lead back to e = 0 the run goes on along it with
 * the v that keeps it there, which is Filippov's convex combination where v enters
 * linearly: in F = (1 + v)/2 F+ + (1 - v)/2 F-. The same sign has one v wherever it
 * stands, also with its sides exchanged. */
#include "sema/lowering.h"

#include "ir/bounds.h"
#include "ir/collect.h"
#include <string.h>

enum { ROOM_AT_FIRST = 64 };

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * 0x9E3779B97F4A7C15U;
    return a ^ a >> 29;
}

/* What an operation does, without its operands. */
static uint64_t hash_operation(const lowering *l, const node *n)
{
    uint64_t h = mix(n->op, (uint64_t)n->kind << 8 | n->order), bits = 0;
    if (n->op == NODE_HOLE)
        return mix(h, l->builder->leaves.items[n->a].object);
    if (n->op == NODE_CONST) memcpy(&bits, &n->value, sizeof bits);
    if (n->op == NODE_POWI) bits = (uint64_t)(uint32_t)n->exponent;
    if (node_has_signal((node_op)n->op)) bits = n->c;
    return mix(h, bits);
}

static uint64_t hash_node(
    const lowering *l, const node *n, const uint64_t of[3])
{
    const int arity = node_arity((node_op)n->op);
    const bool is_turned = (n->op == NODE_ADD || n->op == NODE_MUL)
        && of[0] > of[1];
    uint64_t h = hash_operation(l, n);
    for (int k = 0; k < arity; k++) h = mix(h, of[is_turned ? 1 - k : k]);
    return h;
}

/* Equal for equal expressions of whatever rows, and for a - b, b - a and -(a - b);
 * 0 where memory ran out. `is_turned`: of two that differ in sign, the other one. */
static uint64_t hash_of(lowering *l, node_id e, bool *is_turned)
{
    const shape_pool *p = &l->s->shapes;
    const arena_position mark = arena_mark(&l->scratch);
    node_id *nodes;
    size_t count;
    uint64_t result = 0;
    *is_turned = false;
    for (; shape_node(p, e)->op == NODE_NEG; e = shape_node(p, e)->a)
        *is_turned = !*is_turned;
    if (shape_needed(p, &e, 1, &nodes, &count)) return 0;
    uint64_t *hash = ARENA_ARRAY(&l->scratch, uint64_t, count);
    for (size_t k = 0; hash && k < count; k++) {
        const node *n = shape_node(p, nodes[k]);
        uint64_t of[3] = {0};
        for (int o = 0; o < node_arity((node_op)n->op); o++)
            of[o] = hash[collect_place(nodes, count, node_operand(n, o))];
        if (nodes[k] == e && n->op == NODE_SUB && of[0] > of[1]) {
            const uint64_t first = of[0];
            of[0] = of[1];
            of[1] = first;
            *is_turned = !*is_turned;
        }
        result = hash[k] = hash_node(l, n, of);
    }
    alloc_free(p->allocator, nodes, count, sizeof *nodes);
    arena_release(&l->scratch, mark);
    return result ? result : hash != NULL;
}

static bool grow(lowering *l)
{
    sliding_table *t = &l->weights;
    const size_t old = t->room;
    sliding_entry *before = t->entries;
    if (old > 2 * t->count) return true;
    t->room = old ? 2 * old : ROOM_AT_FIRST;
    t->entries = alloc_zeroed(l->allocator, t->room, sizeof *t->entries);
    if (!t->entries) {
        t->entries = before;
        t->room = old;
        return false;
    }
    for (size_t k = 0; k < old; k++) {
        size_t at = (size_t)before[k].hash & (t->room - 1);
        while (before[k].hash && t->entries[at].hash)
            at = (at + 1) & (t->room - 1);
        if (before[k].hash) t->entries[at] = before[k];
    }
    alloc_free(l->allocator, before, old, sizeof *before);
    return true;
}

/* The entry of an expression, with hash 0 where it is new; NULL: no memory. */
static sliding_entry *find(lowering *l, uint64_t hash)
{
    sliding_table *t = &l->weights;
    if (!hash || !grow(l)) return NULL;
    size_t at = (size_t)hash & (t->room - 1);
    while (t->entries[at].hash && t->entries[at].hash != hash)
        at = (at + 1) & (t->room - 1);
    return &t->entries[at];
}

/* -e. */
static node_id turned(shape_pool *p, node_id e)
{
    const node n = *shape_node(p, e);
    if (n.op == NODE_SUB) return shape_binary(p, NODE_SUB, n.b, n.a);
    return shape_unary(p, NODE_NEG, e);
}

/* The weight of e, or (`is_negative`) of -e, which *e becomes. */
static value weight_of(
    lowering *l, node_id *e, bool *is_negative, text_span span)
{
    bool is_turned;
    sliding_entry *entry = find(l, hash_of(l, *e, &is_turned));
    *is_negative = entry && entry->hash && entry->is_turned != is_turned;
    if (*is_negative) *e = turned(&l->s->shapes, *e);
    if (entry && entry->hash)
        return builder_leaf_value(l, LEAF_DEFINITION, entry->definition, 0);
    const node_id sign = shape_unary(&l->s->shapes, NODE_SIGN, *e);
    const value v = !entry || sign == NODE_NONE
        ? value_error()
        : define_unknown(l, OWN_WEIGHT, sign, *e, span);
    if (v.kind != VALUE_EXPR) {
        l->failed_memory = true;
        return value_error();
    }
    const node *leaf = shape_node(&l->s->shapes, v.node);
    *entry = (sliding_entry){hash_of(l, *e, &is_turned),
        l->builder->leaves.items[leaf->a].object, is_turned};
    l->weights.count++;
    return v;
}

value sliding_sign(lowering *l, node_id e, text_span span)
{
    bool is_negative;
    const value v = weight_of(l, &e, &is_negative, span);
    return v.kind == VALUE_EXPR && is_negative
        ? scalar_unary(l, NODE_NEG, v, span)
        : v;
}

node_id sliding_of(lowering *l, node_id leaf, node_id e)
{
    const node *n = shape_node(&l->s->shapes, leaf);
    bool is_turned;
    if (!l->slides || n->op != NODE_HOLE || n->kind != LEAF_DEFINITION)
        return NODE_NONE;
    const uint32_t id = l->builder->leaves.items[n->a].object;
    if (l->s->definitions.items[id].own != OWN_WEIGHT) return NODE_NONE;
    const sliding_entry *entry = find(l, hash_of(l, e, &is_turned));
    if (!entry || !entry->hash || entry->definition != id) return NODE_NONE;
    return entry->is_turned == is_turned ? e : turned(&l->s->shapes, e);
}

static bool has_value_everywhere(lowering *l, node_id id)
{
    const builder *b = l->builder;
    uint32_t *objects = ARENA_ARRAY(&l->scratch, uint32_t, b->leaves.count + 1);
    for (size_t k = 0; objects && k < b->leaves.count; k++)
        objects[k] = b->leaves.items[k].object;
    if (!objects) l->failed_memory = true;
    return objects && bounds_of(l->s, id, objects).is_total;
}

/* (1 + v)/2 above + (1 - v)/2 below. */
static node_id combine(shape_pool *p, node_id v, node_id above, node_id below)
{
    const node_id one = shape_const(p, 1), half = shape_const(p, 0.5);
    const node_id up = shape_binary(
        p, NODE_MUL, half, shape_binary(p, NODE_ADD, one, v));
    const node_id down = shape_binary(
        p, NODE_MUL, half, shape_binary(p, NODE_SUB, one, v));
    return shape_binary(p, NODE_ADD, shape_binary(p, NODE_MUL, up, above),
        shape_binary(p, NODE_MUL, down, below));
}

value sliding_choice(lowering *l, value choice, text_span span)
{
    shape_pool *p = &l->s->shapes;
    const node n = *shape_node(p, choice.node);
    const node c = *shape_node(p, n.a);
    if (n.op != NODE_SELECT || (c.op != NODE_LT && c.op != NODE_LE))
        return choice;
    node_id e = shape_binary(p, NODE_SUB, c.b, c.a);
    if (e == NODE_NONE || !value_moves(l, (value){VALUE_EXPR, .node = e}))
        return choice;
    const arena_position mark = arena_mark(&l->scratch);
    const bool are_total = has_value_everywhere(l, n.b)
        && has_value_everywhere(l, n.c);
    arena_release(&l->scratch, mark);
    bool is_negative;
    const value v = weight_of(l, &e, &is_negative, span);
    if (v.kind != VALUE_EXPR) return v;
    const node_id above = is_negative ? n.c : n.b;
    const node_id below = is_negative ? n.b : n.c;
    node_id both = combine(p, v.node, above, below);
    if (!are_total) /* one alone is evaluated unless the run slides */
        both = weight_choice(p, v.node, e, above, below, both);
    if (both == NODE_NONE) l->failed_memory = true;
    return l->failed_memory ? value_error()
                            : (value){.kind = VALUE_EXPR, .node = both};
}

dae_status sliding_end(lowering *l)
{
    l->slides = false;
    return DAE_OK;
}

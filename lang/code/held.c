/* Nodes are visited from the leaves up, as every pass over shapes. A derivative
 * that the compiler has taken looks at the same numbers as what it is the
 * derivative of (ir/diff.c): sign(a) of abs(a), b < a of min(a, b), the whole part
 * of a/b of mod(a, b); so these have the same root function, and are one place. */
#include "code/held.h"
#include "code/switches.h"
#include "ir/collect.h"
#include <dae/events.h>

typedef struct rewriting {
    shape_pool *pool;
    arena *memory;
    const node_id *nodes; /* below the roots, ascending */
    size_t count;
    uint8_t *is_wanted; /* outside the choices at tips (switches.h) */
    node_id *plain;     /* with operands that are held */
    node_id *value;     /* held itself */
    held_shape *shape;
    bool is_open; /* places may be added */
} rewriting;

bool held_is_switch(const shape_pool *p, node_id id)
{
    const node *n = shape_node(p, id);
    const node_op op = (node_op)n->op;
    if (op == NODE_HOLE || op == NODE_CONST) return false;
    if (!(n->flags & (NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION | NODE_HAS_TIME)))
        return false;
    return switch_has_edge(op) || switch_is_kink(op);
}

held_edge held_edge_of(const shape_pool *p, node_id id)
{
    const node *n = shape_node(p, id);
    switch ((node_op)n->op) {
    case NODE_LT: return (held_edge){n->a, n->b, DAE_SWITCH_BELOW, 0, false};
    case NODE_LE:
        return (held_edge){n->a, n->b, DAE_SWITCH_NOT_ABOVE, 0, false};
    case NODE_EQ:
    case NODE_NE: return (held_edge){n->a, n->b, DAE_SWITCH_SIGN, 0, false};
    case NODE_MIN: return (held_edge){n->b, n->a, DAE_SWITCH_BELOW, 0, true};
    case NODE_MAX: return (held_edge){n->a, n->b, DAE_SWITCH_BELOW, 0, true};
    case NODE_MOD:
        return (held_edge){n->a, n->b, DAE_SWITCH_FLOOR, true, false};
    case NODE_FLOOR:
        return (held_edge){n->a, NODE_NONE, DAE_SWITCH_FLOOR, 0, false};
    case NODE_CEIL:
        return (held_edge){n->a, NODE_NONE, DAE_SWITCH_CEIL, 0, false};
    case NODE_ABS:
        return (held_edge){n->a, NODE_NONE, DAE_SWITCH_SIGN, 0, true};
    default: return (held_edge){n->a, NODE_NONE, DAE_SWITCH_SIGN, 0, false};
    }
}

static size_t place_of(const rewriting *w, node_id id)
{
    return collect_place(w->nodes, w->count, id);
}

/* What is looked at only by the condition of a tip is not wanted, nor is abs(q) in
 * q*abs(q): its branches meet with their slopes, so that nothing has to be located. */
static void find_wanted(rewriting *w, const node_id *roots, size_t count)
{
    for (size_t k = 0; k < count; k++) w->is_wanted[place_of(w, roots[k])] = 1;
    for (size_t i = w->count; i-- > 0;) {
        const node *n = shape_node(w->pool, w->nodes[i]);
        const bool is_tip = switch_is_tip(w->pool, n);
        for (int k = 0; k < node_arity((node_op)n->op); k++)
            if ((k > 0 || !is_tip) && !switch_is_square(w->pool, n, k))
                w->is_wanted[place_of(w, node_operand(n, k))] = 1;
    }
}

/* The number of a place, which may be new; UINT32_MAX: there is none. */
static uint32_t find_place(
    rewriting *w, node_id at, node_id root, const held_edge *edge)
{
    held_shape *s = w->shape;
    uint32_t k = 0;
    while (k < s->count
        && (s->places[k].root != root || s->places[k].kind != edge->kind))
        k++;
    if (!w->is_open) return k < s->count ? k : UINT32_MAX;
    if (k == s->count)
        s->places[s->count++] = (held_place){
            at, root, edge->kind, edge->is_kink};
    s->places[k].is_kink = s->places[k].is_kink && edge->is_kink;
    return k;
}

/* The value with the number h, of operands that are held. */
static node_id value_with(
    shape_pool *p, node_op op, node_id a, node_id b, node_id h)
{
    switch (op) {
    case NODE_EQ:
    case NODE_NE: return shape_binary(p, op, h, shape_const(p, 0));
    case NODE_ABS: return shape_binary(p, NODE_MUL, h, a);
    case NODE_MIN:
    case NODE_MAX: return shape_select(p, h, b, a);
    case NODE_MOD:
        return shape_binary(p, NODE_SUB, a, shape_binary(p, NODE_MUL, b, h));
    default: return h;
    }
}

/* Of a measured signal that is continuous at its rows, and not differentiated:
 * the pieces meet there. */
static bool pieces_meet(const rewriting *w, node_id id)
{
    const node *n = shape_node(w->pool, id);
    if (n->op != NODE_FLOOR || shape_node(w->pool, n->a)->op != NODE_PIECE)
        return false;
    for (size_t k = 0; k < w->count; k++) {
        const node *user = shape_node(w->pool, w->nodes[k]);
        for (int o = 0; o < node_arity((node_op)user->op); o++) {
            if (node_operand(user, o) != id) continue;
            if (user->op != NODE_TABLE || user->order > 0) return false;
            if (signal_degree(user->table) == 0) return false;
        }
    }
    return true;
}

static node_id hold(rewriting *w, size_t i)
{
    shape_pool *p = w->pool;
    const node n = *shape_node(p, w->nodes[i]); /* makers move the nodes */
    held_edge edge = held_edge_of(p, w->nodes[i]);
    edge.is_kink = edge.is_kink || pieces_meet(w, w->nodes[i]);
    const node_id a = w->value[place_of(w, edge.a)];
    node_id root = a;
    if (edge.b != NODE_NONE)
        root = shape_binary(p, edge.is_ratio ? NODE_DIV : NODE_SUB, a,
            w->value[place_of(w, edge.b)]);
    if (root == NODE_NONE || shape_is_const(p, root, NULL)) return w->plain[i];
    const uint32_t place = find_place(w, w->nodes[i], root, &edge);
    if (place == UINT32_MAX) return w->plain[i];
    const node_id h = shape_hole(p, LEAF_HELD, w->shape->first_hole + place, 0);
    const node_id first = w->value[place_of(w, n.a)];
    const node_id second = node_arity((node_op)n.op) > 1
        ? w->value[place_of(w, n.b)]
        : NODE_NONE;
    const node_id held = value_with(p, (node_op)n.op, first, second, h);
    return shape_select(p, shape_binary(p, NODE_NE, h, h), w->plain[i], held);
}

static bool rewrite_node(rewriting *w, size_t i)
{
    const node n = *shape_node(w->pool, w->nodes[i]);
    const bool is_tip = switch_is_tip(w->pool, &n);
    node_id operand[3] = {NODE_NONE, NODE_NONE, NODE_NONE};
    bool is_new = false;
    for (int k = 0; k < node_arity((node_op)n.op); k++) {
        const node_id old = node_operand(&n, k);
        const size_t at = place_of(w, old);
        operand[k] = k == 0 && is_tip ? w->plain[at] : w->value[at];
        is_new = is_new || operand[k] != old;
    }
    w->plain[i] = is_new ? shape_remake(w->pool, &n, operand) : w->nodes[i];
    w->value[i] = w->is_wanted[i] && held_is_switch(w->pool, w->nodes[i])
        ? hold(w, i)
        : w->plain[i];
    return w->value[i] != NODE_NONE && w->plain[i] != NODE_NONE;
}

static uint32_t count_switches(const rewriting *w)
{
    uint32_t count = 0;
    for (size_t i = 0; i < w->count; i++)
        count += held_is_switch(w->pool, w->nodes[i]);
    return count;
}

static dae_status rewrite(rewriting *w, node_id *roots, size_t count)
{
    const uint32_t room = count_switches(w);
    if (room == 0) return DAE_OK;
    w->is_wanted = ARENA_ARRAY(w->memory, uint8_t, w->count);
    w->plain = ARENA_ARRAY(w->memory, node_id, w->count);
    w->value = ARENA_ARRAY(w->memory, node_id, w->count);
    if (w->is_open) w->shape->places = ARENA_ARRAY(w->memory, held_place, room);
    if (!w->is_wanted || !w->plain || !w->value || !w->shape->places)
        return DAE_MEMORY;
    find_wanted(w, roots, count);
    for (size_t i = 0; i < w->count; i++)
        if (!rewrite_node(w, i)) return DAE_MEMORY;
    for (size_t k = 0; k < count; k++)
        roots[k] = w->value[place_of(w, roots[k])];
    return DAE_OK;
}

static dae_status rewrite_all(shape_pool *p, held_shape *s, bool is_open,
    arena *memory, node_id *roots, size_t count)
{
    node_id *nodes;
    rewriting w = {.pool = p, .memory = memory, .shape = s, .is_open = is_open};
    dae_status st = shape_needed(p, roots, count, &nodes, &w.count);
    if (st) return st;
    w.nodes = nodes;
    st = rewrite(&w, roots, count);
    alloc_free(p->allocator, nodes, w.count, sizeof *nodes);
    return st;
}

dae_status held_rewrite(shape_pool *p, node_id text, uint32_t first_hole,
    arena *memory, held_shape *out, node_id *root)
{
    *out = (held_shape){.text = text, .first_hole = first_hole};
    *root = text;
    return rewrite_all(p, out, true, memory, root, 1);
}

dae_status held_rewrite_others(shape_pool *p, const held_shape *s,
    arena *scratch, node_id *roots, size_t count)
{
    held_shape known = *s;
    if (count == 0) return DAE_OK;
    const arena_position mark = arena_mark(scratch);
    const dae_status st = rewrite_all(p, &known, false, scratch, roots, count);
    arena_release(scratch, mark);
    return st;
}

/* ---- renumbering holes ------------------------------------------------------- */

typedef struct numbering {
    shape_pool *pool;
    const node_id *nodes;
    size_t count;
    node_id *compact; /* of each */
    uint32_t *holes, hole_count;
} numbering;

static uint32_t number_of(numbering *w, uint32_t hole)
{
    uint32_t k = 0;
    while (k < w->hole_count && w->holes[k] != hole) k++;
    if (k == w->hole_count) w->holes[w->hole_count++] = hole;
    return k;
}

static bool renumber(numbering *w, size_t i)
{
    const node n = *shape_node(w->pool, w->nodes[i]);
    node_id operand[3] = {NODE_NONE, NODE_NONE, NODE_NONE};
    for (int k = 0; k < node_arity((node_op)n.op); k++)
        operand[k] =
            w->compact[collect_place(w->nodes, w->count, node_operand(&n, k))];
    if (n.op == NODE_CONST) w->compact[i] = w->nodes[i];
    else if (n.op == NODE_HOLE)
        w->compact[i] = shape_hole(
            w->pool, (leaf_kind)n.kind, number_of(w, n.a), n.order);
    else w->compact[i] = shape_remake(w->pool, &n, operand);
    return w->compact[i] != NODE_NONE;
}

dae_status held_compact(shape_pool *p, node_id root, arena *memory,
    node_id *compact, uint32_t **holes, uint32_t *count)
{
    numbering w = {.pool = p};
    node_id *nodes;
    dae_status st = shape_needed(p, &root, 1, &nodes, &w.count);
    if (st) return st;
    w.nodes = nodes;
    w.compact = ARENA_ARRAY(memory, node_id, w.count);
    w.holes = ARENA_ARRAY(memory, uint32_t, w.count);
    if (!w.compact || !w.holes) st = DAE_MEMORY;
    for (size_t i = 0; i < w.count && !st; i++)
        if (!renumber(&w, i)) st = DAE_MEMORY;
    if (!st) *compact = w.compact[w.count - 1];
    *holes = w.holes;
    *count = w.hole_count;
    alloc_free(p->allocator, nodes, w.count, sizeof *nodes);
    return st;
}

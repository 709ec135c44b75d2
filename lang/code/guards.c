/* Every row is gone through twice: upwards for the values that follow from what is held
 * alone, NaN where they do not, and downwards for what they decide: a branch that is not
 * taken, or the other operand of `and` and `or`, needs nothing. */
#include "code/guards.h"
#include "code/levels.h"
#include "code/slots.h"
#include "ir/collect.h"
#include <math.h>
#include <string.h>

typedef struct walk {
    compiled *c;
    bool is_always;      /* nothing is known of what is held, or decides */
    uint8_t *needed;     /* held_count */
    uint8_t *is_wanted;  /* per definition: the same bits */
    double *definition;  /* its value, or NaN */
    double *value;       /* per node */
    uint8_t *is_reached; /* per node */
    const row_set *set;  /* whose nodes these are: */
    node_id *nodes;
    size_t count;
} walk;

static const node *node_at(const walk *w, node_id id)
{
    return shape_node(&w->c->s->shapes, id);
}

static dae_status open_set(walk *w, const row_set *set)
{
    if (w->set == set) return DAE_OK;
    const dae_allocator *a = w->c->s->shapes.allocator;
    alloc_free(a, w->nodes, w->count, sizeof *w->nodes);
    w->set = NULL;
    w->nodes = NULL;
    w->count = 0;
    const dae_status st = shape_needed(
        &w->c->s->shapes, &set->root, 1, &w->nodes, &w->count);
    if (!st) w->set = set;
    return st;
}

/* `h != h` asks whether a place is free (code/held.c). */
static bool asks_if_free(const walk *w, const node *n)
{
    const node *condition = node_at(w, n->a);
    return n->op == NODE_SELECT && condition->op == NODE_NE
        && condition->a == condition->b;
}

/* ---- upwards --------------------------------------------------------------------------- */

static double leaf_value(const walk *w, const node *n, const uint32_t *row)
{
    const leaf l = {0, n->a, n->kind, n->order};
    program_space space;
    const uint32_t k = slots_resolve(w->c, &l, row, false, &space);
    switch (space) {
    case SPACE_PARAM: return w->c->s->param_values.items[k];
    case SPACE_DEF: return w->definition[k];
    case SPACE_HELD: return w->is_always ? (double)NAN : w->c->held[k];
    default: return (double)NAN;
    }
}

/* false and anything is false, true or anything is true. */
static double truth_of(const node *n, double a, double b)
{
    const double decided = n->op == NODE_OR;
    if ((a != 0) == (decided != 0) && !isnan(a)) return decided;
    if ((b != 0) == (decided != 0) && !isnan(b)) return decided;
    return isnan(a) || isnan(b) ? (double)NAN : 1 - decided;
}

static double value_of(const walk *w, node_id id, const uint32_t *row)
{
    const node *n = node_at(w, id);
    const int arity = node_arity((node_op)n->op);
    if (n->op == NODE_HOLE) return leaf_value(w, n, row);
    if (n->op == NODE_CONST) return n->value;
    const double a = arity > 0 ? w->value[n->a] : 0;
    const double b = arity > 1 ? w->value[n->b] : 0;
    const double c = arity > 2 ? w->value[n->c] : 0;
    if (n->op == NODE_AND || n->op == NODE_OR) return truth_of(n, a, b);
    if (asks_if_free(w, n)) return c;
    if (n->op == NODE_SELECT) return isnan(a) ? (double)NAN : a != 0 ? b : c;
    return isnan(a) || isnan(b) || isnan(c) ? (double)NAN
                                            : node_apply(n, a, b, c);
}

/* ---- downwards ------------------------------------------------------------------------- */

static bool is_decided(const walk *w, node_id id, double by)
{
    const double v = w->value[id];
    return !isnan(v) && (v != 0) == (by != 0);
}

static bool needs_operand(const walk *w, const node *n, int k)
{
    /* of one that is held, see_roots looks at the root function */
    if (asks_if_free(w, n))
        return k == 2 || (k == 1 && isnan(w->value[node_at(w, n->a)->a]));
    if (n->op == NODE_SELECT && k > 0)
        return isnan(w->value[n->a]) ? !w->is_always
                                     : (w->value[n->a] != 0) == (k == 1);
    if (w->is_always && (n->op == NODE_AND || n->op == NODE_OR)) return false;
    if (n->op == NODE_AND || n->op == NODE_OR)
        return !is_decided(w, k == 0 ? n->b : n->a, n->op == NODE_OR);
    return true;
}

static void need_leaf(walk *w, const node *n, const uint32_t *row, uint8_t bits)
{
    const leaf l = {0, n->a, n->kind, n->order};
    program_space space;
    const uint32_t k = slots_resolve(w->c, &l, row, false, &space);
    if (space == SPACE_DEF) w->is_wanted[k] |= bits;
    if (space == SPACE_HELD && k < w->c->held_count) w->needed[k] |= bits;
}

static void reach(walk *w, const uint32_t *row, uint8_t bits)
{
    for (size_t i = 0; i < w->count; i++) w->is_reached[w->nodes[i]] = 0;
    w->is_reached[w->set->root] = 1;
    for (size_t i = w->count; i-- > 0;) {
        const node *n = node_at(w, w->nodes[i]);
        if (!w->is_reached[w->nodes[i]]) continue;
        if (n->op == NODE_HOLE) need_leaf(w, n, row, bits);
        for (int k = 0; k < node_arity((node_op)n->op); k++)
            if (needs_operand(w, n, k)) w->is_reached[node_operand(n, k)] = 1;
    }
}

/* One row: its value, and with `bits` what it needs. */
static dae_status see_row(
    walk *w, const row_set *set, const uint32_t *row, uint8_t bits, double *v)
{
    const dae_status st = open_set(w, set);
    for (size_t i = 0; i < w->count && !st; i++)
        w->value[w->nodes[i]] = value_of(w, w->nodes[i], row);
    if (!st && bits) reach(w, row, bits);
    if (!st) *v = w->value[set->root];
    return st;
}

/* ---- all rows -------------------------------------------------------------------------- */

static dae_status see_sets(walk *w, const row_sets *sets, uint8_t bits)
{
    dae_status st = DAE_OK;
    double v;
    for (size_t k = 0; k < sets->count; k++)
        for (size_t r = 0; r < sets->items[k].count && !st; r++)
            st = see_row(
                w, &sets->items[k], set_row(&sets->items[k], r), bits, &v);
    return st;
}

/* Its value, the sum of its rows, and with `bits` what they need. */
static dae_status see_definition(walk *w, uint32_t id, uint8_t bits)
{
    const system_tables *s = w->c->s;
    const definition *d = &s->definitions.items[id];
    dae_status st = DAE_OK;
    double sum = 0, v = 0;
    for (uint32_t r = 0; r < d->row_count && !st; r++) {
        const row_ref ref = s->row_refs.items[d->first_row + r];
        const row_set *set = ref_set(w->c, ref);
        st = see_row(w, set, set_row(set, ref.row), bits, &v);
        sum += v;
    }
    w->definition[id] = sum;
    return st;
}

/* Root functions of switches that are needed may look through others, and use definitions:
 * until nothing is new. */
static dae_status see_roots(walk *w, const uint32_t *order, size_t count)
{
    const size_t first = w->c->s->discrete_count;
    dae_status st = DAE_OK;
    for (size_t pass = 0; pass <= w->c->switch_count && !st; pass++) {
        bool has_new = false;
        for (size_t k = 0; k < w->c->roots.count; k++) {
            const row_set *set = &w->c->roots.items[k];
            for (size_t r = 0; r < set->count && !st; r++) {
                const uint32_t *row = set_row(set, r);
                const uint8_t bits = (uint8_t)(w->needed[first + row[0]]
                    & ~DAE_NEEDED_DIRECTLY);
                double v;
                if (bits) st = see_row(w, set, row, bits, &v);
            }
        }
        for (size_t k = count; k-- > 0 && !st;)
            if (w->is_wanted[order[k]])
                st = see_definition(w, order[k], w->is_wanted[order[k]]);
        for (size_t k = 0; k < w->c->held_count; k++) {
            has_new = has_new
                || (w->needed[k] & ~w->needed[k + w->c->held_count]);
            w->needed[k + w->c->held_count] = w->needed[k];
        }
        if (!has_new) break;
    }
    return st;
}

static dae_status see_all(walk *w)
{
    compiled *c = w->c;
    uint32_t *order;
    size_t count;
    dae_status st = levels_order(c,
        NEED_MODEL | NEED_MODE | NEED_MODE_OTHER | NEED_SWITCH, &order, &count);
    for (size_t k = 0; k < count && !st; k++)
        st = see_definition(w, order[k], 0);
    const uint8_t by_equations = DAE_NEEDED_EQUATIONS | DAE_NEEDED_DIRECTLY;
    if (!st) st = see_sets(w, &c->model_equations, by_equations);
    if (!st) st = see_sets(w, &c->own, by_equations);
    if (!st) st = see_sets(w, &c->whens, DAE_NEEDED_EVENTS);
    if (!st) st = see_sets(w, &c->assigned, DAE_NEEDED_EVENTS);
    for (size_t k = count; k-- > 0 && !st;)
        if (w->is_wanted[order[k]])
            st = see_definition(w, order[k], w->is_wanted[order[k]]);
    return st ? st : see_roots(w, order, count);
}

dae_status guards_needed(void *self, int is_always, uint8_t *needed)
{
    compiled *c = self;
    walk w = {.c = c, .is_always = is_always};
    const arena_position mark = arena_mark(&c->scratch);
    const size_t nodes = c->s->shapes.nodes.count;
    w.needed = ARENA_ARRAY(&c->scratch, uint8_t, 2 * c->held_count + 1);
    w.is_wanted = ARENA_ARRAY(&c->scratch, uint8_t, c->defs.count + 1);
    w.definition = ARENA_ARRAY(&c->scratch, double, c->defs.count + 1);
    w.value = ARENA_ARRAY(&c->scratch, double, nodes + 1);
    w.is_reached = ARENA_ARRAY(&c->scratch, uint8_t, nodes + 1);
    const bool has_room = w.needed && w.is_wanted && w.definition && w.value
        && w.is_reached;
    const dae_status st = has_room ? see_all(&w) : DAE_MEMORY;
    if (!st) memcpy(needed, w.needed, c->held_count);
    alloc_free(c->s->shapes.allocator, w.nodes, w.count, sizeof *w.nodes);
    arena_release(&c->scratch, mark);
    return st;
}

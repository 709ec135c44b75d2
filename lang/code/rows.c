#include "code/rows.h"
#include <string.h>

dae_status leaves_below(const shape_pool *p, const node_id *roots,
    size_t root_count, arena *memory, leaf **leaves, uint32_t *count)
{
    node_id *needed;
    size_t needed_count;
    *leaves = NULL;
    *count = 0;
    dae_status st = shape_needed(p, roots, root_count, &needed, &needed_count);
    if (st) return st;
    uint32_t holes = 0;
    for (size_t k = 0; k < needed_count; k++)
        holes += shape_node(p, needed[k])->op == NODE_HOLE;
    leaf *found = ARENA_ARRAY(memory, leaf, holes);
    for (size_t k = 0; k < needed_count && found; k++) {
        const node *n = shape_node(p, needed[k]);
        if (n->op == NODE_HOLE)
            found[(*count)++] = (leaf){needed[k], n->a, n->kind, n->order};
    }
    alloc_free(p->allocator, needed, needed_count, sizeof *needed);
    *leaves = found;
    return found ? DAE_OK : DAE_MEMORY;
}

dae_status rows_init(compiled *c, const row_group *g, row_sets *out)
{
    out->count = g->lists.count;
    out->items = ARENA_ARRAY(&c->memory, row_set, out->count);
    if (!out->items) return DAE_MEMORY;
    for (size_t l = 0; l < out->count; l++) {
        const row_list *list = &g->lists.items[l];
        row_set *set = &out->items[l];
        set->root = list->root;
        set->width = 1 + list->hole_count;
        set->count = row_count(list);
        set->data = list->data.items;
        leaf *leaves;
        dae_status st = leaves_below(&c->s->shapes, &set->root, 1, &c->memory,
            &leaves, &set->leaf_count);
        if (st) return st;
        set->leaves = leaves;
    }
    return DAE_OK;
}

/* Derivatives are taken of what the text has, and then held. */
static dae_status hold_entries(
    compiled *c, const row_set *set, gradient_entry *entries, size_t count)
{
    const arena_position mark = arena_mark(&c->scratch);
    node_id *values = ARENA_ARRAY(&c->scratch, node_id, count);
    dae_status st = values ? DAE_OK : DAE_MEMORY;
    for (size_t k = 0; k < count && !st; k++) values[k] = entries[k].value;
    if (!st)
        st = held_rewrite_others(
            &c->s->shapes, set->shape, &c->scratch, values, count);
    for (size_t k = 0; k < count && !st; k++) entries[k].value = values[k];
    arena_release(&c->scratch, mark);
    return st;
}

static dae_status differentiate(compiled *c, row_set *set)
{
    shape_pool *pool = &c->s->shapes;
    gradient_entry *entries;
    size_t count;
    dae_status st = diff_gradient(
        pool, set->shape ? set->shape->text : set->root, &entries, &count);
    if (st) return st;
    if (set->shape) st = hold_entries(c, set, entries, count);
    if (st) {
        alloc_free(c->allocator, entries, count, sizeof *entries);
        return st;
    }
    partial *partials = NULL;
    if (count < UINT32_MAX) partials = ARENA_ARRAY(&c->memory, partial, count);
    for (size_t k = 0; k < count && partials; k++) {
        const node *n = shape_node(pool, entries[k].leaf);
        partials[k].by = (leaf){entries[k].leaf, n->a, n->kind, n->order};
        partials[k].value = entries[k].value;
    }
    alloc_free(c->allocator, entries, count, sizeof *entries);
    if (!partials) return DAE_MEMORY;
    set->partials = partials;
    set->partial_count = (uint32_t)count;
    return DAE_OK;
}

dae_status rows_differentiate(compiled *c, row_sets *sets)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < sets->count && !st; k++)
        if (!sets->items[k].partials && sets->items[k].count)
            st = differentiate(c, &sets->items[k]);
    return st;
}

dae_status rows_take_codes(compiled *c, row_sets *sets)
{
    for (size_t k = 0; k < sets->count; k++) {
        row_set *set = &sets->items[k];
        size_t count;
        if (!size_mul(set->count, set->partial_count, &count)) return DAE_LIMIT;
        set->codes = ARENA_ARRAY(&c->scratch, uint32_t, count);
        if (!set->codes) return DAE_MEMORY;
        memset(set->codes, 0xFF, count * sizeof *set->codes);
    }
    return DAE_OK;
}

static bool is_number(const compiled *c, uint32_t param)
{
    return c->s->params.nodes.items[param].op == NODE_CONST;
}

/* A value of params alone never changes where they are all plain numbers.
 * Which of the row's params the value needs is not looked up: all of them are
 * asked, so an entry may be called PARAMETER that is constant, never the
 * reverse. */
dae_entry_kind partial_kind(
    const compiled *c, const row_set *set, const partial *d, size_t r)
{
    const uint32_t *row = set_row(set, r);
    unsigned flags = shape_node(&c->s->shapes, d->value)->flags;
    if (flags
        & (NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION | NODE_HAS_TIME
            | NODE_HAS_HELD))
        return DAE_ENTRY_VARYING;
    if (!(flags & NODE_HAS_PARAM)) return DAE_ENTRY_CONSTANT;
    const node *n = shape_node(&c->s->shapes, d->value);
    if (n->op == NODE_HOLE)
        return is_number(c, row[1 + n->a]) ? DAE_ENTRY_CONSTANT
                                           : DAE_ENTRY_PARAMETER;
    for (uint32_t k = 0; k < set->leaf_count; k++)
        if (set->leaves[k].kind == LEAF_PARAM
            && !is_number(c, row[1 + set->leaves[k].hole]))
            return DAE_ENTRY_PARAMETER;
    return DAE_ENTRY_CONSTANT;
}

bool partial_is_zero(
    const compiled *c, const row_set *set, const partial *d, size_t r)
{
    const node *n = shape_node(&c->s->shapes, d->value);
    if (n->op == NODE_NEG) n = shape_node(&c->s->shapes, n->a);
    if (n->op != NODE_HOLE || n->kind != LEAF_PARAM) return false;
    double value;
    return shape_is_const(&c->s->params, set_row(set, r)[1 + n->a], &value)
        && value == 0.0;
}

/* Definitions are followed depth first on a stack of our own: a chain of a
 * million lets is only a long array. */
#include "code/levels.h"
#include "code/rows.h"
#include <string.h>

typedef struct frame {
    uint32_t id, row, leaf, level;
    bool depends;
} frame;
typedef struct walk {
    compiled *c;
    uint16_t bit;
    bool use_border;
    ARRAY(frame) stack;
} walk;

dae_status levels_init(compiled *c)
{
    definition_tables *d = &c->defs;
    size_t n = d->count = c->s->definitions.count;
    d->level = ARENA_ARRAY(&c->memory, uint32_t, n);
    d->need = ARENA_ARRAY(&c->memory, uint16_t, n);
    d->depends = ARENA_ARRAY(&c->memory, uint8_t, n);
    d->border = ARENA_ARRAY(&c->memory, uint32_t, n);
    d->gradient_first = ARENA_ARRAY(&c->memory, uint32_t, n);
    d->gradient_count = ARENA_ARRAY(&c->memory, uint32_t, n);
    if (!d->level || !d->need || !d->depends || !d->border || !d->gradient_first
        || !d->gradient_count)
        return DAE_MEMORY;
    memset(d->level, 0xFF, n * sizeof *d->level);
    memset(d->border, 0xFF, n * sizeof *d->border);
    return DAE_OK;
}

static dae_status push(walk *w, uint32_t id)
{
    w->c->defs.need[id] |= w->bit | NEED_ACTIVE;
    return ARRAY_PUSH(w->c->allocator, &w->stack, (frame){.id = id})
        ? DAE_OK
        : DAE_MEMORY;
}

static void finish(walk *w)
{
    definition_tables *d = &w->c->defs;
    frame f = w->stack.items[--w->stack.count];
    d->need[f.id] &= (uint16_t)~NEED_ACTIVE;
    if (d->level[f.id] == NONE) {
        d->level[f.id] = f.level;
        d->depends[f.id] = f.depends;
        if (f.level >= d->level_count) d->level_count = f.level + 1;
    }
}

/* Lowering refuses cycles of lets; a derivative may still close one. */
static dae_status report_cycle(compiled *c, uint32_t id)
{
    char name[120];
    text_span span = definition_span(c->s, id);
    (void)definition_text(c->s, id, name, sizeof name);
    report(c->ds, DIAG_E0208, span.end ? c->s->source : NULL, span,
        "the value of `%s` depends on itself", name);
    return DAE_MODEL;
}

/* Looks at the leaf a frame stands on. A definition that is not done is
 * pushed, and the leaf looked at again afterwards. */
static dae_status look(walk *w, const leaf *l, const uint32_t *row)
{
    definition_tables *d = &w->c->defs;
    frame *f = &w->stack.items[w->stack.count - 1];
    if (l->kind == LEAF_DEFINITION) {
        uint32_t e = leaf_definition(w->c->s, l, row);
        if (e == NODE_NONE) return DAE_ARGUMENT; /* not closed */
        bool is_given = w->use_border && d->border[e] != NONE;
        if (!is_given && !(d->need[e] & w->bit)) return push(w, e);
        if (!is_given && (d->need[e] & NEED_ACTIVE))
            return report_cycle(w->c, e);
        if (!is_given && d->level[e] >= f->level) f->level = d->level[e] + 1;
        f->depends = f->depends || is_given || d->depends[e];
    }
    f->depends = f->depends || l->kind == LEAF_UNKNOWN;
    f->leaf++;
    return DAE_OK;
}

static dae_status advance(walk *w)
{
    frame *f = &w->stack.items[w->stack.count - 1];
    const definition *d = &w->c->s->definitions.items[f->id];
    if (f->row == d->row_count) {
        finish(w);
        return DAE_OK;
    }
    row_ref ref = w->c->s->row_refs.items[d->first_row + f->row];
    const row_set *set = ref_set(w->c, ref);
    if (f->leaf == set->leaf_count) {
        f->row++;
        f->leaf = 0;
        return DAE_OK;
    }
    return look(w, &set->leaves[f->leaf], set_row(set, ref.row));
}

static dae_status follow(walk *w, uint32_t id)
{
    dae_status st;
    if (id == NODE_NONE) return DAE_ARGUMENT;
    if (w->c->defs.need[id] & w->bit) return DAE_OK;
    if (w->use_border && w->c->defs.border[id] != NONE) return DAE_OK;
    st = push(w, id);
    while (!st && w->stack.count) st = advance(w);
    return st;
}

/* Follows one leaf of every row, those of definitions with `of` alone. */
static dae_status follow_leaf(
    walk *w, const row_set *set, const leaf *l, uint16_t of)
{
    const definition_tables *d = &w->c->defs;
    dae_status st = DAE_OK;
    if (l->kind != LEAF_DEFINITION) return DAE_OK;
    for (size_t r = 0; r < set->count && !st; r++) {
        const uint32_t *row = set_row(set, r);
        if (of && (!(d->need[row[0]] & of) || d->border[row[0]] != NONE))
            continue;
        st = follow(w, leaf_definition(w->c->s, l, row));
    }
    return st;
}

dae_status levels_mark(
    compiled *c, const row_sets *sets, uint16_t bit, bool use_border)
{
    walk w = {.c = c, .bit = bit, .use_border = use_border};
    dae_status st = DAE_OK;
    for (size_t k = 0; k < sets->count && !st; k++)
        for (uint32_t l = 0; l < sets->items[k].leaf_count && !st; l++)
            st = follow_leaf(&w, &sets->items[k], &sets->items[k].leaves[l], 0);
    ARRAY_FREE(c->allocator, &w.stack);
    return st;
}

static dae_status mark_set(walk *w, const row_set *set, uint16_t of)
{
    compiled *c = w->c;
    arena_position mark = arena_mark(&c->scratch);
    leaf *leaves = NULL;
    uint32_t count = 0;
    node_id *roots = ARENA_ARRAY(&c->scratch, node_id, set->partial_count);
    if (!roots) return DAE_MEMORY;
    for (uint32_t k = 0; k < set->partial_count; k++)
        roots[k] = set->partials[k].value;
    dae_status st = leaves_below(
        &c->s->shapes, roots, set->partial_count, &c->scratch, &leaves, &count);
    for (uint32_t l = 0; l < count && !st; l++)
        st = follow_leaf(w, set, &leaves[l], of);
    arena_release(&c->scratch, mark);
    return st;
}

dae_status levels_mark_gradients(
    compiled *c, const row_sets *sets, uint16_t of, uint16_t bit)
{
    walk w = {.c = c, .bit = bit, .use_border = true};
    dae_status st = DAE_OK;
    for (size_t k = 0; k < sets->count && !st; k++)
        if (sets->items[k].partial_count)
            st = mark_set(&w, &sets->items[k], of);
    ARRAY_FREE(c->allocator, &w.stack);
    return st;
}

dae_status levels_order(
    compiled *c, uint16_t bit, uint32_t **order, size_t *count)
{
    const definition_tables *d = &c->defs;
    size_t *start = ARENA_ARRAY(
        &c->scratch, size_t, (size_t)d->level_count + 1);
    *count = 0;
    *order = ARENA_ARRAY(&c->scratch, uint32_t, d->count);
    if (!start || !*order) return DAE_MEMORY;
    for (size_t id = 0; id < d->count; id++)
        if (d->need[id] & bit) {
            start[d->level[id] + 1]++;
            (*count)++;
        }
    for (size_t l = 0; l < d->level_count; l++) start[l + 1] += start[l];
    for (size_t id = 0; id < d->count; id++)
        if (d->need[id] & bit) (*order)[start[d->level[id]]++] = (uint32_t)id;
    return DAE_OK;
}

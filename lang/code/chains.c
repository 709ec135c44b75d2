#include "code/chains.h"
#include "code/levels.h"
#include "code/rows.h"
#include "code/slots.h"

typedef struct chaining {
    compiled *c;
    bool may_border;
    const uint32_t *uses; /* per definition: rows that use it, saturating */
    uint32_t *stamp;      /* per column: definition + 1 that has it */
    uint32_t *place;      /* and where */
} chaining;

static uint32_t saturating_add(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static void count_row(const compiled *c, const row_set *set,
    const uint32_t *row, uint32_t weight, uint32_t *uses)
{
    for (uint32_t l = 0; l < set->leaf_count; l++) {
        if (set->leaves[l].kind != LEAF_DEFINITION) continue;
        uint32_t e = leaf_definition(c->s, &set->leaves[l], row);
        uses[e] = saturating_add(uses[e], weight);
    }
}

/* How many rows of equations and definitions use each definition, directly
 * or through others; a use by two ways counts twice. */
static void count_uses(
    const compiled *c, const uint32_t *order, size_t count, uint32_t *uses)
{
    for (size_t k = 0; k < c->model_equations.count; k++) {
        const row_set *set = &c->model_equations.items[k];
        if (!(shape_node(&c->s->shapes, set->root)->flags
                & NODE_HAS_DEFINITION))
            continue;
        for (size_t r = 0; r < set->count; r++)
            count_row(c, set, set_row(set, r), 1, uses);
    }
    for (size_t k = count; k-- > 0;) {
        const definition *d = &c->s->definitions.items[order[k]];
        uint32_t weight = saturating_add(uses[order[k]], 1);
        for (uint32_t r = 0; r < d->row_count; r++) {
            row_ref ref = c->s->row_refs.items[d->first_row + r];
            const row_set *set = ref_set(c, ref);
            count_row(c, set, set_row(set, ref.row), weight, uses);
        }
    }
}

/* The place of a column's gradient value in the definition being built. */
static dae_status add_value(chaining *w, uint32_t id, uint32_t column,
    dae_entry_kind kind, uint32_t *place)
{
    chain_tables *t = &w->c->chains;
    if (w->stamp[column] == id + 1) {
        uint8_t *old = &t->kinds.items[w->place[column]];
        if (kind < *old) *old = (uint8_t)kind;
    } else {
        if (t->columns.count >= CODE_FACTOR - 1) return DAE_LIMIT;
        if (!ARRAY_PUSH(w->c->allocator, &t->columns, column)
            || !ARRAY_PUSH(w->c->allocator, &t->kinds, (uint8_t)kind))
            return DAE_MEMORY;
        w->stamp[column] = id + 1;
        w->place[column] = (uint32_t)t->columns.count - 1;
    }
    *place = w->place[column];
    return DAE_OK;
}

/* A partial by a definition that is chained: a factor and its products. */
static dae_status chain_partial(chaining *w, uint32_t id, uint32_t used,
    dae_entry_kind kind, uint32_t *code)
{
    compiled *c = w->c;
    chain_tables *t = &c->chains;
    uint32_t first = c->defs.gradient_first[used];
    uint32_t count = c->defs.gradient_count[used];
    if (count == 0) return DAE_OK;
    if (t->factor_count >= CODE_FACTOR - 1) return DAE_LIMIT;
    uint32_t factor = t->factor_count++;
    *code = factor | CODE_FACTOR;
    for (uint32_t g = first; g < first + count; g++) {
        chain_link link = {0, factor, g};
        uint8_t other = t->kinds.items[g];
        dae_status st = add_value(w, id, t->columns.items[g],
            other < kind ? (dae_entry_kind)other : kind, &link.target);
        if (st) return st;
        if (!ARRAY_PUSH(c->allocator, &t->links, link)
            || !ARRAY_PUSH(c->allocator, &t->owners, id))
            return DAE_MEMORY;
    }
    return DAE_OK;
}

static dae_status chain_row(chaining *w, uint32_t id, row_ref ref)
{
    compiled *c = w->c;
    const row_set *set = ref_set(c, ref);
    const uint32_t *row = set_row(set, ref.row);
    for (uint32_t k = 0; k < set->partial_count; k++) {
        const partial *d = &set->partials[k];
        uint32_t *code = &set->codes[k * set->count + ref.row];
        uint32_t used = NONE;
        dae_status st;
        if (partial_is_zero(c, set, d, ref.row)) continue;
        dae_entry_kind kind = partial_kind(c, set, d, ref.row);
        if (d->by.kind == LEAF_DEFINITION)
            used = leaf_definition(c->s, &d->by, row);
        if (used == NONE)
            st = add_value(w, id,
                slots_unknown_column(
                    &c->slots, row[1 + d->by.hole], d->by.order),
                kind, code);
        else if (c->defs.border[used] != NONE)
            st = add_value(w, id,
                slots_border_column(&c->slots, c->defs.border[used]), kind,
                code);
        else st = chain_partial(w, id, used, kind, code);
        if (st) return st;
    }
    return DAE_OK;
}

static bool is_worth_unknown(size_t columns, size_t uses)
{
    double products = (double)columns * (double)uses;
    return products > BORDER_PRODUCTS
        && products > BORDER_RATIO * ((double)columns + (double)uses);
}

/* Takes the gradient back and makes the definition an unknown instead. */
static dae_status make_border(
    chaining *w, uint32_t id, size_t columns, size_t links, uint32_t factors)
{
    chain_tables *t = &w->c->chains;
    t->columns.count = t->kinds.count = columns;
    t->links.count = t->owners.count = links;
    t->factor_count = factors;
    w->c->defs.border[id] = (uint32_t)t->borders.count;
    return ARRAY_PUSH(w->c->allocator, &t->borders, id) ? DAE_OK : DAE_MEMORY;
}

static dae_status chain_definition(chaining *w, uint32_t id)
{
    compiled *c = w->c;
    chain_tables *t = &c->chains;
    const definition *d = &c->s->definitions.items[id];
    size_t columns = t->columns.count, links = t->links.count;
    uint32_t factors = t->factor_count;
    for (uint32_t r = 0; r < d->row_count; r++) {
        dae_status st = chain_row(
            w, id, c->s->row_refs.items[d->first_row + r]);
        if (st) return st;
    }
    size_t found = t->columns.count - columns;
    if (w->may_border && (d->own || is_worth_unknown(found, w->uses[id])))
        return make_border(w, id, columns, links, factors);
    c->defs.gradient_first[id] = (uint32_t)columns;
    c->defs.gradient_count[id] = (uint32_t)found;
    return DAE_OK;
}

static dae_status chain_all(chaining *w, uint16_t bit, uint16_t done)
{
    compiled *c = w->c;
    const definition_tables *d = &c->defs;
    uint32_t *order, *uses;
    size_t count, columns = c->slots.states + c->slots.unknowns + d->count;
    if (d->count == 0) return DAE_OK;
    dae_status st = levels_order(c, bit, &order, &count);
    if (st) return st;
    w->stamp = ARENA_ARRAY(&c->scratch, uint32_t, columns);
    w->place = ARENA_ARRAY(&c->scratch, uint32_t, columns);
    w->uses = uses = ARENA_ARRAY(&c->scratch, uint32_t, d->count);
    if (!w->stamp || !w->place || !uses) return DAE_MEMORY;
    if (w->may_border) count_uses(c, order, count, uses);
    for (size_t k = 0; k < count && !st; k++)
        if (d->depends[order[k]] && !(d->need[order[k]] & done))
            st = chain_definition(w, order[k]);
    return st;
}

dae_status chains_build(compiled *c)
{
    chaining w = {.c = c, .may_border = true};
    arena_position mark = arena_mark(&c->scratch);
    dae_status st = chain_all(&w, NEED_MODEL, 0);
    arena_release(&c->scratch, mark);
    return st;
}

dae_status chains_extend(compiled *c, uint16_t bit)
{
    chaining w = {.c = c, .may_border = false};
    arena_position mark = arena_mark(&c->scratch);
    dae_status st = chain_all(&w, bit, NEED_MODEL);
    arena_release(&c->scratch, mark);
    return st;
}

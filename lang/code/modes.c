/* Every list of rows is gone through once with a tape of what its places look at;
 * a table finds the switch of a key. A row's columns for held places first get
 * the switch's number in the order in which it was found, + 1, and 0 where the
 * place is free; when all are known they are numbered anew in the order of the
 * text. */
#include "code/modes.h"
#include "code/breaks.h"
#include "code/levels.h"
#include "code/rows.h"
#include "code/tape.h"
#include <stdlib.h>
#include <string.h>

/* A switch while they are looked for. */
typedef struct found_switch {
    tape_key key;
    const struct list_modes *list; /* where it stands first in the text: */
    size_t row;
    uint32_t place, begin;
    uint8_t kind, domain, is_kink;
} found_switch;

/* A list of rows and its shape with held places. */
typedef struct list_modes {
    const row_set *text;
    row_set *held;
    held_shape *shape;
    tape tape;        /* of what the places look at; definitions: of all */
    uint8_t origin;   /* row_group_kind */
    uint32_t *data;   /* of `held` */
    node_id *compact; /* by place: its root function, once asked for */
    uint32_t **holes, *counts; /* of it */
} list_modes;

typedef struct list_sets {
    list_modes *items;
    size_t count;
} list_sets;

typedef struct finding {
    compiled *c;
    uint8_t *changes;    /* tape_class of each definition */
    uint8_t *is_exposed; /* definitions: used outside what is vouched for */
    list_sets equations, own, definitions;
    list_sets whens, observations, assigned, starts;
    ARRAY(found_switch) found;
    uint32_t *slots; /* open addressing: number + 1 */
    size_t slot_count;
    uint32_t *number; /* in the text's order, of each found */
} finding;

/* What stands in smooth(...), and the value from which a definition with an equation
 * of its own starts: that equation switches. */
static bool is_vouched(const finding *w, uint32_t id)
{
    return definition_is_vouched(w->c->s, id)
        || w->c->s->definitions.items[id].own;
}

/* ---- the table of keys ----------------------------------------------------------- */

static size_t slot_of(const finding *w, tape_key key)
{
    const size_t mask = w->slot_count - 1;
    size_t slot = (size_t)key.first & mask;
    for (; w->slots[slot]; slot = (slot + 1) & mask) {
        const tape_key *k = &w->found.items[w->slots[slot] - 1].key;
        if (k->first == key.first && k->second == key.second) break;
    }
    return slot;
}

static dae_status grow(finding *w)
{
    const dae_allocator *a = w->c->allocator;
    const size_t old = w->slot_count;
    if (old > 2 * w->found.count) return DAE_OK;
    w->slot_count = old ? 2 * old : 64;
    uint32_t *slots = alloc_zeroed(a, w->slot_count, sizeof *slots);
    if (!slots) {
        w->slot_count = old;
        return DAE_MEMORY;
    }
    alloc_free(a, w->slots, old, sizeof *slots);
    w->slots = slots;
    for (size_t k = 0; k < w->found.count; k++)
        slots[slot_of(w, w->found.items[k].key)] = (uint32_t)k + 1;
    return DAE_OK;
}

/* Its number + 1; 0: there is none. */
static uint32_t look_up(const finding *w, tape_key key)
{
    return w->slot_count ? w->slots[slot_of(w, key)] : 0;
}

static bool is_earlier(const found_switch *a, const found_switch *b)
{
    if (a->begin != b->begin) return a->begin < b->begin;
    if (a->list->origin != b->list->origin)
        return a->list->origin < b->list->origin;
    const uint32_t one = set_row(a->list->text, a->row)[0];
    const uint32_t other = set_row(b->list->text, b->row)[0];
    if (one != other) return one < other;
    if (a->list != b->list) return a->list < b->list;
    return a->row != b->row ? a->row < b->row : a->place < b->place;
}

/* The pieces of a definition's own equation meet, whatever else looks at the switch. */
static bool is_of_own(const found_switch *s)
{
    return s->list->origin == GROUP_OWN;
}

/* The number + 1 of a switch, which may be new. */
static dae_status enter(finding *w, const found_switch *s, uint32_t *number)
{
    dae_status st = grow(w);
    if (st) return st;
    const size_t slot = slot_of(w, s->key);
    if (!w->slots[slot]) {
        if (w->found.count >= INT32_MAX) return DAE_LIMIT;
        if (!ARRAY_PUSH(w->c->allocator, &w->found, *s)) return DAE_MEMORY;
        w->slots[slot] = (uint32_t)w->found.count;
    }
    *number = w->slots[slot];
    found_switch *have = &w->found.items[*number - 1];
    const uint8_t is_kink = have->is_kink && s->is_kink;
    const bool is_own = is_of_own(have);
    if (is_of_own(s) || (!is_own && is_earlier(s, have))) *have = *s;
    if (!is_of_own(have)) have->is_kink = is_kink;
    return DAE_OK;
}

/* ---- lists ------------------------------------------------------------------------ */

static dae_status make_tape(finding *w, list_modes *l)
{
    const shape_pool *p = &w->c->s->shapes;
    const node_id root = l->text->root;
    arena *memory = &w->c->scratch;
    if (l->origin == GROUP_DEFINITION)
        return tape_make(p, &root, 1, memory, &l->tape);
    node_id *roots = ARENA_ARRAY(memory, node_id, l->shape->count);
    if (!roots) return DAE_MEMORY;
    for (uint32_t k = 0; k < l->shape->count; k++)
        roots[k] = l->shape->places[k].at;
    return tape_make(p, roots, l->shape->count, memory, &l->tape);
}

static dae_status widen(finding *w, list_modes *l)
{
    arena *scratch = &w->c->scratch;
    const uint32_t count = l->shape->count;
    const row_set *text = l->text;
    const uint32_t width = text->width + count;
    size_t size;
    if (!size_mul(text->count, width, &size)) return DAE_LIMIT;
    l->data = ARENA_ARRAY(&w->c->memory, uint32_t, size);
    l->compact = ARENA_ARRAY(scratch, node_id, count);
    l->holes = ARENA_ARRAY(scratch, uint32_t *, count);
    l->counts = ARENA_ARRAY(scratch, uint32_t, count);
    if (!l->data || !l->compact || !l->holes || !l->counts) return DAE_MEMORY;
    for (size_t r = 0; r < text->count; r++)
        memcpy(l->data + r * width, set_row(text, r),
            text->width * sizeof *l->data);
    for (uint32_t k = 0; k < count; k++) l->compact[k] = NODE_NONE;
    l->held->width = width;
    l->held->data = l->data;
    l->held->shape = l->shape;
    leaf *leaves;
    const dae_status st = leaves_below(&w->c->s->shapes, &l->held->root, 1,
        &w->c->memory, &leaves, &l->held->leaf_count);
    l->held->leaves = leaves;
    return st;
}

/* `sets` becomes the rows with held places; those of the text stay in *text. */
static dae_status open_lists(finding *w, row_sets *sets, row_group_kind origin,
    row_sets *text, list_sets *out)
{
    dae_status st = DAE_OK;
    *text = *sets;
    out->count = sets->count;
    out->items = ARENA_ARRAY(&w->c->scratch, list_modes, sets->count);
    sets->items = ARENA_ARRAY(&w->c->memory, row_set, sets->count);
    if (!out->items || !sets->items) return DAE_MEMORY;
    for (size_t k = 0; k < sets->count && !st; k++) {
        list_modes *l = &out->items[k];
        sets->items[k] = text->items[k];
        l->text = &text->items[k];
        l->held = &sets->items[k];
        l->origin = (uint8_t)origin;
        l->shape = ARENA_NEW(&w->c->memory, held_shape);
        if (!l->shape) return DAE_MEMORY;
        st = held_rewrite(&w->c->s->shapes, l->text->root, l->text->width - 1,
            &w->c->memory, l->shape, &l->held->root);
        if (!st && (l->shape->count || origin == GROUP_DEFINITION))
            st = make_tape(w, l);
        if (!st && l->shape->count) st = widen(w, l);
    }
    return st;
}

/* ---- what definitions are ----------------------------------------------------------- */

static void expose(
    const finding *w, const row_set *set, const uint32_t *row, uint8_t *is_out)
{
    for (uint32_t k = 0; k < set->leaf_count; k++)
        if (set->leaves[k].kind == LEAF_DEFINITION)
            is_out[leaf_definition(w->c->s, &set->leaves[k], row)] = 1;
}

static void expose_all(finding *w, const list_sets *sets)
{
    for (size_t k = 0; k < sets->count; k++)
        for (size_t r = 0; r < sets->items[k].text->count; r++)
            expose(w, sets->items[k].text, set_row(sets->items[k].text, r),
                w->is_exposed);
}

static void find_exposed(finding *w, const uint32_t *order, size_t count)
{
    const system_tables *s = w->c->s;
    expose_all(w, &w->equations);
    expose_all(w, &w->own);
    expose_all(w, &w->whens);
    for (size_t k = count; k-- > 0;) {
        const definition *d = &s->definitions.items[order[k]];
        if (!w->is_exposed[order[k]] || is_vouched(w, order[k])) continue;
        for (uint32_t r = 0; r < d->row_count; r++) {
            const row_ref ref = s->row_refs.items[d->first_row + r];
            const row_set *set = w->definitions.items[ref.list].text;
            expose(w, set, set_row(set, ref.row), w->is_exposed);
        }
    }
}

static void find_changes(finding *w, const uint32_t *order, size_t count)
{
    const system_tables *s = w->c->s;
    for (size_t k = 0; k < count; k++) {
        const definition *d = &s->definitions.items[order[k]];
        const bool is_held = w->is_exposed[order[k]]
            && !is_vouched(w, order[k]);
        for (uint32_t r = 0; r < d->row_count; r++) {
            const row_ref ref = s->row_refs.items[d->first_row + r];
            list_modes *l = &w->definitions.items[ref.list];
            tape_run(
                &l->tape, s, set_row(l->text, ref.row), w->changes, is_held);
            uint8_t changes = (uint8_t)tape_class_of(&l->tape);
            if (changes == TAPE_PIECE) changes = TAPE_TIME;
            if (changes > w->changes[order[k]]) w->changes[order[k]] = changes;
        }
    }
}

/* ---- rows ------------------------------------------------------------------------------ */

static text_span span_of(const compiled *c, const list_modes *l, size_t row)
{
    const uint32_t target = set_row(l->text, row)[0];
    if (l->origin == GROUP_DEFINITION || l->origin == GROUP_OWN)
        return definition_span(c->s, target);
    if (l->origin == GROUP_WHEN) return c->s->whens.items[target].span;
    const equation_block *b = equation_block_find(&c->s->equations, target);
    return b ? b->span : (text_span){0, 0};
}

static uint8_t domain_of(
    const finding *w, const held_place *place, uint8_t changes)
{
    const node *root = shape_node(&w->c->s->shapes, place->root);
    if (changes == TAPE_AFFINE) return DAE_DOMAIN_BREAK;
    if (changes == TAPE_PIECE && root->op == NODE_PIECE
        && place->kind == DAE_SWITCH_FLOOR)
        return DAE_DOMAIN_BREAK;
    return changes == TAPE_POINT ? DAE_DOMAIN_POINT : DAE_DOMAIN_TIME;
}

static dae_status note_row(finding *w, list_modes *l, size_t r, bool is_new)
{
    const system_tables *s = w->c->s;
    uint32_t *to = l->data + r * l->held->width + l->text->width;
    dae_status st = DAE_OK;
    tape_run(&l->tape, s, set_row(l->text, r), w->changes, true);
    for (uint32_t k = 0; k < l->shape->count && !st; k++) {
        const held_place *place = &l->shape->places[k];
        const tape_note note = tape_edge(&l->tape, place->at);
        if (note.changes == TAPE_FIXED) continue;
        const found_switch found = {.key = note.key,
            .list = l,
            .row = r,
            .place = k,
            .begin = is_new ? span_of(w->c, l, r).begin : 0,
            .kind = place->kind,
            .domain = domain_of(w, place, note.changes),
            .is_kink = place->is_kink || l->origin == GROUP_OWN};
        if (is_new) st = enter(w, &found, &to[k]);
        else to[k] = look_up(w, note.key);
    }
    return st;
}

/* New switches of rows, or (`is_new` false) those that there are already. */
static dae_status note_lists(finding *w, list_sets *sets, bool is_new)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < sets->count; k++) {
        list_modes *l = &sets->items[k];
        for (size_t r = 0; l->shape->count && r < l->text->count && !st; r++)
            st = note_row(w, l, r, is_new);
    }
    return st;
}

/* Own equations of definitions that the equations need. */
static dae_status note_own(finding *w)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < w->own.count; k++) {
        list_modes *l = &w->own.items[k];
        for (size_t r = 0; l->shape->count && r < l->text->count && !st; r++)
            if (w->c->defs.need[set_row(l->text, r)[0]] & NEED_MODEL)
                st = note_row(w, l, r, true);
    }
    return st;
}

/* Definitions that equations and conditions need make switches; those that only
 * something else needs look them up, and what is vouched for is free. */
static dae_status note_definitions(finding *w, bool is_new)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < w->definitions.count; k++) {
        list_modes *l = &w->definitions.items[k];
        for (size_t r = 0; l->shape->count && r < l->text->count && !st; r++) {
            const uint32_t id = set_row(l->text, r)[0];
            const bool is_needed = w->c->defs.need[id]
                & (NEED_MODEL | NEED_MODE);
            if (is_vouched(w, id)) continue;
            if (is_new ? w->is_exposed[id] : !is_needed)
                st = note_row(w, l, r, is_new);
        }
    }
    return st;
}

/* ---- numbers ---------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const found_switch *const *x = a, *const *y = b;
    return is_earlier(*x, *y) ? -1 : is_earlier(*y, *x);
}

static void renumber(const finding *w, const list_sets *sets)
{
    const uint32_t first = (uint32_t)w->c->s->discrete_count;
    const uint32_t free_place = first + (uint32_t)w->found.count;
    for (size_t q = 0; q < sets->count; q++) {
        const list_modes *l = &sets->items[q];
        for (size_t r = 0; l->shape->count && r < l->text->count; r++) {
            uint32_t *to = l->data + r * l->held->width + l->text->width;
            for (uint32_t k = 0; k < l->shape->count; k++)
                to[k] = to[k] ? first + w->number[to[k] - 1] : free_place;
        }
    }
}

/* Adds the row of a root function, over the holes that it has. */
static dae_status add_root(finding *w, const found_switch *f, uint32_t number)
{
    system_tables *s = w->c->s;
    list_modes *l = (list_modes *)(uintptr_t)f->list;
    const uint32_t k = f->place;
    dae_status st = DAE_OK;
    if (l->compact[k] == NODE_NONE)
        st = held_compact(&s->shapes, l->shape->places[k].root, &w->c->scratch,
            &l->compact[k], &l->holes[k], &l->counts[k]);
    const arena_position mark = arena_mark(&w->c->scratch);
    uint32_t *holes = ARENA_ARRAY(&w->c->scratch, uint32_t, l->counts[k]);
    if (!st && !holes) st = DAE_MEMORY;
    const uint32_t *row = l->data + f->row * l->held->width;
    for (uint32_t h = 0; h < l->counts[k] && !st; h++)
        holes[h] = row[1 + l->holes[k][h]];
    if (!st)
        st = system_add_row(
            s, GROUP_SWITCH, l->compact[k], l->counts[k], number, holes);
    arena_release(&w->c->scratch, mark);
    return st;
}

static dae_status sort(finding *w, const found_switch **order)
{
    const size_t count = w->found.count;
    for (size_t k = 0; k < count; k++) order[k] = &w->found.items[k];
    if (count) qsort(order, count, sizeof *order, compare);
    w->number = ARENA_ARRAY(&w->c->scratch, uint32_t, count);
    if (!w->number) return DAE_MEMORY;
    for (size_t k = 0; k < count; k++)
        w->number[order[k] - w->found.items] = (uint32_t)k;
    renumber(w, &w->equations);
    renumber(w, &w->own);
    renumber(w, &w->definitions);
    renumber(w, &w->whens);
    renumber(w, &w->observations);
    renumber(w, &w->assigned);
    renumber(w, &w->starts);
    return DAE_OK;
}

/* Which of the two of a weight it is (weight_choice in sema). */
static uint8_t weight_of(const finding *w, const found_switch *f)
{
    const system_tables *s = w->c->s;
    const uint32_t target = set_row(f->list->text, f->row)[0];
    if (!is_of_own(f) || s->definitions.items[target].own != OWN_WEIGHT)
        return DAE_WEIGHT_NONE;
    const node *at = shape_node(
        &s->shapes, f->list->shape->places[f->place].at);
    const bool is_below = at->op == NODE_LT
        && shape_node(&s->shapes, at->a)->op == NODE_MIN;
    return is_below ? DAE_WEIGHT_BELOW : DAE_WEIGHT_ABOVE;
}

/* The tables of all switches and the rows of their root functions. */
static dae_status close(finding *w)
{
    compiled *c = w->c;
    const size_t count = w->found.count;
    const found_switch **order = ARENA_ARRAY(
        &c->scratch, const found_switch *, count);
    c->switches = ARENA_ARRAY(&c->memory, dae_switch, count + 1);
    c->mode_switches = ARENA_ARRAY(&c->memory, mode_switch, count + 1);
    if (!order || !c->switches || !c->mode_switches) return DAE_MEMORY;
    dae_status st = sort(w, order);
    c->switch_count = count;
    for (size_t k = 0; k < count && !st; k++) {
        const found_switch *f = order[k];
        c->switches[k] = (dae_switch){
            f->kind, f->domain, f->is_kink, 0, weight_of(w, f)};
        c->mode_switches[k] = (mode_switch){f->list->shape->places[f->place].at,
            set_row(f->list->text, f->row), span_of(c, f->list, f->row),
            f->list->origin == GROUP_DEFINITION};
        st = add_root(w, f, (uint32_t)k);
    }
    if (!st) st = rows_init(c, &c->s->groups[GROUP_SWITCH], &c->roots);
    return st ? st : breaks_init(c);
}

/* ---- all of it ---------------------------------------------------------------------------- */

static bool any_switch(const compiled *c)
{
    const shape_pool *p = &c->s->shapes;
    for (size_t id = 0; id < p->nodes.count; id++)
        if (held_is_switch(p, (node_id)id)) return true;
    return false;
}

static dae_status open_all(finding *w)
{
    compiled *c = w->c;
    row_sets text;
    dae_status st = open_lists(w, &c->model_equations, GROUP_EQUATION,
        &c->text_equations, &w->equations);
    if (!st)
        st = open_lists(w, &c->definitions, GROUP_DEFINITION,
            &c->text_definitions, &w->definitions);
    if (!st) st = open_lists(w, &c->whens, GROUP_WHEN, &text, &w->whens);
    if (!st)
        st = open_lists(
            w, &c->observations, GROUP_OBSERVATION, &text, &w->observations);
    if (!st) st = open_lists(w, &c->own, GROUP_OWN, &text, &w->own);
    if (!st)
        st = open_lists(w, &c->assigned, GROUP_ASSIGN, &text, &w->assigned);
    return st ? st : open_lists(w, &c->starts, GROUP_START, &text, &w->starts);
}

static dae_status note_all(finding *w)
{
    dae_status st = note_lists(w, &w->equations, true);
    if (!st) st = note_own(w);
    if (!st) st = note_definitions(w, true);
    if (!st) st = note_lists(w, &w->whens, true);
    if (!st) st = note_definitions(w, false);
    if (!st) st = note_lists(w, &w->observations, false);
    if (!st) st = note_lists(w, &w->assigned, false);
    return st ? st : note_lists(w, &w->starts, false);
}

static dae_status make(finding *w)
{
    compiled *c = w->c;
    uint32_t *order;
    size_t count;
    w->changes = ARENA_ARRAY(&c->scratch, uint8_t, c->defs.count + 1);
    w->is_exposed = ARENA_ARRAY(&c->scratch, uint8_t, c->defs.count + 1);
    if (!w->changes || !w->is_exposed) return DAE_MEMORY;
    memset(w->changes, TAPE_FIXED, c->defs.count + 1);
    dae_status st = open_all(w);
    if (!st) st = levels_mark(c, &c->whens, NEED_MODE, false);
    if (!st) st = levels_mark(c, &c->observations, NEED_MODE_OTHER, false);
    if (!st) st = levels_mark(c, &c->assigned, NEED_MODE_OTHER, false);
    if (!st) st = levels_mark(c, &c->starts, NEED_MODE_OTHER, false);
    if (!st)
        st = levels_order(
            c, NEED_MODEL | NEED_MODE | NEED_MODE_OTHER, &order, &count);
    if (st) return st;
    find_exposed(w, order, count);
    find_changes(w, order, count);
    st = note_all(w);
    return st ? st : close(w);
}

dae_status modes_make(compiled *c)
{
    finding w = {.c = c};
    c->text_equations = c->model_equations;
    c->text_definitions = c->definitions;
    row_group *roots = &c->s->groups[GROUP_SWITCH];
    for (size_t l = 0; l < roots->lists.count; l++)
        roots->lists.items[l].data.count = 0; /* of a compilation before */
    if (!any_switch(c)) return DAE_OK;
    const arena_position mark = arena_mark(&c->scratch);
    const dae_status st = make(&w);
    alloc_free(c->allocator, w.slots, w.slot_count, sizeof *w.slots);
    ARRAY_FREE(c->allocator, &w.found);
    arena_release(&c->scratch, mark);
    return st;
}

#include "code/slots.h"
#include "code/names.h"
#include <string.h>

static void note_leaf(
    slot_tables *s, const row_set *set, const leaf *l, const uint16_t *need)
{
    for (size_t r = 0; r < set->count; r++) {
        const uint32_t *row = set_row(set, r);
        if (need && !(need[row[0]] & NEED_MODEL)) continue;
        uint32_t j = row[1 + l->hole];
        s->occurs[j] = 1;
        if (s->order[j] < l->order) s->order[j] = l->order;
    }
}

static void note_sets(
    slot_tables *s, const row_sets *sets, const uint16_t *need)
{
    for (size_t k = 0; k < sets->count; k++)
        for (uint32_t l = 0; l < sets->items[k].leaf_count; l++)
            if (sets->items[k].leaves[l].kind == LEAF_UNKNOWN)
                note_leaf(s, &sets->items[k], &sets->items[k].leaves[l], need);
}

dae_status slots_init(compiled *c)
{
    slot_tables *s = &c->slots;
    size_t n = s->unknowns = s->total = c->s->unknown_count;
    s->order = ARENA_ARRAY(&c->memory, uint8_t, n);
    s->occurs = ARENA_ARRAY(&c->memory, uint8_t, n);
    s->first = ARENA_ARRAY(&c->memory, size_t, n + 1);
    if (!s->order || !s->occurs || !s->first) return DAE_MEMORY;
    note_sets(s, &c->model_equations, NULL);
    note_sets(s, &c->definitions, c->defs.need);
    for (size_t j = 0; j < n; j++)
        s->first[j + 1] = s->first[j] + (s->order[j] ? s->order[j] : 1);
    s->states = s->total_states = s->first[n];
    /* columns, the internal ones with them, have 32 bits, rows 31 */
    if (n + c->defs.count > INT32_MAX
        || s->states > INT32_MAX - n - c->defs.count)
        return DAE_LIMIT;
    return DAE_OK;
}

dae_status slots_close(compiled *c)
{
    slot_tables *s = &c->slots;
    size_t more = c->chains.borders.count, n = s->unknowns;
    if (more == 0) return DAE_OK;
    uint8_t *order = ARENA_ARRAY(&c->memory, uint8_t, n + more);
    size_t *first = ARENA_ARRAY(&c->memory, size_t, n + more + 1);
    if (!order || !first) return DAE_MEMORY;
    if (n) memcpy(order, s->order, n);
    memcpy(first, s->first, (n + 1) * sizeof *first);
    for (size_t k = 0; k < more; k++) first[n + k + 1] = first[n + k] + 1;
    s->order = order;
    s->first = first;
    s->total = n + more;
    s->total_states = s->states + more;
    return DAE_OK;
}

uint32_t slots_resolve(const compiled *c, const leaf *l, const uint32_t *row,
    bool use_border, program_space *space)
{
    const slot_tables *s = &c->slots;
    uint32_t object = row[1 + l->hole], id, border;
    switch ((leaf_kind)l->kind) {
    case LEAF_UNKNOWN:
        if (l->order >= 1 && l->order == s->order[object]) {
            *space = SPACE_XP;
            return object;
        }
        *space = SPACE_X;
        return (uint32_t)(s->first[object] + l->order);
    case LEAF_DEFINITION:
        id = leaf_definition(c->s, l, row);
        border = use_border ? c->defs.border[id] : NONE;
        *space = border == NONE ? SPACE_DEF : SPACE_X;
        return border == NONE ? id : (uint32_t)(s->states + border);
    case LEAF_PARAM: *space = SPACE_PARAM; return object;
    case LEAF_TIME: break;
    case LEAF_HELD: *space = SPACE_HELD; return object;
    }
    *space = SPACE_TIME;
    return 0;
}

/* The first text that asks, for the message. */
static void report_missing(compiled *c, const uint32_t *row, const leaf *l,
    bool is_definition, const row_sets *sets, const equation_blocks *blocks,
    dae_diagnostics *ds)
{
    char name[120], asker[120];
    text_span span = {0, 0};
    const system_tables *s = c->s;
    uint32_t j = row[1 + l->hole];
    (void)name_block_text(&s->unknowns, j, name, sizeof name);
    if (is_definition) {
        span = definition_span(s, row[0]);
        (void)definition_text(s, row[0], asker, sizeof asker);
    } else if (sets == &c->observations
        && row[0] < s->observation_spans.count) {
        span = s->observation_spans.items[row[0]];
    } else if (sets == &c->whens) {
        span = s->whens.items[row[0]].span;
    } else if (sets == &c->assigned) {
        span = s->assignments.items[row[0]].span;
    } else if (blocks) {
        const equation_block *b = equation_block_find(blocks, row[0]);
        if (b) span = b->span;
        (void)equation_block_text(blocks, row[0], asker, sizeof asker);
    }
    const name_block *declared = name_block_find(&s->unknowns, j);
    if (span.end == 0 && declared) span = declared->span;
    char derivative[140];
    names_derivative(name, l->order, derivative, sizeof derivative);
    report(ds, DIAG_E0216, span.end ? s->source : NULL, span,
        "`%s` does not occur in the equations, so it has no value here",
        derivative);
    if (is_definition || blocks) report_label(ds, "asked for by `%s`", asker);
    report_help(ds,
        "the highest derivative of `%s` in the equations has order %u; give a "
        "further one a name and an equation: d = %s",
        name, (unsigned)c->slots.order[j], derivative);
}

static bool check_leaf(compiled *c, const row_set *set, const leaf *l,
    uint16_t bit, const row_sets *sets, const equation_blocks *blocks,
    dae_diagnostics *ds)
{
    for (size_t r = 0; r < set->count; r++) {
        const uint32_t *row = set_row(set, r);
        if (bit && !(c->defs.need[row[0]] & bit)) continue;
        if (l->order <= c->slots.order[row[1 + l->hole]]) continue;
        report_missing(c, row, l, bit != 0, sets, blocks, ds);
        return false;
    }
    return true;
}

static bool check_sets(compiled *c, const row_sets *sets, uint16_t bit,
    const equation_blocks *blocks, dae_diagnostics *ds)
{
    bool is_good = true;
    for (size_t k = 0; k < sets->count; k++) {
        const row_set *set = &sets->items[k];
        for (uint32_t l = 0; l < set->leaf_count; l++)
            if (set->leaves[l].kind == LEAF_UNKNOWN && set->leaves[l].order)
                is_good = check_leaf(
                              c, set, &set->leaves[l], bit, sets, blocks, ds)
                    && is_good;
    }
    return is_good;
}

dae_status slots_check(compiled *c, const row_sets *sets, uint16_t bit,
    const equation_blocks *blocks, dae_diagnostics *ds)
{
    bool rows = check_sets(c, sets, 0, blocks, ds);
    bool definitions = check_sets(c, &c->definitions, bit, NULL, ds);
    return rows && definitions ? DAE_OK : DAE_MODEL;
}

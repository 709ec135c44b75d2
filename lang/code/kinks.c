/* A kink lies in a shape, so one pass over the pool finds it for all rows.
 * Definitions hand it on to whatever uses them: they are visited level by
 * level, so those they use are known. Models without any such shape, and
 * these are most, are done after the pass over the pool. */
#include "code/kinks.h"
#include "code/levels.h"
#include "code/names.h"
#include "code/switches.h"
#include "ir/collect.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 160, EXPRESSION_LONGEST = 80 };

/* How often what a node computes may be differentiated: 0 but for a spline, whose
 * derivatives are continuous up to one below its degree. */
static uint8_t class_of(const shape_pool *p, node_id at)
{
    const node *n = shape_node(p, at);
    if (n->op != NODE_TABLE) return 0;
    const unsigned degree = signal_degree(n->table);
    return (uint8_t)(degree > n->order + 1u ? degree - 1 - n->order : 0);
}

/* Per node, the spline below it with the fewest derivatives; NULL where the
 * model has no signals at all. */
static dae_status find_splines(compiled *c)
{
    const shape_pool *p = &c->s->shapes;
    c->spline_at = NULL;
    if (c->s->signals.items.count == 0) return DAE_OK;
    node_id *at = ARENA_ARRAY(&c->memory, node_id, p->nodes.count + 1);
    if (!at) return DAE_MEMORY;
    for (size_t id = 0; id < p->nodes.count; id++) {
        const node *n = shape_node(p, (node_id)id);
        const bool is_spline = n->op == NODE_TABLE
            && shape_node(p, n->b)->op == NODE_PIECE;
        at[id] = is_spline ? (node_id)id : NODE_NONE;
        for (int k = 0; k < node_arity((node_op)n->op) && !is_spline; k++) {
            const node_id below = at[node_operand(n, k)];
            if (below == NODE_NONE) continue;
            if (at[id] == NODE_NONE || class_of(p, below) < class_of(p, at[id]))
                at[id] = below;
        }
    }
    c->spline_at = at;
    return DAE_OK;
}

/* What limits a row by its own shape: what switches in it, else a spline. */
static node_id limit_at(const compiled *c, const row_set *set)
{
    const node_id at = c->switch_at[set->root];
    if (at != NODE_NONE || !c->spline_at) return at;
    return c->spline_at[set->root];
}

static uint8_t limit_of(const compiled *c, const row_set *set)
{
    const node_id at = limit_at(c, set);
    return at == NODE_NONE ? DAE_SMOOTH : class_of(&c->s->shapes, at);
}

static bool has_kink(const compiled *c, const row_set *set)
{
    return limit_at(c, set) != NODE_NONE;
}

static bool any_kink(const compiled *c, const row_sets *sets)
{
    for (size_t k = 0; k < sets->count; k++)
        if (has_kink(c, &sets->items[k])) return true;
    return false;
}

/* The definition that brings the strongest limit into a row by its leaves, + 1;
 * 0: none. An internal unknown is an unknown to who uses it. */
static uint32_t brought_by(
    const compiled *c, const row_set *set, const uint32_t *row)
{
    uint32_t found = 0;
    uint8_t least = DAE_SMOOTH;
    for (uint32_t k = 0; k < set->leaf_count; k++) {
        const leaf *l = &set->leaves[k];
        if (l->kind != LEAF_DEFINITION) continue;
        uint32_t used = leaf_definition(c->s, l, row);
        if (c->defs.border[used] != NONE || !c->kink_of[used]) continue;
        if (found && c->class_of[used] >= least) continue;
        found = c->kink_of[used];
        least = c->class_of[used];
    }
    return found;
}

static void kink_of_definition(compiled *c, uint32_t id)
{
    const definition *d = &c->s->definitions.items[id];
    uint32_t *kink = &c->kink_of[id];
    c->class_of[id] = DAE_SMOOTH;
    if (definition_is_vouched(c->s, id)) return;
    for (uint32_t r = 0; r < d->row_count; r++) {
        row_ref ref = c->s->row_refs.items[d->first_row + r];
        const row_set *set = ref_set(c, ref);
        const uint32_t brought = brought_by(c, set, set_row(set, ref.row));
        if (limit_of(c, set) < c->class_of[id]) {
            *kink = id + 1;
            c->class_of[id] = limit_of(c, set);
        }
        if (brought && c->class_of[brought - 1] < c->class_of[id]) {
            *kink = brought;
            c->class_of[id] = c->class_of[brought - 1];
        }
    }
}

static void expose_leaves(const compiled *c, const row_set *set,
    const uint32_t *row, uint8_t *is_exposed)
{
    for (uint32_t k = 0; k < set->leaf_count; k++) {
        const leaf *l = &set->leaves[k];
        if (l->kind == LEAF_DEFINITION)
            is_exposed[leaf_definition(c->s, l, row)] = 1;
    }
}

/* Definitions that something uses other than what is vouched for: equations, or
 * definitions that are exposed themselves. `order` has each after those it
 * uses. */
static void find_exposed(
    const compiled *c, const uint32_t *order, size_t count, uint8_t *is_exposed)
{
    for (size_t k = 0; k < c->model_equations.count; k++) {
        const row_set *set = &c->model_equations.items[k];
        for (size_t r = 0; r < set->count; r++)
            expose_leaves(c, set, set_row(set, r), is_exposed);
    }
    for (size_t k = count; k-- > 0;) {
        const definition *d = &c->s->definitions.items[order[k]];
        if (!is_exposed[order[k]] || definition_is_vouched(c->s, order[k]))
            continue;
        for (uint32_t r = 0; r < d->row_count; r++) {
            row_ref ref = c->s->row_refs.items[d->first_row + r];
            const row_set *set = ref_set(c, ref);
            expose_leaves(c, set, set_row(set, ref.row), is_exposed);
        }
    }
}

static dae_status look_at_definitions(compiled *c)
{
    uint32_t *order;
    size_t count;
    c->kink_of = ARENA_ARRAY(&c->memory, uint32_t, c->defs.count + 1);
    c->is_exposed = ARENA_ARRAY(&c->memory, uint8_t, c->defs.count + 1);
    c->class_of = ARENA_ARRAY(&c->memory, uint8_t, c->defs.count + 1);
    if (!c->kink_of || !c->is_exposed || !c->class_of) return DAE_MEMORY;
    if (!any_kink(c, &c->definitions)) return DAE_OK;
    dae_status st = levels_order(c, NEED_MODEL, &order, &count);
    for (size_t k = 0; k < count && !st; k++) kink_of_definition(c, order[k]);
    if (!st) find_exposed(c, order, count, c->is_exposed);
    return st;
}

/* A definition that became an internal unknown has no kink either where it is
 * vouched for, or only part of what is. */
static bool is_vouched_row(const compiled *c, const uint32_t *row)
{
    size_t n = c->slots.unknowns;
    if (row[0] < n) return false;
    const uint32_t id = c->chains.borders.items[row[0] - n];
    return definition_is_vouched(c->s, id) || !c->is_exposed[id];
}

static bool look_at_equations(compiled *c, uint8_t *smoothness)
{
    bool found = false;
    for (size_t k = 0; k < c->equations.count; k++) {
        const row_set *set = &c->equations.items[k];
        bool uses = false, own = has_kink(c, set);
        for (uint32_t l = 0; l < set->leaf_count; l++)
            uses = uses || set->leaves[l].kind == LEAF_DEFINITION;
        for (size_t r = 0; (own || uses) && r < set->count; r++) {
            const uint32_t *row = set_row(set, r);
            if (is_vouched_row(c, row)) continue;
            const uint32_t brought = brought_by(c, set, row);
            uint8_t class = limit_of(c, set);
            if (!own && !brought) continue;
            if (brought && c->class_of[brought - 1] < class)
                class = c->class_of[brought - 1];
            if (class < smoothness[row[0]]) smoothness[row[0]] = class;
            found = true;
        }
    }
    return found;
}

/* A switch of time alone jumps or bends whatever the mode is. */
static node_id if_of_time(const shape_pool *p, node_id at)
{
    if (at == NODE_NONE) return at;
    const unsigned varies = NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION;
    return shape_node(p, at)->flags & varies ? NODE_NONE : at;
}

/* Limits where switches of unknowns do not count, nor, without `with_time`, those of time
 * alone: those of signals are left. */
static dae_status find_others(
    compiled *c, size_t count, bool with_time, uint8_t **out)
{
    node_id *const switch_at = c->switch_at;
    const arena_position mark = arena_mark(&c->scratch);
    const size_t nodes = c->s->shapes.nodes.count;
    dae_status st = DAE_MEMORY;
    *out = ARENA_ARRAY(&c->memory, uint8_t, count + 1);
    c->switch_at = ARENA_ARRAY(&c->scratch, node_id, nodes + 1);
    if (*out && c->switch_at) {
        for (size_t id = 0; id < nodes; id++)
            c->switch_at[id] = with_time
                ? if_of_time(&c->s->shapes, switch_at[id])
                : NODE_NONE;
        memset(*out, DAE_SMOOTH, count);
        st = look_at_definitions(c);
        if (!st) (void)look_at_equations(c, *out);
    }
    arena_release(&c->scratch, mark);
    c->switch_at = switch_at;
    return st;
}

dae_status kinks_find(compiled *c)
{
    size_t count = c->slots.total;
    c->smoothness = NULL;
    c->switch_at = switches_below_modes(c, &c->memory);
    if (!c->switch_at || find_splines(c)) return DAE_MEMORY;
    if (!any_kink(c, &c->equations) && !any_kink(c, &c->definitions))
        return DAE_OK;
    dae_status st = find_others(c, count, false, &c->smoothness_held);
    if (!st) st = find_others(c, count, true, &c->smoothness_timed);
    if (!st) st = look_at_definitions(c);
    if (st) return st;
    c->smoothness = ARENA_ARRAY(&c->memory, uint8_t, count + 1);
    if (!c->smoothness) return DAE_MEMORY;
    memset(c->smoothness, DAE_SMOOTH, count);
    if (!look_at_equations(c, c->smoothness)) c->smoothness = NULL;
    return DAE_OK;
}

/* What limits an equation: an expression of its own in a row, or a definition
 * and the expression in a row of that. */
typedef struct limit {
    uint32_t definition; /* NONE: its own */
    node_id at;
    const uint32_t *row;
} limit;

static limit limit_in_definition(const compiled *c, uint32_t id)
{
    const definition *d = &c->s->definitions.items[id];
    limit found = {id, NODE_NONE, NULL};
    uint8_t least = DAE_SMOOTH;
    for (uint32_t r = 0; r < d->row_count; r++) {
        row_ref ref = c->s->row_refs.items[d->first_row + r];
        const row_set *set = ref_set(c, ref);
        if (!has_kink(c, set) || limit_of(c, set) >= least) continue;
        least = limit_of(c, set);
        found.at = limit_at(c, set);
        found.row = set_row(set, ref.row);
    }
    return found;
}

/* The strongest; its own before those of definitions, in the order of rows. */
static limit find_limit(const compiled *c, size_t equation)
{
    limit own = {NONE, NODE_NONE, NULL};
    uint8_t least = DAE_SMOOTH, brings = DAE_SMOOTH;
    uint32_t brought = 0;
    for (size_t k = 0; k < c->equations.count; k++) {
        const row_set *set = &c->equations.items[k];
        for (size_t r = 0; r < set->count; r++) {
            const uint32_t *row = set_row(set, r);
            if (row[0] != equation) continue;
            if (limit_of(c, set) < least) {
                own = (limit){NONE, limit_at(c, set), row};
                least = limit_of(c, set);
            }
            const uint32_t by = brought_by(c, set, row);
            if (by && c->class_of[by - 1] < brings) {
                brought = by;
                brings = c->class_of[by - 1];
            }
        }
    }
    return brings < least ? limit_in_definition(c, brought - 1) : own;
}

static bool is_limited(const compiled *c, size_t equation)
{
    return c->smoothness && equation < c->slots.total
        && c->smoothness[equation] != DAE_SMOOTH;
}

/* Of a measured signal. */
static bool is_rows(const compiled *c, limit l)
{
    const node *n = shape_node(&c->s->shapes, l.at);
    return n->op == NODE_FLOOR
        && shape_node(&c->s->shapes, n->a)->op == NODE_PIECE;
}

static const char *what_it_does(const compiled *c, limit l)
{
    static const char *const counts[] = {"has no continuous derivative",
        "has one continuous derivative", "has 2 continuous derivatives",
        "has 3 continuous derivatives", "has 4 continuous derivatives"};
    const shape_pool *p = &c->s->shapes;
    const node *n = shape_node(p, l.at);
    if (n->op == NODE_TABLE) return counts[class_of(p, l.at)];
    if (is_rows(c, l))
        return signal_degree(shape_node(p, n->a)->table) ? "has a kink"
                                                         : "jumps";
    return switch_is_kink((node_op)n->op) ? "has a kink" : "switches";
}

size_t kinks_text(const compiled *c, size_t equation, bool subject_only,
    char *text, size_t size)
{
    char at[NAME_SIZE] = "", name[NAME_SIZE];
    text_buffer expression = {at, sizeof at, 0}, out = {text, size, 0};
    if (size) text[0] = '\0';
    if (!is_limited(c, equation)) return 0;
    limit l = find_limit(c, equation);
    if (l.at == NODE_NONE
        || names_write_shape(
            c, l.at, l.row, EXPRESSION_LONGEST, text_buffer_write, &expression))
        return 0;
    bool is_own = l.definition == NONE;
    if (!is_own) (void)definition_text(c->s, l.definition, name, sizeof name);
    if (subject_only) text_buffer_printf(&out, "%s", is_own ? at : name);
    else if (is_own)
        text_buffer_printf(&out, "`%s` %s", at, what_it_does(c, l));
    else if (shape_node(&c->s->shapes, l.at)->op == NODE_TABLE)
        text_buffer_printf(&out, "`%s` %s", name, what_it_does(c, l));
    else
        text_buffer_printf(&out, "`%s` %s at %s`%s`", name, what_it_does(c, l),
            is_rows(c, l) ? "the rows of " : "", at);
    return out.length;
}

/* ---- where it stands ------------------------------------------------------ */

static bool is_word(char c)
{
    const unsigned char u = (unsigned char)c;
    return isalnum(u) || u == '_' || u == '.' || u == '\'' || u >= 0x80;
}

/* How many bytes at `at` read as `want` but for blanks; 0: they do not. */
static size_t match(const char *at, const char *want)
{
    const char *p = at;
    for (; *want; want++) {
        if (*want == ' ') continue;
        while (*p == ' ') p++;
        if (*p++ != *want) return 0;
    }
    return is_word(p[-1]) && is_word(*p) ? 0 : (size_t)(p - at);
}

bool kinks_narrow(
    const compiled *c, const char *want, bool is_name, text_span *span)
{
    const char *text = c->s->source ? c->s->source->text : NULL;
    const uint32_t end = is_name && text ? c->s->source->length : span->end;
    int depth = 0;
    for (uint32_t at = span->begin; text && want[0] && at < end; at++) {
        const char here = text[at];
        if (is_name && (here == '\n' || here == '#')) return false;
        if (is_name && here == ',' && depth == 0) return false;
        depth += here == '(' || here == '[';
        depth -= here == ')' || here == ']';
        if (here == ' ') continue;
        if (at > span->begin && is_word(here) && is_word(text[at - 1]))
            continue;
        const size_t length = match(text + at, want);
        if (length == 0 || at + length > end) continue;
        *span = (text_span){at, at + (uint32_t)length};
        return true;
    }
    return false;
}

bool kinks_span(const compiled *c, size_t equation, text_span *span)
{
    char at[NAME_SIZE] = "";
    text_buffer expression = {at, sizeof at, 0};
    if (!is_limited(c, equation)) return false;
    limit l = find_limit(c, equation);
    if (l.definition != NONE) {
        *span = definition_span(c->s, l.definition);
    } else if (equation >= c->slots.unknowns) {
        *span = definition_span(
            c->s, c->chains.borders.items[equation - c->slots.unknowns]);
    } else {
        const equation_block *b = equation_block_find(
            &c->s->equations, equation);
        *span = b ? b->span : (text_span){0, 0};
    }
    if (span->end == 0) return false;
    if (l.at != NODE_NONE
        && !names_write_shape(
            c, l.at, l.row, EXPRESSION_LONGEST, text_buffer_write, &expression))
        (void)kinks_narrow(c, at, l.definition != NONE, span);
    return true;
}

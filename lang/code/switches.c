/* One pass over the pool finds what switches below every node: operands have
 * smaller ids. Then a root tells it of all its rows. */
#include "code/switches.h"
#include "code/names.h"
#include "ir/collect.h"
#include <stdio.h>

enum { NAME_SIZE = 120, EXPRESSION_LONGEST = 80, EXPRESSION_SIZE = 120 };

bool switch_has_edge(node_op op)
{
    switch (op) {
    case NODE_SIGN:
    case NODE_FLOOR:
    case NODE_CEIL:
    case NODE_MOD:
    case NODE_LT:
    case NODE_LE:
    case NODE_EQ:
    case NODE_NE: return true;
    default: return false;
    }
}

/* Values of these jump, or are truths. */
static bool is_jump(node_op op)
{
    return switch_has_edge(op) || op == NODE_AND || op == NODE_OR
        || op == NODE_NOT;
}

bool switch_is_kink(node_op op)
{
    return op == NODE_ABS || op == NODE_MIN || op == NODE_MAX;
}

/* Definitions are made of what is not constant alone. */
static bool varies(const node *n)
{
    return n->flags & (NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION | NODE_HAS_TIME);
}

bool switch_is_tip(const shape_pool *p, const node *n)
{
    const node *condition = shape_node(p, n->a);
    double value;
    if (n->op != NODE_SELECT || condition->op != NODE_EQ) return false;
    bool with_a = shape_is_const(p, condition->b, &value) && value == 0;
    bool with_b = shape_is_const(p, condition->a, &value) && value == 0;
    if (!with_a && !with_b) return false;
    node_id looked_at = with_a ? condition->a : condition->b;
    if (!shape_is_const(p, n->b, &value)) return false;
    if (value == 1) return n->c == looked_at;
    const node *product = shape_node(p, n->c);
    if (value != 0 || product->op != NODE_MUL) return false;
    const node *f = shape_node(p, product->a), *g = shape_node(p, product->b);
    return (f->op == NODE_LOG && f->a == looked_at)
        || (g->op == NODE_LOG && g->a == looked_at);
}

/* What switches at or below a node, from what does below its operands: the
 * outermost condition, as the text has it. */
static node_id switch_at(
    const shape_pool *p, node_id id, const node_id *below, bool with_kinks)
{
    const node *n = shape_node(p, id);
    const node_op op = (node_op)n->op;
    const node_id operand[3] = {n->a, n->b, n->c};
    if (!varies(n) || op == NODE_HOLE) return NODE_NONE;
    if (is_jump(op) || (with_kinks && switch_is_kink(op))) return id;
    if (switch_is_tip(p, n)) return below[n->c];
    if (op == NODE_SELECT && varies(shape_node(p, n->a))) return n->a;
    for (int k = 0; k < node_arity(op); k++)
        if (below[operand[k]] != NODE_NONE) return below[operand[k]];
    return NODE_NONE;
}

node_id *switches_below(const compiled *c, arena *memory, bool with_kinks)
{
    const shape_pool *p = &c->s->shapes;
    node_id *at = ARENA_ARRAY(memory, node_id, p->nodes.count);
    for (size_t id = 0; at && id < p->nodes.count; id++)
        at[id] = switch_at(p, (node_id)id, at, with_kinks);
    return at;
}

static bool is_mode(const shape_pool *p, const node *n)
{
    if (n->op != NODE_SELECT) return false;
    const node *condition = shape_node(p, n->a);
    /* h != h asks whether a switch is free (held.c) */
    const bool is_asked = condition->op == NODE_NE
        && condition->a == condition->b;
    return !varies(condition) && (condition->flags & NODE_HAS_HELD)
        && !is_asked;
}

node_id *switches_below_modes(const compiled *c, arena *memory)
{
    const shape_pool *p = &c->s->shapes;
    node_id *at = ARENA_ARRAY(memory, node_id, p->nodes.count);
    for (size_t id = 0; at && id < p->nodes.count; id++)
        at[id] = is_mode(p, shape_node(p, (node_id)id))
            ? NODE_NONE
            : switch_at(p, (node_id)id, at, true);
    return at;
}

/* The first place that switches, in the order of the text. */
typedef struct place {
    bool is_definition;
    uint32_t target;
    text_span span;
    node_id at;
    const uint32_t *row;
} place;

typedef struct finding {
    compiled *c;
    bool with_kinks;
    const node_id *at; /* per node, what switches below it */
    size_t count;      /* equations and definitions that switch */
    place first;
} finding;

static bool is_before(const place *a, const place *b)
{
    if (a->span.begin != b->span.begin) return a->span.begin < b->span.begin;
    return a->target < b->target;
}

static text_span place_span(const compiled *c, const place *p)
{
    if (p->is_definition) return definition_span(c->s, p->target);
    const equation_block *b = equation_block_find(&c->s->equations, p->target);
    return b ? b->span : (text_span){0, 0};
}

static void add_place(finding *f, place p)
{
    p.span = place_span(f->c, &p);
    if (f->count++ == 0 || is_before(&p, &f->first)) f->first = p;
}

/* Vouched for, or part of what is alone (kinks.h). */
static bool is_vouched(const compiled *c, uint32_t id)
{
    return definition_is_vouched(c->s, id)
        || (c->is_exposed && !c->is_exposed[id]);
}

/* Each equation or definition counts once, whatever the number of its rows. */
static dae_status look_at(
    finding *f, const row_sets *sets, size_t targets, bool is_definition)
{
    compiled *c = f->c;
    uint8_t *seen = ARENA_ARRAY(&c->scratch, uint8_t, targets + 1);
    if (!seen) return DAE_MEMORY;
    for (size_t k = 0; k < sets->count; k++) {
        const row_set *set = &sets->items[k];
        const node_id at = f->at[set->root];
        for (size_t r = 0; at != NODE_NONE && r < set->count; r++) {
            const uint32_t *row = set_row(set, r), target = row[0];
            if (is_definition && !(c->defs.need[target] & NEED_MODEL)) continue;
            if (is_definition && !f->with_kinks && is_vouched(c, target))
                continue;
            if (is_definition && c->s->definitions.items[target].own
                && !f->with_kinks)
                continue;
            if (seen[target]) continue;
            seen[target] = 1;
            add_place(f,
                (place){.is_definition = is_definition,
                    .target = target,
                    .at = at,
                    .row = row});
        }
    }
    return DAE_OK;
}

static dae_status find_all(compiled *c, bool with_kinks, finding *f)
{
    *f = (finding){.c = c,
        .with_kinks = with_kinks,
        .at = switches_below(c, &c->scratch, with_kinks)};
    if (!f->at) return DAE_MEMORY;
    dae_status st = look_at(f, &c->text_equations, c->s->equation_count, false);
    return st ? st : look_at(f, &c->text_definitions, c->defs.count, true);
}

static bool has_factor(const shape_pool *p, node_id product, node_id factor)
{
    const node *n = shape_node(p, product);
    if (product == factor) return true;
    if (n->op == NODE_NEG || n->op == NODE_DIV)
        return has_factor(p, n->a, factor);
    return n->op == NODE_MUL
        && (has_factor(p, n->a, factor) || has_factor(p, n->b, factor));
}

bool switch_is_square(const shape_pool *p, const node *n, int k)
{
    if (n->op != NODE_MUL) return false;
    const node *abs = shape_node(p, node_operand(n, k));
    return abs->op == NODE_ABS && has_factor(p, node_operand(n, 1 - k), abs->a);
}

dae_status switches_look(compiled *c)
{
    arena_position mark = arena_mark(&c->scratch);
    finding f;
    dae_status st = find_all(c, true, &f);
    if (!st) c->problem.is_smooth = f.count == 0;
    arena_release(&c->scratch, mark);
    return st;
}

static dae_status tell(const finding *f, dae_diagnostics *ds)
{
    const compiled *c = f->c;
    const place *p = &f->first;
    char name[NAME_SIZE], at[EXPRESSION_SIZE] = "", more[64] = "";
    text_buffer out = {at, sizeof at, 0};
    dae_status st = names_write_shape(
        c, p->at, p->row, EXPRESSION_LONGEST, text_buffer_write, &out);
    if (st) return st;
    if (p->is_definition)
        (void)definition_text(c->s, p->target, name, sizeof name);
    else
        (void)equation_block_text(
            &c->s->equations, p->target, name, sizeof name);
    if (f->count > 1)
        (void)snprintf(more, sizeof more, ", and so do%s %zu more",
            f->count == 2 ? "es" : "", f->count - 1);
    report(ds, DIAG_N0508, p->span.end ? c->s->source : NULL, p->span,
        "`%s` switches at `%s`%s: formulas at fixed steps go across without "
        "knowing of it",
        name, at, more);
    report_help(
        ds, "`dae run` locates it, and so do the runs of --study tolerances");
    return DAE_OK;
}

dae_status compiled_note_switches(compiled *c, dae_diagnostics *ds)
{
    arena_position mark = arena_mark(&c->scratch);
    finding f;
    dae_status st = find_all(c, false, &f);
    if (!st && f.count > 0) st = tell(&f, ds);
    arena_release(&c->scratch, mark);
    return st;
}

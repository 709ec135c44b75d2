/* A definition that switches may jump there or not: `if t < 1 then t else 1`
 * does not. So a place where it switches is looked for, by one of its leaves with
 * the others at numbers of no meaning, and its values on both sides are
 * compared: those of a jump do not come nearer to each other when the sides do. */
#include "code/jumps.h"
#include "code/names.h"
#include "code/switches.h"
#include <math.h>
#include <stdio.h>

enum { NAME_SIZE = 120, EXPRESSION_LONGEST = 80, EXPRESSION_SIZE = 120 };
/* Where a switch is looked for that does not stand in the text: so many places
 * on either side of 0, so far apart. */
enum { SCAN = 200, HALVINGS = 60 };
static const double SCAN_STEP = 0.05;
/* Beside a place, as a part of its size; of two distances the smaller. */
static const double ASIDE = 1e-6, NEARER = 0.1;

typedef struct trial {
    const compiled *c;
    const uint32_t *row; /* the definition's */
    node_id root;
    uint32_t moved; /* the hole that is set; its value */
    double at;
    dae_status status;
} trial;

/* Numbers of no meaning, each leaf its own. */
static double leaf_value(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    const trial *w = context;
    if (kind == LEAF_PARAM)
        return w->c->s->param_values.items[w->row[1 + number]];
    if (number == w->moved && order == 0) return w->at;
    return 0.7310585786 + 0.1234567 * (double)(number % 7) + 0.01 * order;
}

static double value_at(trial *w, node_id id, double at)
{
    double value = (double)NAN;
    w->at = at;
    const dae_status st = shape_eval(
        &w->c->s->shapes, id, leaf_value, w, NULL, &value);
    if (st == DAE_MEMORY) w->status = st;
    return value;
}

/* What changes its sign where a node switches: its two sides' difference, or its
 * operand, less a whole number for those that jump at these. */
static double edge_at(trial *w, const node *n, double at)
{
    const double a = value_at(w, n->a, at);
    switch ((node_op)n->op) {
    case NODE_SIGN: return a;
    case NODE_FLOOR:
    case NODE_CEIL: return a - 1;
    default: return a - value_at(w, n->b, at);
    }
}

/* Where the edge changes its sign between two places. */
static double bisect(trial *w, const node *n, double low, double high)
{
    const bool is_up = edge_at(w, n, low) < 0;
    for (int k = 0; k < HALVINGS && !w->status; k++) {
        const double middle = 0.5 * (low + high);
        if ((edge_at(w, n, middle) < 0) == is_up) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

/* A place where a node switches: by a straight line, as for `t < 3`, else between
 * others. */
static bool find_place(trial *w, const node *n, double *place)
{
    const double at_0 = edge_at(w, n, 0), slope = edge_at(w, n, 1) - at_0;
    double low = 0, before = (double)NAN;
    if (isfinite(slope) && slope != 0) {
        *place = -at_0 / slope;
        if (fabs(edge_at(w, n, *place)) <= 1e-12 * (1 + fabs(at_0)))
            return true;
    }
    for (int k = -SCAN; k <= SCAN && !w->status; k++) {
        const double high = k * SCAN_STEP, edge = edge_at(w, n, high);
        if (isfinite(before) && isfinite(edge) && (before < 0) != (edge < 0)) {
            *place = bisect(w, n, low, high);
            return true;
        }
        low = high;
        before = edge;
    }
    return false;
}

static double step_at(trial *w, double place, double aside, double *size)
{
    const double part = aside * (1 + fabs(place));
    const double below = value_at(w, w->root, place - part);
    const double above = value_at(w, w->root, place + part);
    *size = fmax(fabs(below), fabs(above));
    return fabs(above - below);
}

static bool jumps_at(trial *w, double place)
{
    double size, nearer_size;
    const double step = step_at(w, place, ASIDE, &size);
    const double nearer = step_at(w, place, ASIDE * NEARER, &nearer_size);
    return isfinite(step) && isfinite(nearer) && step > 1e-9 * size
        && nearer > 0.5 * step;
}

/* The node at which a row jumps, by any of its leaves; NODE_NONE. */
static node_id find_jump(trial *w, const row_set *set)
{
    const shape_pool *p = &w->c->s->shapes;
    node_id *below = NULL, found = NODE_NONE;
    size_t count = 0;
    w->root = set->root;
    w->status = shape_needed(p, &set->root, 1, &below, &count);
    for (size_t k = 0; k < count && !w->status && found == NODE_NONE; k++) {
        const node *n = shape_node(p, below[k]);
        if (!switch_has_edge((node_op)n->op)) continue;
        for (size_t h = 0; h < count && found == NODE_NONE; h++) {
            const node *hole = shape_node(p, below[h]);
            double place;
            if (hole->op != NODE_HOLE || hole->kind == LEAF_PARAM
                || hole->order != 0)
                continue;
            w->moved = hole->a;
            if (find_place(w, n, &place) && jumps_at(w, place))
                found = below[k];
        }
    }
    alloc_free(w->c->s->allocator, below, count, sizeof *below);
    return found;
}

typedef struct jump {
    uint32_t definition;
    node_id at;
    const uint32_t *row;
} jump;

static dae_status look_at(const compiled *c, uint32_t id, jump *out)
{
    const definition *d = &c->s->definitions.items[id];
    for (uint32_t r = 0; r < d->row_count && out->at == NODE_NONE; r++) {
        const row_ref ref = c->s->row_refs.items[d->first_row + r];
        const row_set *set = text_ref_set(c, ref);
        trial w = {.c = c, .row = set_row(set, ref.row)};
        out->at = find_jump(&w, set);
        out->row = w.row;
        if (w.status) return w.status;
    }
    out->definition = id;
    return DAE_OK;
}

static dae_status tell(
    const compiled *c, const jump *first, size_t count, dae_diagnostics *ds)
{
    char name[NAME_SIZE], at[EXPRESSION_SIZE] = "", more[64] = "";
    text_buffer out = {at, sizeof at, 0};
    const text_span span = definition_span(c->s, first->definition);
    const dae_status st = names_write_shape(
        c, first->at, first->row, EXPRESSION_LONGEST, text_buffer_write, &out);
    if (st) return st;
    (void)definition_text(c->s, first->definition, name, sizeof name);
    if (count > 1)
        (void)snprintf(more, sizeof more, "; %zu others likewise", count - 1);
    report(ds, DIAG_W0308, span.end ? c->s->source : NULL, span,
        "the derivative of `%s` omits the jump at `%s`%s", name, at, more);
    report_help(ds,
        "derivatives are taken branch by branch, so an integral of this one "
        "does not follow the jump: use the value itself, or a steep ramp; "
        "`smooth(...)` accepts the omission");
    return DAE_OK;
}

dae_status jumps_tell(compiled *c, dae_diagnostics *ds)
{
    jump first = {NODE_NONE, NODE_NONE, NULL};
    size_t count = 0;
    for (uint32_t id = 0; id < c->defs.count; id++) {
        const definition *d = &c->s->definitions.items[id];
        jump here = {NODE_NONE, NODE_NONE, NULL};
        if (d->kind != DEFINITION_DERIVATIVE) continue;
        if (!(c->defs.need[id] & NEED_MODEL)) continue;
        if (definition_is_vouched(c->s, d->of)) continue;
        const dae_status st = look_at(c, d->of, &here);
        if (st) return st;
        if (here.at != NODE_NONE && count++ == 0) first = here;
    }
    return count ? tell(c, &first, count, ds) : DAE_OK;
}

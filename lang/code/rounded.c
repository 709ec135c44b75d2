/* Beside the program that computes entries: the same partial derivatives once
 * more, one by one and with bounds of what rounding may have done to them, for
 * the few entries that somebody suspects. */
#include "code/rounded.h"

#include "code/rows.h"
#include "code/slots.h"
#include "ir/collect.h"
#include "ir/rounding.h"
#include <math.h>

typedef struct bounds {
    compiled *c;
    const uint8_t *asked;  /* entries */
    double *param_error;   /* nodes of params */
    double *sum, *error;   /* entries */
    uint8_t *is_unknown;   /* entries: not constants of the text alone */
    double *value, *bound; /* nodes of shapes */
} bounds;

static size_t find_entry(const compiled *c, uint32_t row, uint32_t column)
{
    const jacobian *j = &c->jacobian;
    size_t low = (size_t)j->column_start[column];
    size_t high = (size_t)j->column_start[column + 1];
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if ((uint32_t)j->row[mid] < row) low = mid + 1;
        else high = mid;
    }
    const bool is_there = low < (size_t)j->column_start[column + 1]
        && (uint32_t)j->row[low] == row;
    return is_there ? low : SIZE_MAX;
}

/* The value of a partial derivative in one row, and its bound. */
static void evaluate(bounds *b, const node_id *needed, size_t count,
    const uint32_t *row, double *value, double *bound)
{
    const shape_pool *pool = &b->c->s->shapes;
    for (size_t k = 0; k < count; k++) {
        const node_id id = needed[k];
        const node *n = shape_node(pool, id);
        double v[3] = {0, 0, 0}, e[3] = {0, 0, 0};
        if (n->op == NODE_HOLE) {
            const uint32_t param = row[1 + n->a];
            b->value[id] = b->c->s->param_values.items[param];
            b->bound[id] = b->param_error[param];
            continue;
        }
        const int arity = node_arity((node_op)n->op);
        for (int i = 0; i < arity; i++) {
            v[i] = b->value[node_operand(n, i)];
            e[i] = b->bound[node_operand(n, i)];
        }
        b->value[id] = node_apply(n, v[0], v[1], v[2]);
        b->bound[id] = arity == 0 ? rounding_of_number(b->value[id])
                                  : rounding_of_node(n, v, e, b->value[id]);
    }
    *value = b->value[needed[count - 1]];
    *bound = b->bound[needed[count - 1]];
}

/* By a definition: entries that it leads to are of other terms, too. */
static void mark_chained(bounds *b, uint32_t row, uint32_t id)
{
    const compiled *c = b->c;
    const uint32_t first = c->defs.gradient_first[id];
    if (c->defs.border[id] != NONE) return;
    for (uint32_t g = 0; g < c->defs.gradient_count[id]; g++) {
        const uint32_t column = slots_column(
            &c->slots, c->chains.columns.items[first + g]);
        const size_t p = find_entry(c, row, column);
        if (p != SIZE_MAX) b->is_unknown[p] = 1;
    }
}

static void add_row(bounds *b, const row_set *set, const partial *d, size_t r,
    const node_id *needed, size_t count)
{
    const compiled *c = b->c;
    const uint32_t *row = set_row(set, r);
    double value, bound;
    if (partial_is_zero(c, set, d, r)) return;
    if (d->by.kind != LEAF_UNKNOWN) {
        mark_chained(b, row[0], leaf_definition(c->s, &d->by, row));
        return;
    }
    const size_t p = find_entry(c, row[0],
        slots_column(&c->slots,
            slots_unknown_column(&c->slots, row[1 + d->by.hole], d->by.order)));
    if (p == SIZE_MAX || !b->asked[p]) return;
    if (partial_kind(c, set, d, r) == DAE_ENTRY_VARYING) b->is_unknown[p] = 1;
    if (b->is_unknown[p]) return;
    evaluate(b, needed, count, row, &value, &bound);
    b->sum[p] += value;
    b->error[p] += bound;
}

static dae_status add_set(bounds *b, const row_set *set)
{
    const shape_pool *pool = &b->c->s->shapes;
    dae_status st = DAE_OK;
    for (uint32_t k = 0; k < set->partial_count && !st; k++) {
        const partial *d = &set->partials[k];
        node_id *needed;
        size_t count;
        st = shape_needed(pool, &d->value, 1, &needed, &count);
        for (size_t r = 0; r < set->count && !st; r++)
            add_row(b, set, d, r, needed, count);
        if (!st) alloc_free(pool->allocator, needed, count, sizeof *needed);
    }
    return st;
}

static bool take_rooms(bounds *b)
{
    arena *m = &b->c->scratch;
    const size_t entries = b->c->jacobian.nonzeros;
    b->param_error = ARENA_ARRAY(m, double, b->c->s->param_values.count);
    b->sum = ARENA_ARRAY(m, double, entries);
    b->error = ARENA_ARRAY(m, double, entries);
    b->is_unknown = ARENA_ARRAY(m, uint8_t, entries);
    b->value = ARENA_ARRAY(m, double, b->c->s->shapes.nodes.count);
    b->bound = ARENA_ARRAY(m, double, b->c->s->shapes.nodes.count);
    return b->param_error && b->sum && b->error && b->is_unknown && b->value
        && b->bound;
}

dae_status rounded_entries(
    void *self, const uint8_t *asked, uint8_t *is_rounded)
{
    compiled *c = self;
    bounds b = {.c = c, .asked = asked};
    const arena_position mark = arena_mark(&c->scratch);
    dae_status st = take_rooms(&b) ? DAE_OK : DAE_MEMORY;
    if (!st) rounding_of_params(c->s, b.param_error);
    for (size_t s = 0; s < c->equations.count && !st; s++)
        st = add_set(&b, &c->equations.items[s]);
    for (size_t p = 0; p < c->jacobian.nonzeros && !st; p++)
        is_rounded[p] = asked[p] && !b.is_unknown[p] && b.sum[p] != 0
            && fabs(b.sum[p]) <= b.error[p];
    arena_release(&c->scratch, mark);
    return st;
}

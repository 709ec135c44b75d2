#include "code/pattern.h"
#include "code/rows.h"
#include "code/slots.h"
#include <string.h>

static dae_status add_touch(compiled *c, touches *t, uint32_t row,
    uint32_t column, dae_entry_kind kind, uint32_t *number)
{
    if (t->items.count >= CODE_FACTOR - 1) return DAE_LIMIT;
    if (!ARRAY_PUSH(c->allocator, &t->items, (touch){row, column})
        || !ARRAY_PUSH(c->allocator, &t->kinds, (uint8_t)kind))
        return DAE_MEMORY;
    *number = (uint32_t)t->items.count - 1;
    return DAE_OK;
}

static dae_status touch_chained(compiled *c, touches *t, jacobian *j,
    uint32_t row, uint32_t used, dae_entry_kind kind, uint32_t *code)
{
    chain_tables *chains = &c->chains;
    uint32_t first = c->defs.gradient_first[used];
    uint32_t count = c->defs.gradient_count[used];
    if (count == 0) return DAE_OK;
    if (chains->factor_count >= CODE_FACTOR - 1) return DAE_LIMIT;
    uint32_t factor = chains->factor_count++;
    *code = factor | CODE_FACTOR;
    for (uint32_t g = first; g < first + count; g++) {
        chain_link link = {0, factor, g};
        uint8_t other = chains->kinds.items[g];
        dae_status st = add_touch(c, t, row, chains->columns.items[g],
            other < kind ? (dae_entry_kind)other : kind, &link.target);
        if (st) return st;
        if (!ARRAY_PUSH(c->allocator, &j->outer, link)) return DAE_MEMORY;
    }
    return DAE_OK;
}

static dae_status collect_partial(
    compiled *c, const row_set *set, uint32_t k, touches *t, jacobian *j)
{
    const partial *d = &set->partials[k];
    dae_status st = DAE_OK;
    for (size_t r = 0; r < set->count && !st; r++) {
        const uint32_t *row = set_row(set, r);
        uint32_t *code = &set->codes[k * set->count + r], used;
        if (partial_is_zero(c, set, d, r)) continue;
        dae_entry_kind kind = partial_kind(c, set, d, r);
        if (d->by.kind == LEAF_UNKNOWN) {
            st = add_touch(c, t, row[0],
                slots_unknown_column(
                    &c->slots, row[1 + d->by.hole], d->by.order),
                kind, code);
            continue;
        }
        used = leaf_definition(c->s, &d->by, row);
        if (c->defs.border[used] == NONE)
            st = touch_chained(c, t, j, row[0], used, kind, code);
        else
            st = add_touch(c, t, row[0],
                slots_border_column(&c->slots, c->defs.border[used]), kind,
                code);
    }
    return st;
}

dae_status pattern_collect(compiled *c, row_sets *sets, touches *t, jacobian *j)
{
    dae_status st = DAE_OK;
    for (size_t s = 0; s < sets->count && !st; s++)
        for (uint32_t k = 0; k < sets->items[s].partial_count && !st; k++)
            st = collect_partial(c, &sets->items[s], k, t, j);
    return st;
}

/* Touches sorted by row: the touches of row i are
 * touch_of[row_start[i]..row_start[i+1]). */
typedef struct by_row {
    uint32_t *row_start, *touch_of;
} by_row;

static dae_status sort_by_row(
    compiled *c, const touches *t, size_t rows, by_row *b)
{
    b->row_start = ARENA_ARRAY(&c->scratch, uint32_t, rows + 2);
    b->touch_of = ARENA_ARRAY(&c->scratch, uint32_t, t->items.count);
    if (!b->row_start || !b->touch_of) return DAE_MEMORY;
    uint32_t *next = b->row_start + 1; /* moves up to the next row's start */
    for (size_t k = 0; k < t->items.count; k++)
        next[t->items.items[k].row + 1]++;
    for (size_t i = 0; i < rows; i++) next[i + 1] += next[i];
    for (size_t k = 0; k < t->items.count; k++)
        b->touch_of[next[t->items.items[k].row]++] = (uint32_t)k;
    return DAE_OK;
}

/* Entries row by row: entry_of[touch]; the entries' final columns, and rows
 * in the order of entries. */
typedef struct entries {
    uint32_t *entry_of, *column, *row;
    size_t count;
} entries;

static dae_status find_entries(
    compiled *c, const touches *t, size_t rows, const by_row *b, entries *e)
{
    const slot_tables *s = &c->slots;
    size_t columns = s->total_states + s->total, count = t->items.count;
    uint32_t *stamp = ARENA_ARRAY(&c->scratch, uint32_t, columns);
    uint32_t *place = ARENA_ARRAY(&c->scratch, uint32_t, columns);
    e->entry_of = ARENA_ARRAY(&c->scratch, uint32_t, count);
    e->column = ARENA_ARRAY(&c->scratch, uint32_t, count);
    e->row = ARENA_ARRAY(&c->scratch, uint32_t, count);
    if (!stamp || !place || !e->entry_of || !e->column || !e->row)
        return DAE_MEMORY;
    for (size_t i = 0; i < rows; i++)
        for (uint32_t p = b->row_start[i]; p < b->row_start[i + 1]; p++) {
            uint32_t k = b->touch_of[p];
            uint32_t column = slots_column(s, t->items.items[k].column);
            if (stamp[column] != i + 1) {
                stamp[column] = (uint32_t)i + 1;
                place[column] = (uint32_t)e->count;
                e->column[e->count] = column;
                e->row[e->count++] = (uint32_t)i;
            }
            e->entry_of[k] = place[column];
        }
    return DAE_OK;
}

static dae_status take_pattern(compiled *c, jacobian *j, size_t columns)
{
    j->column_start = ARENA_ARRAY(&c->memory, int64_t, columns + 1);
    j->row = ARENA_ARRAY(&c->memory, int32_t, j->nonzeros);
    j->kind = ARENA_ARRAY(&c->memory, uint8_t, j->nonzeros);
    if (!j->column_start || !j->row || !j->kind) return DAE_MEMORY;
    j->pattern = (dae_pattern){j->column_start, j->row, j->kind};
    return DAE_OK;
}

/* Sorts entries by column; their order by rows stays. `position` replaces the
 * columns. */
static void place_entries(jacobian *j, entries *e, size_t columns)
{
    int64_t *start = j->column_start;
    for (size_t k = 0; k < e->count; k++) start[e->column[k] + 1]++;
    for (size_t col = 0; col < columns; col++) start[col + 1] += start[col];
    for (size_t k = 0; k < e->count; k++) {
        int64_t p = start[e->column[k]]++;
        j->row[p] = (int32_t)e->row[k];
        e->column[k] = (uint32_t)p;
    }
    for (size_t col = columns; col > 0; col--) start[col] = start[col - 1];
    start[0] = 0;
}

static void find_kinds(const touches *t, const entries *e, jacobian *j)
{
    memset(j->kind, DAE_ENTRY_CONSTANT, j->nonzeros);
    for (size_t k = 0; k < t->items.count; k++) {
        uint8_t *kind = &j->kind[e->column[e->entry_of[k]]];
        if (t->kinds.items[k] < *kind) *kind = t->kinds.items[k];
    }
    for (size_t p = 0; p < j->nonzeros; p++) {
        if (j->kind[p] == DAE_ENTRY_VARYING) j->has_varying = true;
        else j->has_other = true;
    }
}

static void place_codes(row_sets *sets, const entries *e, jacobian *j)
{
    for (size_t s = 0; s < sets->count; s++) {
        row_set *set = &sets->items[s];
        size_t count = set->count * set->partial_count;
        for (size_t k = 0; k < count; k++) {
            uint32_t code = set->codes[k];
            if (code != NONE && !(code & CODE_FACTOR))
                set->codes[k] = e->column[e->entry_of[code]];
        }
    }
    for (size_t k = 0; k < j->outer.count; k++) {
        uint32_t *target = &j->outer.items[k].target;
        *target = e->column[e->entry_of[*target]];
    }
}

dae_status pattern_build(
    compiled *c, row_sets *sets, const touches *t, jacobian *j)
{
    by_row b;
    entries e = {0};
    size_t columns = c->slots.total_states + c->slots.total;
    arena_position mark = arena_mark(&c->scratch);
    dae_status st = sort_by_row(c, t, j->rows, &b);
    if (!st) st = find_entries(c, t, j->rows, &b, &e);
    j->nonzeros = e.count;
    if (!st) st = take_pattern(c, j, columns);
    if (!st) {
        place_entries(j, &e, columns);
        find_kinds(t, &e, j);
        place_codes(sets, &e, j);
    }
    arena_release(&c->scratch, mark);
    return st;
}

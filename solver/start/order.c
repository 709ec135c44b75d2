/* Between split.c, which says what belongs together, and those who ask in
 * which block a failure began. */
#include "start/order.h"

#include "graph/blocks.h"
#include "graph/match.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static bool take_vectors(block_order *o, init_system *s, size_t n)
{
    o->start = ARENA_ARRAY(&s->arena, int32_t, n + 1);
    o->slots = ARENA_ARRAY(&s->arena, int32_t, n);
    o->rows = ARENA_ARRAY(&s->arena, int32_t, n);
    return o->start && o->slots && o->rows;
}

/* From local columns to slots and their rows, sorted within the blocks. */
static void name_members(
    block_order *o, const submatrix *m, const int32_t *row_of)
{
    for (size_t k = 0; k < m->columns; k++) {
        const int32_t column = o->slots[k];
        o->rows[k] = m->row_at[row_of[column]];
        o->slots[k] = m->slot_at[column];
    }
    for (size_t b = 0; b < o->count; b++) {
        const int32_t from = o->start[b];
        const size_t size = (size_t)(o->start[b + 1] - from);
        qsort(o->rows + from, size, sizeof *o->rows, compare);
        qsort(o->slots + from, size, sizeof *o->slots, compare);
    }
}

dae_status order_init(block_order *o, init_system *s, const split_part *part)
{
    const size_t n = part->slot_count;
    const dae_allocator *a = s->request->allocator;
    submatrix m;
    size_t rank;
    *o = (block_order){0};
    if (part->row_count != n) return DAE_OK;
    dae_status st = submatrix_init(&m, s, part->rows, n, part->slots, n);
    if (st) return st;
    int32_t *row_of = ARENA_ARRAY(&s->arena, int32_t, n);
    int32_t *column_of = ARENA_ARRAY(&s->arena, int32_t, n);
    if (!row_of || !column_of || !take_vectors(o, s, n)) return DAE_MEMORY;
    for (size_t j = 0; j < n; j++) row_of[j] = column_of[j] = MATCH_NONE;
    st = match_maximum(
        n, n, m.column_start, m.row, a, row_of, column_of, &rank);
    if (st || rank < n) return st;
    st = blocks_order(
        n, m.column_start, m.row, row_of, a, o->slots, o->start, &o->count);
    if (!st) name_members(o, &m, row_of);
    return st;
}

split_part order_block(const block_order *o, size_t b)
{
    const size_t size = (size_t)(o->start[b + 1] - o->start[b]);
    return (split_part){.rows = o->rows + o->start[b],
        .slots = o->slots + o->start[b],
        .row_count = size,
        .slot_count = size};
}

#include "start/block_order.h"
#include "graph/blocks.h"
#include "graph/match.h"
#include "graph/transpose.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void sort(int32_t *list, size_t count)
{
    qsort(list, count, sizeof *list, compare);
}

dae_status subset_init(subset *p, init_system *s, size_t rows, size_t slots)
{
    arena *a = &s->arena;
    *p = (subset){.rows = ARENA_ARRAY(a, int32_t, rows),
        .slots = ARENA_ARRAY(a, int32_t, slots)};
    return p->rows && p->slots ? DAE_OK : DAE_MEMORY;
}

bool rows_mark(
    const init_system *s, size_t slot, const uint8_t *is_in, uint8_t *mark)
{
    entry_range e[2];
    bool is_any = false;
    const int count = unknowns_column(s, slot, e);
    for (int q = 0; q < count; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++) {
            const size_t i = (size_t)e[q].row[p] + e[q].offset;
            if (!entry_is_present(&e[q], p) || (is_in && !is_in[i])) continue;
            mark[i] = 1;
            is_any = true;
        }
    return is_any;
}

/* Rows without a free slot go to the checks, all others to `all`. */
static dae_status gather(
    order *o, init_system *s, const uint8_t *is_in, subset *all)
{
    size_t count = 0;
    uint8_t *is_met = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    dae_status st = subset_init(all, s, s->rows, s->slots);
    if (st || !is_met) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++) {
        const size_t j = k - s->states;
        const bool exists = k < s->states || s->request->layout->order[j] > 0;
        if (!s->is_free[k] || !exists) continue;
        if (rows_mark(s, k, is_in, is_met))
            all->slots[all->slot_count++] = (int32_t)k;
        else o->is_loose = true;
    }
    for (size_t i = 0; i < s->rows; i++) {
        if (is_met[i]) all->rows[all->row_count++] = (int32_t)i;
        else count += !is_in || is_in[i];
    }
    if ((st = subset_init(&o->checks, s, count, 0))) return st;
    for (size_t i = 0; i < s->rows; i++)
        if (!is_met[i] && (!is_in || is_in[i]))
            o->checks.rows[o->checks.row_count++] = (int32_t)i;
    return DAE_OK;
}

/* The part of each row and slot of `all`. */
typedef struct parts {
    uint8_t *row, *slot;
} parts;

static dae_status find_parts(
    init_system *s, const subset *all, const parts *p, size_t *rank)
{
    arena *a = &s->arena;
    const size_t r = all->row_count, n = all->slot_count;
    const dae_allocator *memory = s->request->allocator;
    submatrix m;
    int32_t *row_of = ARENA_ARRAY(a, int32_t, n);
    int32_t *column_of = ARENA_ARRAY(a, int32_t, r);
    if (!row_of || !column_of) return DAE_MEMORY;
    dae_status st = submatrix_init(&m, s, all->rows, r, all->slots, n);
    if (st) return st;
    for (size_t j = 0; j < n; j++) row_of[j] = MATCH_NONE;
    for (size_t i = 0; i < r; i++) column_of[i] = MATCH_NONE;
    st = match_maximum(
        r, n, m.column_start, m.row, memory, row_of, column_of, rank);
    if (st) return st;
    return match_parts(r, n, m.column_start, m.row, row_of, column_of, memory,
        p->row, p->slot);
}

static size_t count_of(const uint8_t *part, size_t count, uint8_t which)
{
    size_t found = 0;
    for (size_t k = 0; k < count; k++) found += part[k] == which;
    return found;
}

/* If a single part holds everything, its list is used directly. */
static dae_status take_part(init_system *s, const subset *all, const parts *p,
    uint8_t which, subset *out)
{
    const size_t rows = count_of(p->row, all->row_count, which);
    const size_t slots = count_of(p->slot, all->slot_count, which);
    *out = *all;
    if (rows == all->row_count && slots == all->slot_count) return DAE_OK;
    const dae_status st = subset_init(out, s, rows, slots);
    if (st) return st;
    for (size_t i = 0; i < all->row_count; i++)
        if (p->row[i] == which) out->rows[out->row_count++] = all->rows[i];
    for (size_t j = 0; j < all->slot_count; j++)
        if (p->slot[j] == which) out->slots[out->slot_count++] = all->slots[j];
    return DAE_OK;
}

dae_status coarse_init(coarse *c, init_system *s, const subset *all)
{
    const parts p = {ARENA_ARRAY(&s->arena, uint8_t, all->row_count),
        ARENA_ARRAY(&s->arena, uint8_t, all->slot_count)};
    *c = (coarse){.rank = 0};
    if (!p.row || !p.slot) return DAE_MEMORY;
    const arena_position mark = arena_mark(&s->arena);
    dae_status st = find_parts(s, all, &p, &c->rank);
    arena_release(&s->arena, mark);
    if (!st) st = take_part(s, all, &p, MATCH_OVER, &c->over);
    if (!st) st = take_part(s, all, &p, MATCH_WELL, &c->well);
    if (!st) st = take_part(s, all, &p, MATCH_UNDER, &c->under);
    assert(st || c->well.row_count == c->well.slot_count);
    return st;
}

/* From local columns to slots and their rows, sorted within the blocks. */
static void name_members(order *o, const submatrix *m, const int32_t *row_of)
{
    for (size_t k = 0; k < m->columns; k++) {
        const int32_t column = o->blocks.slots[k];
        o->blocks.rows[k] = m->row_at[row_of[column]];
        o->blocks.slots[k] = m->slot_at[column];
    }
    for (size_t b = 0; b < o->count; b++) {
        const int32_t from = o->start[b];
        const size_t size = (size_t)(o->start[b + 1] - from);
        assert(size > 0);
        sort(o->blocks.rows + from, size);
        sort(o->blocks.slots + from, size);
    }
}

/* The blocks of `well`; what is allocated here is scratch. */
static dae_status find_blocks(order *o, init_system *s)
{
    const size_t n = o->well.slot_count;
    const dae_allocator *a = s->request->allocator;
    submatrix m;
    size_t rank;
    dae_status st = submatrix_init(&m, s, o->well.rows, n, o->well.slots, n);
    if (st) return st;
    int32_t *row_of = ARENA_ARRAY(&s->arena, int32_t, n);
    int32_t *column_of = ARENA_ARRAY(&s->arena, int32_t, n);
    if (!row_of || !column_of) return DAE_MEMORY;
    for (size_t j = 0; j < n; j++) row_of[j] = column_of[j] = MATCH_NONE;
    st = match_maximum(
        n, n, m.column_start, m.row, a, row_of, column_of, &rank);
    if (st) return st;
    assert(rank == n);
    st = blocks_order(n, m.column_start, m.row, row_of, a, o->blocks.slots,
        o->start, &o->count);
    if (!st) name_members(o, &m, row_of);
    return st;
}

dae_status order_blocks(order *o, init_system *s)
{
    const size_t n = o->well.slot_count;
    assert(o->well.row_count == n);
    if (n == 0 || o->count > 0) return DAE_OK;
    dae_status st = subset_init(&o->blocks, s, n, n);
    if (st) return st;
    o->start = ARENA_ARRAY(&s->arena, int32_t, n + 1);
    if (!o->start) return DAE_MEMORY;
    o->blocks.row_count = o->blocks.slot_count = n;
    const arena_position mark = arena_mark(&s->arena);
    st = find_blocks(o, s);
    arena_release(&s->arena, mark);
    return st;
}

dae_status order_init(order *o, init_system *s, const uint8_t *is_in)
{
    subset all;
    coarse c;
    *o = (order){.count = 0};
    dae_status st = gather(o, s, is_in, &all);
    if (!st) st = coarse_init(&c, s, &all);
    if (st) return st;
    o->over = c.over;
    o->well = c.well;
    o->under = c.under;
    return DAE_OK;
}

subset order_block(const order *o, size_t b)
{
    assert(b < o->count);
    const size_t size = (size_t)(o->start[b + 1] - o->start[b]);
    return (subset){.rows = o->blocks.rows + o->start[b],
        .slots = o->blocks.slots + o->start[b],
        .row_count = size,
        .slot_count = size};
}

dae_status order_join(const order *o, init_system *s, subset *all)
{
    const subset *p[] = {&o->over, &o->well, &o->under};
    const dae_status st = subset_init(all, s, s->rows, s->slots);
    if (st) return st;
    for (int c = 0; c < 3; c++) {
        for (size_t i = 0; i < p[c]->row_count; i++)
            all->rows[all->row_count++] = p[c]->rows[i];
        for (size_t j = 0; j < p[c]->slot_count; j++)
            all->slots[all->slot_count++] = p[c]->slots[j];
    }
    sort(all->rows, all->row_count);
    sort(all->slots, all->slot_count);
    return DAE_OK;
}

/* Queue of the rows reached; slots in the order in which they are reached. */
static void spread_from(const submatrix *m, const transposed *t, int32_t *queue,
    size_t count, uint8_t *has_row, uint8_t *has_slot)
{
    for (size_t at = 0; at < count; at++)
        for (int64_t p = t->start[queue[at]]; p < t->start[queue[at] + 1];
             p++) {
            const size_t j = (size_t)t->index[p];
            if (has_slot[j]) continue;
            has_slot[j] = 1;
            for (int64_t q = m->column_start[j]; q < m->column_start[j + 1];
                 q++)
                if (!has_row[m->row[q]]) {
                    has_row[m->row[q]] = 1;
                    queue[count++] = m->row[q];
                }
        }
}

dae_status order_connect(
    init_system *s, const subset *all, const subset *from, subset *out)
{
    arena *a = &s->arena;
    submatrix m;
    transposed t = {0};
    size_t count = 0;
    int32_t *queue = ARENA_ARRAY(a, int32_t, all->row_count);
    uint8_t *has_row = ARENA_ARRAY(a, uint8_t, all->row_count);
    uint8_t *has_slot = ARENA_ARRAY(a, uint8_t, all->slot_count);
    uint8_t *is_from = ARENA_ARRAY(a, uint8_t, s->rows);
    if (!queue || !has_row || !has_slot || !is_from) return DAE_MEMORY;
    dae_status st = subset_init(out, s, all->row_count, all->slot_count);
    if (!st)
        st = submatrix_init(
            &m, s, all->rows, all->row_count, all->slots, all->slot_count);
    if (!st)
        st = transpose_pattern(m.rows, m.columns, m.column_start, m.row,
            s->request->allocator, &t);
    if (st) return st;
    for (size_t i = 0; i < from->row_count; i++) is_from[from->rows[i]] = 1;
    for (size_t i = 0; i < all->row_count; i++)
        if (is_from[all->rows[i]]) {
            has_row[i] = 1;
            queue[count++] = (int32_t)i;
        }
    spread_from(&m, &t, queue, count, has_row, has_slot);
    for (size_t i = 0; i < m.rows; i++)
        if (has_row[i]) out->rows[out->row_count++] = all->rows[i];
    for (size_t j = 0; j < m.columns; j++)
        if (has_slot[j]) out->slots[out->slot_count++] = all->slots[j];
    transpose_clear(&t);
    return DAE_OK;
}

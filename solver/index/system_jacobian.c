/* The matrices of block_regularity.c: patterns made once from offsets and signature, values
 * filled in at each point. Pivots are those of dense QR with column pivoting; the
 * condition is estimated by sparse LU (linear_condition). */
#include "index/system_jacobian.h"

#include "linalg/linear.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int compare_cells(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

/* Of a column: nearly always short and nearly in order. */
static void sort_cells(cell *cells, size_t count)
{
    if (count > 64) {
        qsort(cells, count, sizeof *cells, compare_cells);
        return;
    }
    for (size_t k = 1; k < count; k++) {
        const cell it = cells[k];
        size_t to = k;
        for (; to > 0 && cells[to - 1].row > it.row; to--)
            cells[to] = cells[to - 1];
        cells[to] = it;
    }
}

/* The entries of the column at position k of the block that are in the block's
 * rows and have the order that counts; puts them down where there is room. */
static size_t gather_column(const blocks_request *q, const int32_t *position,
    const dae_block *block, size_t k, cell *cells)
{
    const dae_structure *s = q->structure;
    const signature *g = q->signature;
    const int32_t j = s->column_at[k];
    size_t count = 0;
    for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++) {
        const int32_t i = g->row[p], at = position[i];
        if (at < block->begin || at >= block->end) continue;
        if (s->d[j] - s->c[i] != g->order[p]) continue;
        if (cells) cells[count] = (cell){at - block->begin, g->entry[p]};
        count++;
    }
    if (cells) sort_cells(cells, count);
    return count;
}

/* Counts the cells of all columns, or puts them down where there is room. */
static void pass_columns(
    bundle *b, const blocks_request *q, const int32_t *position)
{
    for (size_t f = 0; f < b->block_count; f++)
        for (int32_t k = b->blocks[f].begin; k < b->blocks[f].end; k++) {
            const size_t count = gather_column(q, position, &b->blocks[f],
                (size_t)k, b->cells ? b->cells + b->start[k] : NULL);
            b->start[k + 1] = b->start[k] + (int64_t)count;
        }
}

static dae_status gather(bundle *b, const blocks_request *q)
{
    const size_t n = q->structure->n;
    b->start = ARENA_ARRAY(&b->memory, int64_t, n + 1);
    int32_t *position = ARENA_ARRAY(&b->memory, int32_t, n);
    if (!position || !b->start) return DAE_MEMORY;
    for (size_t k = 0; k < n; k++)
        position[q->structure->row_at[k]] = (int32_t)k;
    pass_columns(b, q, position);
    b->cells = ARENA_ARRAY(&b->memory, cell, (size_t)b->start[n]);
    if (!b->cells) return DAE_MEMORY;
    pass_columns(b, q, position);
    return DAE_OK;
}

static dae_status make_room(bundle *b)
{
    arena *m = &b->memory;
    for (size_t f = 0; f < b->block_count; f++) {
        const dae_block *block = &b->blocks[f];
        const size_t size = bundle_size(b, f);
        const size_t entries = (size_t)(b->start[block->end]
            - b->start[block->begin]);
        if (size > b->largest) b->largest = size;
        if (entries > b->most_entries) b->most_entries = entries;
    }
    b->column_start = ARENA_ARRAY(m, int64_t, b->largest + 1);
    b->row = ARENA_ARRAY(m, int32_t, b->most_entries);
    b->values = ARENA_ARRAY(m, double, b->most_entries);
    b->scaled = ARENA_ARRAY(m, double, b->most_entries);
    b->r = ARENA_ARRAY(m, double, b->largest);
    b->c = ARENA_ARRAY(m, double, b->largest);
    b->work = ARENA_ARRAY(m, double, b->largest);
    b->pivot = ARENA_ARRAY(m, double, b->largest);
    return b->column_start && b->row && b->values && b->scaled && b->r && b->c
            && b->work && b->pivot
        ? DAE_OK
        : DAE_MEMORY;
}

dae_status bundle_init(bundle *b, const blocks_request *q, bool is_whole)
{
    const dae_structure *s = q->structure;
    *b = (bundle){
        .structure = s, .blocks = s->fine, .block_count = s->fine_count};
    arena_init(&b->memory, alloc_or_default(q->allocator), 0);
    if (is_whole) {
        dae_block *all = ARENA_NEW(&b->memory, dae_block);
        if (!all) return DAE_MEMORY;
        all->end = (int32_t)s->n;
        b->blocks = all;
        b->block_count = 1;
    }
    const dae_status st = gather(b, q);
    return st ? st : make_room(b);
}

void bundle_clear(bundle *b)
{
    arena_clear(&b->memory);
    *b = (bundle){0};
}

size_t bundle_size(const bundle *b, size_t block)
{
    const dae_block *f = &b->blocks[block];
    return (size_t)(f->end - f->begin);
}

int64_t bundle_single(const bundle *b, size_t block)
{
    return b->cells[b->start[b->blocks[block].begin]].entry;
}

matrix_view bundle_load(bundle *b, size_t block, const double *values)
{
    const dae_block *f = &b->blocks[block];
    const size_t n = bundle_size(b, block);
    assert(block < b->block_count && n <= b->largest);
    const int64_t from = b->start[f->begin];
    for (size_t k = 0; k <= n; k++)
        b->column_start[k] = b->start[(size_t)f->begin + k] - from;
    assert((size_t)b->column_start[n] <= b->most_entries);
    for (int64_t p = 0; p < b->column_start[n]; p++) {
        b->row[p] = b->cells[from + p].row;
        b->values[p] = values[b->cells[from + p].entry];
    }
    return (matrix_view){n, n, b->column_start, b->row, b->values};
}

dae_status bundle_condition(bundle *b, const matrix_view *a, double *rcond)
{
    linear *l = NULL;
    *rcond = 0;
    scale_by(a, b->r, b->c, b->scaled);
    dae_status st = linear_create(
        a->rows, a->start, a->row, DAE_LINEAR_AUTO, b->memory.allocator, &l);
    if (!st && linear_work(l) > 50 * WORK_OF_SECOND) {
        *rcond = (double)NAN;
        goto done;
    }
    if (!st) st = linear_factor(l, b->scaled);
    if (!st) st = linear_condition(l, b->work, rcond);
done:
    linear_free(l);
    return st == DAE_NUMERIC ? DAE_OK : st;
}

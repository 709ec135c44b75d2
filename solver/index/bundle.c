/* What blocks.c takes its pivots of: lists made once from offsets and
 * signature, values filled in at each point. Small blocks are dense and
 * pivoted completely, larger ones go through a sparse factorization and random
 * right sides. */
#include "index/bundle.h"

#include "index/points.h"
#include "linalg/linear.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Right sides: each misses the largest answer by more than a factor 10 with a
 * probability below a tenth [KL94]. */
enum { SIDES = 3 };

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

static dae_status gather(bundle *b, const blocks_request *q)
{
    const dae_structure *s = q->structure;
    dae_status st = DAE_MEMORY;
    int32_t *position = alloc_zeroed(b->allocator, b->n, sizeof *position);
    b->start = alloc_zeroed(b->allocator, b->n + 1, sizeof *b->start);
    if (!position || !b->start) goto done;
    for (size_t k = 0; k < b->n; k++) position[s->row_at[k]] = (int32_t)k;
    for (size_t f = 0; f < s->fine_count; f++)
        for (int32_t k = s->fine[f].begin; k < s->fine[f].end; k++)
            b->start[k + 1] = b->start[k]
                + (int64_t)gather_column(
                    q, position, &s->fine[f], (size_t)k, NULL);
    b->cell_count = (size_t)b->start[b->n];
    b->cells = alloc_zeroed(b->allocator, b->cell_count, sizeof *b->cells);
    if (!b->cells) goto done;
    for (size_t f = 0; f < s->fine_count; f++)
        for (int32_t k = s->fine[f].begin; k < s->fine[f].end; k++)
            (void)gather_column(
                q, position, &s->fine[f], (size_t)k, b->cells + b->start[k]);
    st = DAE_OK;
done:
    alloc_free(b->allocator, position, b->n, sizeof *position);
    return st;
}

static dae_status make_room(bundle *b)
{
    const dae_allocator *a = b->allocator;
    const dae_structure *s = b->structure;
    for (size_t f = 0; f < s->fine_count; f++) {
        const dae_block *block = &s->fine[f];
        const size_t size = (size_t)(block->end - block->begin);
        const size_t entries = (size_t)(b->start[block->end]
            - b->start[block->begin]);
        if (size > b->largest) b->largest = size;
        if (entries > b->most_entries) b->most_entries = entries;
    }
    const size_t n = b->largest, entries = b->most_entries;
    b->column_start = alloc_zeroed(a, n + 1, sizeof *b->column_start);
    b->row = alloc_zeroed(a, entries, sizeof *b->row);
    b->values = alloc_zeroed(a, entries, sizeof *b->values);
    b->scaled = alloc_zeroed(a, entries, sizeof *b->scaled);
    b->r = alloc_zeroed(a, n, sizeof *b->r);
    b->c = alloc_zeroed(a, n, sizeof *b->c);
    b->work = alloc_zeroed(a, n, sizeof *b->work);
    b->pivot = alloc_zeroed(a, n, sizeof *b->pivot);
    return b->column_start && b->row && b->values && b->scaled && b->r && b->c
            && b->work && b->pivot
        ? DAE_OK
        : DAE_MEMORY;
}

dae_status bundle_init(bundle *b, const blocks_request *q)
{
    *b = (bundle){.structure = q->structure,
        .allocator = alloc_or_default(q->allocator),
        .n = q->structure->n};
    arena_init(&b->memory, b->allocator, 0);
    dae_status st = gather(b, q);
    if (!st) st = make_room(b);
    if (st) bundle_clear(b);
    return st;
}

void bundle_clear(bundle *b)
{
    const dae_allocator *a = b->allocator;
    const size_t n = b->largest, entries = b->most_entries;
    if (!a) return;
    alloc_free(a, b->start, b->n + 1, sizeof *b->start);
    alloc_free(a, b->cells, b->cell_count, sizeof *b->cells);
    alloc_free(a, b->column_start, n + 1, sizeof *b->column_start);
    alloc_free(a, b->row, entries, sizeof *b->row);
    alloc_free(a, b->values, entries, sizeof *b->values);
    alloc_free(a, b->scaled, entries, sizeof *b->scaled);
    alloc_free(a, b->r, n, sizeof *b->r);
    alloc_free(a, b->c, n, sizeof *b->c);
    alloc_free(a, b->work, n, sizeof *b->work);
    alloc_free(a, b->pivot, n, sizeof *b->pivot);
    arena_clear(&b->memory);
    *b = (bundle){0};
}

size_t bundle_size(const bundle *b, size_t block)
{
    const dae_block *f = &b->structure->fine[block];
    return (size_t)(f->end - f->begin);
}

int64_t bundle_single(const bundle *b, size_t block)
{
    return b->cells[b->start[b->structure->fine[block].begin]].entry;
}

matrix_view bundle_load(bundle *b, size_t block, const double *values)
{
    const dae_block *f = &b->structure->fine[block];
    const size_t n = bundle_size(b, block);
    assert(block < b->structure->fine_count && n <= b->largest);
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

static int compare_down(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (y > x) - (y < x);
}

/* The diagonal of R, whose product is the determinant but for its sign. */
dae_status bundle_pivots(bundle *b, const matrix_view *a)
{
    rrqr f;
    const size_t n = a->rows;
    const arena_position mark = arena_mark(&b->memory);
    if (!rrqr_init(&f, &b->memory, n, n)) return DAE_MEMORY;
    scale_by(a, b->r, b->c, b->scaled);
    for (size_t j = 0; j < n; j++)
        for (int64_t p = a->start[j]; p < a->start[j + 1]; p++)
            f.a[j * n + (size_t)a->row[p]] = b->scaled[p];
    rrqr_factor(&f, 0);
    for (size_t k = 0; k < n; k++)
        b->pivot[k] = k < f.rank ? fabs(f.a[(size_t)f.pivot[k] * n + k]) : 0;
    qsort(b->pivot, n, sizeof *b->pivot, compare_down);
    arena_release(&b->memory, mark);
    return DAE_OK;
}

static double largest_of(const double *v, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++) {
        if (!isfinite(v[k])) return (double)INFINITY;
        most = fmax(most, fabs(v[k]));
    }
    return most;
}

dae_status bundle_condition(bundle *b, const matrix_view *a, double *rcond)
{
    linear *l = NULL;
    double worst = 1;
    *rcond = 0;
    scale_by(a, b->r, b->c, b->scaled);
    dae_status st = linear_create(
        a->rows, a->start, a->row, DAE_LINEAR_AUTO, b->allocator, &l);
    if (!st && linear_work(l) > BUNDLE_WORK) {
        *rcond = (double)NAN;
        goto done;
    }
    if (!st) st = linear_factor(l, b->scaled);
    for (uint64_t side = 0; !st && side < SIDES; side++) {
        for (size_t k = 0; k < a->rows; k++)
            b->work[k] = points_number(side + 1000, k);
        const double size = largest_of(b->work, a->rows);
        st = linear_solve(l, b->work);
        worst = fmax(worst, largest_of(b->work, a->rows) / size);
    }
    if (!st) *rcond = 1 / worst;
done:
    linear_free(l);
    return st == DAE_NUMERIC ? DAE_OK : st;
}

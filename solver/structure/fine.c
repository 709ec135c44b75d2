/* graph/blocks takes a pattern by columns. Given this one by rows, it sees the
 * transposed one, whose order is the reverse: rows and columns change places,
 * and so do "earlier" and "later". It begins with the first row and fills its
 * list from the end, so that turned round the coarse blocks ascend too. */
#include "structure/fine.h"

#include "graph/blocks.h"

/* The tight entries within blocks into `column`, or their number alone. */
static int64_t pick_tight(const ordered *o, const int64_t *c, const int64_t *d,
    int64_t *row_start, int32_t *column)
{
    int64_t to = 0;
    for (size_t i = 0; i < o->n; i++) {
        if (row_start) row_start[i] = to;
        for (int64_t p = o->row_start[i]; p < o->inner_end[i]; p++) {
            const int32_t j = o->column[p];
            if (d[j] - c[i] != o->order[p]) continue;
            if (column) column[to] = j;
            to++;
        }
    }
    if (row_start) row_start[o->n] = to;
    return to;
}

static void turn_round(int32_t *list, size_t count)
{
    for (size_t k = 0; k < count / 2; k++) {
        const int32_t other = list[count - 1 - k];
        list[count - 1 - k] = list[k];
        list[k] = other;
    }
}

dae_status fine_order(const ordered *o, const int32_t *column_of,
    const int64_t *c, const int64_t *d, int32_t *rows, int32_t *start,
    size_t *count)
{
    const dae_allocator *a = o->allocator;
    const size_t entries = (size_t)pick_tight(o, c, d, NULL, NULL);
    int64_t *row_start = alloc_zeroed(a, o->n + 1, sizeof *row_start);
    int32_t *column = alloc_zeroed(a, entries, sizeof *column);
    dae_status st = row_start && column ? DAE_OK : DAE_MEMORY;
    *count = 0;
    if (st) goto done;
    (void)pick_tight(o, c, d, row_start, column);
    st = blocks_order(
        o->n, row_start, column, column_of, a, rows, start, count);
    if (st) goto done;
    turn_round(rows, o->n);
    turn_round(start, *count + 1);
    for (size_t f = 0; f <= *count; f++) start[f] = (int32_t)o->n - start[f];
done:
    alloc_free(a, row_start, o->n + 1, sizeof *row_start);
    alloc_free(a, column, entries, sizeof *column);
    return st;
}

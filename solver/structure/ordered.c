#include "structure/ordered.h"

#include "graph/blocks.h"

static dae_status ordered_allocate(ordered *o)
{
    const dae_allocator *a = o->allocator;
    o->start = alloc_zeroed(a, o->n + 1, sizeof *o->start);
    o->row_at = alloc_zeroed(a, o->n, sizeof *o->row_at);
    o->column_at = alloc_zeroed(a, o->n, sizeof *o->column_at);
    o->row_start = alloc_zeroed(a, o->n + 1, sizeof *o->row_start);
    o->inner_end = alloc_zeroed(a, o->n, sizeof *o->inner_end);
    o->column = alloc_zeroed(a, o->entries, sizeof *o->column);
    o->order = alloc_zeroed(a, o->entries, sizeof *o->order);
    const bool ok = o->start && o->row_at && o->column_at && o->row_start
        && o->inner_end && o->column && o->order;
    return ok ? DAE_OK : DAE_MEMORY;
}

void ordered_clear(ordered *o)
{
    const dae_allocator *a = o->allocator;
    if (!a) return;
    alloc_free(a, o->start, o->n + 1, sizeof *o->start);
    alloc_free(a, o->row_at, o->n, sizeof *o->row_at);
    alloc_free(a, o->column_at, o->n, sizeof *o->column_at);
    alloc_free(a, o->row_start, o->n + 1, sizeof *o->row_start);
    alloc_free(a, o->inner_end, o->n, sizeof *o->inner_end);
    alloc_free(a, o->column, o->entries, sizeof *o->column);
    alloc_free(a, o->order, o->entries, sizeof *o->order);
    *o = (ordered){0};
}

/* Entries to their rows, columns ascending: those of the own block fill a row
 * from its begin, the others from its end. `position` is of the signature's
 * rows, `last` holds the ends of rows and is used up. */
static void fill(
    ordered *o, const dae_signature *s, const int32_t *position, int64_t *last)
{
    size_t b = 0;
    for (size_t k = 0; k < o->n; k++) {
        const int32_t j = o->column_at[k];
        while ((size_t)o->start[b + 1] <= k) b++;
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++) {
            const int32_t i = position[s->row[p]];
            const bool is_inner = i < o->start[b + 1];
            const int64_t to = is_inner ? o->inner_end[i]++ : --last[i];
            o->column[to] = (int32_t)k;
            o->order[to] = s->order[p];
        }
    }
}

static dae_status fill_rows(ordered *o, const dae_signature *s)
{
    const dae_allocator *a = o->allocator;
    int32_t *position = alloc_zeroed(a, o->n, sizeof *position);
    int64_t *last = alloc_zeroed(a, o->n, sizeof *last);
    const bool ok = position && last;
    if (!ok) goto done;
    for (size_t k = 0; k < o->n; k++) position[o->row_at[k]] = (int32_t)k;
    for (size_t p = 0; p < o->entries; p++)
        o->row_start[position[s->row[p]] + 1]++;
    for (size_t k = 0; k < o->n; k++) {
        o->row_start[k + 1] += o->row_start[k];
        o->inner_end[k] = o->row_start[k];
        last[k] = o->row_start[k + 1];
    }
    fill(o, s, position, last);
done:
    alloc_free(a, position, o->n, sizeof *position);
    alloc_free(a, last, o->n, sizeof *last);
    return ok ? DAE_OK : DAE_MEMORY;
}

dae_status ordered_init(ordered *o, const dae_signature *s,
    const int32_t *row_of, const dae_allocator *allocator)
{
    *o = (ordered){.n = s->columns,
        .entries = (size_t)s->column_start[s->columns],
        .allocator = alloc_or_default(allocator)};
    dae_status st = ordered_allocate(o);
    if (st) goto done;
    st = blocks_order(o->n, s->column_start, s->row, row_of, o->allocator,
        o->column_at, o->start, &o->block_count);
    if (st) goto done;
    for (size_t k = 0; k < o->n; k++) o->row_at[k] = row_of[o->column_at[k]];
    st = fill_rows(o, s);
done:
    if (st) ordered_clear(o);
    return st;
}

/* Counting sort by row; columns come out ascending because they go in so. */
#include "graph/transpose.h"

dae_status transpose_pattern(size_t rows, size_t columns,
    const int64_t *column_start, const int32_t *row,
    const dae_allocator *allocator, transposed *out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    const int64_t entries = column_start[columns];
    *out = (transposed){
        .allocator = a, .rows = rows, .entries = (size_t)entries};
    out->start = alloc_zeroed(a, rows + 1, sizeof *out->start);
    out->index = alloc_resize(a, NULL, 0, out->entries, sizeof *out->index);
    out->entry = alloc_resize(a, NULL, 0, out->entries, sizeof *out->entry);
    if (!out->start || !out->index || !out->entry) {
        transpose_clear(out);
        return DAE_MEMORY;
    }
    for (int64_t p = 0; p < entries; p++) out->start[row[p] + 1]++;
    for (size_t i = 0; i < rows; i++) out->start[i + 1] += out->start[i];
    /* start[i] runs to the end of row i, then everything shifts by one */
    for (size_t j = 0; j < columns; j++) {
        for (int64_t p = column_start[j]; p < column_start[j + 1]; p++) {
            const int64_t k = out->start[row[p]]++;
            out->index[k] = (int32_t)j;
            out->entry[k] = p;
        }
    }
    for (size_t i = rows; i > 0; i--) out->start[i] = out->start[i - 1];
    out->start[0] = 0;
    return DAE_OK;
}

void transpose_clear(transposed *t)
{
    if (!t->allocator) return;
    alloc_free(t->allocator, t->start, t->rows + 1, sizeof *t->start);
    alloc_free(t->allocator, t->index, t->entries, sizeof *t->index);
    alloc_free(t->allocator, t->entry, t->entries, sizeof *t->entry);
    *t = (transposed){0};
}

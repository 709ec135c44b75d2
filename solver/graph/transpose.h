/* A sparse pattern by rows from one by columns. */
#ifndef GRAPH_TRANSPOSE_H
#define GRAPH_TRANSPOSE_H

#include "base/alloc.h"
#include <dae/status.h>

typedef struct transposed {
    int64_t *start; /* rows + 1 */
    int32_t *index; /* columns of each row, ascending */
    int64_t *entry; /* where each came from in the pattern by columns */
    size_t rows, entries;
    const dae_allocator *allocator;
} transposed;

dae_status transpose_pattern(size_t rows, size_t columns,
    const int64_t *column_start, const int32_t *row,
    const dae_allocator *allocator, transposed *out) DAE_MUST_CHECK;
/* Fine on a zeroed one. */
void transpose_clear(transposed *t);

#endif

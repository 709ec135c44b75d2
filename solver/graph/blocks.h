/* The block triangular order of a square pattern with a perfect matching:
 * strongly connected components [Tar72], in the order of solving. */
#ifndef GRAPH_BLOCKS_H
#define GRAPH_BLOCKS_H

#include "base/alloc.h"
#include <dae/status.h>

/* `columns` (n) lists the columns block by block; block b is
 * columns[start[b]] .. columns[start[b + 1] - 1] (`start`: room for n + 1),
 * its rows are their partners in `row_of`. A row of block b has no entries
 * in the columns of later blocks, so blocks are solved as they come. */
dae_status blocks_order(size_t n, const int64_t *column_start,
    const int32_t *row, const int32_t *row_of, const dae_allocator *allocator,
    int32_t *columns, int32_t *start, size_t *count) DAE_MUST_CHECK;

#endif

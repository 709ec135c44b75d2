/* Colours columns for differences: columns of one colour share no row, so
 * one residual call serves them all. */
#ifndef GRAPH_COLOUR_H
#define GRAPH_COLOUR_H

#include "base/alloc.h"
#include <dae/status.h>

/* `colour` (one per column) becomes 0 .. *count - 1; an empty column has
 * colour -1. Greedy [CPR74], in the natural order and by falling degree, the
 * better of both kept, so equal patterns give equal colours. The work is at
 * most the entries times the longest row, and that row needs as many
 * colours. */
dae_status colour_columns(size_t rows, size_t columns,
    const int64_t *column_start, const int32_t *row,
    const dae_allocator *allocator, int32_t *colour,
    int32_t *count) DAE_MUST_CHECK;

#endif

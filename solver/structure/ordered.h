/* A regular signature in the order of its coarse blocks, by rows, for the
 * passes that follow: partners stand at the same position, neighbours in the
 * pattern mostly near each other in memory, and the entries within a block
 * apart from those that lead out of it. */
#ifndef STRUCTURE_ORDERED_H
#define STRUCTURE_ORDERED_H

#include "base/alloc.h"
#include <dae/structure.h>

/* Rows and columns are positions, 0 .. n - 1. Entries of row i:
 * row_start[i] .. inner_end[i] - 1 in columns of its own block, from there to
 * row_start[i + 1] - 1 in columns of earlier blocks; later ones it has none
 * in. */
typedef struct ordered {
    size_t n, entries, block_count;
    int32_t *start;          /* n + 1, of which block_count + 1 are in use */
    int32_t *row_at;         /* the row of the signature at each position */
    int32_t *column_at;      /* the column */
    int64_t *row_start;      /* n + 1 */
    int64_t *inner_end;      /* n */
    int32_t *column, *order; /* entries */
    const dae_allocator *allocator;
} ordered;

/* From a perfect matching: row_of one per column. */
dae_status ordered_init(ordered *o, const dae_signature *s,
    const int32_t *row_of, const dae_allocator *allocator) DAE_MUST_CHECK;
/* Fine on a zeroed one. */
void ordered_clear(ordered *o);

#endif

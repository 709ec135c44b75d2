/* The canonical offsets: the smallest c >= 0 and d with d[j] - c[i] >= order
 * for every entry, equal on a transversal of the highest value [Pry01]. */
#ifndef STRUCTURE_OFFSETS_H
#define STRUCTURE_OFFSETS_H

#include "structure/ordered.h"

/* `column_of`, u and v as graph/assign gives them for the entries within
 * blocks, by position. c (rows) and d (columns) are the result. */
dae_status offsets_find(const ordered *o, const int32_t *column_of,
    const int32_t *row_of, const int64_t *u, const int64_t *v, int64_t *c,
    int64_t *d) DAE_MUST_CHECK;

#endif

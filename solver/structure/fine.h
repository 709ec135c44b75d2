/* Fine blocks: strong components of the entries with d - c = order, coarse
 * block by coarse block, in the order of evaluation. */
#ifndef STRUCTURE_FINE_H
#define STRUCTURE_FINE_H

#include "structure/ordered.h"

/* By position. `rows` (n) lists the rows fine block by fine block, block f is
 * rows[start[f]] .. rows[start[f + 1] - 1] (`start`: room for n + 1), its
 * columns are their partners. */
dae_status fine_order(const ordered *o, const int32_t *column_of,
    const int64_t *c, const int64_t *d, int32_t *rows, int32_t *start,
    size_t *count) DAE_MUST_CHECK;

#endif

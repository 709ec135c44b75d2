/* The numerical rank of a part of the start's Jacobian. */
#ifndef START_RANK_H
#define START_RANK_H

#include "start/system.h"

/* Rank of `m` at the last Jacobian, rows and columns scaled: by linalg/rrqr.h
 * up to DENSE_CELLS_MOST, by linalg/sparse_rank.h above. `is_open` (columns)
 * may be NULL: set where the null space moves the column's slot, as the rows do
 * not determine it. DAE_LIMIT, DAE_NUMERIC: not known. */
dae_status rank_numeric(init_system *s, const submatrix *m, size_t *rank,
    uint8_t *is_open) DAE_MUST_CHECK;

#endif

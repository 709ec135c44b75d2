/* The numerical rank of a small part of the start's Jacobian. */
#ifndef START_RANK_H
#define START_RANK_H

#include "start/system.h"

/* Above so many entries (rows times columns) it is not asked for: the time
 * is that number times the smaller side. */
enum { RANK_LIMIT = 90000 };

/* Rank of `m` at the last Jacobian: elimination with complete pivoting on
 * rows and columns scaled to 1; pivots below 1e-10, or below the
 * values' error, count as zero. `is_open` (columns) may be NULL: set where
 * the null space moves the column's slot, as the rows do not determine it. */
dae_status rank_numeric(init_system *s, const submatrix *m, size_t *rank,
    uint8_t *is_open) DAE_MUST_CHECK;

#endif

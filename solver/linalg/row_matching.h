/* The order of the equations as rows. Orderings that keep fill low assume a nearly
 * symmetric pattern, and pivots are cheapest on the diagonal: both require every
 * unknown's own equation on the diagonal, while the order of the equations is the
 * user's. */
#ifndef LINALG_ROW_MATCHING_H
#define LINALG_ROW_MATCHING_H

#include "base/alloc.h"
#include <dae/status.h>

/* A matching of the rows to the columns of a square pattern (rows ascending
 * in each column): row_of[j], for n columns, is the row to be put j-th.
 * `level` (one per entry, 0..ALIGN_LEVELS - 1; NULL: all 0) says which entries
 * are wanted on the diagonal: as many of the highest level as can be, and so
 * on down. Among equals a diagonal that is there stays; where most of it is
 * not there, a row takes the middle one of its columns, the centre of a
 * difference stencil. *is_moved is false where the rows are best left alone,
 * also where the pattern is structurally singular: row_of[j] == j then. */
enum { ALIGN_LEVELS = 3 };

dae_status align_rows(size_t n, const int64_t *column_start, const int32_t *row,
    const uint8_t *level, const dae_allocator *allocator, int32_t *row_of,
    bool *is_moved) DAE_MUST_CHECK;

#endif

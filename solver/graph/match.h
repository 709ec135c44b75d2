/* Maximum matching between the rows and columns of a sparse pattern, and
 * what it says about them: the coarse Dulmage-Mendelsohn parts. */
#ifndef GRAPH_MATCH_H
#define GRAPH_MATCH_H

#include "base/alloc.h"
#include <dae/status.h>

#define MATCH_NONE (-1)

/* Maximum matching [HK73]. `row_of` (one per column) and `column_of` (one per
 * row) hold partners or MATCH_NONE. What they hold on entry is the matching
 * to begin from (all MATCH_NONE for none); it is only ever augmented, so
 * rows and columns matched on entry stay matched, with other partners perhaps.
 * The time is at most entries times the root of the size. */
dae_status match_maximum(size_t rows, size_t columns,
    const int64_t *column_start, const int32_t *row,
    const dae_allocator *allocator, int32_t *row_of, int32_t *column_of,
    size_t *rank) DAE_MUST_CHECK;

typedef enum match_part {
    MATCH_WELL = 0, /* as many rows as columns, all matched */
    MATCH_OVER,     /* more rows than columns; all its columns are matched */
    MATCH_UNDER,    /* more columns than rows; all its rows are matched */
} match_part;

/* The parts [DM58; PF90] from a maximum matching: `row_part` and
 * `column_part` hold match_part each. Rows of MATCH_OVER have entries in
 * columns of MATCH_OVER alone, rows of MATCH_WELL none in MATCH_UNDER. */
dae_status match_parts(size_t rows, size_t columns, const int64_t *column_start,
    const int32_t *row, const int32_t *row_of, const int32_t *column_of,
    const dae_allocator *allocator, uint8_t *row_part,
    uint8_t *column_part) DAE_MUST_CHECK;

#endif

/* A signature renumbered so that what belongs together lies together. The
 * passes over a large one follow its entries from row to column to row, each
 * step a place in memory that waits for the one before: on rows and columns
 * in a random order the time would be that of a million such waits. */
#ifndef STRUCTURE_NEARBY_H
#define STRUCTURE_NEARBY_H

#include "base/alloc.h"
#include <dae/structure.h>

typedef struct nearby {
    dae_signature s; /* the renumbered one */
    size_t entries;
    int32_t *row_at, *column_at; /* what each was numbered before */
    int64_t *column_start;
    int32_t *row, *order;
    const dae_allocator *allocator;
} nearby;

/* `s` is valid. The order within columns stays. */
dae_status nearby_init(nearby *q, const dae_signature *s,
    const dae_allocator *allocator) DAE_MUST_CHECK;
/* Fine on a zeroed one. */
void nearby_clear(nearby *q);

#endif

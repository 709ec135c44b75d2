/* Rows and shapes in the form the compiler works on. */
#ifndef CODE_ROWS_H
#define CODE_ROWS_H

#include "code/compile.h"

/* The holes below some roots, each once, ascending by node; in `memory`. */
dae_status leaves_below(const shape_pool *p, const node_id *roots,
    size_t root_count, arena *memory, leaf **leaves,
    uint32_t *count) DAE_MUST_CHECK;
/* One row_set for every list; the data stay where they are. */
dae_status rows_init(
    compiled *c, const row_group *g, row_sets *out) DAE_MUST_CHECK;
/* Gradients of all sets that have none yet. */
dae_status rows_differentiate(compiled *c, row_sets *sets) DAE_MUST_CHECK;
/* Room for the codes of all sets, all NONE; in the scratch arena. */
dae_status rows_take_codes(compiled *c, row_sets *sets) DAE_MUST_CHECK;

/* Whether a partial's value changes, for one row. */
dae_entry_kind partial_kind(
    const compiled *c, const row_set *set, const partial *d, size_t r);
/* Whether a partial is the plain number 0 in this row. */
bool partial_is_zero(
    const compiled *c, const row_set *set, const partial *d, size_t r);

#endif

/* Left null vectors of singular fine blocks, from their numbers.
 *
 * An equation that is a left null vector of its block's system Jacobian, each
 * equation i differentiated c_i - c times, where c is the smallest of these
 * offsets, and put in the place of one with c_i = c, has no entry with
 * d_j - c = order in the block. So with the same offsets no transversal of
 * equalities is left, and the value falls [TNP17, LC method]. */
#ifndef REPAIR_NULL_VECTOR_H
#define REPAIR_NULL_VECTOR_H

#include "index/blocks.h"
#include "repair/plan.h"

typedef struct null_vectors {
    repair_step *items;
    size_t count;
    bool is_all; /* of the singular blocks there are no others */
} null_vectors;

/* Of the blocks that are SINGULAR in `certificates`, in their order; all in the
 * arena. `at`: the problem, or the view that presents `p`. No points with values,
 * or no Jacobian: none. */
dae_status null_vectors_find(const blocks_request *at,
    const dae_certificate *certificates, const plan *p, arena *a,
    null_vectors *out) DAE_MUST_CHECK;

#endif

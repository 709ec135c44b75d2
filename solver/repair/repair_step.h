/* Steps that lower the value of the transversal, from the numbers of singular
 * fine blocks.
 *
 * An equation that is a left null vector of its block's system Jacobian, each
 * equation i differentiated c_i - c times, where c is the smallest of these
 * offsets, and put in the place of one with c_i = c, has no entry with
 * d_j - c = order in the block. So with the same offsets the block has no
 * transversal on which all inequalities are equalities, and the value falls
 * [TNP17, LC method]. */
#ifndef REPAIR_REPAIR_STEP_H
#define REPAIR_REPAIR_STEP_H

#include "index/block_regularity.h"
#include "repair/replacements.h"

typedef struct step_request {
    const blocks_request *at; /* the problem or the view */
    const dae_certificate *certificates;
    const plan *plan;
    unsigned kinds; /* bits 1 << repair_kind: which to look for */
} step_request;

typedef struct repair_steps {
    repair_step *items; /* at most one kind for each block */
    size_t count;
} repair_steps;

/* In the order of blocks; all in the arena. No points with values, or no
 * Jacobian: none. */
dae_status steps_find(
    const step_request *q, arena *a, repair_steps *out) DAE_MUST_CHECK;

#endif

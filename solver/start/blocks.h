/* A square part of the start block by block, in the order of dependence. */
#ifndef START_BLOCKS_H
#define START_BLOCKS_H

#include "start/damped.h"
#include "start/split.h"

/* A part that failed as a whole, again from `begin` (slots): in blocks an easy
 * one does not suffer from the damping of a hard one. What fails is the block, in
 * *failed. Nothing changes where there is one block, or too many. */
dae_status blocks_solve(init_system *s, const double *scale,
    const double *begin, const subset *part, subset *failed,
    damped_result *result) DAE_MUST_CHECK;
/* A part that was solved as a whole, with stated guesses far from where they
 * were: the same in blocks, if that leaves them nearer. A guess that solves its
 * own block stays. With findings only. */
dae_status blocks_nearer(init_system *s, const double *scale,
    const double *begin, const subset *part,
    damped_result *result) DAE_MUST_CHECK;

#endif

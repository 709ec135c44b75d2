/* How often equations have to be differentiated for each value: the index of a
 * variable, less one, as implicit methods see it when they are given the
 * equations as they stand [HLR89 ch. 1]. */
#ifndef REDUCE_DEPTH_H
#define REDUCE_DEPTH_H

#include "extend/extend.h"
#include "index/signature.h"

/* depth (columns of `e`, which extends by the offsets of `s`): x_j^(d_j - k)
 * follows from the equations F_i^(c_i - k) of its block and from what is in
 * them; the most derivatives of an equation on this way. 0 for a value that no
 * equation determines, or none that is differentiated. DAE_MEMORY. */
dae_status depth_find(const extended *e, const dae_structure *s,
    const dae_allocator *allocator, int32_t *depth) DAE_MUST_CHECK;

#endif

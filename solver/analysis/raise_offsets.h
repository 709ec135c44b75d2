/* Offsets that reach all derivatives in the equations as written. The smallest
 * offsets ignore terms that are 0, such as m*x'' with m = 0, although x' and
 * x'' need values at the start. */
#ifndef ANALYSIS_RAISE_OFFSETS_H
#define ANALYSIS_RAISE_OFFSETS_H

#include "base/alloc.h"
#include "linalg/layout.h"
#include <dae/structure.h>
#include <stdbool.h>

/* c and d: the offsets of `s`, those of a coarse block raised together until
 * each unknown's is its order in the equations as written, and those of blocks
 * that it needs with them. Differences in a block stay, and so do fine blocks,
 * stages and degrees of freedom [Pry01]. Where that would differentiate an equation
 * more often than `smoothness` (NULL: as often as wanted) allows, they are left
 * as they are. *is_raised: they reach further. `s` is regular. DAE_MEMORY. */
dae_status raise_offsets(const dae_structure *s, const dae_signature *g,
    const layout *l, const uint8_t *smoothness, const dae_allocator *allocator,
    int64_t *c, int64_t *d, bool *is_raised) DAE_MUST_CHECK;

#endif

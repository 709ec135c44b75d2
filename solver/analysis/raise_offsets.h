/* Offsets that reach all derivatives an equation is written with. The smallest
 * offsets speak of what counts alone: not of x'' in m*x'' where m is 0, although
 * x' and x'' have values. */
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

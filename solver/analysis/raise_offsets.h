/* Offsets that reach all derivatives in the equations as written. The smallest
 * offsets ignore terms that are 0, such as m*x'' with m = 0, although x' and
 * x'' need values at the start. */
#ifndef ANALYSIS_RAISE_OFFSETS_H
#define ANALYSIS_RAISE_OFFSETS_H

#include "base/alloc.h"
#include "linalg/layout.h"
#include <dae/structure.h>
#include <stdbool.h>

/* c and d: the offsets of `s`, raised by coarse blocks until each d is at least the
 * unknown's order in the equations as written, together with the blocks on which they
 * depend. Differences within a block are kept, and so are fine blocks, stages and
 * degrees of freedom [Pry01]. If an equation would be differentiated more often than
 * `smoothness` (NULL: no limit) allows, nothing is raised. *is_raised: some are. `s` is
 * regular. DAE_MEMORY. */
dae_status raise_offsets(const dae_structure *s, const dae_signature *g,
    const layout *l, const uint8_t *smoothness, const dae_allocator *allocator,
    int64_t *c, int64_t *d, bool *is_raised) DAE_MUST_CHECK;

#endif

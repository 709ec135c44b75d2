/* Unknowns with an undetermined common level, found without a derivative array
 * and so for problems of any size: the potentials of an ungrounded circuit,
 * pressures that occur as differences only. */
#ifndef INDEX_FREE_LEVELS_H
#define INDEX_FREE_LEVELS_H

#include "index/derivative_array.h"

/* Whether the same function of time, added to the unknowns marked in `is_in`
 * (unknown_count), changes no equation, at points anywhere. */
dae_status floating_test(const dae_problem *problem, const uint8_t *is_in,
    const dae_allocator *allocator, bool *is_floating) DAE_MUST_CHECK;
/* The same of all unknowns, then of those that `candidates` (NULL: none) marks. Where it is so
 * `out`, a findings in use, is cleared and becomes ARRAY_NO_INDEX with
 * DAE_INDEX_FLOATING and these unknowns as `loose`; `dependent` stays empty. Else it
 * is left as it is. */
dae_status floating_find(const dae_problem *problem, const uint8_t *candidates,
    const dae_allocator *allocator, array_findings *out) DAE_MUST_CHECK;

#endif

/* What became of the states that the user prefers. */
#ifndef REDUCE_PREFERENCE_H
#define REDUCE_PREFERENCE_H

#include "reduce/reduced.h"
#include <dae/diag.h>

/* Notes (N0509) on preferred unknowns that are no states of `now`, the problem
 * from time t on. `told` (unknowns) remembers of which that was said. */
void preference_tell(const dae_problem *problem, const reduced *now, double t,
    bool is_start, uint8_t *told, dae_diagnostics *ds);

#endif

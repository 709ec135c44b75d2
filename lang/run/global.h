/* `error = global`: the tolerances are for the solution, at any time, not for a
 * step. Steps are then made at tolerances a factor smaller, which is found by
 * runs before the one that is shown, each compared with the one before it
 * ([Sha89] and [Ske86] in docs/numerics.md). */
#ifndef RUN_GLOBAL_H
#define RUN_GLOBAL_H

#include "run/solution.h"

/* The settings ask for it, of a run that chooses its steps. */
bool global_is_asked(const run_request *q);
/* Finds the factor. Of the messages one is new: what cannot be reached. What the runs
 * themselves say is not told. DAE_MEMORY and DAE_INTERRUPTED end the search. */
dae_status global_find(
    dae_global_error *g, const run_request *q, dae_diagnostics *ds);

#endif

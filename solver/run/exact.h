/* Points of a solution that the caller knows in closed form. */
#ifndef RUN_EXACT_H
#define RUN_EXACT_H

#include "run/run.h"

/* `x` and `xp`, the vectors of the engine's point with a guess in them, at t. Of a
 * reduced system the states are taken; what has no slope follows from the rest by
 * the equations where it is not known, but as it stands above index 1. DAE_ARGUMENT with E0514: what is needed is not known; or what the
 * callbacks and the search for the rest say. */
dae_status exact_at(run *r, double t, double *x, double *xp) DAE_MUST_CHECK;

/* E0514: no point at t to begin from; DAE_ARGUMENT. */
dae_status exact_refuse(run *r, double t, const char *why, const char *help);

#endif

/* Given values at the start of a run whose states are others. */
#ifndef RUN_GIVEN_H
#define RUN_GIVEN_H

#include "linalg/layout.h"
#include <dae/diag.h>

/* x and xp, the user's, are what the states say at t0. Where the problem gives
 * a value it is put in its place: as far as it is over-determined, what is
 * stepped agrees with it to the tolerances alone, or to half the digits at a
 * double root. DAE_NUMERIC, E0502: it is another one, as the equations do not
 * determine the unknown there. */
dae_status given_keep(const dae_problem *problem, const layout *l, double t0,
    double *x, double *xp, dae_diagnostics *ds) DAE_MUST_CHECK;

#endif

/* The points a run begins from: its start, compared with what is given there, and
 * those that a formula with fixed steps needs beside it. */
#ifndef RUN_POINTS_H
#define RUN_POINTS_H

#include "run/run.h"

/* x and xp, the user's, are what the states say at t0. Where the problem gives
 * a value it is put in its place: as far as it is over-determined, what is
 * stepped agrees with it to the tolerances alone, or to half the digits at a
 * double root. DAE_NUMERIC, E0502: it is another one, as the equations do not
 * determine the unknown there. */
dae_status points_keep_given(const dae_problem *problem, const layout *l,
    double t0, double *x, double *xp, dae_diagnostics *ds) DAE_MUST_CHECK;
/* The start of a reduced problem, from the stepper's point: its past begins there,
 * and what is given is kept, as above. */
dae_status points_begin_reduced(run *r) DAE_MUST_CHECK;

/* An engine that is about to step: fixed steps where the options say so. */
void points_prepare(run *r);
/* The start itself where it is known exactly: of a reduced system the states are
 * taken; what has no slope follows from the rest by the equations where it is not
 * known, but as it stands above index 1. DAE_ARGUMENT with E0514: what is needed is
 * not known, or is not what is given; or what the callbacks and the search for the
 * rest say. */
dae_status points_begin(run *r) DAE_MUST_CHECK;
/* N0515, W0513, W0518. */
void points_report(const run *r);
void points_clear(run *r);
/* After an event: fine ones are of an integration from there on; equations that are
 * integrated reduced for it are not, and orders rise from 1. */
void points_restart(run *r);

#endif

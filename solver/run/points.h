/* The points a run begins from: its start, where it is known exactly, and
 * those that a formula with fixed steps needs beside it. */
#ifndef RUN_POINTS_H
#define RUN_POINTS_H

#include "run/run.h"

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

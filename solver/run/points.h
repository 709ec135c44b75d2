/* Fixed steps: what they are set to, and where the points come from that a formula
 * needs beside the start. */
#ifndef RUN_POINTS_H
#define RUN_POINTS_H

#include "run/run.h"

/* An engine that is about to step: fixed steps where the options say so. */
void points_prepare(run *r);
/* The start itself where it is known exactly. DAE_ARGUMENT with E0514. */
dae_status points_begin(run *r) DAE_MUST_CHECK;
/* N0515, W0513, W0518. */
void points_tell(const run *r);
void points_clear(run *r);
/* Behind an event: fine ones are of an integration from there on; equations that are
 * integrated reduced for it are not, and orders rise from 1. */
void points_begin_anew(run *r);

#endif

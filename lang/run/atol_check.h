/* Whether a run's absolute tolerances decided its result: an unknown that was small beside
 * its own had large errors there that no test saw, and what is made of them later. Where
 * one was, a second run at a part of them, which is compared with the first. */
#ifndef RUN_ATOL_CHECK_H
#define RUN_ATOL_CHECK_H

#include "run/tape.h"

/* Of one that has a start: a tape follows it, if it may be checked. */
dae_status atol_check_begin(tape *k, solution *r);
/* After its end, which the tape has followed it to: W0533 where the two differ. What is no
 * longer needed for steps of the first is given back. */
dae_status atol_check_make(dae_atol_check *c, solution *r, tape *k);

#endif

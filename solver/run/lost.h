/* A run's watch of the rank of its equations (run/rank.h), and what it says
 * where they lose rank. */
#ifndef RUN_LOST_H
#define RUN_LOST_H

#include "run/run.h"

/* Forgets what was watched before. DAE_MEMORY. */
dae_status lost_begin(run *r) DAE_MUST_CHECK;
/* After an accepted step: whether it has gone through such a place. */
bool lost_is_passed(run *r);
/* After such a place: whether it is one of the pick at hand alone, as what the
 * pick in r->reduction->other leaves determines all it has to on both sides of
 * it and there. DAE_MEMORY. */
dae_status lost_is_of_pick(run *r, bool *is_of_pick) DAE_MUST_CHECK;
/* Where steps fail: whether the accepted point is nearly one. */
bool lost_is_near(run *r);
/* E0502 with the place, the equation and the unknown: of a point the solution
 * has gone through, or of the last one. DAE_NUMERIC. */
dae_status lost_report(run *r, bool is_passed) DAE_MUST_CHECK;

#endif

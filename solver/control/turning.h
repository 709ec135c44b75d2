/* Where a step ends: at a break that is told beforehand, or where a root function
 * passes an edge inside it. */
#ifndef CONTROL_TURNING_H
#define CONTROL_TURNING_H

#include "control/event_loop.h"

/* Before a step: it does not go beyond the next break. Fine without events. */
dae_status turning_plan(run *r) DAE_MUST_CHECK;
/* After an accepted step, before anybody sees it: it is cut where something turns.
 * DAE_NUMERIC: a root function has no value, said in `ds`. */
dae_status turning_look(run *r) DAE_MUST_CHECK;
/* What switches of DAE_DOMAIN_BREAK come to just after t, into e->sides. */
dae_status turning_breaks(run *r, double t) DAE_MUST_CHECK;

#endif

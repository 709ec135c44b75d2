/* Where a step ends: at a break that is told beforehand, or where a root function
 * passes an edge inside it. */
#ifndef EVENTS_LOCATE_H
#define EVENTS_LOCATE_H

#include "events/event_loop.h"

/* Before a step: it does not go beyond the next break. Fine without events. */
dae_status locate_plan(run *r) DAE_MUST_CHECK;
/* After an accepted step, before anybody sees it: it is cut where something turns.
 * DAE_NUMERIC: a root function has no value, said in `ds`. */
dae_status locate_next(run *r) DAE_MUST_CHECK;
/* What switches of DAE_DOMAIN_BREAK come to just after t, into e->sides. */
dae_status locate_breaks(run *r, double t) DAE_MUST_CHECK;

#endif

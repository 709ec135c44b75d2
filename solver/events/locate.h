/* Where a step ends: at a break that is known before, or where a root function passes a
 * threshold inside it. */
#ifndef EVENTS_LOCATE_H
#define EVENTS_LOCATE_H

#include "events/event_loop.h"

/* Before a step: it does not go beyond the next break. Fine without events. */
dae_status locate_plan(run *r) DAE_MUST_CHECK;
/* After an accepted step, before anybody sees it: it is cut where something crosses.
 * DAE_NUMERIC: a root function has no value, which is reported. */
dae_status locate_next(run *r) DAE_MUST_CHECK;
/* The sides of switches of DAE_DOMAIN_BREAK just after t, into e->sides. */
dae_status locate_breaks(run *r, double t) DAE_MUST_CHECK;

#endif

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

/* Branches that end where they turn: switches beside which steps fail are free for a step.
 * After a step that failed: `*is_saved` if another attempt is to be made. */
dae_status locate_free(run *r, step_failure why, bool *is_saved) DAE_MUST_CHECK;
/* After an accepted step in which nothing turned: they are held again. Fine without
 * events. */
dae_status locate_hold(run *r) DAE_MUST_CHECK;

#endif

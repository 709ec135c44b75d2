/* Locked switches: the equations of the mode hold them on their threshold. g is u - v where
 * the mode says u - v = 0, v - vb where it sticks, the height of what lies. Such a g is
 * 0 but for what Newton's method leaves, and its sign tells nothing. A locked switch keeps
 * its side and is not searched until an event changes the equations.
 *
 * That g is small and slow does not say so: a slow crossing is as well. All derivatives of
 * g along the flow are 0 (events/flow.h), and other states give the same 0 once the
 * equations are solved: that is seen once for each mode, at the event it begins with. */
#ifndef EVENTS_LOCKED_H
#define EVENTS_LOCKED_H

#include "events/event_loop.h"

/* Whether switch k is near enough to its threshold to be locked there, by e->point.g,
 * noise and rounding. */
bool locked_may(const event_loop *e, size_t k);
/* Which of those marked in e->locked.is_next are locked after the instant, by their series
 * (e->turn.along) and the point there. Their e->turn.rate is 0. DAE_MEMORY, or a status
 * of a callback. */
dae_status locked_find(run *r) DAE_MUST_CHECK;
/* After a step, before it is searched: those that are not on their thresholds at its end
 * are locked no more. DAE_OK, or what a callback answers. */
dae_status locked_check(run *r) DAE_MUST_CHECK;
/* After it has been, and nothing crosses in it: those that have been locked and have left
 * their thresholds are searched as any other; until then what tolerances make of g counts
 * as rounding. */
dae_status locked_check_leaving(run *r) DAE_MUST_CHECK;
/* Slopes, and what has no derivative, of the engine's point at an instant, and of the
 * caller's, as the equations have them, where dense output does not know them well. */
dae_status locked_settle(run *r) DAE_MUST_CHECK;
/* They are those that have been found. */
void locked_take(event_loop *e);

#endif

/* Which side each switch takes at one instant, with what has been done there. */
#ifndef EVENTS_SIDES_H
#define EVENTS_SIDES_H

#include "events/event_loop.h"

/* Bits of e->turn.has_turned: at this instant; since the switches began to settle. */
enum { TURNED = 1, TURNED_NOW = 2 };

/* Those that the search has found to cross change side, and those that do so at times that
 * are known. */
dae_status sides_cross(run *r) DAE_MUST_CHECK;
/* Those that are on another side now, or on a threshold that they leave. *has_turned: what
 * is held is not e->point.held_last. DAE_NUMERIC: one chatters (e->instant.chattering),
 * which is not reported, or has no value. */
dae_status sides_turn(run *r, bool *has_turned) DAE_MUST_CHECK;
/* Whether the blow of a jump to the point contradicts a side. */
dae_status sides_are_struck(run *r, bool *are) DAE_MUST_CHECK;

/* ---- locked switches ------------------------------------------------------- */

/* Locked switches: the equations of the mode hold them on their threshold. g is u - v where
 * the mode says u - v = 0, v - vb where it sticks, the height of what lies. Such a g is
 * 0 but for what Newton's method leaves, and its sign tells nothing. A locked switch keeps
 * its side and is not searched until an event changes the equations.
 *
 * That g is small and slow does not say so: a slow crossing is as well. All derivatives of
 * g along the flow are 0 (events/threshold.h), and other states give the same 0 once the
 * equations are solved: that is seen once for each mode, at the event it begins with. */

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

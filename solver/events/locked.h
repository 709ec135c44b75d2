/* Switches that the equations themselves hold at an edge: g is u - v where the mode
 * at hand says u - v = 0, v - vb where it sticks, the height of what lies. Such a
 * g is 0 whatever the states are, and in numbers 0 but for what Newton's method
 * leaves: its sign tells nothing. The switch *rests*: it keeps its side, and is
 * not searched, until something else changes the equations.
 *
 * That g is small, and slow, is no sign of it: a slow crossing is as well. What
 * counts is that other states, and another time, give the same 0 once the
 * equations have been solved there. That is asked once for each mode, at the
 * event it begins with, of the switches whose g is next to an edge there. */
#ifndef EVENTS_LOCKED_H
#define EVENTS_LOCKED_H

#include "events/event_loop.h"

/* Whether switch k is near enough to its edge to rest there, by e->g, e->noise and
 * e->rounding. */
bool locked_may(const event_loop *e, size_t k);
/* Which of those marked in e->rests_next rest behind the instant e->t, by their series
 * (e->along) and the point there. Those of e->rate that do are 0. DAE_MEMORY, or a status of a callback. */
dae_status locked_find(run *r) DAE_MUST_CHECK;
/* After a step, before it is searched: those that are not at their edges where it
 * ends do not rest any more. DAE_OK, or what a callback answers. */
dae_status locked_check(run *r) DAE_MUST_CHECK;
/* After it has been, and nothing turns in it: those that have rested, and have left
 * their edges, are searched as any other; until then what tolerances make of g
 * counts as rounding. */
dae_status locked_check_leaving(run *r) DAE_MUST_CHECK;
/* Slopes, and what has no derivative, as the equations have them at t: x and xp are
 * a point of the engine's, and anything where they are not solved for. DAE_MEMORY,
 * or a status of a callback. */
dae_status locked_solve(
    run *r, double t, double *x, double *xp, bool *is_solved) DAE_MUST_CHECK;
/* The same for the engine's point at an instant, and e->x and e->xp of it. */
dae_status locked_settle(run *r) DAE_MUST_CHECK;
/* They are those that have been found. */
void locked_take(event_loop *e);

#endif

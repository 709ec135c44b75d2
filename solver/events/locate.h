/* Where a step ends: at a break that is known before, or where a root function passes a
 * threshold inside it; and switches that are not searched, as they are inactive or free.
 *
 * Inactive switches: their place in `held` is free, and no crossing is searched. So are
 * those whose root function has no value where the branches in force do not evaluate them,
 * as `log(x) < 1` in `x > 0 and log(x) < 1` (where they do, that is E0524); those that
 * change side without end where nothing evaluates them, or where their branches agree to
 * tolerance; and those at equilibrium on their threshold, as the level of a tank that is
 * empty: only rounding moves it there, or its bound keeps it. Of these whens have what the
 * text says of the threshold itself, `h <= 0` and not `h < 0`, or where that leads on, of
 * what is just beyond; equations too, or where the branches agree that of the text. Ten
 * tolerances away, or where an event makes the equations move them, they become active. */
#ifndef EVENTS_LOCATE_H
#define EVENTS_LOCATE_H

#include "events/event.h"

/* Before a step: it does not go beyond the next break. Fine without events. */
dae_status locate_plan(run *r) DAE_MUST_CHECK;
/* After an accepted step, before anybody sees it: it is cut where something crosses.
 * DAE_NUMERIC: a root function has no value, which is reported. */
dae_status locate_next(run *r) DAE_MUST_CHECK;
/* The sides of switches of DAE_DOMAIN_BREAK just after t, into e->sides. */
dae_status locate_breaks(event_loop *e, double t) DAE_MUST_CHECK;

/* Branches that end where they turn: switches beside which steps fail are inactive until
 * they leave their threshold.
 * After a step that failed: `*is_saved` if another attempt is to be made. */
dae_status locate_free(run *r, step_failure why, bool *is_saved) DAE_MUST_CHECK;
/* After an accepted step in which nothing crossed: those that the equations lead nowhere
 * are at equilibrium. Fine without events. */
dae_status locate_hold(run *r) DAE_MUST_CHECK;

/* With e->point.g, once all sides are settled: switches without a value become inactive,
 * those that have one again active, on the side where it is. At the instant, of e->point, or
 * where a step ends, of e->room: at an event those too that are needed now. DAE_NUMERIC:
 * E0524 is reported. DAE_MEMORY. */
dae_status inactive_look(event_loop *e, bool is_event) DAE_MUST_CHECK;
/* Makes a switch inactive that crosses, if nothing looks at it with the values before, or
 * if its branches agree to tolerance there; it crosses no more. DAE_MEMORY. */
dae_status inactive_try(
    event_loop *e, size_t k, bool *is_inactive) DAE_MUST_CHECK;

/* Where the last step ends, once: makes those inactive that cross though the equations do
 * not lead them beyond their threshold. DAE_MEMORY, or a status of a callback. */
dae_status equilibrium_rest(event_loop *e) DAE_MUST_CHECK;
/* After an event: those that have stopped on their threshold, without a slope. */
void equilibrium_stopped(event_loop *e);
/* After an event a state may lie beside the threshold of a switch whose branch has no value
 * there, as sqrt(h) at h = -1e-22: the engine's point is projected onto such thresholds. */
dae_status thresholds_project(event_loop *e) DAE_MUST_CHECK;
/* Conditions of whens at the instant, into e->whens.conditions, by the sides of those that
 * are inactive on their threshold. As dae_roots_fn. */
dae_status equilibrium_conditions(event_loop *e) DAE_MUST_CHECK;

#endif

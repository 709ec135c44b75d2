/* Switches that are inactive: their place in `held` is free, and no crossing is looked
 * for. So are those whose root function has no value where the branches in force do not
 * look at them, as `log(x) < 1` in `x > 0 and log(x) < 1` (where they do, that is E0524);
 * those that change side without end where nothing looks at them, or where their branches
 * agree to tolerance; and those at equilibrium on their threshold, as the level of a tank
 * that is empty: only rounding moves it there, or its bound keeps it. Of these equations
 * have the branch of the text, whens what the text says of the threshold itself, `h <= 0`
 * and not `h < 0`. Ten tolerances away, or where an event makes the equations move them,
 * they become active. */
#ifndef EVENTS_INACTIVE_H
#define EVENTS_INACTIVE_H

#include "events/event_loop.h"

struct search_step;
struct search_found;

/* Why a switch is inactive (e->inactive.how): it has no value; it changes side without end
 * and is not needed; it is at equilibrium on its threshold; it changes side without end
 * and its branches agree to tolerance. */
enum { ACTIVE, VALUELESS, UNNEEDED, EQUILIBRIUM, AGREEING };

/* With root functions g at a point, once all sides are settled: those without a value become
 * inactive, those that have one again active, on the side where it is; after an event
 * those too that are needed now. DAE_NUMERIC: E0524 is reported. DAE_MEMORY. */
dae_status inactive_look(run *r, double t, const double *x, const double *xp,
    const double *g, bool is_event) DAE_MUST_CHECK;
/* Makes a switch inactive that crosses, if nothing looks at it with the values before, or
 * if its branches agree to tolerance there; it crosses no more. DAE_MEMORY. */
dae_status inactive_try(run *r, size_t k, bool *is_inactive) DAE_MUST_CHECK;
/* After a search that ended where a root function is lost: what crosses without it, before
 * or there. Otherwise the step goes on with those inactive that are not needed;
 * DAE_NUMERIC: E0524 is reported. `step->held` is e->room.g, `values` writes the point
 * it evaluates to e->room.x and e->room.xp. */
dae_status inactive_search(run *r, const struct search_step *step,
    struct search_found *found) DAE_MUST_CHECK;
/* Whether any is. */
bool inactive_any(const event_loop *e);

/* ---- at equilibrium on a threshold ------------------------------------------- */

/* Where the last step ends, once: makes those inactive that cross though the equations do
 * not lead them beyond their threshold. DAE_MEMORY, or a status of a callback. */
dae_status equilibrium_rest(run *r) DAE_MUST_CHECK;
/* After an event: those that have stopped on their threshold, without a slope. */
void equilibrium_stopped(run *r);
/* The same of one that is free beside its threshold (events/locate.h), by e->point.g and
 * e->point.noise at t, where the last step ends. */
dae_status equilibrium_free(
    run *r, size_t k, double t, bool *is_still) DAE_MUST_CHECK;
/* In a step, before what the search has found: those that leave their threshold. */
dae_status equilibrium_find_leaving(run *r, const struct search_step *step,
    struct search_found *found) DAE_MUST_CHECK;
/* The same where it has found nothing: those whose bound stops them at their threshold,
 * exactly, so that they are never beyond. */
dae_status equilibrium_find_stopped(run *r, const struct search_step *step,
    struct search_found *found) DAE_MUST_CHECK;
/* Conditions of whens, into e->whens.conditions, by the sides of those that are inactive on
 * their threshold. As dae_roots_fn. */
dae_status equilibrium_conditions(
    run *r, double t, const double *x, const double *xp) DAE_MUST_CHECK;

#endif

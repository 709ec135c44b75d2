/* Switches that lie still at their edge, as the level of a tank that is empty: it is
 * moved there by rounding alone, or its bound keeps it. They sleep (events/inactive.h):
 * equations have the branch of the text, whens what the text says of the edge itself,
 * `h <= 0` and not `h < 0`. Ten tolerances away, or where an event makes the equations
 * move them, they wake. */
#ifndef EVENTS_EQUILIBRIUM_H
#define EVENTS_EQUILIBRIUM_H

#include "events/event_loop.h"

struct search_step;
struct search_found;

/* Puts switch k to sleep at its edge, STILL or CONTINUOUS, where e->g and e->noise are
 * known. */
void equilibrium_put(event_loop *e, size_t k, uint8_t how);
/* Whether one that is_inactive so is ten tolerances away. */
bool equilibrium_has_left(const event_loop *e, size_t k, double g);
/* Where the last step ends, once: puts those to sleep that cross though the equations
 * do not lead them beyond their edge. DAE_MEMORY, or a status of a callback. */
dae_status equilibrium_rest(run *r) DAE_MUST_CHECK;
/* Behind an event: what has stopped at its edge, without a slope. */
void equilibrium_stopped(run *r);
/* The same of one that is free beside its edge (events/freeing.h), by e->g and e->noise
 * at t, where the last step ends. */
dae_status equilibrium_free(
    run *r, size_t k, double t, bool *is_still) DAE_MUST_CHECK;
/* At an event, one that is_inactive: it wakes where it has been moved away, or is led
 * away now. */
dae_status equilibrium_look(
    run *r, size_t k, double t, double g) DAE_MUST_CHECK;
/* In a step, before what the search has found: those that leave their edge. */
dae_status equilibrium_find_leaving(run *r, const struct search_step *step,
    struct search_found *found) DAE_MUST_CHECK;
/* The same where it has found nothing: those whose bound stops them at their edge,
 * exactly, so that they are never beyond. */
dae_status equilibrium_find_stopped(run *r, const struct search_step *step,
    struct search_found *found) DAE_MUST_CHECK;
/* Conditions of whens (e->conditions), as they are with those that sleep at their
 * edge. As dae_roots_fn. */
dae_status equilibrium_conditions(
    run *r, double t, const double *x, const double *xp) DAE_MUST_CHECK;

#endif

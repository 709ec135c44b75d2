/* Switches at equilibrium on their threshold, as the level of a tank that is empty: only
 * rounding moves it there, or its bound keeps it. They are inactive (events/inactive.h):
 * equations have the branch of the text, whens what the text says of the threshold itself,
 * `h <= 0` and not `h < 0`. Ten tolerances away, or where an event makes the equations
 * move them, they become active. */
#ifndef EVENTS_EQUILIBRIUM_H
#define EVENTS_EQUILIBRIUM_H

#include "events/event_loop.h"

struct search_step;
struct search_found;

/* Makes switch k inactive on its threshold, EQUILIBRIUM or AGREEING, by e->point.g and
 * e->point.noise. */
void equilibrium_put(event_loop *e, size_t k, uint8_t how);
/* Whether one that is inactive so is ten tolerances away. */
bool equilibrium_has_left(const event_loop *e, size_t k, double g);
/* Where the last step ends, once: makes those inactive that cross though the equations do
 * not lead them beyond their threshold. DAE_MEMORY, or a status of a callback. */
dae_status equilibrium_rest(run *r) DAE_MUST_CHECK;
/* After an event: those that have stopped on their threshold, without a slope. */
void equilibrium_stopped(run *r);
/* The same of one that is free beside its threshold (events/locate.h), by e->point.g and
 * e->point.noise at t, where the last step ends. */
dae_status equilibrium_free(
    run *r, size_t k, double t, bool *is_still) DAE_MUST_CHECK;
/* At an event, one that is inactive: it becomes active where it has been moved away, or is
 * led away now. */
dae_status equilibrium_look(
    run *r, size_t k, double t, double g) DAE_MUST_CHECK;
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

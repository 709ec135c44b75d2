/* Events in the interval of `dae orders`. Formulas at fixed steps are studied on
 * solutions without jumps; errors at tolerances are looked for apart from
 * events, which two runs meet at slightly different times. */
#ifndef ORDERS_EVENTS_H
#define ORDERS_EVENTS_H

#include "orders_plan.h"
#include "session.h"

typedef struct orders_events {
    double *times; /* at which a when fires, in the order of the run */
    size_t count, room;
    size_t first; /* the when that fires first */
    const dae_problem *problem;
    bool is_stopped;
} orders_events;

/* By a run at the model's tolerances, where it has whens at all. One that fails
 * is told by others. */
dae_status orders_events_find(orders_events *e, session *s);
/* Leaves out of the plan what cannot be studied, with a note, or says why nothing
 * is left: DAE_ARGUMENT. */
dae_status orders_events_plan(
    const orders_events *e, session *s, orders_plan *plan);
/* Whether errors may be looked for at a time of an interval. */
bool orders_events_allow(const orders_events *e, const dae_run *r, double t);

#endif

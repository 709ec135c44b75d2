/* Events in the interval of a study. Formulas at fixed steps are studied on
 * solutions without jumps; errors at tolerances are looked for apart from
 * events, which two runs meet at slightly different times. */
#ifndef ORDERS_EVENTS_H
#define ORDERS_EVENTS_H

#include "orders/study.h"

/* By a run at the model's tolerances, where it has whens at all. One that fails
 * is told by others. */
dae_status orders_events_find(dae_orders *o);
/* Leaves out of the plan what cannot be studied, with a note, or says why nothing
 * is left: DAE_ARGUMENT. */
dae_status orders_events_plan(dae_orders *o);
/* Whether errors may be looked for at a time of the interval. */
bool orders_events_allow(const dae_orders *o, double t);

#endif

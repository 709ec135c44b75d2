/* What is done at one instant. Switches that have come to a threshold change side;
 * conditions are evaluated with what is held then; those that become true fire; their
 * right sides see the values just before, and all assignments are made at once; the point
 * is made consistent again. Then the same again with the new values, until nothing
 * changes any more. */
#ifndef EVENTS_EVENT_H
#define EVENTS_EVENT_H

#include "events/event_loop.h"

/* After a start, whose direction is known: switches are held, each on the side to which the
 * flow leads. Where a when fires at once the run stands at an event there. Fine
 * without events. */
dae_status event_start(run *r) DAE_MUST_CHECK;
/* Deals with the event at which the run stands. DAE_STOPPED: it ended the run;
 * everything is done. After another failure the run stands there as before. */
dae_status event_handle(run *r) DAE_MUST_CHECK;

#endif

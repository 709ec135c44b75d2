/* Events that do not come to an end, and bounces that end at once: what is said of
 * many instants together (events/recurrence.h). */
#ifndef EVENTS_ACCUMULATION_H
#define EVENTS_ACCUMULATION_H

#include "events/event_loop.h"

/* What turns at e->stop.t is the last of many that do not come to an end: DAE_NUMERIC,
 * said in `ds`. */
dae_status accumulation_note(run *r) DAE_MUST_CHECK;
/* All that happens at e->stop.t is done: values were given where something touches, and it
 * goes on as if they had not been. A warning (W0528), or the same as above where
 * ever shorter bounces have led there. */
dae_status accumulation_look(run *r) DAE_MUST_CHECK;

#endif

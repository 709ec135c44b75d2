/* Where a run cannot go on next to a kink: what depends on it as a root does has a
 * slope without bound there, as q in q*abs(q) = f. */
#ifndef EVENTS_KINK_H
#define EVENTS_KINK_H

#include "events/event_loop.h"

/* Adds that to what is being said, and the way out, if a switch is about to
 * turn where the run stands. Whether it has. */
bool kink_help(run *r);

#endif

/* States that an event has left beside an edge, by a few tolerances at most: where
 * the equations have no value there, they may have one at the edge itself, as
 * sqrt(max(h, 0)) with its branch h at h = -1e-22. */
#ifndef EVENTS_ONTO_H
#define EVENTS_ONTO_H

#include "events/event_loop.h"

/* Puts states of the engine's point onto the edges beside which they are, on the other
 * side than the branch that is held. Of a reduced system none is. A status of a
 * callback. */
dae_status onto_edges(run *r, double t) DAE_MUST_CHECK;

#endif

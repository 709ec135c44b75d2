/* Which side each switch takes at one instant, with what has been done there. */
#ifndef EVENTS_SIDES_H
#define EVENTS_SIDES_H

#include "events/event_loop.h"

/* Bits of e->turn.has_turned: at this instant; since the switches began to settle. */
enum { TURNED = 1, TURNED_NOW = 2 };

/* Those that the search has found to cross change side, and those that do so at times that
 * are known. */
dae_status sides_cross(run *r) DAE_MUST_CHECK;
/* Those that are on another side now, or on a threshold that they leave. *has_turned: what
 * is held is not e->point.held_last. DAE_NUMERIC: one chatters (e->instant.chattering),
 * which is not reported, or has no value. */
/* Whether the blow of a jump to the point contradicts a side. */
dae_status sides_are_struck(run *r, bool *are) DAE_MUST_CHECK;
dae_status sides_turn(run *r, bool *has_turned) DAE_MUST_CHECK;

#endif

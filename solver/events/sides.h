/* Which side each switch takes at one instant, with what has been done there. */
#ifndef EVENTS_SIDES_H
#define EVENTS_SIDES_H

#include "events/event_loop.h"

/* What there and back are marked with until the switches have settled: bits of
 * e->has_turned. */
enum { TURNED = 1, TURNED_NOW = 2 };

/* Those that the search has found to cross there, and those that turn at times that
 * are told. */
dae_status sides_cross(run *r) DAE_MUST_CHECK;
/* Those that stand on another side now, or are at an edge and go there. *has_turned:
 * what is held is not e->held_last. DAE_NUMERIC: one chatters (e->chattering), which is
 * not reported, or has no value. */
dae_status sides_turn(run *r, bool *has_turned) DAE_MUST_CHECK;

#endif

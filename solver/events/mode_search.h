/* The search for a consistent mode at an instant: sides of switches for which the
 * equations have values, and each switch is on its side there or moves to it. */
#ifndef EVENTS_MODE_SEARCH_H
#define EVENTS_MODE_SEARCH_H

#include "base/modes.h"
#include "events/event_loop.h"

/* Modes of the structure at hand, in which what is integrated stays as it is; of any, each
 * analysed; the same, and what is integrated may jump. */
typedef enum mode_search_way {
    MODES_ALIKE,
    MODES_ANALYSED,
    MODES_WITH_JUMPS
} mode_search_way;

/* Where the sides at hand have no values at e->stop.t from those in e->point.x and e->point.xp (and
 * e->whens.made): *is_found: others have, and are held now, with their values in the point.
 * Nothing is reported. DAE_MEMORY, or a status of a callback. */
dae_status mode_search(run *r, mode_search_way way, bool *is_found,
    modes_outcome *out) DAE_MUST_CHECK;

/* The other side of a switch; NaN: there is none, or more than one. */
double mode_other_side(const event_loop *e, size_t k);

#endif

/* Another mode after an event: with the branches that are held now the equations
 * may determine something else than before, so that their index, or what the states
 * are, is another one (a block that sticks, a diode that locks). They are analysed
 * again, from the values at hand, and another engine steps what comes of it. */
#ifndef EVENTS_MODE_H
#define EVENTS_MODE_H

#include "base/modes.h"
#include "events/event.h"

/* Makes an engine for what the equations are now, its point consistent at t with the
 * values of the caller's in e->point.x and e->point.xp, of which those of e->whens.made are
 * held. The engine before is kept until mode_settle or mode_undo. DAE_NUMERIC,
 * DAE_INCONSISTENT: there is none, nothing is said and nothing has changed. */
dae_status mode_enter(event_loop *e) DAE_MUST_CHECK;
/* The instant is over; says what it came to (N0526). Fine where none was entered. */
void mode_settle(event_loop *e);
/* The engine is the one before the instant again. */
void mode_undo(event_loop *e);
/* Lets go of what an engine and a reduction are of; fine where there is nothing. */
void mode_clear(event_loop *e);

/* ---- the search for a consistent mode --------------------------------------- */

/* The search for a consistent mode at an instant: sides of switches for which the
 * equations have values, and each switch is on its side there or moves to it. */

/* Modes of the structure at hand, in which what is integrated stays as it is; of any, each
 * analysed; the same, and what is integrated may jump. */
typedef enum mode_search_way {
    MODES_ALIKE,
    MODES_ANALYSED,
    MODES_WITH_JUMPS
} mode_search_way;

/* Where the sides at hand have no values at e->stop.t from those in e->point.x and e->point.xp (and
 * e->whens.made). DAE_OK: others have, and are held now, with their values in the point.
 * DAE_NUMERIC: none of those in *out (NULL: nobody asks); nothing is reported. DAE_MEMORY, or
 * a status of a callback. */
dae_status mode_search(
    event_loop *e, mode_search_way way, modes_outcome *out) DAE_MUST_CHECK;

/* The other side of a switch; NaN: there is none, or more than one. */
double mode_other_side(const event_loop *e, size_t k);

#endif

/* The search for a consistent mode at an instant: sides of switches for which the
 * equations have values, and each switch is on its side there or moves to it. */
#ifndef CONTROL_MODE_SEARCH_H
#define CONTROL_MODE_SEARCH_H

#include "control/event_loop.h"

/* Where the sides at hand have no values at e->t from those in e->x and e->xp (and
 * e->made): *is_found: others have, and are held now, with their values in the
 * point. First modes in which what is integrated stays as it is, by `anew_try`, then,
 * if `with_analysis`, those whose equations are analysed again. Nothing is reported.
 * *tried: modes looked at. DAE_MEMORY, or a status of a callback. */
dae_status mode_search(
    run *r, bool with_analysis, bool *is_found, size_t *tried) DAE_MUST_CHECK;

/* The other side of a switch; NaN: there is none, or more than one. */
double mode_other_side(const event_loop *e, size_t k);

#endif

/* Values after an event: what the equations ask for at one instant with what is
 * held now, from the values before. They are written into the point of the
 * engine's stepper; its history stays what it is. */
#ifndef EVENTS_REINIT_H
#define EVENTS_REINIT_H

#include "events/event.h"

/* Nothing is assigned: what is integrated stays, slopes and what has no derivative
 * follow. `*is_same`: the equations at the point are what they were with
 * `held_last`, and nothing is moved. DAE_NUMERIC, DAE_RETRY: they do not determine
 * them, or were not solved; nothing is reported. DAE_MEMORY, or a status of a
 * callback. */
dae_status reinit_follow(event_loop *e, bool *is_same) DAE_MUST_CHECK;
/* The same after reinit_follow has ended with `why`: the equations are analysed again, and
 * what is integrated may jump. `has_to_determine`: DAE_NUMERIC where values are found that
 * the equations do not determine. */
dae_status reinit_change(
    event_loop *e, dae_status why, bool has_to_determine) DAE_MUST_CHECK;
/* Whether the equations determine slopes and what has no derivative at the point, which
 * stays what it is: those of branches that meet hold there on either side, and may
 * determine something else. */
dae_status reinit_is_determined(event_loop *e, bool *is) DAE_MUST_CHECK;
/* Values with other sides than those at hand, by one of the two ways: what is
 * integrated stays but for what is assigned (e->whens.made), or `is_by_analysis`. */
dae_status reinit_try(event_loop *e, bool is_by_analysis) DAE_MUST_CHECK;
/* The same by the search for a start, where switches are free: its steps may be long, and
 * find the branches that they lead to. Nothing is assigned. */
dae_status reinit_try_free(event_loop *e) DAE_MUST_CHECK;
/* Values of the caller's are assigned (e->whens.made). DAE_INCONSISTENT,
 * DAE_NUMERIC, said in `ds`. */
dae_status reinit_assign(event_loop *e) DAE_MUST_CHECK;
/* e->room.x and e->room.xp as they are a time `s` after e->stop.t: states by the slopes at the
 * point and half-way, as a current begins without a slope; what has no derivative and all
 * slopes solved for. From e->point.x and e->point.xp with one state off, and within bounds
 * (SIZE_MAX, or of a reduced system: from the engine's point). DAE_RETRY: they are not to be
 * had. */
dae_status reinit_ahead(
    event_loop *e, double s, size_t state, double off) DAE_MUST_CHECK;
/* The most that what is integrated has moved by from e->point.x, in tolerances; e->room.x
 * and e->room.xp are those of the engine's point then. */
double reinit_moved(event_loop *e);
/* The caller's x and xp of the point. */
void reinit_show(const event_loop *e, double *x, double *xp);
/* Room for a point of the engine's at which something is tried: the one at hand, copied;
 * reinit_show_room writes what it comes to, as the caller has it, to e->room. */
point reinit_room(event_loop *e);
void reinit_show_room(event_loop *e);
/* Slopes, and what has no derivative, as the equations have them at t. */
dae_status reinit_solve(const event_loop *e, double t, point at) DAE_MUST_CHECK;
/* Whether a status says no more than that there are no values. */
bool reinit_has_none(dae_status st);

/* ---- series along the flow -------------------------------------------------- */

/* Derivatives of root functions that are looked at. */
enum { FLOW_ORDER = 5 };

/* Taylor coefficients of root functions along the mode at hand: how they go on from an
 * instant. Of each switch with wanted[k] != 0, into out[k]; the others have no order. The
 * engine's point at t has slopes, and what has no derivative, as the equations have them.
 * With `seen` other sides than those at hand are held where root functions are evaluated,
 * but not for the unknowns' own coefficients; NULL: the same. DAE_MEMORY, or a status of a
 * callback. */
dae_status flow_roots(const event_loop *e, const uint8_t *wanted,
    const double *seen, flow_root *out) DAE_MUST_CHECK;

#endif

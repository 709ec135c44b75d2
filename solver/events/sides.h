/* Root functions near their thresholds, at one instant: how well they are known, which
 * way they go, and which side each switch takes with what has been done there. */
#ifndef EVENTS_SIDES_H
#define EVENTS_SIDES_H

#include "events/event.h"

/* ---- thresholds ------------------------------------------------------------ */

/* Root functions at a point. DAE_NUMERIC: one has no value, which is reported. */
dae_status threshold_roots(const event_loop *e, double t, const double *x,
    const double *xp, double *g) DAE_MUST_CHECK;
/* The same at the instant, of e->point. */
dae_status threshold_here(event_loop *e) DAE_MUST_CHECK;
/* As dae_roots_fn, of e->room.x and an xp into e->room.g. */
dae_status threshold_room(
    event_loop *e, double t, const double *xp) DAE_MUST_CHECK;
/* What tolerances of e->point.x and e->point.xp make of e->point.g, and rounding: noise and
 * rounding of e->at. */
dae_status threshold_measure(event_loop *e) DAE_MUST_CHECK;
/* The same of the engine's point, which is shown to e->point.x and e->point.xp; of root
 * functions too; beside a jump as well. */
dae_status threshold_see(event_loop *e, double t) DAE_MUST_CHECK;
/* The threshold nearest to g; to e->point.g[k], and how far it is. */
double threshold_near(const event_loop *e, size_t k, double g);
double threshold_nearest(const event_loop *e, size_t k);
double threshold_distance(const event_loop *e, size_t k);
/* Whether its thresholds are whole numbers, not 0. */
bool threshold_is_whole(const event_loop *e, size_t k);
/* From 0.5 to 1, another part each time: a - b is to change where a = b. */
double threshold_share(unsigned *seed);
/* What the search takes as rounding of a size of 1. */
double threshold_rounding(void);
/* A time in which no state moves by more than half its tolerance. */
double threshold_short_time(const event_loop *e);
/* The caller's x a time s later by its slopes, into e->room.x, which x may be. */
void threshold_move(event_loop *e, double s, const double *x, const double *xp);
/* dg/dt of switch k in the direction of the run, along the slopes of a point of the
 * caller's over that time, with time or as if that stood still. As dae_roots_fn. */
dae_status threshold_rate(event_loop *e, size_t k, const point *at, double time,
    bool has_time, double *rate) DAE_MUST_CHECK;
/* Whether g follows from what the equations solve for: slopes, and what has no
 * derivative. */
bool threshold_reads_rest(const event_loop *e, size_t k);

/* ---- sides ----------------------------------------------------------------- */

/* Bits of has_turned: at this instant; since the switches began to settle. */
enum { TURNED = 1, TURNED_NOW = 2 };

/* Those that the search has found to cross change side, and those that do so at times that
 * are known. */
dae_status sides_cross(event_loop *e) DAE_MUST_CHECK;
/* Those that are on another side now, or on a threshold that they leave. *has_turned: what
 * is held is not e->point.held_last. DAE_NUMERIC: one chatters (e->instant.chattering),
 * which is not reported, or has no value. */
dae_status sides_turn(event_loop *e, bool *has_turned) DAE_MUST_CHECK;
/* Whether the blow of a jump to the point contradicts a side. */
dae_status sides_are_struck(event_loop *e, bool *are) DAE_MUST_CHECK;

/* ---- locked switches ------------------------------------------------------- */

/* Locked switches: the equations of the mode hold them on their threshold. g is u - v where
 * the mode says u - v = 0, v - vb where it sticks, the height of what lies. Such a g is
 * 0 but for what Newton's method leaves, and its sign tells nothing. A locked switch keeps
 * its side and is not searched until an event changes the equations.
 *
 * That g is small and slow does not say so: a slow crossing is as well. All derivatives of
 * g along the flow are 0 (flow_roots), and other states give the same 0 once the
 * equations are solved: that is seen once for each mode, at the event it begins with. */

/* After a step, before it is searched: those that are not on their thresholds at its end
 * are locked no more. `are_leaving`, after it has been searched and nothing crosses: those
 * that have been locked and have left their thresholds are searched as any other; until
 * then what tolerances make of g counts as rounding. */
dae_status locked_check(event_loop *e, bool are_leaving) DAE_MUST_CHECK;
/* Slopes, and what has no derivative, of the engine's point at an instant, and of the
 * caller's, as the equations have them, where dense output does not know them well. */
dae_status locked_settle(event_loop *e) DAE_MUST_CHECK;
/* They are those that have been found. */
void locked_take(event_loop *e);

#endif

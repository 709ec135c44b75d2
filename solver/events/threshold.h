/* Root functions near their thresholds, at one instant: how well they are known, and
 * which way they go. */
#ifndef EVENTS_THRESHOLD_H
#define EVENTS_THRESHOLD_H

#include "events/event_loop.h"

/* Root functions at a point. DAE_NUMERIC: one has no value, said in `ds`. */
dae_status threshold_roots(run *r, double t, const double *x, const double *xp,
    double *g) DAE_MUST_CHECK;
/* What tolerances of e->point.x and e->point.xp make of e->point.g, and rounding: e->point.noise and
 * e->point.rounding. */
dae_status threshold_measure(run *r, double t) DAE_MUST_CHECK;
/* The same of the engine's point, which is shown to e->point.x and e->point.xp; of root
 * functions too; beside a jump as well. */
dae_status threshold_see(run *r, double t) DAE_MUST_CHECK;
/* The threshold nearest to g; to e->point.g[k], and how far it is. */
double threshold_near(const event_loop *e, size_t k, double g);
double threshold_nearest(const event_loop *e, size_t k);
double threshold_distance(const event_loop *e, size_t k);
/* Whether its thresholds are whole numbers, not 0. */
bool threshold_is_whole(const event_loop *e, size_t k);
/* Whether g of k, decided by states alone, may be no further than its tolerance beyond: with
 * this rate it moves by less in a step, or slows down before it has left. */
bool threshold_may_touch(run *r, size_t k, double rate);
/* From 0.5 to 1, another part each time: a - b is to change where a = b. */
double threshold_share(unsigned *seed);
/* A time in which no state moves by more than half its tolerance. */
double threshold_short_time(const run *r);
/* The caller's x a time s later by its slopes, into e->room.x, which x may be. */
void threshold_move(run *r, double s, const double *x, const double *xp);
/* Root functions just ahead, by the slopes at the point: where rounding of it does
 * not matter any more. DAE_RETRY: they are not to be had. */
dae_status threshold_look_ahead(run *r, double t, double *g) DAE_MUST_CHECK;
/* Whether g follows from what the equations solve for: slopes, and what has no
 * derivative. */
bool threshold_reads_rest(const run *r, size_t k);
/* dg/dt of the switches at a threshold (e->turn.is_near), in the direction of the run, into
 * e->turn.rate, by their series (e->turn.along); 0 where nothing is seen to move. */
dae_status threshold_find_rates(run *r, double t) DAE_MUST_CHECK;
/* The same of one switch by the values before the instant, where what it looks at is
 * integrated. */
double threshold_rate_before(run *r, size_t k);

/* ---- series along the flow -------------------------------------------------- */

/* Taylor coefficients of root functions along the mode at hand: how they go on from an
 * instant. The unknowns' own are found order by order, each from one linear system with
 * the matrix of the highest derivatives [Pry01]: of equations F_i^(c_i) by x_j^(d_j).
 *
 * Two neighbours of the point, whose states and time are off by rounding and that are
 * solved for like it, with equations off by what solving leaves, say how far each
 * coefficient is determined. */

/* Derivatives of root functions that are looked at. */
enum { FLOW_ORDER = 5 };

/* How a root function goes on. */
typedef struct flow_root {
    /* its first coefficient, of order 1 to FLOW_ORDER, that is not 0 to rounding; 0 and
     * FLOW_ORDER + 1: all are 0; 0 and 0: it is not known */
    double coefficient;
    int order;
    double doubt; /* how far its value may be off */
} flow_root;

/* Of each switch with wanted[k] != 0, into out[k]; the others have no order. The engine's
 * point at t has slopes, and what has no derivative, as the equations have them. With
 * `seen` other sides than those at hand are held where root functions are evaluated, but
 * not for the unknowns' own coefficients; NULL: the same. DAE_MEMORY, or a status of a
 * callback. */
dae_status flow_roots(run *r, double t, const uint8_t *wanted,
    const double *seen, flow_root *out) DAE_MUST_CHECK;

#endif

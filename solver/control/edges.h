/* Root functions near their edges, at one instant: how well they are known, and
 * which way they go. */
#ifndef CONTROL_EDGES_H
#define CONTROL_EDGES_H

#include "control/event_loop.h"

/* Root functions at a point. DAE_NUMERIC: one has no value, said in `ds`. */
dae_status edges_roots(run *r, double t, const double *x, const double *xp,
    double *g) DAE_MUST_CHECK;
/* What tolerances of e->x and e->xp make of e->g, and rounding: e->noise and
 * e->rounding. */
dae_status edges_measure(run *r, double t) DAE_MUST_CHECK;
/* The edge nearest to e->g[k], and how far it is. */
double edges_nearest(const event_loop *e, size_t k);
double edges_distance(const event_loop *e, size_t k);
/* Whether its edges are whole numbers, not 0. */
bool edges_is_whole(const event_loop *e, size_t k);
/* Whether the states alone decide g of k at the values before, and moved it there by
 * no more than `most` in a step. */
bool edges_is_slow(run *r, size_t k, double most);
/* From 0.5 to 1, another part each time: a - b is to change where a = b. */
double edges_share(unsigned *seed);
/* A time in which no state moves by more than half its tolerance. */
double edges_short_time(const run *r);
/* The caller's x a time s later by its slopes, into e->room_x, which x may be. */
void edges_move_straight(run *r, double s, const double *x, const double *xp);
/* Root functions just ahead, by the slopes at the point: where rounding of it does
 * not matter any more. DAE_RETRY: they are not to be had. */
dae_status edges_look_ahead(run *r, double t, double *g) DAE_MUST_CHECK;
/* Whether g follows from what the equations solve for: slopes, and what has no
 * derivative. */
bool edges_reads_rest(const run *r, size_t k);
/* dg/dt of the switches at an edge (e->at_edge), in the direction of the run, into
 * e->rate, by their series (e->along); 0 where nothing is seen to move. */
dae_status edges_find_rates(run *r, double t) DAE_MUST_CHECK;
/* The same of one switch by the values before the instant, where what it looks at is
 * integrated. */
double edges_rate_before(run *r, size_t k);

#endif

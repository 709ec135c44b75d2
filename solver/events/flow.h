/* Taylor coefficients of root functions along the mode at hand: how they go on from an
 * instant. The unknowns' own are found order by order, each from one linear system with
 * the matrix of the highest derivatives [Pry01]: of equations F_i^(c_i) by x_j^(d_j).
 *
 * Two neighbours of the point, whose states and time are off by rounding and that are
 * solved for like it, with equations off by what solving leaves, say how far each
 * coefficient is determined. */
#ifndef EVENTS_FLOW_H
#define EVENTS_FLOW_H

#include "events/event_loop.h"

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

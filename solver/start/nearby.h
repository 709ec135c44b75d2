/* What a solved start looks like a little aside: on the other solutions of its
 * equations, and along directions that are open to first order only. */
#ifndef START_NEARBY_H
#define START_NEARBY_H

#include "start/tangent.h"

/* Puts s->z on another solution of the equations, given values moved too, a
 * hundredth of the slots' sizes away, with s->res and Jacobian; *is_moved says
 * whether one was found. To go back: nearby_return. */
typedef struct nearby {
    double *z, *res, *guess; /* as they were */
} nearby;
dae_status nearby_go(
    nearby *w, init_system *s, const tangent *t, bool *is_moved) DAE_MUST_CHECK;
dae_status nearby_return(const nearby *w, init_system *s) DAE_MUST_CHECK;

/* What a movement of each column's slot is measured by: its size, and where
 * that is small or not known a part of what the rows balance it against. */
void nearby_sizes(const init_system *s, const tangent *t, double *size);

#endif

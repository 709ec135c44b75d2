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

/* Of the directions `open` (t->columns x count), open to first order: those
 * that are to second order as well. With L the combinations of rows that no
 * free slot changes, that is where L'F''[v, w] = 0 for all w in `open`. The
 * new directions, orthonormal, replace `open`. *is_one_sided: for one L the
 * form L'F''[v, v] has one sign in all that were taken out, as a sum of squares
 * has: no solution leads that way. Otherwise families may cross here. */
dae_status nearby_straighten(init_system *s, const tangent *t, double **open,
    size_t *count, bool *is_one_sided) DAE_MUST_CHECK;

#endif

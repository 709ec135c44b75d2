/* A Jacobian where the equations have a value but no finite slope, as sqrt(h) at
 * h = 0, or none at all, as q*abs(q) at q = 0: it is taken a tolerance beside. Newton's
 * method needs no more than that: whether it converges is seen by its corrections. */
#ifndef NEWTON_BESIDE_H
#define NEWTON_BESIDE_H

#include "base/arena.h"
#include "linalg/iteration_matrix.h"
#include "newton/weights.h"

typedef struct beside_point {
    const layout *layout;
    arena *memory;
    double *x, *xp; /* the point as it is; NULL before one is kept */
} beside_point;

void beside_init(beside_point *b, const layout *l, arena *a);
/* Keeps the point. DAE_MEMORY. */
dae_status beside_keep(
    beside_point *b, const double *x, const double *xp) DAE_MUST_CHECK;
/* Moves what has slopes that are not finite by a tolerance at most, each by another
 * part, to one side (0), to the other (1), and by turns (2, 3). Nothing has: false. */
enum { BESIDE_TRIES = 4 };
bool beside_move(const beside_point *b, const iteration *matrix,
    const double *w, int attempt, double *x, double *xp);
/* Moves flows q of q*abs(q) = p that are 0 (index group 2, without a derivative) by what
 * a p of a tolerance makes of them. There are none: false. */
bool beside_flow(
    const beside_point *b, const dae_problem *p, const double *w, double *x);
void beside_return(const beside_point *b, double *x, double *xp);

#endif

/* How a jump is shared. Where constraints, or what is assigned, ask at one instant
 * for other speeds, something without bound acts for a moment: the reaction of a
 * rod, the moment of a clutch. What it does is written in the equations: over the
 * moment they are those of the highest derivatives alone, with changes in the place
 * of slopes and the integral over the moment (the blow) in that of what has no
 * derivative, and whatever stays bounded counts for nothing. With c_i and d_j the
 * offsets of equations and unknowns that is
 *
 *     J y = r,    J_ij = dF_i / dx_j^(d_j - c_i),
 *
 * y_j the change of the derivative of order d_j - 1 (a blow where there is none),
 * r_i what F_i^(c_i - 1) is off by, 0 where c_i = 0. Momentum, charge and whatever
 * else the equations keep is kept, and no unit counts. One level lower, of places,
 * the same holds.
 *
 * What is assigned has been put in its place by a blow of its own, on the equation of
 * that unknown, which tells nothing then; of several in which its slope stands the one
 * of the largest J_ij (J^-1)_ji. Where no constraint is hurt nothing else moves. */
#ifndef EVENTS_IMPULSE_H
#define EVENTS_IMPULSE_H

#include "reduce/reduction.h"

/* Adds to z (columns of r->extended, of the given level < 0) what equations that
 * are off by `residual` (extended rows) ask for; `entries`: the Jacobian of the extended
 * pattern. `is_held` as in jump.h. At level -1 `blow` (unknowns; NULL: nobody asks) gets
 * the blows of those without derivatives added. DAE_RETRY: they do not tell.
 * DAE_MEMORY. */
dae_status impulse_add(const reduction *r, const double *entries,
    const double *residual, int level, const uint8_t *is_held, double *z,
    double *blow) DAE_MUST_CHECK;

#endif

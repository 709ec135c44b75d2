/* Leapfrog schemes where velocities are no derivatives of places: w' = a(t, q),
 * q' = Z(t, q) w, as of a body whose attitude is a rotation vector. In each the
 * places are led by a point in the middle of the step. For x'' = a(t, x), where
 * Z is 1, the first two are `verlet` and the third is `symplectic-euler`. */
#ifndef METHODS_LEAPFROG_TURNING_H
#define METHODS_LEAPFROG_TURNING_H

#include "step/formula.h"

/* Order 2: the middle from the velocities at the start; half a kick by the old
 * places, half by the new ones. */
const formula *leapfrog_1_formula(void);
/* Order 2: the same with the middle from velocities that have had half a kick. */
const formula *leapfrog_2_formula(void);
/* Order 1: that middle, and a whole kick by the old places. */
const formula *leapfrog_3_formula(void);

#endif

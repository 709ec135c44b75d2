/* Methods for equations of motion x'' = a(t, x): a kick of the velocities, a drift
 * of the places. */
#ifndef METHODS_LEAPFROG_H
#define METHODS_LEAPFROG_H

#include "step/formula.h"

/* Order 1: one kick by the acceleration of before, and a drift with the new
 * velocity. The acceleration may depend on the velocity; it is that of before. */
const formula *symplectic_euler_formula(void);
/* Order 2: half a kick, a drift, half a kick by the new acceleration, which must
 * not depend on the velocity. */
const formula *verlet_formula(void);

#endif

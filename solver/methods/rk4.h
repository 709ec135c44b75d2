/* The classical Runge-Kutta method of four stages, order 4; at constant step as
 * data. */
#ifndef METHODS_RK4_H
#define METHODS_RK4_H

#include "step/formula.h"
#include <dae/stability.h>

const formula *rk4_formula(void);
const dae_method *rk4_method(void);

#endif

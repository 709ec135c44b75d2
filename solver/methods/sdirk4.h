/* A singly diagonal implicit Runge-Kutta method of order 4, for the first steps
 * behind events: step/starter.h. */
#ifndef METHODS_SDIRK4_H
#define METHODS_SDIRK4_H

#include "step/formula.h"

const formula *sdirk4_formula(void);

#endif

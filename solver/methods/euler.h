/* Euler's method, order 1: explicit, and implicit with one linear step; at
 * constant step as data. */
#ifndef METHODS_EULER_H
#define METHODS_EULER_H

#include "step/formula.h"
#include <dae/stability.h>

const formula *euler_formula(void);
const formula *euler_linear_formula(void);
const dae_method *euler_method(void);

#endif

/* The implicit trapezoid, order 2; at constant step as data. */
#ifndef METHODS_TRAPEZOID_H
#define METHODS_TRAPEZOID_H

#include "step/formula.h"
#include <dae/stability.h>

const formula *trapezoid_formula(void);
const dae_method *trapezoid_method(void);

#endif

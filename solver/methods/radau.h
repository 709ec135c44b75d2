/* Radau IIA of 3, 5 and 7 stages, orders 5, 9 and 13: collocation whose last point is
 * the new one, L-stable, the order chosen during the run. */
#ifndef METHODS_RADAU_H
#define METHODS_RADAU_H

#include "step/formula.h"

const formula *radau_formula(void);

#endif

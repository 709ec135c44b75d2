/* Backward differentiation formulas with fixed leading coefficient, orders 1 to
 * 5, for the step machine. */
#ifndef METHODS_BDF_FLC_H
#define METHODS_BDF_FLC_H

#include "step/formula.h"

const formula *bdf_flc_formula(void);

#endif

/* Variable-coefficient backward differentiation formulas, orders 1 to 5. */
#ifndef METHODS_BDF_H
#define METHODS_BDF_H

#include "step/formula.h"

const formula *bdf_formula(void);

#endif

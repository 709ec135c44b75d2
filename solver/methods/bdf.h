/* Backward differentiation formulas: with variable coefficients, orders 1 to 5,
 * for the step machine; at constant step, orders 1 to 6, as data. */
#ifndef METHODS_BDF_H
#define METHODS_BDF_H

#include "step/formula.h"
#include <dae/stability.h>

const formula *bdf_formula(void);

/* sum over j <= k of del^j x_n / j = h f_n, order k in place k - 1. */
enum { BDF_METHODS = 6 };
const dae_method *bdf_methods(void);

#endif

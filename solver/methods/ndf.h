/* Numerical differentiation formulas [SR97], orders 1 to 5: for the step machine,
 * and at constant step as data. */
#ifndef METHODS_NDF_H
#define METHODS_NDF_H

#include "step/formula.h"
#include <dae/stability.h>

const formula *ndf_formula(void);

/* sum over j <= k of del^j x_n / j - kappa_k gamma_k del^(k+1) x_n = h f_n,
 * gamma_k = 1 + 1/2 + ... + 1/k; order k in place k - 1. */
enum { NDF_METHODS = 5 };
const dae_method *ndf_methods(void);

#endif

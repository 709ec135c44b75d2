/* The two sides of equations as numbers: what problem.h calls sides. */
#ifndef CODE_FORMULA_SIDES_H
#define CODE_FORMULA_SIDES_H

#include "code/compile.h"

dae_status formula_sides(void *self, dae_name_kind kind, size_t index,
    size_t order, double t0, const double *x, size_t stride, double out[2]);

#endif

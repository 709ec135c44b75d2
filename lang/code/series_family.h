/* Power series of sinc, cosc, sincc, their derivatives, and of Stumpff's
 * functions. Near 0, where these are needed, their differential equations are
 * singular, so they are expanded at the value and the operand is put in by
 * Horner's scheme: a sixth of K^3 products, the one place that is not
 * quadratic. */
#ifndef CODE_SERIES_FAMILY_H
#define CODE_SERIES_FAMILY_H

#include "code/series_core.h"

/* As series_function. Temporaries 0 to 5. */
size_t series_family(const series_room *m, const node *n, const double *a,
    size_t count, double *out);

#endif

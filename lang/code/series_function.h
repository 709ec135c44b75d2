/* Elementary functions of power series, by the recurrences that their
 * differential equations give [GW08 13.2], [Moo66]. */
#ifndef CODE_SERIES_FUNCTION_H
#define CODE_SERIES_FUNCTION_H

#include "code/series_core.h"

/* Coefficients of the operation `n` of operands whose first `count`
 * coefficients exist, count >= 1; out[0], the value, is given and finite.
 * Returns how many coefficients exist. Temporaries 0 to 5. */
size_t series_function(const series_room *m, const node *n, const double *a,
    const double *b, size_t count, double *out);

#endif

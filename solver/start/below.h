/* Values that an absolute tolerance takes for 0. */
#ifndef START_BELOW_H
#define START_BELOW_H

#include "linalg/layout.h"
#include <dae/diag.h>

/* W0411, one for all unknowns of which something else than 0 is stated (given,
 * or a guess) and all that is stated, and the value found, is below the absolute
 * tolerance: any number as small would do as well. What rounding leaves of a 0
 * beside the largest stated value counts as 0. Of no unknown with a
 * `nominal` size, which says what is small. `found` (states): the start; NULL:
 * there is none. `atol`: the option. */
void below_tell(const dae_problem *problem, const layout *l, double atol,
    const double *found, dae_diagnostics *ds);

#endif

/* One equation for one unknown whose slope is small beside what it is nearby:
 * is the place where it vanishes another one, or this? */
#ifndef INDEX_APART_H
#define INDEX_APART_H

#include "index/sampler.h"

/* For entry `entry` of the pattern, the slope of its row by its slot. *is_so:
 * the point is known well enough, by what its row leaves there, to be told apart
 * from where the slope vanishes: i = 5e-10 in v = 1e9 i + 1e17 i^2, x = 1 + 1e-6
 * in (x - 1)^2 = 1e-12. */
dae_status apart_find(sampler *s, double t, const double *x, const double *xp,
    int64_t entry, bool *is_so) DAE_MUST_CHECK;

#endif

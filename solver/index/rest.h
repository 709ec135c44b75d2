/* Do equations that depend on each other contradict each other? */
#ifndef INDEX_REST_H
#define INDEX_REST_H

#include "index/dependency.h"

/* Whether a row of the dependency, the last or where the rest cannot be reached
 * another, misses 0 at points on all other rows of the array, and no point on all
 * rows is found from there. Asked of equations that
 * are not affine and whose weights vary. `f`: what is loose. */
dae_status rest_contradicts(const level *v, const dependency *d,
    const array_findings *f, bool *is_so) DAE_MUST_CHECK;

#endif

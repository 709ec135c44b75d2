/* Coefficients too slight for ranks: a mass of 1e-15 kg beside forces of 1. They
 * are no zeros, and structure counts them; a rank cannot tell them from
 * rounding. */
#ifndef ANALYSIS_SLIGHT_H
#define ANALYSIS_SLIGHT_H

#include "base/alloc.h"
#include <dae/problem.h>

/* Whether an entry of the Jacobian at a point is there, yet below 1e-10 of the
 * others in its equation and of all that its unknown has, in derivatives of any
 * order, in units in which these are 1. `is_error` (entries; NULL: none): those
 * that are none. False where the Jacobian is not given, or has no values there; true
 * where asking it takes too much (DAE_LIMIT of the problem). */
dae_status slight_find(const dae_problem *problem, double t, const double *x,
    const double *xp, const uint8_t *is_error, const dae_allocator *allocator,
    bool *is_found) DAE_MUST_CHECK;

#endif

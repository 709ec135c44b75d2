/* Whens whose condition is true when the run begins: they do not fire before it
 * has been false. */
#ifndef START_TRUE_AT_START_H
#define START_TRUE_AT_START_H

#include <dae/diag.h>
#include <dae/problem.h>

/* N0529 for those whose condition is true at a point, by switches as they are held
 * or free, if something would happen where they fired: a text, a stop, or a value that
 * is another one. One for all of a loop. `wanted`: of these alone; NULL: of all.
 * DAE_MEMORY. */
dae_status true_at_start_report(const dae_problem *problem,
    const uint8_t *wanted, double t, const double *x, const double *xp,
    const dae_allocator *allocator, dae_diagnostics *ds) DAE_MUST_CHECK;

#endif

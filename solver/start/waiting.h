/* Whens whose condition is true when the run begins: they do not fire before it has
 * been false, which nobody sees who does not know it. */
#ifndef START_WAITING_H
#define START_WAITING_H

#include <dae/diag.h>
#include <dae/problem.h>

/* N0529 for those whose condition is true at a point, by switches as they are held
 * or free, if something would happen where they fired: a text, a stop, or a value that
 * is another one. One for all of a loop. `waits`: of no others; NULL: of all.
 * DAE_MEMORY. */
dae_status waiting_tell(const dae_problem *problem, const uint8_t *waits,
    double t, const double *x, const double *xp, const dae_allocator *allocator,
    dae_diagnostics *ds) DAE_MUST_CHECK;

#endif

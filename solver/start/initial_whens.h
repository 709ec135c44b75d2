/* Whens whose condition is true when the run begins: they fire only after it has
 * been false. */
#ifndef START_INITIAL_WHENS_H
#define START_INITIAL_WHENS_H

#include <dae/diag.h>
#include <dae/problem.h>

/* N0529 for each `when` whose condition is true at the point, if firing would
 * have an effect: a text, a stop, or a changed value. One note for all of a
 * loop. `wanted`: only these; NULL: all. DAE_MEMORY. */
dae_status true_at_start_report(const dae_problem *problem,
    const uint8_t *wanted, double t, const double *x, const double *xp,
    const dae_allocator *allocator, dae_diagnostics *ds) DAE_MUST_CHECK;

#endif

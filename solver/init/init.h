/* Consistent initial values for index 0 and 1: F(t0, x, xp) = 0 and the
 * conditions, fixed values held, the least weighted change of the others from
 * their guesses. Damped Gauss-Newton with bounds; a stall is a failure. */
#ifndef INIT_INIT_H
#define INIT_INIT_H

#include "sparse/iteration.h"
#include <dae/diag.h>
#include <dae/solver.h>

typedef struct init_request {
    const dae_problem *problem;
    const layout *layout;
    iteration *matrix; /* told what never changes; NULL: none */
    double t0, rtol;
    const double *atol;      /* N */
    const uint8_t *x_fixed;  /* N */
    const uint8_t *xp_fixed; /* n */
    bool use_conditions;     /* the problem's general conditions too */
    const dae_allocator *allocator;
    dae_diagnostics *ds;
    dae_interrupt_fn *interrupt;
    void *interrupt_context;
} init_request;

/* x (N) and xp (n): guesses and fixed values in, consistent values out (left
 * as they were on failure). Counters are added to `stats`. Derivatives that
 * F alone leaves open (index-1 systems with a singular dF/dx') are found from
 * the differentiated constraints by a short difference in time. */
dae_status init_consistent(const init_request *request, double *x, double *xp,
    dae_start_report *report, dae_stats *stats) DAE_MUST_CHECK;

#endif

/* Diagnostics about a start, from the findings of the search (start/findings.h):
 * written once, after the search. */
#ifndef START_REPORT_H
#define START_REPORT_H

#include "linalg/layout.h"
#include "start/init.h"
#include <dae/diag.h>

/* The findings `f` about the start requested by `q`: N0406 for guesses that were
 * moved; of a failure E0401 to E0405; of a solved start N0410, W0404,
 * W0409 and N0407, which is to first order only where the start `is_singular`. `ds` may
 * be NULL. DAE_MEMORY. */
dae_status start_report(const init_request *q, const init_findings *f,
    bool is_singular, dae_diagnostics *ds) DAE_MUST_CHECK;

/* E0401 or E0402 for each inconsistent set
 * (start/report_conflict.c). DAE_MEMORY. */
dae_status start_report_conflicts(const init_request *q, const init_findings *f,
    arena *scratch, dae_diagnostics *ds) DAE_MUST_CHECK;

/* N0410 for a value that homotopy has found, and `others` with it. */
void start_report_homotopy(const dae_problem *p, dae_slot slot, double guess,
    double value, size_t others, double t0, dae_diagnostics *ds);

/* W0411, one message for all unknowns that each have a stated value (given, or a
 * guess) other than 0 and below the absolute tolerance, as is the value found:
 * then any number as small is accepted. A value within rounding of 0,
 * relative to the largest stated value, counts as 0. Unknowns with a `nominal` size
 * are left out, as it scales their tolerance. `found` (states): the start; NULL:
 * there is none. `atol`: the option. */
void start_report_below_atol(const dae_problem *problem, const layout *l,
    double atol, const double *found, dae_diagnostics *ds);

#endif

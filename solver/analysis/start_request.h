/* Asking start/ about a start: by the problem as it is, or extended by
 * derivatives of its equations. */
#ifndef ANALYSIS_START_REQUEST_H
#define ANALYSIS_START_REQUEST_H

#include "analysis/analysis.h"

/* The problem, or its extended system by a->plan.times and a->plan.highest, with
 * the values of the problem's start. DAE_LIMIT, DAE_UNSUPPORTED: too much to
 * differentiate. To be cleared whatever the status. */
dae_status examination_init(examination *x, analysis *a) DAE_MUST_CHECK;
void examination_clear(examination *x);
/* The values and what is given again, as after examination_init. */
void examination_load(examination *x);

dae_slot examination_slot(const examination *x, size_t slot);
/* Does a slot exist at all? The derivative of an algebraic unknown does not. */
bool examination_has(const examination *x, size_t slot);
bool examination_is_given(const examination *x, size_t slot);

/* Thorough; without findings. */
init_request examination_request(const examination *x);

#endif

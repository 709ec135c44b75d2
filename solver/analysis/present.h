/* The lists of findings in the order in which the user has what they name
 * (dae_problem.position), once everything is computed, which goes by numbers.
 * Without positions they stay as they are. */
#ifndef ANALYSIS_PRESENT_H
#define ANALYSIS_PRESENT_H

#include "analysis/analysis.h"

/* All but hidden constraints. */
dae_status present_findings(analysis *a) DAE_MUST_CHECK;
/* Hidden constraints, once they are listed. */
dae_status present_hidden(analysis *a) DAE_MUST_CHECK;

#endif

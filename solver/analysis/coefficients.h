/* Coefficients that are 0, or were meant to be: a capacity that a param sets
 * to 0, or 0.1 + 0.2 - 0.3. */
#ifndef ANALYSIS_COEFFICIENTS_H
#define ANALYSIS_COEFFICIENTS_H

#include "analysis/analysis.h"

/* Fills found.zeros, in the order of the text, and a->rounded. After the
 * structure is known. */
dae_status coefficients_list(analysis *a) DAE_MUST_CHECK;

#endif

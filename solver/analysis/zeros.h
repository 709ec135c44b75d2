/* What is not counted because it is 0: a capacity that a param sets to 0. */
#ifndef ANALYSIS_ZEROS_H
#define ANALYSIS_ZEROS_H

#include "analysis/analysis.h"

/* Fills found.zeros, in the order of the text. After the structure is known. */
dae_status zeros_list(analysis *a) DAE_MUST_CHECK;

#endif

/* Coefficients that count and are nothing but rounding. */
#ifndef ANALYSIS_ROUNDED_H
#define ANALYSIS_ROUNDED_H

#include "analysis/analysis.h"

/* Fills a->rounded with those that the structure rests on. After the structure
 * is known. */
dae_status rounded_find(analysis *a) DAE_MUST_CHECK;

#endif

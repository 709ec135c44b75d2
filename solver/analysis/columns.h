/* A start as it was found, for a reduction that goes on from it: also
 * derivatives that the report leaves out. */
#ifndef ANALYSIS_COLUMNS_H
#define ANALYSIS_COLUMNS_H

#include <dae/analysis.h>

/* Values of the columns of the extended problem (extend/extend.h) that has its
 * equations differentiated as found->differentiated says, `count` of them;
 * borrowed. NULL: none are known. Where an unknown's values are reported they are
 * the same. */
const double *analysis_columns(const dae_analysis *found, size_t count);

#endif

/* Whether the start that was found is one of several, and which is meant. */
#ifndef ANALYSIS_TWIN_H
#define ANALYSIS_TWIN_H

#include "analysis/examination.h"

/* After a solved start: searches again with other signs. What is nearer to the
 * stated guesses becomes the start; where these do not choose, a->twin tells of
 * the other one. For small systems whose conditions leave nothing open to first
 * order; where nothing is found there may be several all the same. */
dae_status twin_choose(examination *x) DAE_MUST_CHECK;

#endif

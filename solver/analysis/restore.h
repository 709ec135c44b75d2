/* Guesses that a start could have kept. */
#ifndef ANALYSIS_RESTORE_H
#define ANALYSIS_RESTORE_H

#include "analysis/examination.h"

/* After a->findings of a solved start with conditions missing, whose values are
 * in x: guesses that were free to stay and were moved by next to nothing, as
 * steps towards the nearest solution do, are put back, and the rest is solved
 * for again. The findings have the new values; what they say of ranks stays. */
dae_status start_restore(examination *x) DAE_MUST_CHECK;

#endif

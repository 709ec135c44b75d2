/* From the consistent point at which the ranks of a small system were taken to
 * its start, along the solutions. */
#ifndef ANALYSIS_FOLLOW_H
#define ANALYSIS_FOLLOW_H

#include "analysis/analysis.h"

/* A start near which no search ends, sought from a->array.point, which is
 * consistent but at other values and another time: the given values that are
 * independent there, and for the rest of the freedom guesses, are led to what
 * they are to be in steps as small as it takes, all else solved for in each
 * [AG03 2]. So it stays among the solutions that the ranks speak of, where a
 * search from anywhere may end in places where residuals are small because
 * derivatives are beyond all bounds. By a->differentiate, all alike. *is_found:
 * a->seed is what it came to, or as near to the given values as it got;
 * general conditions are left to the search from there. */
dae_status start_follow(analysis *a, bool *is_found) DAE_MUST_CHECK;

#endif

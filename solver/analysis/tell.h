/* What is said about an analysis in diagnostics. */
#ifndef ANALYSIS_TELL_H
#define ANALYSIS_TELL_H

#include "analysis/analysis.h"

/* E0302: with the values of the parameters, some equations cannot determine
 * unknowns. */
dae_status tell_singular(analysis *a) DAE_MUST_CHECK;
/* E0303 for each equation that the index asks to be differentiated more often
 * than its kinks allow; how many there are. */
size_t tell_kinks(analysis *a);
/* W0305 or E0304 where there is no index. */
void tell_no_index(analysis *a);
/* W0306 where the system Jacobian loses rank at the start alone, or also elsewhere
 * and nothing else tells what the start leaves open. */
void tell_singular_here(analysis *a);

/* E0402 for values that make the equations small and solve nothing. */
void tell_runaway(analysis *a);

/* A start that was not found must not come with notes and warnings about what is
 * given, as for one that was, nor without an error: where what was said
 * since `from` is not that, it is taken back for an E0402. */
void tell_unsolved(analysis *a, report_position from);

#endif

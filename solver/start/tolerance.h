/* Tolerances of a start: their defaults, those of the slots, and what they make of the
 * residual of a row. */
#ifndef START_TOLERANCE_H
#define START_TOLERANCE_H

#include "start/system.h"

/* What is not above 0 becomes START_RTOL, START_ATOL (linalg/thresholds.h), which a run
 * has by default, too. */
void tolerance_default(double *rtol, double *atol);
/* Tolerance and size of unknown j's slots. Sizes: the nominal one, the guess, or else
 * what the tolerances take for small. */
void tolerance_fill(init_system *s, size_t j);
/* What rounding may leave of a 0 beside the other values, such as sin(pi). */
double tolerance_remnant(const init_system *s);
/* A stated value counts to three digits, however small it is beside the tolerance:
 * 2e-10 is not 3e-10; but not to less than `least`. */
void tolerance_sharpen(init_system *s, double least);

/* From the Jacobian and z: tolerance[i] is the change of row i that the
 * tolerances of its slots explain, max |J_ip| (rtol |z_p| + atol_p); noise[i]
 * what rounding explains. */
void tolerance_measure(init_system *s);
/* |res[i]| against tolerance[i] (at least noise[i]); <= 1 is solved. */
double tolerance_ratio(const init_system *s, size_t i);

/* At a solution: given values as small as what rounding leaves of a 0, such as
 * sin(pi), have the tolerance of that 0 where the rows hold with 0 in place of them
 * and of all others of that size; else their own. */
dae_status tolerance_judge_remnants(init_system *s) DAE_MUST_CHECK;

/* The row is within its tolerance. But a residual larger than every term of its row is
 * beyond the range in which the slope, and with it the tolerance, is valid: it counts
 * only where a change of one slot by its tolerance halves it or changes its sign. Point
 * and residuals stay. */
dae_status tolerance_holds(
    init_system *s, size_t row, bool *holds) DAE_MUST_CHECK;

/* Whether the row's residual, at the last Jacobian, is rounding, or falls to half or
 * changes sign by the step of one of its slots that its slope asks for, or by a half,
 * third or quarter of it, which leads to the root of a root: of a given value at most
 * by its tolerance. */
dae_status tolerance_reaches(
    init_system *s, size_t row, bool *does) DAE_MUST_CHECK;

#endif

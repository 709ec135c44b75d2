/* Tolerances of a start: their defaults, those of the slots, and those of the rows'
 * residuals, which follow from these. */
#ifndef START_TOLERANCE_H
#define START_TOLERANCE_H

#include "start/system.h"

/* Values not above 0 become START_RTOL, START_ATOL (linalg/thresholds.h), the defaults
 * of a run, too. */
void tolerance_default(double *rtol, double *atol);
/* Tolerance and size of unknown j's slots. Size: that of the guess, but at least the
 * nominal one, or without that atol/rtol, below which the absolute tolerance dominates. */
void tolerance_fill(init_system *s, size_t j);
/* Values up to this may be rounding of 0 beside the others, such as sin(pi). */
double tolerance_remnant(const init_system *s);
/* A stated value counts to three digits, however small it is beside the tolerance:
 * 2e-10 is not 3e-10; but not to less than `least`. Not one of a run. */
void tolerance_sharpen(init_system *s, double least);

/* From the Jacobian and z: tolerance[i] is the change of row i that the
 * tolerances of its slots explain, max |J_ip| (rtol |z_p| + atol_p); noise[i]
 * what rounding explains. */
void tolerance_measure(init_system *s);
/* |res[i]| against tolerance[i] (at least noise[i]); <= 1 is solved. */
double tolerance_ratio(const init_system *s, size_t i);

/* At a solution: given values that may be rounding of 0, such as sin(pi), keep the
 * absolute tolerance if the rows hold with 0 in place of all values of that size; else
 * they count to three digits (tolerance_sharpen). */
dae_status tolerance_judge_remnants(init_system *s) DAE_MUST_CHECK;

/* The row is within its tolerance. But a residual larger than every term of its row is
 * outside the range in which the slope, and so the tolerance, is valid: then a change of
 * one slot by its tolerance must halve it or change its sign. Point and residuals are
 * kept. */
dae_status tolerance_holds(
    init_system *s, size_t row, bool *holds) DAE_MUST_CHECK;

/* Whether the row's residual, at the last Jacobian, is rounding, or is halved or changes
 * sign by the Newton step of one of its slots (of a given value at most its tolerance)
 * or by a half, third or quarter of it: if the row is the p-th root of a function, the
 * step is p times too long. */
dae_status tolerance_reaches(
    init_system *s, size_t row, bool *does) DAE_MUST_CHECK;

#endif

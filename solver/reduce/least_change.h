/* Some equations of an extended problem, and the least change of what stands in them that
 * satisfies them: of a point that is projected onto its constraints, of values after a
 * jump. One step of Newton's method at a time (linalg/kkt.h). */
#ifndef REDUCE_LEAST_CHANGE_H
#define REDUCE_LEAST_CHANGE_H

#include "linalg/kkt.h"
#include "reduce/reduced.h"
#include <dae/solver.h>

typedef struct least_change {
    const extended *e; /* borrowed */
    dae_stats *stats;
    size_t rows, slots;
    int32_t *row; /* the extended row of each */
    dae_pattern pattern;
    int64_t *target; /* entries of the extended problem: the one here; -1 */
    double *values;  /* of the pattern */
    double *residual, *unit; /* rows; unit: what tolerances make of each */
    double *tolerance;       /* slots, */
    double *scale;           /* and the unit of their change; 0: held */
    double *change;          /* slots */
    double *all, *jacobian;  /* rows and entries of the extended problem */
    kkt *kkt;
} least_change;

/* The rows with `is_in` set, by the slots (below `slots`) that columns live in; slot_of
 * NULL: each in one of its own. DAE_MEMORY. */
dae_status least_change_init(least_change *c, const extended *e,
    const uint8_t *is_in, const int32_t *slot_of, size_t slots,
    dae_stats *stats, arena *a) DAE_MUST_CHECK;
/* What is not of the arena. */
void least_change_clear(least_change *c);
/* Residuals, and the Jacobian of the extended problem, at its columns. DAE_RETRY: they
 * have no values. */
dae_status least_change_evaluate(
    least_change *c, double t, const double *columns) DAE_MUST_CHECK;
dae_status least_change_differentiate(
    least_change *c, double t, const double *columns) DAE_MUST_CHECK;
/* Factors the part of `entries` of the extended problem. DAE_RETRY: it is singular. */
dae_status least_change_factor(
    least_change *c, const double *entries) DAE_MUST_CHECK;
/* What tolerances make of the equations: `unit`. */
void least_change_measure(least_change *c);
/* How far the equations are off at the most, in units; of which extended row. */
double least_change_violation(const least_change *c, size_t *row);
/* `change`, for the residuals at hand. DAE_RETRY. */
dae_status least_change_solve(least_change *c) DAE_MUST_CHECK;

#endif

/* The nearest point on all constraints, after each step of a system whose
 * derivatives are all states (reduce/whole.h): the least change of the states,
 * measured by the weights of the error test, that satisfies F_i^(k) = 0,
 * k < c_i [Eic93]. By Newton's method with a factorization
 * that is kept over steps; sparse (linalg/kkt.h).
 *
 * The point is projected before its error is tested, and the change belongs to
 * its distance from the prediction. So the test sees, and the history holds,
 * points on the constraints only: what is off them, which the projection takes
 * away, is not taken for an error, nor does it enter the next prediction. */
#ifndef REDUCE_PROJECT_H
#define REDUCE_PROJECT_H

#include "linalg/kkt.h"
#include "reduce/reduced.h"
#include <dae/solver.h>

typedef struct projection {
    reduced *now; /* borrowed */
    dae_stats *stats;
    size_t rows, slots; /* constraints; slots of x */
    int32_t *row;       /* the extended row of each */
    dae_pattern pattern;
    int64_t *target; /* entries of the extended problem: the one here; -1 */
    kkt *kkt;
    double *values;         /* of the pattern */
    double *scale, *change; /* slots */
    double *unit;           /* rows: what a tolerance of the states changes */
    double *residual;       /* rows */
    double *columns, *all, *jacobian; /* of the extended problem */
    int64_t evaluations; /* of `now`, when `values` were taken from it */
    bool is_factored, is_slow;
    arena arena;
} projection;

/* The constraints are the rows that `p`, from which `now` was made, leaves out.
 * DAE_MEMORY; DAE_LIMIT. */
dae_status projection_create(reduced *now, const pick *p, dae_stats *stats,
    const dae_allocator *allocator, projection **out) DAE_MUST_CHECK;
void projection_free(projection *p);

/* Moves x, and d with it, onto the constraints, w being the weights; xp is read only for slots that
 * are held. DAE_RETRY: Newton's method does not get there. */
dae_status projection_apply(projection *p, double t, double *x,
    const double *xp, double *d, const double *w) DAE_MUST_CHECK;

#endif

/* The iteration matrix A(alpha) = sum over slots of alpha^e dF/d(slot) on the
 * condensed columns of layout.h, with dF/dx and dF/dx' kept apart, so that a
 * new alpha costs one pass over the entries and a numeric refactorization,
 * never a new Jacobian. Owns the Jacobian's values, and makes them by
 * coloured differences where the problem has no Jacobian function. */
#ifndef SPARSE_ITERATION_H
#define SPARSE_ITERATION_H

#include "sparse/layout.h"
#include "sparse/linear.h"

typedef struct iteration iteration;

dae_status iteration_create(const dae_problem *problem, const layout *l,
    dae_linear choice, const dae_allocator *allocator, dae_diagnostics *ds,
    iteration **out) DAE_MUST_CHECK;
void iteration_free(iteration *it);

/* Evaluates the Jacobian at a point: the problem's function (everything the
 * first time or after iteration_reset, then what varies) or coloured
 * differences from `res` = F(t, x, xp), with increments scaled by `weights`
 * (N: 1 / (rtol |x| + atol)) and, for xp, by `step`. `residuals` is
 * increased by the residual calls made. DAE_RETRY: not finite here. */
dae_status iteration_evaluate(iteration *it, double t, const double *x,
    const double *xp, const double *res, const double *weights, double step,
    int64_t *residuals) DAE_MUST_CHECK;
void iteration_reset(iteration *it);

/* Assembles A(alpha) and factorizes. DAE_NUMERIC: singular; DAE_RETRY: a
 * value is not finite. */
dae_status iteration_factor(iteration *it, double alpha) DAE_MUST_CHECK;
/* See sparse/jacobian.h. */
void iteration_expect(iteration *it, uint64_t digest);
/* b (n residuals) becomes d (n, change of the highest states). */
dae_status iteration_solve(iteration *it, double *b) DAE_MUST_CHECK;

const linear *iteration_linear(const iteration *it);
int64_t iteration_nonzeros(const iteration *it);
/* First equation whose Jacobian row has overflowed, -1: none. */
int64_t iteration_overflow_row(const iteration *it);
/* The slot values on the problem's pattern (dense pattern where it has
 * none), for listings and for init. */
const dae_pattern *iteration_pattern(const iteration *it);
const double *iteration_values(const iteration *it);

#endif

/* What methods without a corrector, or with one of their own, ask of the equations:
 * one linear step from a point, the slopes that go with values, residual and
 * Jacobian. The residual, the matrix and the
 * counters are those of newton.h. */
#ifndef NEWTON_DIRECT_H
#define NEWTON_DIRECT_H

#include "newton/newton.h"

/* One iteration from the task's point with a Jacobian of that very point, and
 * `shift` (N) for what lower states are moved before: F is linearised where the
 * point is, x' = v holds as the step ends. */
newton_outcome newton_linear(
    newton *nw, newton_task *task, const double *shift);

/* For methods that solve for several stages together: the Jacobian at the task's point
 * if one is due by Newton's own rules (or by nw->wants_jacobian). dF/dx and dF/dxp
 * are then what linalg/iteration_matrix.h has as pattern and values, of which it
 * makes and factorizes the sum of c^e dF/d(slot), c complex, as it does A(alpha); the
 * factors of A(alpha) are gone after a new Jacobian and else still good. */
newton_outcome newton_jacobian(newton *nw, newton_task *task);
/* The same, and factors of A(alpha) for the task's very alpha. */
newton_outcome newton_factors(newton *nw, newton_task *task);
/* F (n) at the task's point, continued beyond bounds (newton/bounds.h). */
newton_outcome newton_residual(newton *nw, newton_task *task, double *f);
/* The same at several points: times, rows of x (N) and xp (n), rows of F, in which
 * values may have overflowed. */
newton_outcome newton_residuals(newton *nw, size_t count, const double *t,
    double *const *x, double *const *xp, double *const *f);
/* A status of the matrix as an outcome. */
newton_outcome newton_outcome_of(newton *nw, dae_status status);

/* task->xp (n) so that F(t, x, xp) = 0, x held; task->xp holds a guess. For
 * problems whose dF/dxp is regular. */
newton_outcome newton_slopes(newton *nw, newton_task *task);

#endif

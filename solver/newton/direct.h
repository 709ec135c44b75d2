/* What methods without a corrector ask of the equations: one linear step from a
 * point, and the slopes that go with values. The residual, the matrix and the
 * counters are those of newton.h. */
#ifndef NEWTON_DIRECT_H
#define NEWTON_DIRECT_H

#include "newton/newton.h"

/* One iteration from the task's point with a Jacobian of that very point, and
 * `shift` (N) for what lower states are moved before: F is linearised where the
 * point is, x' = v holds as the step ends. */
newton_outcome newton_linear(
    newton *nw, newton_task *task, const double *shift);

/* task->xp (n) so that F(t, x, xp) = 0, x held; task->xp holds a guess. For
 * problems whose dF/dxp is regular. */
newton_outcome newton_slopes(newton *nw, newton_task *task);

#endif

/* Parts of newton.c for direct.c. */
#ifndef NEWTON_OWN_H
#define NEWTON_OWN_H

#include "newton/newton.h"

/* F at the task's point into `delta`. */
newton_outcome newton_own_residual(newton *nw, const newton_task *task);
/* The Jacobian there; `delta` holds F. */
newton_outcome newton_own_jacobian(newton *nw, const newton_task *task);
/* The same if one is due. */
newton_outcome newton_own_due_jacobian(newton *nw, const newton_task *task);
/* x -= delta and what follows from it; the weighted norm of the change. */
double newton_own_move(newton *nw, newton_task *task);
/* A status of a callback or of the matrix as an outcome. */
newton_outcome newton_own_stop(newton *nw, dae_status status);

#endif

/* Parts of newton.c for direct.c. */
#ifndef NEWTON_OWN_H
#define NEWTON_OWN_H

#include "newton/newton.h"

/* F at the task's point into `delta`. */
newton_outcome newton_own_residual(newton *nw, const newton_task *task);
/* The Jacobian there; `delta` holds F. */
newton_outcome newton_own_jacobian(newton *nw, const newton_task *task);
/* Whether one is due. */
bool newton_own_is_due(const newton *nw, const newton_task *task);
/* Factors for the task's very alpha. */
newton_outcome newton_own_factors(newton *nw, const newton_task *task);
/* x -= delta and what follows from it; the weighted norm of the change. */
double newton_own_move(newton *nw, newton_task *task);
/* A status of a callback or of the matrix as an outcome. */
newton_outcome newton_own_stop(newton *nw, dae_status status);
/* The Jacobian at the task's point, where `delta` holds F, and its factors. */
newton_outcome newton_own_renew(newton *nw, const newton_task *task);
/* One correction with F at the point in `delta`; its norm. */
newton_outcome newton_own_correct(newton *nw, newton_task *task, double *norm);

/* Whether the last correction, in `delta`, says nothing of how far the solution
 * is: see climb.h. CONVERGED, or STOPPED for want of memory. */
newton_outcome newton_own_look(
    newton *nw, const newton_task *task, bool *is_blind);
/* Told of each Jacobian and where it is of. */
void newton_own_base(newton *nw, const newton_task *task);
/* Behind such a correction: asks the equations again, and goes on to their
 * solution with a Jacobian at every point. `enough`: what may be left. */
newton_outcome newton_own_climb(newton *nw, newton_task *task, double enough);

/* Whether the last correction, in `delta`, says that flows may be none of their
 * equations: see climb.h. */
bool newton_own_is_adrift(const newton *nw, const newton_task *task);
/* Goes on, with a Jacobian at every point, until equations without slopes hold as well as
 * their values are known. */
newton_outcome newton_own_settle(newton *nw, newton_task *task);

#endif

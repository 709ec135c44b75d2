/* Places and velocities of a problem of the form w' = a(t, q), q' = Z(t, q) w. */
#ifndef RUN_ROLES_H
#define RUN_ROLES_H

#include "run/run.h"

/* Says of every state of the engine's problem, whose unknowns all have slopes,
 * whether it is a velocity: stepper.is_velocity (N). Its start is t0 and the
 * values in stepper.point. `*equation`: one that keeps the problem from being of
 * that form; SIZE_MAX: it is. DAE_MEMORY, or what a callback answers. */
dae_status roles_find(const run *r, double t0, size_t *equation) DAE_MUST_CHECK;

#endif

/* Requirements of formulas: whether a method does for the problem that is stepped. */
#ifndef RUN_REQUIREMENTS_H
#define RUN_REQUIREMENTS_H

#include "run/run.h"

/* DAE_ARGUMENT with E0505, which names the unknown or the equation that does not
 * fit and says what to do; DAE_MEMORY, or what a callback answers. The start is
 * t0 and the values in stepper.point. */
dae_status requirements_check(const run *r, double t0) DAE_MUST_CHECK;

#endif

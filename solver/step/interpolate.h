/* Dense output: the polynomial of the last step's order through its newest
 * points. It meets both ends of the step exactly, so the curve is continuous
 * over steps; nothing that is asked of it changes a step. */
#ifndef STEP_INTERPOLATE_H
#define STEP_INTERPOLATE_H

#include "linalg/layout.h"
#include "step/history.h"

/* Values (x: N) and highest derivatives (xp: n) at time t for a last step of
 * order k; either may be NULL. */
void interpolate(
    const history *hi, const layout *l, int k, double t, double *x, double *xp);

#endif

/* Going on after an event, from the last point: step/cut.h. What was before is
 * forgotten with that, so it is called when the next step is requested. */
#ifndef STEP_RESUME_H
#define STEP_RESUME_H

#include "step/step.h"

/* States are continuous at the last point; slopes may jump, or higher derivatives,
 * or nothing. x (N) and xp (n): the consistent point behind it, x within tolerances
 * that of before, values without derivative as they like. As much of the history,
 * the order and the step is kept as is still true. */
void stepper_resume(stepper *s, const double *x, const double *xp);

/* States have jumped: from x and xp at t anew. h_hint: a step (> 0) that the error
 * allowed before the event, fabs(s->h) mostly; 0: unknown. Interval, end and the
 * grid of fixed steps stay. */
void stepper_restart(
    stepper *s, double t, const double *x, const double *xp, double h_hint);

/* --- for the step machine --- */

/* After a failed error test of the first step after an event: whether the next
 * attempt is chosen here. */
bool resume_recovers(stepper *s);

#endif

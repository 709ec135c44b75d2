/* Steps of one length and one order, for studies of formulas. No error is tested
 * and Newton's method goes on to rounding (newton_tighten), so that what is left
 * is the formula's own error. */
#ifndef STEP_FIXED_H
#define STEP_FIXED_H

#include "step/step.h"

/* After stepper_start: counts the steps up to t_end. */
void fixed_start(stepper *s, double direction);
/* As stepper_step. A step that fails is tried with a new Jacobian, and from the
 * last values instead of their continuation; there is no other length. */
step_failure fixed_step(stepper *s);

/* The last step was cut: its grid point is still to come. */
void fixed_cut(stepper *s);

#endif

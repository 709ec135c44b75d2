/* Keeps steps off the lengths at which the formula does not damp what the equations
 * damp. Formulas of order 3 and more have such steps for an oscillation that dies
 * out slowly, h lambda near the imaginary axis: it grows, or stays, and the error
 * test does not see it while its differences are small, or for ever where the
 * tolerance is relative. docs/numerics.md, section 6.
 *
 * And of an oscillation that an event began it tells the selector the rate: contacts
 * and impacts are over soon, and what their steps take of the amplitude goes on in
 * the flight behind them. */
#ifndef STEP_DAMPING_H
#define STEP_DAMPING_H

#include "step/step.h"

/* For an accepted point that is not in the history yet. Where the highest
 * differences go on as one oscillation does, the linearised equations are asked
 * what becomes of it (step/mode.h), and the selector is given the lengths to keep
 * off, order by order (step/band.h). After a failure, DAE_MEMORY, nothing has
 * changed. */
dae_status damping_watch(stepper *s) DAE_MUST_CHECK;

/* At a start. */
void damping_begin(stepper *s);
/* An event has ended a step of length `before` > 0 or none. */
void damping_pass(stepper *s, double before);
/* What was seen goes over to another stepper of the same run. */
void damping_carry(stepper *to, const stepper *from);

#endif

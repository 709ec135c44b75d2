/* What fixed steps show between their points, where a formula's own polynomial has
 * too few of them or a slope is not known. */
#ifndef STEP_BETWEEN_H
#define STEP_BETWEEN_H

#include "step/step.h"

/* Room for the polynomials of given steps, of degree k >= 2. DAE_MEMORY. */
dae_status between_take(stepper *s, int k, arena *a) DAE_MUST_CHECK;

/* The last step's solution at t: values (x: N) and highest derivatives (xp: n);
 * either may be NULL. What the step machine goes by is interpolate(). */
void between_show(const stepper *s, double t, double *x, double *xp);
/* Values alone at several times. */
void between_values(const stepper *s, const history_places *at, double *x);

/* Asks for the points inside the coming step from the last point to point.t, of a
 * solution that is known; point.x is a guess and is changed, point.xp too. */
dae_status between_ask(stepper *s) DAE_MUST_CHECK;
/* Makes the polynomial through them, once the step is accepted. */
void between_close(stepper *s);

/* What has no derivative gets slopes at both ends of the coming step of a one-step
 * method to point.x: those of the cubic through the last four points. */
void between_slopes(stepper *s);
/* In the first step there are no others: its middle, which point.x has. */
void between_middle(stepper *s);
bool between_wants_middle(const stepper *s);

#endif

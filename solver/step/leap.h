/* Steps of one-step methods: step/one_step.h. */
#ifndef STEP_LEAP_H
#define STEP_LEAP_H

#include "step/attempt.h"

/* What the method makes of the last point at t, h further, once. */
attempt leap_make(stepper *s, double t, double h);
/* Puts the point into the history. */
void leap_keep(stepper *s);

#endif

/* The first step: how long it may be. */
#ifndef STEP_START_H
#define STEP_START_H

#include "newton/weights.h"

/* A first step (positive) from the values behind `w` with slopes xp (N): a
 * thousandth of the interval (0: unknown) at most, and no state moves by
 * more than half its tolerance in the weighted norm [BCP96 5.2.3]. */
double start_step(const weights *w, const double *xp, double interval);

#endif

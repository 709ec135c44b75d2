/* A start where the equations have no value, such as sqrt(h) at h = 0: the
 * derivative there is infinite. */
#ifndef START_WAKE_H
#define START_WAKE_H

#include "start/system.h"

/* Equations that give an unknown outright are solved, one after the other;
 * then unknowns of equations without a value, free and with the guess 0, begin
 * at their nominal value or 1. Residuals and Jacobian at s->z, which is the
 * guess now; DAE_RETRY: they have no value all the same, and nothing is
 * changed. */
dae_status wake_up(init_system *s) DAE_MUST_CHECK;

#endif

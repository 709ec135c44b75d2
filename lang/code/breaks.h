/* Switches of t alone that follow a straight line in it between events, or the
 * pieces of a signal along one: when they turn is computed, not searched.
 *
 * A break is the floating number at which the condition as it is written
 * turns: 3 of t > 3 and of t < 3, of mod(t, T) and floor(t/T) the number from
 * which on t/T, rounded, is the next whole number. */
#ifndef CODE_BREAKS_H
#define CODE_BREAKS_H

#include "code/compile.h"

/* Rows of the functions whose breaks are told, from those of all roots. */
dae_status breaks_init(compiled *c) DAE_MUST_CHECK;
/* A dae_break_fn. */
dae_status breaks_next(void *self, double t, int direction, double *next);

#endif

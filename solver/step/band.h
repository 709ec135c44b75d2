/* Step lengths at which a formula does not damp what the equations damp. Pure
 * arithmetic on the formula's characteristic polynomial [HW96 V.1]. */
#ifndef STEP_BAND_H
#define STEP_BAND_H

#include "step/formula.h"

/* Between these lengths, time; to = 0: none. */
typedef struct band {
    double from, to;
} band;

/* Whether a motion exp(lambda t), h lambda = re + i im, re < 0, dies out in steps
 * h of order k at a quarter of its own rate at least, or by 2 % a step. */
bool band_damps(const formula *f, int k, double re, double im);

/* The lengths at which it does not, lambda = re + i im in 1/time. One band from
 * the first to the last such length: longer steps are in the formula's region
 * of stability again. */
band band_find(const formula *f, int k, double re, double im);

#endif

/* Given values that agree with what determines them for want of digits alone. */
#ifndef START_AGREE_H
#define START_AGREE_H

#include "start/system.h"

/* At a solution, with residuals, Jacobian and measures, after its conditions
 * were counted: records each redundant given value for which the rows, solved
 * to rounding without it, have another one, by more than its tolerance. Asked
 * where a row keeps far more than rounding explains, which absolute tolerances
 * let pass. To first order; nothing where the start is singular or the system
 * large. */
dae_status agree_judge(init_system *s) DAE_MUST_CHECK;

#endif

/* Whether equations are affine in the unknowns. */
#ifndef INDEX_AFFINE_H
#define INDEX_AFFINE_H

#include "index/level.h"

/* w->is_affine := the Jacobian is the same, to the last digit, at points near and
 * far at one time, and no equation has a kink, beyond which it may be another. */
dae_status affine_find(array_work *w) DAE_MUST_CHECK;

#endif

/* Values that rounding decides, and that are large because of it: 1/y where y
 * is 0 but for the half of its digits that a double root has. */
#ifndef START_UNCERTAIN_H
#define START_UNCERTAIN_H

#include "start/system.h"

/* At a point with residuals and measured Jacobian that solves `m`. *slot: the
 * first free one that is ten times as large as anything it was taken for, and
 * that what is left of the rows, where it is more than rounding, would change
 * by a quarter of itself; or a million times as large, and another one by half
 * of itself after a search from 1e-5 of the sizes beside; or what start/carried.h finds. s->slots: none. The
 * point stays, its Jacobian too; DAE_RETRY is not returned. */
dae_status uncertain_find(
    init_system *s, const submatrix *m, size_t *slot) DAE_MUST_CHECK;

#endif

/* Highest derivatives that F leaves open, from F differentiated in time.
 *
 * Where dF/dx' is singular, F(t, x, x') = 0 at one instant does not fix x'.
 * Along a solution dF/dt = 0 holds too:
 *
 *     F_t + sum of F_slot * (next slot) = 0,
 *
 * linear in the highest derivatives and in one derivative more, w, of each
 * unknown. Both together fix x' for index 1; w stays open and is not kept. */
#ifndef START_DERIVE_H
#define START_DERIVE_H

#include "start/system.h"

/* Changes the free highest derivatives in s->z, with s->res and the Jacobian
 * to match. Where that does not succeed, all is as before. */
dae_status derive_rates(init_system *s) DAE_MUST_CHECK;

#endif

/* Consistent points of a derivative array. */
#ifndef INDEX_MANIFOLD_H
#define INDEX_MANIFOLD_H

#include "index/derivative_array_level.h"

/* Moves v->z to a zero of the array near it: Gauss-Newton with steps of
 * least length in scaled unknowns, shortened where they do not help.
 * `hold_states`: first the others alone, so that states that are consistent
 * stay. *is_found tells; then the matrix is prepared for ranks. */
dae_status manifold_reach(
    level *v, bool hold_states, bool *is_found) DAE_MUST_CHECK;
/* Whether equations that held to rounding at the level below are now violated.
 * A small violation, multiplied by a derivative that has grown too large, may
 * cancel the residuals of the derivatives. To be called right after
 * manifold_reach. */
bool manifold_leaves(level *v, const level *below);
/* Numbers of points from here on are for second opinions. */
enum { MANIFOLD_CONFIRMS = 17 };
/* Moves every slot of at least derivative `from_order`, and with 0 the time
 * too, by up to `size` of what it measures. */
void manifold_shake(level *v, unsigned number, double size, bool is_new_only);

#endif

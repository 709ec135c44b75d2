/* A search that ended on a flat piece, such as exp(40*v) at v = -3, once more
 * from a place where the sign of its equation changes. */
#ifndef START_RESCUE_H
#define START_RESCUE_H

#include "start/damped.h"
#include "start/split.h"

/* `part` was not solved because of its block `failed`; if that is one equation
 * for one unknown, and the blocks after it can be solved too, *result says so.
 * Otherwise *failed is what fails now, with *result; all is as before if that
 * is the same. */
dae_status rescue_part(init_system *s, const double *scale,
    const subset *part, subset *failed,
    damped_result *result) DAE_MUST_CHECK;

#endif

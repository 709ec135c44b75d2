/* A start by homotopy from the guesses z0, for blocks that the search has
 * missed, or before it where that is asked for:
 *
 *     H(z, s) = F(z) - (1 - s) F(z0),   from H(z0, 0) = 0 to F = 0 at s = 1,
 *
 * given values held, along the curve by its length, so that s may turn back
 * and forth [AG03 ch. 6], first with s growing, then the other way. */
#ifndef START_HOMOTOPY_H
#define START_HOMOTOPY_H

#include "start/damped.h"
#include "start/split.h"

/* `part` was not solved because of its block `failed`: that block and, where
 * they fail, those behind it. *result: solved; otherwise all is as before. */
dae_status homotopy_part(init_system *s, const double *scale,
    const subset *part, const subset *failed,
    damped_result *result) DAE_MUST_CHECK;
/* A part from the beginning, before any other search. */
dae_status homotopy_first(init_system *s, const double *scale,
    const subset *part, damped_result *result) DAE_MUST_CHECK;

/* N0410, if a start was found so: one unknown, its guess and value. */
void homotopy_tell(const init_system *s);
/* The same of derivative slot.order of an unknown of `p`, beside `others`. */
void homotopy_tell_slot(const dae_problem *p, dae_slot slot, double guess,
    double value, size_t others, double t0, dae_diagnostics *ds);

#endif

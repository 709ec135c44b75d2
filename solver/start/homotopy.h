/* A start by homotopy from the guesses z0, for blocks that the search has not
 * solved, or before the search if requested:
 *
 *     H(z, s) = F(z) - (1 - s) F(z0),   from H(z0, 0) = 0 to F = 0 at s = 1,
 *
 * given values held, along the curve by its length, so s need not be
 * monotone [AG03 ch. 6], first with growing s, then with falling s. */
#ifndef START_HOMOTOPY_H
#define START_HOMOTOPY_H

#include "start/gauss_newton.h"

/* A block from its guesses, of at most as many rows as slots. *is_done: solved,
 * and recorded in `s`; otherwise all is as before. */
dae_status homotopy_solve(
    init_system *s, const subset *b, bool *is_done) DAE_MUST_CHECK;

#endif

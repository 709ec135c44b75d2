/* What a row says in numbers: its left and its right side at the point. */
#ifndef START_SIDES_H
#define START_SIDES_H

#include "start/wording.h"

/* Equal numbers where the row holds within its tolerance; NaN where the
 * problem does not tell sides, or they say something else than the residual,
 * but for rows of an extended system: the formula of a derivative may.
 * DAE_MEMORY. */
dae_status sides_of_row(
    const init_system *s, size_t row, double sides[2]) DAE_MUST_CHECK;
/* "`rod` reads 4 = 1", or "leaves 3" where the sides are not known. */
void sides_write(const init_system *s, size_t row, text *out);
/* " (tolerance 1e-06)"; nothing where there is none. */
void tolerance_write(const init_system *s, size_t row, text *out);

#endif

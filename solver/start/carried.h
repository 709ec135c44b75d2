/* What is left of rows within their tolerances, and rounding, carried from
 * block to block: a value that another one's last digits decide. */
#ifndef START_CARRIED_H
#define START_CARRIED_H

#include "start/system.h"

/* At a point with residuals and measured Jacobian that solves `m`; asked of
 * the part of it that has as many rows as slots. *slot: the first that
 * changes by a quarter of itself (at least of ten units) where the rows are
 * solved to rounding, block after block: to first order, or by Newton's steps
 * in its own block, as long as they leave less. A value of usual
 * size counts only where its own row is sure of it. s->slots: none. The point
 * stays; of the Jacobian, ask again. DAE_RETRY is not returned. */
dae_status carried_find(
    init_system *s, const submatrix *m, size_t *slot) DAE_MUST_CHECK;

/* The size of a value by what the problem says of it, not by where a search
 * began, which may be where another one ended. */
double carried_unit(const init_system *s, size_t slot);

#endif

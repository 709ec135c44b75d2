/* Gauss-Jordan elimination of a small wide matrix with complete pivoting, then
 * exchanges of pivot columns until no other choice has a larger determinant by
 * more than a little [Knu85]: every entry of what the pivots are in terms of
 * the other columns is then near 1 or below. */
#ifndef LINALG_PIVOT_EXCHANGE_H
#define LINALG_PIVOT_EXCHANGE_H

#include "linalg/markowitz.h"

/* As markowitz_eliminate, but that the leverage is that of all rows together, and
 * that columns are exchanged where all are allowed; where not, those that are
 * become pivots in their order as long as they are independent. *rank (may be
 * NULL): the pivots found. */
dae_status exchange_wide(const wide_matrix *m, const dae_allocator *allocator,
    int32_t *pivot, double *leverage, size_t *lost,
    size_t *rank) DAE_MUST_CHECK;

#endif

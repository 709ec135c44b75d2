/* Where a singular matrix is singular, for the message about it. */
#ifndef LINALG_SINGULAR_H
#define LINALG_SINGULAR_H

#include "linalg/backend.h"

/* A row and a column taking part: those that a matching of the entries leaves
 * out; where it leaves none, the column that depends on those eliminated
 * before it, and the row found so in the transposed matrix. -1 where unknown
 * (also where memory runs out). Costs two factorizations. */
void singular_find(const linear_system *s, const double *values, int64_t *row,
    int64_t *column);

#endif

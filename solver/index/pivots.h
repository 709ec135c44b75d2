/* Ranks of square matrices whose rows and columns are measured in any units. */
#ifndef INDEX_PIVOTS_H
#define INDEX_PIVOTS_H

#include "base/alloc.h"
#include <dae/status.h>

/* By columns, rows below n. Borrowed. */
typedef struct square {
    size_t n;
    const int64_t *column_start; /* n + 1 */
    const int32_t *row;
    const double *values;
} square;

/* Factors of rows and columns (n each), powers of 2, with which entries become
 * at most 1 and those of most rows and columns about as large: first by
 * geometric means [CR72], which finds the units a matrix is measured in, then
 * by the largest. `r` and `c` are 1 where there is nothing to scale; `work` has
 * room for n. */
void scale_find(const square *a, double *r, double *c, double *work);
/* values[p] of a scaled: room for all entries. */
void scale_apply(
    const square *a, const double *r, const double *c, double *values);

/* Complete pivoting for matrices up to this size, above it QR. */
enum { PIVOTS_SMALL = 32 };
/* Pivots of the dense matrix m (n * n by columns, spent), the largest first: as
 * many above a small number as its rank. Complete pivoting, or QR with column
 * pivoting [BG65]; `work` has room for pivots_room(n). */
size_t pivots_room(size_t n);
dae_status pivots_find(
    double *m, size_t n, double *work, double *pivot) DAE_MUST_CHECK;

#endif

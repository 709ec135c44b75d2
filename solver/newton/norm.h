/* Weighted root-mean-square norms that a local failure cannot hide from: a
 * long vector is cut into blocks of equal length and its norm is the largest
 * of the blocks' norms. The order of summation is fixed, so equal input gives
 * equal bits on every machine. */
#ifndef NEWTON_NORM_H
#define NEWTON_NORM_H

#include <stddef.h>

/* Blocks hold this many values at least (and fewer than twice as many); below
 * twice this length the norm is the plain root mean square. One value off by
 * sqrt(4096) = 64 tolerances is then seen in a vector of any length. */
#define NORM_BLOCK 4096

/* How many blocks `n` values make, at least 1, and where block b begins
 * (b <= count; block `count` begins at n). */
static inline size_t norm_block_count(size_t n)
{
    return n < 2 * (size_t)NORM_BLOCK ? 1 : n / NORM_BLOCK;
}

static inline size_t norm_block_begin(size_t n, size_t block)
{
    const size_t count = norm_block_count(n);
    if (count == 1) return block == 0 ? 0 : n; /* without a division */
    const size_t each = n / count, rest = n % count;
    return block * each + (block < rest ? block : rest);
}

/* Sum over i of (w[i] v[i])^2. */
double norm_sum(const double *w, const double *v, size_t n);

/* The norm of v under weights w, both of length n; 0 for n = 0. Not finite
 * where a value is not (or where a square overflows). */
double norm_weighted(const double *w, const double *v, size_t n);

/* Adds up what many sums have in common: eight partial sums in one order. */
double norm_fold(const double lane[8]);

#endif

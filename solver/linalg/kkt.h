/* Least changes: the y of least norm with J S y = -r, or, where there is
 * none, that of the least squares of the (scaled) rows, by one symmetric
 * system
 *
 *     [ I       (R J S)^T ] [ y ]   [ -deviation ]
 *     [ R J S   -eps I    ] [ l ] = [ -R r       ]
 *
 * with S the columns' typical sizes and R the rows' reciprocal sizes, so it
 * serves square, wide, tall and rank-deficient J alike. */
#ifndef LINALG_KKT_H
#define LINALG_KKT_H

#include "base/alloc.h"
#include <dae/status.h>

typedef struct kkt kkt;

/* A pattern by columns, rows ascending; borrowed. `noise` is the relative
 * error of the values to come: singular values of the scaled rows near it
 * count for nothing. */
dae_status kkt_create(size_t rows, size_t columns, const int64_t *column_start,
    const int32_t *row, double noise, const dae_allocator *allocator,
    kkt **out) DAE_MUST_CHECK;
void kkt_free(kkt *k);
/* `scale` (columns) >= 0; 0 holds a column. */
dae_status kkt_factor(
    kkt *k, const double *values, const double *scale) DAE_MUST_CHECK;
/* Operations of the last factorization, rather too many than too few. */
double kkt_work(const kkt *k);
/* d (columns) = S y for residuals r (rows). `deviation` (columns, in
 * unscaled units) or NULL for zero: then |y| is least, else
 * |y + deviation / scale|. */
dae_status kkt_solve(
    kkt *k, const double *r, const double *deviation, double *d) DAE_MUST_CHECK;
/* u (rows): the multipliers of the last solution. Where no y satisfies the rows
 * they are a left null vector of J S, u (J S) = -y, with 1/eps times y's size. */
void kkt_multipliers(const kkt *k, double *u);

#endif

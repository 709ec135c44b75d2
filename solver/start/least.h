/* Least changes by orthogonal factors, for small matrices: directions that are
 * a million times weaker than others count, which the symmetric system of
 * linalg/kkt.h takes for none. */
#ifndef START_LEAST_H
#define START_LEAST_H

#include "start/system.h"

/* Above so many entries, rows times columns, it takes too long. */
enum { LEAST_LIMIT = 90000 };

/* d (columns) of least norm |d / scale| among those that make |R (r + J d)|
 * least, with R the reciprocal sizes of the scaled rows; `scale` >= 0, where 0
 * holds a column. Pivots below `zero` count as zero. By a complete orthogonal
 * factorization with pivots [GVL13 5.5]. DAE_NUMERIC: it has overflowed. */
dae_status least_solve(arena *a, const submatrix *m, const double *values,
    const double *scale, const double *r, double zero,
    double *d) DAE_MUST_CHECK;

#endif

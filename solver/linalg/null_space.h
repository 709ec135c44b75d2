/* Null spaces of dense matrices, by columns. */
#ifndef LINALG_NULL_SPACE_H
#define LINALG_NULL_SPACE_H

#include "base/arena.h"
#include <dae/status.h>

/* An orthonormal basis of the x with A x = 0, `columns` long each; A, rows x
 * columns, has rows and columns of sizes near 1 and is spent. By QR of its
 * transpose with pivots [GVL13 5.4]: pivots up to `zero` times the largest
 * count as zero. The basis is from `a`. DAE_LIMIT: beyond LAPACK's integers. */
dae_status null_space(arena *a, double *matrix, size_t rows, size_t columns,
    double zero, double **basis, size_t *dimension) DAE_MUST_CHECK;

#endif

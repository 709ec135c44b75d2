/* Dense orthogonal factorizations for counting at the start: null spaces, and
 * rows that depend on those before them. Matrices are by columns. */
#ifndef INIT_ORTHOGONAL_H
#define INIT_ORTHOGONAL_H

#include "base/arena.h"
#include <dae/status.h>

/* An orthonormal basis of the x with A x = 0, `columns` long each; A, rows x
 * columns, has rows and columns of sizes near 1 and is spent. By QR of its
 * transpose with pivots [GVL13 5.4]: pivots up to `zero` times the largest
 * count as zero. The basis is from `a`. DAE_LIMIT: beyond LAPACK's integers. */
dae_status null_space(arena *a, double *matrix, size_t rows, size_t columns,
    double zero, double **basis, size_t *dimension) DAE_MUST_CHECK;

/* Directions of a space of small dimension that are taken one after the
 * other. */
typedef struct row_basis {
    double *q; /* width x count: orthonormal */
    size_t width, count;
} row_basis;

bool row_basis_init(row_basis *b, arena *a, size_t width);
/* Takes what of `row` (width, spent) is independent of those taken; false
 * where that is shorter than `zero`. */
bool row_basis_add(row_basis *b, double *row, double zero);
/* The same length without taking it; `row` becomes the rest. */
double row_basis_rest(const row_basis *b, double *row);

/* Divides rows, then columns, by their largest entries, which are put into
 * the two lists (1 for those without); either may be NULL. */
void equilibrate(double *matrix, size_t rows, size_t columns, double *row_size,
    double *column_size);
/* The same after some sweeps in which rows and columns are divided by the root
 * of their largest and smallest entries: where the units of the columns are
 * far apart, weak entries then count as their rows and columns need them
 * [DER17 4.15]. Entries below 1e-8 of the largest have no say: they may come
 * from values that are zero but for the tolerance. False: no memory. */
bool balance(arena *a, double *matrix, size_t rows, size_t columns,
    double *row_size, double *column_size);

#endif

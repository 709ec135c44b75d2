/* Scaling of dense and sparse matrices, so that sizes of entries are comparable for any
 * units of equations and unknowns. */
#ifndef LINALG_SCALE_H
#define LINALG_SCALE_H

#include "base/arena.h"

/* A matrix by compressed columns, or, where `start` is NULL, a dense one by
 * columns. Borrowed. */
typedef struct matrix_view {
    size_t rows, columns;
    const int64_t *start; /* columns + 1 */
    const int32_t *row;   /* entries */
    const double *values;
} matrix_view;

/* The one equilibration: factors of rows and columns, powers of 2, so that
 * nothing is rounded. First the means of the exponents of what is not 0
 * become near 0 in every row and column [CR72], so that what entries are then
 * does not depend on the units of equations and unknowns; then the largest
 * entry of every row, then of every column, is between 1/2 and 1. Factors of
 * rows and columns without entries are 1. Entries that are 0 but for rounding
 * are to be 0: others count however small they are. `work`: rows. */
void scale_equilibrate(
    const matrix_view *m, double *row, double *column, double *work);
/* The last step alone: rows, for given factors of columns (NULL: 1), and columns
 * for given factors of rows. */
void scale_rows(const matrix_view *m, const double *column, double *row);
void scale_columns(const matrix_view *m, const double *row, double *column);
/* The largest entry of each row, for given factors of columns (NULL: 1), counted as at
 * least least[i] (NULL: 0); 1 where there is none. For residuals and pivots of different
 * rows that are compared, whatever the units of the equations: division by it makes
 * proportional rows equal to the last digit. */
void row_sizes(const matrix_view *m, const double *column, const double *least,
    double *size);

/* `values` (as many as those of m, which may be the same) := m scaled. */
void scale_by(const matrix_view *m, const double *row, const double *column,
    double *values);

/* The same of a sparse matrix into a dense one `a`, by columns. */
void scale_to_dense(
    const matrix_view *m, const double *row, const double *column, double *a);
/* The same, rows divided by their sizes. */
void divide_to_dense(
    const matrix_view *m, const double *size, const double *column, double *a);

/* A power of 2 near 1/size: times it, the size is between 1/2 and 1; 1 where that
 * is not finite or 0. */
double power_under(double size);

#endif

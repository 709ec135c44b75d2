/* Scaling of dense matrices, by columns, so that sizes of entries mean
 * something: by their largest entries, to the digit or to a power of 2, which
 * rounds nothing, or by the units that they show. */
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
/* `values` (as many as those of m, which may be the same) := m scaled. */
void scale_by(const matrix_view *m, const double *row, const double *column,
    double *values);

/* Divides rows, then columns, by their largest entries, which are put into
 * the two lists (1 for those without); either may be NULL. */
void equilibrate(double *matrix, size_t rows, size_t columns, double *row_size,
    double *column_size);
/* The same after some sweeps in which rows and columns are divided by the root
 * of their largest and smallest entries: where the units of the columns are
 * far apart, weak entries then count as their rows and columns need them
 * [DER17 4.15]. Entries below 1e-8 of the largest have no say: they may come
 * from values that are zero but for the tolerance; those with is_firm (rows x
 * columns, by columns; NULL: none) have one however small they are. False: no
 * memory. */
bool balance(arena *a, double *matrix, const uint8_t *is_firm, size_t rows,
    size_t columns, double *row_size, double *column_size);

/* Powers of 2 for rows and columns with which entries other than 0 are as alike as can
 * be: the mean of their logarithms is near 0 in every row and column [CR72]. What entries
 * are then does not depend, but for powers of 2, on what rows and columns
 * were multiplied by. Spends the matrix. */
void units_of(double *matrix, size_t rows, size_t columns, double *row_factor,
    double *column_factor);

/* Powers of 2 near 1/size and 1/sqrt(size); 1 where that is not finite or 0. */
double power_under(double size);
double power_under_root(double size);

/* The largest entry of a row or column, and its entries times a factor. */
double row_most(const double *matrix, size_t rows, size_t columns, size_t i);
double column_most(const double *matrix, size_t rows, size_t j);
void scale_row(
    double *matrix, size_t rows, size_t columns, size_t i, double factor);
void scale_column(double *matrix, size_t rows, size_t j, double factor);

/* Rows, or columns, to a largest entry between 1/2 and 1 by powers of 2, with
 * which factor[] is multiplied; NULL: they are not wanted. */
void level_rows(double *matrix, size_t rows, size_t columns, double *factor);
void level_columns(double *matrix, size_t rows, size_t columns, double *factor);
/* Rows and columns together until their largest entries are near 1 [Rui01], as
 * they are for a rank: no entry is too small to count. row[] and column[] are
 * multiplied by the factors, powers of 2. This alone may leave the largest entry
 * of a column to one that stands alone in its row, with next to nothing in
 * others: units_of before it does not. */
void level_together(
    double *matrix, size_t rows, size_t columns, double *row, double *column);

#endif

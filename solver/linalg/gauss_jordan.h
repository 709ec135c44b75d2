/* Gauss-Jordan elimination of small dense matrices, by rows; the caller chooses each
 * pivot. At the end the rows contain the columns as combinations of the pivots'. */
#ifndef LINALG_GAUSS_JORDAN_H
#define LINALG_GAUSS_JORDAN_H

#include <stddef.h>
#include <stdint.h>

/* The row with the largest entry of column j among those without a flag in
 * `done` (rows; NULL: all); `rows`: there is none but zeros, or NaN. */
size_t jordan_row(const double *matrix, size_t rows, size_t columns, size_t j,
    const uint8_t *done);
/* Makes column j the unit vector of row i; its entry there must not be 0.
 * Rows with a flag in `done` (NULL: none) are left as they are. */
void jordan_eliminate(double *matrix, size_t rows, size_t columns, size_t i,
    size_t j, const uint8_t *done);

/* A determinant. */
typedef struct determinant {
    int sign;           /* 0: singular, or not finite */
    double size;        /* its logarithm; -HUGE_VAL: of 0 */
    double pivot;       /* the smallest one */
    size_t row, column; /* where it is */
} determinant;

/* Of a matrix n x n, which is spent, by row pivots; room for n: `done`, and `order`,
 * which receives the row of each column's pivot. */
determinant jordan_determinant(
    double *matrix, size_t n, uint8_t *done, int32_t *order);

#endif

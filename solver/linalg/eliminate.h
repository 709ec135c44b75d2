/* Gaussian elimination of small dense matrices with complete pivoting. */
#ifndef LINALG_ELIMINATE_H
#define LINALG_ELIMINATE_H

#include <stddef.h>
#include <stdint.h>

/* The number of pivots above `zero` of the matrix (rows x columns, by columns);
 * the upper triangle of so many rows stays, what is below it is spent.
 * `order` (columns, NULL: not wanted) follows the exchanges of columns. */
size_t eliminate_fully(
    double *matrix, size_t rows, size_t columns, double zero, int32_t *order);

#endif

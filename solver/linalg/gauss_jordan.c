/* One pivot is one pass over the matrix; rows with a zero in its column (most of the
 * rows of constraints) are skipped. */
#include "linalg/gauss_jordan.h"
#include <assert.h>
#include <math.h>

size_t jordan_row(const double *matrix, size_t rows, size_t columns, size_t j,
    const uint8_t *done)
{
    size_t best = rows;
    double most = 0;
    for (size_t r = 0; r < rows; r++) {
        const double size = fabs(matrix[r * columns + j]);
        if ((done && done[r]) || !(size > most)) continue;
        most = size;
        best = r;
    }
    return best;
}

void jordan_eliminate(double *matrix, size_t rows, size_t columns, size_t i,
    size_t j, const uint8_t *done)
{
    double *pivot = matrix + i * columns;
    assert(i < rows && j < columns && pivot[j] != 0);
    const double scale = 1 / pivot[j];
    for (size_t k = 0; k < columns; k++) pivot[k] *= scale;
    pivot[j] = 1;
    for (size_t r = 0; r < rows; r++) {
        double *row = matrix + r * columns;
        const double factor = row[j];
        if (r == i || factor == 0 || (done && done[r])) continue;
        for (size_t k = 0; k < columns; k++) row[k] -= factor * pivot[k];
        row[j] = 0;
    }
}

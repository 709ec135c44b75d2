/* One pivot is one pass over the matrix; rows with a zero in its column (most of the
 * rows of constraints) are skipped. */
#include "linalg/gauss_jordan.h"
#include "graph/parity.h"
#include <assert.h>
#include <math.h>
#include <string.h>

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

determinant jordan_determinant(
    double *matrix, size_t n, uint8_t *done, int32_t *order)
{
    determinant d = {.sign = 1, .pivot = HUGE_VAL};
    memset(done, 0, n);
    for (size_t k = 0; k < n; k++) {
        size_t r = jordan_row(matrix, n, n, k, done);
        const double pivot = r < n ? matrix[r * n + k] : 0;
        if (r == n || !isfinite(pivot)) {
            for (r = 0; done[r];) r++;
            d.sign = 0;
        }
        if (fabs(pivot) < d.pivot || d.sign == 0) {
            d.pivot = fabs(pivot);
            d.row = r;
            d.column = k;
        }
        d.size = d.sign ? d.size + log(fabs(pivot)) : -HUGE_VAL;
        if (d.sign == 0) return d;
        if (pivot < 0) d.sign = -d.sign;
        done[r] = 1;
        order[k] = (int32_t)r;
        jordan_eliminate(matrix, n, n, r, k, done);
    }
    d.sign *= permutation_sign(n, order, done);
    return d;
}

/* Under the counts of a start (start/) and the dependencies of arrays: rows come
 * one at a time, and the first that depends is asked for, so no factorization
 * of all of them with pivots would do. */
#include "linalg/gram_schmidt.h"
#include <assert.h>
#include <math.h>

bool row_basis_init(row_basis *b, arena *a, size_t width, size_t room)
{
    size_t cells;
    *b = (row_basis){.width = width, .room = room < width ? room : width};
    if (!size_mul(width, b->room, &cells)) return false;
    b->q = ARENA_ARRAY(a, double, cells);
    return b->q != NULL;
}

static double length_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += x[k] * x[k];
    return sqrt(sum);
}

double row_basis_rest(const row_basis *b, double *row, double *part)
{
    const size_t n = b->width;
    for (size_t j = 0; part && j < b->count; j++) part[j] = 0;
    for (int pass = 0; pass < 2; pass++) { /* again, against cancellation */
        for (size_t j = 0; j < b->count; j++) {
            const double *q = b->q + j * n;
            double by = 0;
            for (size_t k = 0; k < n; k++) by += q[k] * row[k];
            for (size_t k = 0; k < n; k++) row[k] -= by * q[k];
            if (part) part[j] += by;
        }
    }
    return length_of(row, n);
}

void row_basis_take(row_basis *b, const double *rest, double length)
{
    assert(b->count < b->room);
    double *q = b->q + b->count++ * b->width;
    for (size_t k = 0; k < b->width; k++) q[k] = rest[k] / length;
}

bool row_basis_add(row_basis *b, double *row, double zero)
{
    const double length = row_basis_rest(b, row, NULL);
    if (b->count == b->room || !(length > zero)) return false;
    row_basis_take(b, row, length);
    return true;
}

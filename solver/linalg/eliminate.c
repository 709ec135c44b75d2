/* Of use where QR with column pivoting would be: as safe, and for some tens of
 * rows faster. The certificate of small blocks and the counts of a run take
 * their ranks from here. */
#include "linalg/eliminate.h"
#include <math.h>

static double find_largest(const double *a, size_t rows, size_t columns,
    size_t from, size_t *row, size_t *column)
{
    double best = 0;
    *row = *column = from;
    for (size_t j = from; j < columns; j++) {
        for (size_t i = from; i < rows; i++) {
            const double size = fabs(a[j * rows + i]);
            if (size <= best) continue;
            best = size;
            *row = i;
            *column = j;
        }
    }
    return best;
}

static void swap(double *a, double *b)
{
    const double other = *a;
    *a = *b;
    *b = other;
}

/* Brings the pivot to place k; what is left of column k is spent. */
static void exchange(
    double *a, size_t rows, size_t columns, size_t k, size_t row, size_t column)
{
    for (size_t j = k; j < columns && row != k; j++)
        swap(&a[j * rows + k], &a[j * rows + row]);
    for (size_t i = 0; i < rows && column != k; i++)
        swap(&a[k * rows + i], &a[column * rows + i]);
}

size_t eliminate_fully(
    double *a, size_t rows, size_t columns, double zero, int32_t *order)
{
    size_t k = 0;
    for (; k < rows && k < columns; k++) {
        size_t row, column;
        if (!(find_largest(a, rows, columns, k, &row, &column) > zero)) break;
        exchange(a, rows, columns, k, row, column);
        if (order) {
            const int32_t moved = order[k];
            order[k] = order[column];
            order[column] = moved;
        }
        for (size_t j = k + 1; j < columns; j++) {
            const double f = a[j * rows + k] / a[k * rows + k];
            if (f == 0) continue;
            for (size_t i = k + 1; i < rows; i++)
                a[j * rows + i] -= f * a[k * rows + i];
        }
    }
    return k;
}

/* Who asks knows what a size means: ranks of arrays know what is typical of each
 * unknown (index/ranks), those at a start do not (start/tangent), and weights of
 * combinations must not be rounded (repair/circuit). */
#include "linalg/scale.h"
#include <math.h>

/* ---- largest entries and factors ------------------------------------------- */

static int exponent_of(double size)
{
    int exponent;
    (void)frexp(size, &exponent);
    return exponent < -1022 ? -1022 : exponent; /* whose inverse is finite */
}

double power_under(double size)
{
    if (!(size > 0) || !isfinite(size)) return 1;
    return ldexp(1, -exponent_of(size));
}

double power_under_root(double size)
{
    if (!(size > 0) || !isfinite(size)) return 1;
    return ldexp(1, -exponent_of(size) / 2);
}

double row_most(const double *matrix, size_t rows, size_t columns, size_t i)
{
    double most = 0;
    for (size_t j = 0; j < columns; j++)
        most = fmax(most, fabs(matrix[j * rows + i]));
    return most;
}

double column_most(const double *matrix, size_t rows, size_t j)
{
    double most = 0;
    for (size_t i = 0; i < rows; i++)
        most = fmax(most, fabs(matrix[j * rows + i]));
    return most;
}

void scale_row(
    double *matrix, size_t rows, size_t columns, size_t i, double factor)
{
    for (size_t j = 0; j < columns && factor != 1; j++)
        matrix[j * rows + i] *= factor;
}

void scale_column(double *matrix, size_t rows, size_t j, double factor)
{
    for (size_t i = 0; i < rows && factor != 1; i++)
        matrix[j * rows + i] *= factor;
}

void level_rows(double *matrix, size_t rows, size_t columns, double *factor)
{
    for (size_t i = 0; i < rows; i++) {
        const double f = power_under(row_most(matrix, rows, columns, i));
        if (factor) factor[i] *= f;
        scale_row(matrix, rows, columns, i, f);
    }
}

void level_columns(double *matrix, size_t rows, size_t columns, double *factor)
{
    for (size_t j = 0; j < columns; j++) {
        const double f = power_under(column_most(matrix, rows, j));
        if (factor) factor[j] *= f;
        scale_column(matrix, rows, j, f);
    }
}

void level_together(
    double *matrix, size_t rows, size_t columns, double *row, double *column)
{
    enum { ROUNDS = 20 };
    for (int sweep = 0; sweep < ROUNDS; sweep++) {
        for (size_t i = 0; i < rows; i++) {
            const double f = power_under_root(
                row_most(matrix, rows, columns, i));
            row[i] *= f;
            scale_row(matrix, rows, columns, i, f);
        }
        for (size_t j = 0; j < columns; j++) {
            const double f = power_under_root(column_most(matrix, rows, j));
            column[j] *= f;
            scale_column(matrix, rows, j, f);
        }
    }
}

/* ---- to means ------------------------------------------------------------------- */

enum { MEANS = 30, EXPONENT_MOST = 1000 };
/* Of an exponent of 2: what is nearer to its mean is there. */
static const double THERE = 0.25;

/* Makes the mean of so many logarithms 0, those of 0 left out; what that takes. */
static double center(double *x, size_t count, size_t stride)
{
    double sum = 0;
    size_t number = 0;
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(x[k * stride])) continue;
        sum += x[k * stride];
        number++;
    }
    const double by = number ? -sum / (double)number : 0;
    for (size_t k = 0; k < count; k++) x[k * stride] += by;
    return by;
}

static double power_of(double exponent)
{
    const double most = EXPONENT_MOST;
    return ldexp(1, (int)rint(fmax(-most, fmin(most, exponent))));
}

void units_of(double *matrix, size_t rows, size_t columns, double *row_factor,
    double *column_factor)
{
    double most = 2 * THERE;
    for (size_t k = 0; k < rows * columns; k++)
        matrix[k] = log2(fabs(matrix[k])); /* of 0 it is infinite */
    for (size_t i = 0; i < rows; i++) row_factor[i] = 0;
    for (size_t j = 0; j < columns; j++) column_factor[j] = 0;
    for (int k = 0; k < MEANS && most > THERE; k++) {
        most = 0;
        for (size_t i = 0; i < rows; i++) {
            const double by = center(matrix + i, columns, rows);
            row_factor[i] += by;
            most = fmax(most, fabs(by));
        }
        for (size_t j = 0; j < columns; j++) {
            const double by = center(matrix + j * rows, rows, 1);
            column_factor[j] += by;
            most = fmax(most, fabs(by));
        }
    }
    for (size_t i = 0; i < rows; i++) row_factor[i] = power_of(row_factor[i]);
    for (size_t j = 0; j < columns; j++)
        column_factor[j] = power_of(column_factor[j]);
}

/* ---- to the digit, and by units ---------------------------------------------- */

void equilibrate(double *matrix, size_t rows, size_t columns, double *row_size,
    double *column_size)
{
    for (size_t i = 0; i < rows; i++) {
        double most = row_most(matrix, rows, columns, i);
        if (!(most > 0)) most = 1;
        for (size_t j = 0; j < columns; j++) matrix[j * rows + i] /= most;
        if (row_size) row_size[i] = most;
    }
    for (size_t j = 0; j < columns; j++) {
        double most = column_most(matrix, rows, j);
        if (!(most > 0)) most = 1;
        for (size_t i = 0; i < rows; i++) matrix[j * rows + i] /= most;
        if (column_size) column_size[j] = most;
    }
}

enum { SWEEPS = 6 };
static const double NO_SAY = 1e-8;

/* 1 / root of the largest and the smallest of so many entries; 1: none. */
static double middle(
    const double *x, const uint8_t *is_firm, size_t count, size_t stride)
{
    double most = 0, least = (double)INFINITY;
    for (size_t k = 0; k < count; k++) most = fmax(most, fabs(x[k * stride]));
    for (size_t k = 0; k < count; k++) {
        const double size = fabs(x[k * stride]);
        const bool has_say = is_firm && is_firm[k * stride]
            ? size > 0
            : size > NO_SAY * most;
        if (has_say && size < least) least = size;
    }
    return most > 0 ? 1 / (sqrt(most) * sqrt(least)) : 1;
}

static void sweep(double *matrix, const uint8_t *is_firm, size_t rows,
    size_t columns, double *row_size, double *column_size)
{
    for (size_t i = 0; i < rows; i++) {
        const double by = middle(
            matrix + i, is_firm ? is_firm + i : NULL, columns, rows);
        for (size_t j = 0; j < columns; j++) matrix[j * rows + i] *= by;
        row_size[i] /= by;
    }
    for (size_t j = 0; j < columns; j++) {
        double *column = matrix + j * rows;
        const double by = middle(
            column, is_firm ? is_firm + j * rows : NULL, rows, 1);
        for (size_t i = 0; i < rows; i++) column[i] *= by;
        column_size[j] /= by;
    }
}

bool balance(arena *a, double *matrix, const uint8_t *is_firm, size_t rows,
    size_t columns, double *row_size, double *column_size)
{
    double *rest = ARENA_ARRAY(a, double, rows + columns);
    if (!rest) return false;
    for (size_t i = 0; i < rows; i++) row_size[i] = 1;
    for (size_t j = 0; j < columns; j++) column_size[j] = 1;
    for (int k = 0; k < SWEEPS; k++)
        sweep(matrix, is_firm, rows, columns, row_size, column_size);
    equilibrate(matrix, rows, columns, rest, rest + rows);
    for (size_t i = 0; i < rows; i++) row_size[i] *= rest[i];
    for (size_t j = 0; j < columns; j++) column_size[j] *= rest[rows + j];
    return true;
}

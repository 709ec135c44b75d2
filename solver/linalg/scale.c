/* Who asks knows what a size means: ranks of arrays know what is typical of each
 * unknown (index/ranks), those at a start do not (start/tangent), and weights of
 * combinations must not be rounded (repair/circuit). */
#include "linalg/scale.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>

/* ---- equilibration ----------------------------------------------------------- */

/* Sweeps over rows and columns; exponents that two numbers of a double's range
 * differ by, less what further factors take. */
enum { EQUILIBRATE_SWEEPS = 6, EXPONENT_MOST = 1000 };

static int64_t column_begin(const matrix_view *m, size_t j)
{
    return m->start ? m->start[j] : (int64_t)(j * m->rows);
}

static size_t row_at(const matrix_view *m, size_t j, int64_t p)
{
    const size_t i = m->start ? (size_t)m->row[p] : (size_t)p - j * m->rows;
    assert(i < m->rows);
    return i;
}

static double exponent_at(const matrix_view *m, int64_t p)
{
    int e;
    (void)frexp(m->values[p], &e);
    return e;
}

static double power_of(double exponent)
{
    const double most = EXPONENT_MOST;
    return ldexp(1, (int)rint(fmax(-most, fmin(most, exponent))));
}

/* The mean exponent of each row to 0. */
static void center_rows(
    const matrix_view *m, double *row, const double *column, double *count)
{
    for (size_t i = 0; i < m->rows; i++) row[i] = count[i] = 0;
    for (size_t j = 0; j < m->columns; j++)
        for (int64_t p = column_begin(m, j); p < column_begin(m, j + 1); p++) {
            const size_t i = row_at(m, j, p);
            if (m->values[p] == 0) continue;
            row[i] -= exponent_at(m, p) + column[j];
            count[i]++;
        }
    for (size_t i = 0; i < m->rows; i++)
        if (count[i] > 0) row[i] /= count[i];
}

/* The same of the columns; the largest change. */
static double center_columns(
    const matrix_view *m, const double *row, double *column)
{
    double most = 0;
    for (size_t j = 0; j < m->columns; j++) {
        double sum = 0, count = 0;
        for (int64_t p = column_begin(m, j); p < column_begin(m, j + 1); p++) {
            if (m->values[p] == 0) continue;
            sum += exponent_at(m, p) + row[row_at(m, j, p)];
            count++;
        }
        const double to = count > 0 ? -sum / count : 0;
        most = fmax(most, fabs(to - column[j]));
        column[j] = to;
    }
    return most;
}

void scale_rows(const matrix_view *m, const double *column, double *row)
{
    for (size_t i = 0; i < m->rows; i++) row[i] = 0;
    for (size_t j = 0; j < m->columns; j++) {
        const double by = column ? column[j] : 1;
        for (int64_t p = column_begin(m, j); p < column_begin(m, j + 1); p++) {
            double *most = &row[row_at(m, j, p)];
            *most = fmax(*most, fabs(m->values[p]) * by);
        }
    }
    for (size_t i = 0; i < m->rows; i++) row[i] = power_under(row[i]);
}

void scale_columns(const matrix_view *m, const double *row, double *column)
{
    for (size_t j = 0; j < m->columns; j++) {
        double most = 0;
        for (int64_t p = column_begin(m, j); p < column_begin(m, j + 1); p++) {
            const double by = row ? row[row_at(m, j, p)] : 1;
            most = fmax(most, fabs(m->values[p]) * by);
        }
        column[j] = power_under(most);
    }
}

void scale_equilibrate(
    const matrix_view *m, double *row, double *column, double *work)
{
    double most = 1;
    for (size_t j = 0; j < m->columns; j++) column[j] = 0;
    for (int k = 0; k < EQUILIBRATE_SWEEPS && most >= 1.0 / 2; k++) {
        center_rows(m, row, column, work);
        most = center_columns(m, row, column);
    }
    for (size_t j = 0; j < m->columns; j++) column[j] = power_of(column[j]);
    scale_rows(m, column, row);
    scale_columns(m, row, column);
}

void scale_by(const matrix_view *m, const double *row, const double *column,
    double *values)
{
    for (size_t j = 0; j < m->columns; j++)
        for (int64_t p = column_begin(m, j); p < column_begin(m, j + 1); p++)
            values[p] = m->values[p] * row[row_at(m, j, p)] * column[j];
}

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

enum { MEANS = 30 };

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

void units_of(double *matrix, size_t rows, size_t columns, double *row_factor,
    double *column_factor)
{
    double most = 2 * SCALE_SETTLED;
    for (size_t k = 0; k < rows * columns; k++)
        matrix[k] = log2(fabs(matrix[k])); /* of 0 it is infinite */
    for (size_t i = 0; i < rows; i++) row_factor[i] = 0;
    for (size_t j = 0; j < columns; j++) column_factor[j] = 0;
    for (int k = 0; k < MEANS && most > SCALE_SETTLED; k++) {
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
            : size > WEAK_ENTRY * most;
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

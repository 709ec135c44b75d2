/* Factors are powers of 2, so scaling by them is exactly reversible. */
#include "linalg/scale.h"
#include "base/real.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Sweeps over rows and columns; exponents that two numbers of a double's range
 * differ by, less what further factors take. */
enum { EQUILIBRATE_SWEEPS = 6, EXPONENT_MOST = 1000 };

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
        most = larger(most, fabs(to - column[j]));
        column[j] = to;
    }
    return most;
}

/* Raises `row` to the largest entries of the rows. */
static void find_largest(
    const matrix_view *m, const double *column, double *row)
{
    for (size_t j = 0; j < m->columns; j++) {
        const double by = column ? column[j] : 1;
        for (int64_t p = column_begin(m, j); p < column_begin(m, j + 1); p++) {
            double *most = &row[row_at(m, j, p)];
            *most = larger(*most, fabs(m->values[p]) * by);
        }
    }
}

void scale_rows(const matrix_view *m, const double *column, double *row)
{
    for (size_t i = 0; i < m->rows; i++) row[i] = 0;
    find_largest(m, column, row);
    for (size_t i = 0; i < m->rows; i++) row[i] = power_under(row[i]);
}

void row_sizes(const matrix_view *m, const double *column, const double *least,
    double *size)
{
    for (size_t i = 0; i < m->rows; i++) size[i] = least ? least[i] : 0;
    find_largest(m, column, size);
    for (size_t i = 0; i < m->rows; i++)
        if (!(size[i] > 0) || !isfinite(size[i])) size[i] = 1;
}

void scale_columns(const matrix_view *m, const double *row, double *column)
{
    for (size_t j = 0; j < m->columns; j++) {
        double most = 0;
        for (int64_t p = column_begin(m, j); p < column_begin(m, j + 1); p++) {
            const double by = row ? row[row_at(m, j, p)] : 1;
            most = larger(most, fabs(m->values[p]) * by);
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

void scale_to_dense(
    const matrix_view *m, const double *row, const double *column, double *a)
{
    assert(m->start);
    memset(a, 0, m->rows * m->columns * sizeof *a);
    for (size_t j = 0; j < m->columns; j++)
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++)
            a[j * m->rows + (size_t)m->row[p]] = m->values[p] * row[m->row[p]]
                * column[j];
}

void divide_to_dense(
    const matrix_view *m, const double *size, const double *column, double *a)
{
    assert(m->start);
    memset(a, 0, m->rows * m->columns * sizeof *a);
    for (size_t j = 0; j < m->columns; j++)
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++)
            a[j * m->rows + (size_t)m->row[p]] = m->values[p] * column[j]
                / size[m->row[p]];
}

/* LU of a full matrix of n columns, kept by columns, with partial pivoting by rows that
 * count as if they were scaled: real ones, and complex ones whose real and imaginary
 * parts stand apart. For linalg/dense.c, linalg/complex_linear.c and linalg/small.c,
 * where n is known in the smallest cases (base/unrolled.h). */
#ifndef LINALG_FULL_LU_H
#define LINALG_FULL_LU_H

#include "base/unrolled.h"
#include "linalg/complex.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Of multipliers, too: solutions exchange before all else. */
UNROLLED void full_exchange(
    const size_t n, double *a, const size_t k, const size_t r)
{
    for (size_t j = 0; j < n; j++) {
        const double other = a[j * n + k];
        a[j * n + k] = a[j * n + r];
        a[j * n + r] = other;
    }
}

/* What all exchanges make of rows: order[i] was where i is. */
UNROLLED void full_order(const size_t n, const int *pivot, int *order)
{
    for (size_t i = 0; i < n; i++) order[i] = (int)i;
    for (size_t k = 0; k < n; k++) {
        const int other = order[k];
        order[k] = order[pivot[k]];
        order[pivot[k]] = other;
    }
}

/* Right-looking elimination. scale[i], that of row i, becomes the scaled size of pivot i,
 * `pivot` the row exchanged with row k. False: a pivot is 0 or no number. */
UNROLLED bool full_eliminate(
    const size_t n, double *restrict a, double *restrict scale, int *pivot)
{
    for (size_t k = 0; k < n; k++) {
        double *restrict ck = a + k * n;
        size_t r = k;
        double best = fabs(ck[k]) * scale[k];
        for (size_t i = k + 1; i < n; i++) {
            const double size = fabs(ck[i]) * scale[i];
            if (size > best) {
                best = size;
                r = i;
            }
        }
        if (!(best > 0)) return false;
        pivot[k] = (int)r;
        if (r != k) {
            full_exchange(n, a, k, r);
            scale[r] = scale[k];
        }
        scale[k] = best;
        const double inverse = 1 / ck[k];
        for (size_t i = k + 1; i < n; i++) ck[i] *= inverse;
        for (size_t j = k + 1; j < n; j++) {
            double *restrict cj = a + j * n;
            const double f = cj[k];
            if (f == 0) continue;
            for (size_t i = k + 1; i < n; i++) cj[i] -= f * ck[i];
        }
    }
    return true;
}

/* Of a side whose rows are exchanged. */
UNROLLED void full_substitute(
    const size_t n, const double *restrict a, double *restrict b)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) b[i] -= b[k] * a[k * n + i];
    for (size_t k = n; k-- > 0;) {
        b[k] /= a[k * n + k];
        for (size_t i = 0; i < k; i++) b[i] -= b[k] * a[k * n + i];
    }
}

UNROLLED void full_swap(double *v, const size_t k, const size_t r)
{
    const double other = v[r];
    v[r] = v[k];
    v[k] = other;
}

UNROLLED void full_permute(const size_t n, const int *pivot, double *restrict b)
{
    for (size_t k = 0; k < n; k++) full_swap(b, k, (size_t)pivot[k]);
}

/* --- complex --- */

static inline double full_size(double re, double im)
{
    return fabs(re) + fabs(im);
}

/* y -= (re + i im) x over rows [from, n) of two columns. */
UNROLLED void full_subtract(const size_t from, const size_t n, double re,
    double im, const double *restrict x, const double *restrict xi,
    double *restrict y, double *restrict yi)
{
    for (size_t i = from; i < n; i++) {
        y[i] -= re * x[i] - im * xi[i];
        yi[i] -= re * xi[i] + im * x[i];
    }
}

/* As full_eliminate; pivots are left inverted. */
UNROLLED bool full_eliminate_complex(const size_t n, double *restrict re,
    double *restrict im, double *restrict scale, int *pivot)
{
    for (size_t k = 0; k < n; k++) {
        double *restrict x = re + k * n, *restrict xi = im + k * n;
        size_t r = k;
        double best = full_size(x[k], xi[k]) * scale[k];
        for (size_t i = k + 1; i < n; i++) {
            const double size = full_size(x[i], xi[i]) * scale[i];
            if (size > best) best = size, r = i;
        }
        if (!(best > 0)) return false;
        pivot[k] = (int)r;
        if (r != k) {
            full_exchange(n, re, k, r);
            full_exchange(n, im, k, r);
            full_swap(scale, k, r);
        }
        scale[k] = best;
        const dae_complex by = complex_over(
            complex_of(1, 0), complex_of(x[k], xi[k]));
        x[k] = by.re, xi[k] = by.im;
        for (size_t i = k + 1; i < n; i++) {
            const dae_complex l = complex_times(complex_of(x[i], xi[i]), by);
            x[i] = l.re, xi[i] = l.im;
        }
        for (size_t j = k + 1; j < n; j++) {
            double *restrict y = re + j * n, *restrict yi = im + j * n;
            if (y[k] == 0 && yi[k] == 0) continue;
            full_subtract(k + 1, n, y[k], yi[k], x, xi, y, yi);
        }
    }
    return true;
}

UNROLLED void full_substitute_complex(const size_t n, const double *restrict re,
    const double *restrict im, double *restrict b, double *restrict bi)
{
    for (size_t k = 0; k < n; k++)
        full_subtract(k + 1, n, b[k], bi[k], re + k * n, im + k * n, b, bi);
    for (size_t k = n; k-- > 0;) {
        const double *x = re + k * n, *xi = im + k * n;
        const dae_complex y = complex_times(
            complex_of(b[k], bi[k]), complex_of(x[k], xi[k]));
        b[k] = y.re, bi[k] = y.im;
        full_subtract(0, k, y.re, y.im, x, xi, b, bi);
    }
}

#endif

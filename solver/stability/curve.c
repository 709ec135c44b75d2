#include "stability/curve.h"
#include "linalg/complex.h"
#include "stability/roots.h"

size_t curve_power(const dae_method *m)
{
    size_t power = 0;
    for (size_t j = 1; j < DAE_METHOD_POWERS; j++)
        for (int i = 0; i <= m->steps; i++)
            if (fabs(m->pi[i][j]) > 0) power = j;
    return power;
}

dae_complex curve_coefficient(
    const dae_method *m, size_t j, double theta, dae_complex *slope)
{
    dae_complex sum = {0, 0}, rate = {0, 0};
    for (int i = m->steps; i >= 0; i--) {
        const dae_complex term = complex_scaled(
            complex_turn(-i * theta), m->pi[i][j]);
        sum = complex_add(sum, term);
        rate = complex_add(rate, complex_of(i * term.im, -i * term.re));
    }
    if (slope) *slope = rate;
    return sum;
}

/* From d pi(exp(i theta), z(theta)) = 0. */
dae_complex curve_slope(const dae_method *m, double theta, dae_complex z)
{
    dae_complex by_theta = {0, 0}, by_z = {0, 0};
    for (size_t j = curve_power(m) + 1; j-- > 0;) {
        dae_complex rate;
        const dae_complex b = curve_coefficient(m, j, theta, &rate);
        by_theta = complex_add(complex_times(by_theta, z), rate);
        if (j > 0)
            by_z = complex_add(
                complex_times(by_z, z), complex_scaled(b, (double)j));
    }
    const dae_complex slope = complex_over(by_theta, by_z);
    return complex_of(-slope.re, -slope.im);
}

/* What is left of a sum that is 0 but for rounding. */
static int is_rounding(const dae_method *m, size_t j, dae_complex sum)
{
    double size = 0;
    for (int i = 0; i <= m->steps; i++) size += fabs(m->pi[i][j]);
    return complex_modulus(sum) <= 4e-16 * size;
}

size_t dae_stability_locus(const dae_method *method, double theta,
    dae_complex points[DAE_METHOD_POWERS - 1])
{
    if (!method || !points) return 0;
    dae_complex c[DAE_METHOD_POWERS], roots[ROOTS_DEGREE];
    const size_t power = curve_power(method);
    for (size_t j = 0; j <= power; j++) {
        c[power - j] = curve_coefficient(method, j, theta, NULL);
        if (is_rounding(method, j, c[power - j]))
            c[power - j] = complex_of(0, 0);
    }
    const size_t count = roots_find(c, power, roots);
    for (size_t k = 0; k < count; k++) points[k] = roots[k];
    return count;
}

bool curve_nearest(
    const dae_method *m, double theta, dae_complex z, dae_complex *point)
{
    dae_complex points[DAE_METHOD_POWERS - 1];
    const size_t count = dae_stability_locus(m, theta, points);
    double least = (double)INFINITY;
    for (size_t k = 0; k < count; k++) {
        const double distance = complex_modulus(complex_less(points[k], z));
        if (!(distance < least)) continue;
        least = distance;
        *point = points[k];
    }
    return count > 0;
}

/* Arithmetic of dae_complex. */
#ifndef LINALG_COMPLEX_H
#define LINALG_COMPLEX_H

#include <dae/stability.h>
#include <math.h>

static inline dae_complex complex_of(double re, double im)
{
    return (dae_complex){re, im};
}

static inline dae_complex complex_add(dae_complex a, dae_complex b)
{
    return (dae_complex){a.re + b.re, a.im + b.im};
}

static inline dae_complex complex_less(dae_complex a, dae_complex b)
{
    return (dae_complex){a.re - b.re, a.im - b.im};
}

static inline dae_complex complex_scaled(dae_complex a, double factor)
{
    return (dae_complex){a.re * factor, a.im * factor};
}

static inline dae_complex complex_times(dae_complex a, dae_complex b)
{
    return (dae_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline double complex_modulus(dae_complex a)
{
    return hypot(a.re, a.im);
}

/* Divides by the larger part first, so that nothing overflows on the way
 * [Smith, CACM 5 (1962) 435]. */
static inline dae_complex complex_over(dae_complex a, dae_complex b)
{
    if (fabs(b.re) >= fabs(b.im)) {
        const double r = b.im / b.re, d = b.re + b.im * r;
        return (dae_complex){(a.re + a.im * r) / d, (a.im - a.re * r) / d};
    }
    const double r = b.re / b.im, d = b.re * r + b.im;
    return (dae_complex){(a.re * r + a.im) / d, (a.im * r - a.re) / d};
}

/* exp(i angle). */
static inline dae_complex complex_turn(double angle)
{
    return (dae_complex){cos(angle), sin(angle)};
}

static inline int complex_is_finite(dae_complex a)
{
    return isfinite(a.re) && isfinite(a.im);
}

#endif

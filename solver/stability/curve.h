/* The characteristic polynomial on the unit circle, and its zeros z as curves
 * over the angle: what locus, wedge and region are made from. */
#ifndef STABILITY_CURVE_H
#define STABILITY_CURVE_H

#include <dae/stability.h>
#include <stdbool.h>

/* The highest power of z that occurs. */
size_t curve_power(const dae_method *m);
/* The coefficient of z^j in pi(zeta, z) zeta^-k at zeta = exp(i theta), and
 * with `slope` its derivative by theta. */
dae_complex curve_coefficient(
    const dae_method *m, size_t j, double theta, dae_complex *slope);
/* dz/dtheta at a point of the locus. */
dae_complex curve_slope(const dae_method *m, double theta, dae_complex z);
/* The point of the locus at theta that is nearest to z; false: there is none,
 * the curve passes through infinity. */
bool curve_nearest(
    const dae_method *m, double theta, dae_complex z, dae_complex *point);

#endif

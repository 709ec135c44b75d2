/* Wedge, leftmost point and limits along the axes. Extremes along the locus are
 * zeros of a derivative, found by bisection between samples: an angle or a real
 * part at its extreme is then as exact as the locus is. */
#include "linalg/complex.h"
#include "stability/curve.h"
#include "stability/roots.h"

enum {
    SAMPLES = 720,   /* over half a turn: extremes are many samples wide */
    BISECTIONS = 70, /* down to the last digit of a double */
};
/* What of a real part is rounding, beside the modulus. */
static const double ROUNDING = 1e-12;
static const double PI = 3.14159265358979323846;
/* As good as infinite, where only powers of z count. */
static const double FAR = 1e9;

static dae_complex point_at(const dae_method *m, double theta)
{
    dae_complex z = {0, 0};
    return curve_nearest(m, theta, z, &z) ? z : complex_of(0, (double)INFINITY);
}

/* The angle from the negative real axis in degrees; 180 right of the imaginary
 * axis, where nothing limits the wedge. */
static double angle_at(dae_complex z)
{
    if (!(z.re < -ROUNDING * complex_modulus(z))) return 180;
    return atan2(fabs(z.im), -z.re) * 180 / PI;
}

typedef double extreme_fn(const dae_method *m, double theta);

/* Of the angle of z: Im(z'/z). */
static double turning(const dae_method *m, double theta)
{
    const dae_complex z = point_at(m, theta);
    return complex_over(curve_slope(m, theta, z), z).im;
}

static double drift(const dae_method *m, double theta)
{
    return curve_slope(m, theta, point_at(m, theta)).re;
}

/* Where `slope` changes its sign between a and b; the middle where it does not,
 * which is then as good. */
static double bisect(const dae_method *m, extreme_fn *slope, double a, double b)
{
    const double first = slope(m, a);
    if ((first > 0) == (slope(m, b) > 0)) return (a + b) / 2;
    for (int pass = 0; pass < BISECTIONS; pass++) {
        const double middle = (a + b) / 2;
        if ((slope(m, middle) > 0) == (first > 0)) a = middle;
        else b = middle;
    }
    return (a + b) / 2;
}

static void find_wedge(const dae_method *m, dae_stability_traits *t)
{
    double least = 180, at = 0;
    t->alpha = 90;
    t->theta_alpha = (double)NAN;
    for (int k = 1; k < SAMPLES; k++) {
        const double theta = PI * k / SAMPLES;
        const double angle = angle_at(point_at(m, theta));
        if (!(angle < least)) continue;
        least = angle;
        at = theta;
    }
    if (least > 90) return;
    t->theta_alpha = bisect(m, turning, at - PI / SAMPLES, at + PI / SAMPLES);
    t->alpha = angle_at(point_at(m, t->theta_alpha));
}

static void find_leftmost(const dae_method *m, dae_stability_traits *t)
{
    double least = 0, at = 0;
    for (int k = 1; k < SAMPLES; k++) {
        const double theta = PI * k / SAMPLES;
        const dae_complex z = point_at(m, theta);
        if (!(z.re < least - ROUNDING * complex_modulus(z))) continue;
        least = z.re;
        at = theta;
    }
    t->leftmost = least;
    if (!(at > 0)) return;
    at = bisect(m, drift, at - PI / SAMPLES, at + PI / SAMPLES);
    t->leftmost = point_at(m, at).re;
}

/* How far from 0 along a direction everything is inside: the first step of a
 * scan that is not, then bisection. */
static double find_limit(const dae_method *m, dae_complex direction)
{
    const double step = 0.05;
    enum { STEPS = 400 }; /* loci of formulas in use end before */
    for (int k = 1; k <= STEPS; k++) {
        double a = step * (k - 1), b = step * k;
        if (dae_stability_side_of(m, complex_scaled(direction, b))
            != DAE_STABILITY_OUTSIDE)
            continue;
        if (k == 1) return 0;
        for (int pass = 0; pass < BISECTIONS; pass++) {
            const double middle = (a + b) / 2;
            const double modulus = dae_stability_root_modulus(
                m, complex_scaled(direction, middle));
            if (modulus > 1) b = middle;
            else a = middle;
        }
        return (a + b) / 2;
    }
    return dae_stability_side_of(m, complex_scaled(direction, FAR))
            == DAE_STABILITY_OUTSIDE
        ? step * STEPS
        : (double)INFINITY;
}

/* The largest root of the factor of the highest power of z. */
static double find_at_infinity(const dae_method *m)
{
    dae_complex c[DAE_METHOD_STEPS + 1], roots[ROOTS_DEGREE];
    const size_t power = curve_power(m);
    for (int i = 0; i <= m->steps; i++) c[i] = complex_of(m->pi[i][power], 0);
    if (!(fabs(c[0].re) > 0)) return (double)INFINITY;
    const size_t count = roots_find(c, (size_t)m->steps, roots);
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, complex_modulus(roots[k]));
    return most;
}

dae_stability_traits dae_stability_traits_of(const dae_method *method)
{
    if (!method) return (dae_stability_traits){0};
    dae_stability_traits t = {.leftmost = (double)NAN,
        .theta_alpha = (double)NAN,
        .at_infinity = find_at_infinity(method)};
    const int is_bounded = dae_stability_side_of(method, complex_of(-FAR, 0))
        == DAE_STABILITY_OUTSIDE;
    if (!is_bounded) find_wedge(method, &t), find_leftmost(method, &t);
    /* an axis within the wedge, or on its edge, needs no search */
    t.real_limit = t.alpha > 0 ? (double)INFINITY
                               : find_limit(method, complex_of(-1, 0));
    t.imaginary_limit = t.alpha >= 90 ? (double)INFINITY
                                      : find_limit(method, complex_of(0, 1));
    return t;
}

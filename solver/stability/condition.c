/* The root condition at one z. */
#include "linalg/complex.h"
#include "stability/roots.h"

/* Rounding of a root's modulus near 1, and then some. */
static const double EDGE = 1e-12;

size_t dae_stability_roots(const dae_method *method, dae_complex z,
    dae_complex roots[DAE_METHOD_STEPS])
{
    if (!method || !roots) return 0;
    dae_complex c[DAE_METHOD_STEPS + 1];
    for (int i = 0; i <= method->steps; i++) {
        c[i] = complex_of(0, 0);
        for (size_t j = DAE_METHOD_POWERS; j-- > 0;)
            c[i] = complex_add(
                complex_times(c[i], z), complex_of(method->pi[i][j], 0));
    }
    return roots_find(c, (size_t)method->steps, roots);
}

double dae_stability_root_modulus(const dae_method *method, dae_complex z)
{
    if (!method) return (double)NAN;
    dae_complex roots[DAE_METHOD_STEPS];
    if (!complex_is_finite(z)) return (double)NAN;
    const size_t count = dae_stability_roots(method, z, roots);
    if (count < (size_t)method->steps) return (double)INFINITY;
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, complex_modulus(roots[k]));
    return most;
}

dae_stability_side dae_stability_side_of(
    const dae_method *method, dae_complex z)
{
    const double modulus = dae_stability_root_modulus(method, z);
    if (modulus < 1 - EDGE) return DAE_STABILITY_INSIDE;
    return modulus <= 1 + EDGE ? DAE_STABILITY_EDGE : DAE_STABILITY_OUTSIDE;
}

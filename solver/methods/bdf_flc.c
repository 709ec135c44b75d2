/* The predictor's polynomial P is met k times at equal distances h behind the new
 * point, wherever the old points really are, by a polynomial of degree k that
 * goes through the new one too; its slope there is x' [JSD80], [BCP96 5.2.2]. So
 * alpha = gamma_k / h depends on the step alone and not on those before it. The
 * error of the formula and that of interpolating the old points at equal
 * distances both count; the larger one is taken, in their scale. */
#include "methods/bdf_flc.h"

#include <math.h>

static double alpha(const double *psi, const double *sums, int k)
{
    (void)sums;
    return formula_gamma(k) / psi[1];
}

static double error_constant(const double *psi, const double *sums, int k)
{
    const double h = psi[1], own = h / psi[k + 1];
    return fmax(own, fabs(own - formula_gamma(k) + h * sums[k]));
}

const formula *bdf_flc_formula(void)
{
    static const formula flc = {.name = "bdf-flc",
        .max_order = 5,
        .max_order_fixed = 5,
        .alpha = alpha,
        .error_constant = error_constant,
        .text = "the formulas of bdf with the step h throughout, on values of "
                "the predictor's polynomial at x[n-1], ..., x[n-k]"};
    return &flc;
}

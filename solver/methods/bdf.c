/* The slope at the new point of the polynomial through it and the k points
 * before it, on the grid as it is [BCP96 5.2.2, "variable coefficient"]. With
 * P the predictor, that polynomial is P + d prod (t - t_i)/psi_i, hence
 * alpha = sum 1/psi_i; its slope misses x' by x^(k+1)/(k+1)! psi_1...psi_k,
 * and d is x^(k+1)/(k+1)! psi_1...psi_(k+1), hence the local error
 * d / (alpha psi_(k+1)). At constant step alpha = gamma_k / h and the error
 * constant is 1 / (k + 1). */
#include "methods/bdf.h"

static double alpha(const double *psi, const double *sums, int k)
{
    (void)psi;
    return sums[k];
}

static double error_constant(const double *psi, const double *sums, int k)
{
    static const double gamma[] = {
        0, 1, 3.0 / 2, 11.0 / 6, 25.0 / 12, 137.0 / 60, 49.0 / 20};
    return gamma[k] / (sums[k] * psi[k + 1]);
}

const formula *bdf_formula(void)
{
    /* Order 6 is stable within 17.8 degrees only: not for automatic use. */
    static const formula bdf = {"bdf", 5, alpha, error_constant};
    return &bdf;
}

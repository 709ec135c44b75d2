/* The term with kappa is chosen so that the error constant becomes smaller and
 * not much of the wedge is lost: at orders 1 to 3 a step longer by a quarter,
 * at order 4 by an eighth; at order 5 there is nothing to gain, and the formula
 * is the plain one [SR97 2]. kappa_2 is -1/9, for which the error constant is
 * half of the plain formula's. */
#include "methods/ndf.h"

/* kappa_k gamma_k; del^(k+1) x_n has the binomials of k + 1, signs in turn. */
#define K1 (-0.1850 * 1)
#define K2 (-1.0 / 9 * 3 / 2)
#define K3 (-0.0823 * 11 / 6)
#define K4 (-0.0415 * 25 / 12)

/* By order. */
static const double kg[] = {0, K1, K2, K3, K4, 0, 0};

/* With d = del^(k+1) x_n the formula is sum del^j x_n/j - kappa_k gamma_k d = h f;
 * of that sum the prediction has gamma_k d less. */
static double alpha(const double *psi, const double *sums, int k)
{
    (void)sums;
    return (formula_gamma(k) - kg[k]) / psi[1];
}

static double error_constant(const double *psi, const double *sums, int k)
{
    (void)psi;
    (void)sums;
    return kg[k] + 1.0 / (k + 1);
}

const formula *ndf_formula(void)
{
    static const formula ndf = {.name = "ndf",
        .max_order = 5,
        .max_order_fixed = 5,
        .alpha = alpha,
        .error_constant = error_constant,
        .extra = kg,
        .text = "bdf at equal steps with one more difference, kappa gamma "
                "del^(k+1) x[n], which makes the error smaller; the past is "
                "moved to equal distances when the step changes",
        .needs_equal_steps = true,
        .more_points = 1};
    return &ndf;
}

const dae_method *ndf_methods(void)
{
    static const dae_method methods[NDF_METHODS] = {
        {"ndf1", "ndf", "the formula of bdf1 + 0.1850 del^2 x[n]", 1, 2,
            {{1 - K1, -1}, {-1 + 2 * K1}, {-K1}}, -(1.0 / 2 + K1)},
        {"ndf2", "ndf", "the formula of bdf2 + 1/6 del^3 x[n]", 2, 3,
            {{3.0 / 2 - K2, -1}, {-2 + 3 * K2}, {1.0 / 2 - 3 * K2}, {K2}},
            -(1.0 / 3 + K2)},
        {"ndf3", "ndf", "the formula of bdf3 + 0.0823*11/6 del^4 x[n]", 3, 4,
            {{11.0 / 6 - K3, -1}, {-3 + 4 * K3}, {3.0 / 2 - 6 * K3},
                {-1.0 / 3 + 4 * K3}, {-K3}},
            -(1.0 / 4 + K3)},
        {"ndf4", "ndf", "the formula of bdf4 + 0.0415*25/12 del^5 x[n]", 4, 5,
            {{25.0 / 12 - K4, -1}, {-4 + 5 * K4}, {3 - 10 * K4},
                {-4.0 / 3 + 10 * K4}, {1.0 / 4 - 5 * K4}, {K4}},
            -(1.0 / 5 + K4)},
        {"ndf5", "ndf", "the formula of bdf5", 5, 5,
            {{137.0 / 60, -1}, {-5}, {5}, {-10.0 / 3}, {5.0 / 4}, {-1.0 / 5}},
            -1.0 / 6},
    };
    return methods;
}

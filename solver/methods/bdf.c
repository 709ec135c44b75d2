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
    return formula_gamma(k) / (sums[k] * psi[k + 1]);
}

const formula *bdf_formula(void)
{
    /* Order 6 is stable within 17.84 degrees only: not for automatic use. */
    static const formula bdf = {.name = "bdf",
        .max_order = 5,
        .max_order_fixed = 6,
        .alpha = alpha,
        .error_constant = error_constant,
        .text = "the slope at x[n] of the polynomial through x[n], ..., "
                "x[n-k] is f[n], on the grid as it is"};
    return &bdf;
}

const dae_method *bdf_methods(void)
{
    static const dae_method methods[BDF_METHODS] = {
        {"bdf1", "bdf", "x[n] - x[n-1] = h f[n]", 1, 1, {{1, -1}, {-1}},
            -1.0 / 2},
        {"bdf2", "bdf", "3/2 x[n] - 2 x[n-1] + 1/2 x[n-2] = h f[n]", 2, 2,
            {{3.0 / 2, -1}, {-2}, {1.0 / 2}}, -1.0 / 3},
        {"bdf3", "bdf",
            "11/6 x[n] - 3 x[n-1] + 3/2 x[n-2] - 1/3 x[n-3] = h f[n]", 3, 3,
            {{11.0 / 6, -1}, {-3}, {3.0 / 2}, {-1.0 / 3}}, -1.0 / 4},
        {"bdf4", "bdf",
            "25/12 x[n] - 4 x[n-1] + 3 x[n-2] - 4/3 x[n-3] + 1/4 x[n-4] "
            "= h f[n]",
            4, 4, {{25.0 / 12, -1}, {-4}, {3}, {-4.0 / 3}, {1.0 / 4}},
            -1.0 / 5},
        {"bdf5", "bdf",
            "137/60 x[n] - 5 x[n-1] + 5 x[n-2] - 10/3 x[n-3] + 5/4 x[n-4] "
            "- 1/5 x[n-5] = h f[n]",
            5, 5,
            {{137.0 / 60, -1}, {-5}, {5}, {-10.0 / 3}, {5.0 / 4}, {-1.0 / 5}},
            -1.0 / 6},
        {"bdf6", "bdf",
            "49/20 x[n] - 6 x[n-1] + 15/2 x[n-2] - 20/3 x[n-3] "
            "+ 15/4 x[n-4] - 6/5 x[n-5] + 1/6 x[n-6] = h f[n]",
            6, 6,
            {{49.0 / 20, -1}, {-6}, {15.0 / 2}, {-20.0 / 3}, {15.0 / 4},
                {-6.0 / 5}, {1.0 / 6}},
            -1.0 / 7},
    };
    return methods;
}

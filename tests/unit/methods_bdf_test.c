/* bdf.c against the constant-step coefficients and against polynomials on a
 * grid with steps of every size. */
#include "check.h"
#include "methods/bdf.h"

static const double gammas[6] = {
    0, 1, 3.0 / 2, 11.0 / 6, 25.0 / 12, 137.0 / 60};

/* sums[i] of the formula's interface. */
static const double *sums_of(const double *psi, double *sums)
{
    sums[0] = 0;
    for (int i = 1; i < 7; i++) sums[i] = sums[i - 1] + 1 / psi[i];
    return sums;
}

static void equal_steps_give_the_known_coefficients(void **state)
{
    (void)state;
    const formula *f = bdf_formula();
    double h = -0.125, psi[8], sums[8];
    for (int i = 0; i < 8; i++) psi[i] = i * h;
    assert_int_equal(f->max_order, 5);
    for (int k = 1; k <= 5; k++) {
        CHECK_NEAR(f->alpha(psi, sums_of(psi, sums), k), gammas[k] / h, 1e-13);
        CHECK_NEAR(f->error_constant(psi, sums_of(psi, sums), k), 1.0 / (k + 1),
            1e-14);
    }
}

/* d = t^k over the grid is its own divided difference: the slope of the
 * polynomial prod (t - t_i)/psi_i at the new point is alpha. */
static void alpha_is_the_slope_of_the_corrector(void **state)
{
    (void)state;
    const formula *f = bdf_formula();
    double sums[8];
    const double psi[8] = {0, 0.1, 0.15, 0.75, 0.8, 2.8, 3.0, 3.5};
    for (int k = 1; k <= 5; k++) {
        double e = 1e-6, plus = 1, minus = 1;
        for (int i = 1; i <= k; i++) {
            plus *= (psi[i] + e) / psi[i];
            minus *= (psi[i] - e) / psi[i];
        }
        double slope = (plus - minus) / (2 * e);
        CHECK_NEAR(f->alpha(psi, sums_of(psi, sums), k) / slope, 1, 1e-8);
    }
}

/* x = t^(k+1): the slope of the interpolating polynomial misses x' by exactly
 * psi_1 ... psi_k, and d is psi_1 ... psi_(k+1). */
static void the_error_constant_is_exact_one_degree_higher(void **state)
{
    (void)state;
    const formula *f = bdf_formula();
    double sums[8];
    const double psi[8] = {0, 0.2, 0.3, 0.31, 0.9, 1.0, 1.7, 2.0};
    for (int k = 1; k <= 5; k++) {
        double d = 1, miss = 1;
        for (int i = 1; i <= k + 1; i++) d *= psi[i];
        for (int i = 1; i <= k; i++) miss *= psi[i];
        double lte = miss / f->alpha(psi, sums_of(psi, sums), k);
        CHECK_NEAR(f->error_constant(psi, sums_of(psi, sums), k) * d
                / (gammas[k] * lte),
            1, 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_steps_give_the_known_coefficients),
        cmocka_unit_test(alpha_is_the_slope_of_the_corrector),
        cmocka_unit_test(the_error_constant_is_exact_one_degree_higher),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

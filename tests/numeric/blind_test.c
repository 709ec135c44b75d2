/* Solutions negligible, where equations are bent so much that corrections are
 * small without being right: they leave it as the equations say, at every
 * tolerance. Expected are closed forms: the equations are made of them. */
#include "text_run.h"

static const char *const methods[] = {"bdf", "bdf-flc", "ndf"};

/* The first unknown at the end, within `few` tolerances of `expected`. */
static void check_one(const char *text, const char *method, double rtol,
    double atol, double expected, double few)
{
    text_run r;
    dae_options o = dae_options_default();
    o.rtol = rtol;
    o.atol = atol;
    o.method = method;
    text_run_make(&r, text, &o);
    CHECK_STATUS(r.status, DAE_OK);
    CHECK_NEAR(r.x[0], expected, few * (rtol * fabs(expected) + atol));
    text_run_clear(&r);
}

static void check(const char *text, double share, double expected, double few)
{
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int k = 4; k <= 20; k++) {
            const double rtol = pow(10, -0.5 * k);
            check_one(text, methods[m], rtol, share * rtol, expected, few);
        }
}

/* Empty from t = 2 (or 1.5) to 6, and then s^2 (or s^3), s = tanh(5 (t - 6)). */
#define S "let s = max(tanh(5*(t - 6)), 0)\n"
#define END "solve t in 0..6.2\n"

static void a_tank_that_ran_dry_fills_again(void **state)
{
    (void)state;
    const double s = tanh(1);
    check("var h = 1 {min = 0}\n" S "h' = 10*s*(1 - s^2) + s - sqrt(h)\n" END,
        1, s * s, 20);
    check("var h = 1\n" S "h' = 10*s*(1 - s^2) + s - sqrt(max(h, 0))\n" END, 1,
        s * s, 20);
    check("var h = 1 {min = 0}\n" S "h' = 15*s^2*(1 - s^2) + s - h^(1/3)\n" END,
        1, s * s * s, 20);
    check("var h = 1 {min = 0}, y ~ 1\n" S
          "h' = 10*s*(1 - s^2) + s - y\ny = sqrt(h)\n" END,
        1, s * s, 20);
}

/* By Runge and Kutta's method for y, h = y^2, from y = 1.35078 (t - 6) at t = 6: 7 digits. */
static void an_inlet_opened_again_fills_the_tank(void **state)
{
    (void)state;
    for (int k = 2; k <= 7; k++)
        check_one("var h = 1 {min = 0}\n"
                  "h' = max(tanh(5*(t - 6)), 0) - sqrt(h)\nsolve t in 0..10\n",
            "bdf", pow(10, -k), pow(10, -k), 0.8887491, 20);
    check_one("var h = 1 {min = 0}\n"
              "h' = max(tanh(5*(t - 6)), 0) - sqrt(h)\nsolve t in 0..10\n",
        "bdf", 1e-8, 1e-8, 0.8887491, 20);
}

/* exp(v), v from -100 to 0. */
#define V                                                                      \
    "let v = 50*tanh(5*(t - 6)) - 50\n"                                        \
    "let dv = 250*(1 - tanh(5*(t - 6))^2)\n"

static void what_has_a_logarithm_leaves_nothing(void **state)
{
    (void)state;
    const double x = exp(50 * tanh(1) - 50); /* 6.654e-6 */
    check("var x = exp(-100)\n" V "x' = v - log(x) + exp(v)*dv\n" END, 1e-3, x,
        1);
    for (int k = 4; k <= 20; k++)
        check_one("var x ~ exp(-100)\n" V "log(x) = v\n" END, "bdf",
            pow(10, -0.5 * k), 1e-3 * pow(10, -0.5 * k), x, 1);
}

/* z = x^2/2, z' = 1 - u x, by the classical Runge-Kutta method in 200000 and 400000
 * steps from the slow solution x = 1/u at t = 6.35: 0.98834809431. */
static void what_is_divided_by_leaves_nothing(void **state)
{
    (void)state;
    for (int k = 2; k <= 10; k++)
        check_one("var x ~ 1e-30\n"
                  "x' = 1/x - 10^(30*(1 - max(tanh(5*(t - 6)), 0)))\n"
                  "init x' = 0\nsolve t in 0..10\n",
            "bdf", pow(10, -k), pow(10, -k), 0.98834809431, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tank_that_ran_dry_fills_again),
        cmocka_unit_test(an_inlet_opened_again_fills_the_tank),
        cmocka_unit_test(what_has_a_logarithm_leaves_nothing),
        cmocka_unit_test(what_is_divided_by_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

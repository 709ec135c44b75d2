/* Which factors are left out of an equation: those that vary and cannot be 0. What
 * is left is told by the residual. */
#include "lang/sema_support.h"

/* x' - y where x' = 10 and y = 0.75, at x = 0.5. */
static const double WITHOUT = 9.25;

/* The residual of the model's first equation. */
static double residual_of(const char *equation)
{
    char text[512];
    fixture f;
    snprintf(text, sizeof text,
        "param p = 2\nvar x, y\nlet g = 1 + x^2\n"
        "%s\ny = t + p*g\n",
        equation);
    open_model(&f, text);
    evaluate(&f, 0.25);
    const double residual = f.res[0];
    close_model(&f);
    return residual;
}

static double with_factor(const char *factor)
{
    char equation[256];
    snprintf(equation, sizeof equation, "(%s)*(x' - y) = 0", factor);
    return residual_of(equation);
}

static void factors_that_are_never_zero(void **state)
{
    static const char *const list[] = {"1 + x^2", "1 + x*x", "exp(t)",
        "exp(-x)", "2 + sin(x)", "cos(t) - 3", "cosh(x)", "sqrt(1 + y^2)",
        "1/(1 + x^4)", "(1 + x^2)^3", "(1 + x^2)^(-2)", "1 + abs(x)",
        "max(1, x)", "min(x, -1)", "exp(x)*exp(-y)", "exp(x)/(2 + cos(x))",
        "p^2 + exp(x)", "g", "-g", "1 + g*x^2", "if x > y then 1 + t^2 else 2",
        "cbrt(1 + x^2)", "tanh(exp(x))", "pi/2 + 0.1 + atan(x)", "2 + x'^2"};
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const double left = fabs(with_factor(list[k]));
        if (left != WITHOUT) fail_msg("%s: %.17g", list[k], left);
    }
}

typedef struct kept {
    const char *factor;
    double value;
} kept;

static void factors_that_may_be_zero(void **state)
{
    const kept list[] = {{"1 + sin(x)", 1 + sin(0.5)}, {"x", 0.5},
        {"1 + x", 1.5}, {"x^2", 0.25}, {"1 - x^2", 0.75}, {"x^4 + 0", 0.0625},
        /* elsewhere they are, or have no value */
        {"log(x)", log(0.5)}, {"sqrt(x)", sqrt(0.5)}, {"exp(1/x)", exp(2)},
        {"1 + 1/x^2", 5}, {"tan(t) + 5", tan(0.25) + 5},
        /* p may be set to -1 */
        {"p + x^2", 2.25},
        /* do not vary: units */
        {"2", 2}, {"p", 2}, {"exp(p)", exp(2)}, {"1 + p^2", 5}};
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const double left = with_factor(list[k].factor);
        const double expected = list[k].value * WITHOUT;
        if (!(fabs(left - expected) <= 1e-14 * fabs(expected)))
            fail_msg("%s: %.17g", list[k].factor, left);
    }
}

static void factors_of_both_sides(void **state)
{
    (void)state;
    CHECK_NEAR(residual_of("exp(t)*x' = exp(t)*y"), WITHOUT, 0);
    CHECK_NEAR(residual_of("g*x' = y*g"), WITHOUT, 0);
    CHECK_NEAR(residual_of("2*x'*exp(t) = exp(t)*2*y"), 2 * WITHOUT, 0);
    CHECK_NEAR(residual_of("x'/(1 + y^2) = y/(1 + y^2)"), WITHOUT, 0);
    CHECK_NEAR(residual_of("x'/(1 + y^2) = -(y/(1 + y^2))"), 10.75, 0);
    CHECK_NEAR(residual_of("0 = exp(t)*(x' - y)"), -WITHOUT, 0);
    CHECK_NEAR(residual_of("(x' - y)/(1 + y^2) = 0"), WITHOUT, 0);
    CHECK_NEAR(residual_of("-((1 + y^2)*(x' - y)) = 0"), -WITHOUT, 0);
    /* 0 or not, x is no factor to leave out */
    CHECK_NEAR(residual_of("x*x' = x*y"), 0.5 * WITHOUT, 0);
    /* on one side only */
    CHECK_NEAR(residual_of("exp(t)*x' = y"), exp(0.25) * 10 - 0.75, 1e-14);
    CHECK_NEAR(residual_of("x'/exp(t) = exp(t)*y"),
        10 / exp(0.25) - exp(0.25) * 0.75, 1e-14);
}

/* Something is to be left. */
static void what_is_only_such_factors(void **state)
{
    (void)state;
    CHECK_NEAR(residual_of("exp(x) = 0"), exp(0.5), 1e-15);
    CHECK_NEAR(residual_of("2*exp(x) = 0"), 2 * exp(0.5), 1e-15);
    assert_true(residual_of("exp(x)*(1 + x^2) = 0") > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_that_are_never_zero),
        cmocka_unit_test(factors_that_may_be_zero),
        cmocka_unit_test(factors_of_both_sides),
        cmocka_unit_test(what_is_only_such_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What each operation means, and the accuracy of the functions of rotations. */
#include "ir_support.h"

#include <float.h>

static double apply(node_op op, double a, double b, double c)
{
    node n = {.op = (uint8_t)op};
    return node_apply(&n, a, b, c);
}

static double power(double a, int32_t exponent)
{
    node n = {.op = NODE_POWI};
    n.exponent = exponent;
    return node_apply(&n, a, 0, 0);
}

/* Operations of a and b with their values. */
static const struct {
    node_op op;
    double a, b, expected;
} values[] = {
    {NODE_ADD, 2, 3, 5},
    {NODE_SUB, 2, 3, -1},
    {NODE_MUL, 2, 3, 6},
    {NODE_DIV, 3, 2, 1.5},
    {NODE_NEG, 2, 0, -2},
    {NODE_POW, 2, 0.5, 1.4142135623730951},
    {NODE_POW, -2, 3, -8},
    {NODE_SQRT, 2, 0, 1.4142135623730951},
    {NODE_CBRT, -27, 0, -3},
    {NODE_EXP, 1, 0, 2.718281828459045},
    {NODE_EXPM1, 1e-10, 0, 1.00000000005e-10},
    {NODE_LOG, 10, 0, 2.302585092994046},
    {NODE_LOG1P, 1e-10, 0, 9.9999999995e-11},
    {NODE_LOG10, 1000, 0, 3},
    {NODE_SIN, 1, 0, 0.8414709848078965},
    {NODE_COS, 1, 0, 0.5403023058681398},
    {NODE_TAN, 1, 0, 1.5574077246549023},
    {NODE_ASIN, 0.5, 0, 0.5235987755982989},
    {NODE_ACOS, 0.5, 0, 1.0471975511965979},
    {NODE_ATAN, 1, 0, 0.7853981633974483},
    {NODE_ATAN2, 1, -1, 2.356194490192345},
    {NODE_SINH, 1, 0, 1.1752011936438014},
    {NODE_COSH, 1, 0, 1.5430806348152437},
    {NODE_TANH, 1, 0, 0.7615941559557649},
    {NODE_ASINH, 1, 0, 0.881373587019543},
    {NODE_ACOSH, 2, 0, 1.3169578969248166},
    {NODE_ATANH, 0.5, 0, 0.5493061443340548},
    {NODE_HYPOT, 3, -4, 5},
    {NODE_ERF, 1, 0, 0.8427007929497149},
    {NODE_ABS, -2, 0, 2},
    {NODE_SIGN, -3, 0, -1},
    {NODE_SIGN, 0, 0, 0},
    {NODE_SIGN, 1e-300, 0, 1},
    {NODE_FLOOR, -1.5, 0, -2},
    {NODE_CEIL, -1.5, 0, -1},
    {NODE_MOD, 7, 3, 1},
    {NODE_MOD, -7, 3, 2},
    {NODE_MOD, 7, -3, -2},
    {NODE_MOD, 5.5, 2, 1.5},
    {NODE_MIN, 1, 2, 1},
    {NODE_MIN, 2, 1, 1},
    {NODE_MAX, 1, 2, 2},
    {NODE_MAX, 2, 1, 2},
    {NODE_SINC, 0, 0, 1},
    {NODE_COSC, 0, 0, 0.5},
    {NODE_SINCC, 0, 0, 1.0 / 6},
    {NODE_LT, 1, 2, 1},
    {NODE_LT, 2, 2, 0},
    {NODE_LE, 2, 2, 1},
    {NODE_LE, 3, 2, 0},
    {NODE_EQ, 2, 2, 1},
    {NODE_EQ, 1, 2, 0},
    {NODE_NE, 1, 2, 1},
    {NODE_NE, 2, 2, 0},
    {NODE_AND, 2, 3, 1},
    {NODE_AND, 2, 0, 0},
    {NODE_OR, 0, 3, 1},
    {NODE_OR, 0, 0, 0},
    {NODE_NOT, 0, 0, 1},
    {NODE_NOT, 0.5, 0, 0},
};

static void every_operation_has_its_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        double got = apply(values[i].op, values[i].a, values[i].b, 0);
        if (!(fabs(got - values[i].expected) <= 4e-16 * fabs(got)))
            fail_msg("%s(%g, %g) = %.17g, not %.17g", node_text(values[i].op),
                values[i].a, values[i].b, got, values[i].expected);
    }
    assert_true(apply(NODE_SELECT, 1, 2, 3) == 2);
    assert_true(apply(NODE_SELECT, 0, 2, 3) == 3);
    assert_true(apply(NODE_SELECT, -0.5, 2, 3) == 2);
}

static void nan_wins_and_a_branch_not_taken_does_no_harm(void **state)
{
    (void)state;
    double nan = (double)NAN, inf = (double)INFINITY;
    assert_true(isnan(apply(NODE_MIN, nan, 1, 0)));
    assert_true(isnan(apply(NODE_MIN, 1, nan, 0)));
    assert_true(isnan(apply(NODE_MAX, nan, 1, 0)));
    assert_true(isnan(apply(NODE_MAX, 1, nan, 0)));
    assert_true(isnan(apply(NODE_SIGN, nan, 0, 0)));
    assert_true(isnan(apply(NODE_MOD, 1, 0, 0)));
    assert_true(apply(NODE_SELECT, 0, nan, 3) == 3);
    assert_true(apply(NODE_SELECT, 1, 2, inf) == 2);
    assert_true(apply(NODE_SELECT, nan, 2, 3) == 2);
    assert_true(apply(NODE_LT, nan, 1, 0) == 0);
    assert_true(apply(NODE_NE, nan, nan, 0) == 1);
    /* at equality the first */
    assert_true(signbit(apply(NODE_MIN, -0.0, 0.0, 0)));
    assert_false(signbit(apply(NODE_MIN, 0.0, -0.0, 0)));
    assert_true(signbit(apply(NODE_MAX, -0.0, 0.0, 0)));
}

static void integer_powers_are_products(void **state)
{
    (void)state;
    double x = 1.1, product = 1;
    for (int32_t e = 1; e <= 12; e++) {
        product *= x;
        assert_true(fabs(power(x, e) - product) <= 1e-15 * product);
        assert_true(power(x, -e) == 1 / power(x, e));
    }
    assert_true(power(x, 2) == x * x);
    assert_true(power(x, 3) == x * (x * x));
    assert_true(power(-2, 3) == -8);
    assert_true(power(0, 0) == 1);
    assert_true(isinf(power(0, -1)));
    assert_true(power(2, 1023) == 0x1p1023);
    assert_true(power(1, INT32_MIN) == 1);
    assert_true(
        power(10, 308) == 1e308 || fabs(power(10, 308) / 1e308 - 1) < 1e-13);
}

/* k!/(k+m+1)!, the largest value of the k-th derivative in size */
static long double family_bound(unsigned m, unsigned k)
{
    long double bound = 1;
    for (unsigned i = 1; i <= m + 1; i++) bound /= k + i;
    return bound;
}

static void check_family(unsigned m, unsigned k, double a, double ulps)
{
    node n = {.op = (uint8_t)(NODE_SINC + m), .order = (uint8_t)k};
    long double expected = family_integral(m, k, (long double)a);
    long double size = fmaxl(fabsl(expected), family_bound(m, k));
    double got = node_apply(&n, a, 0, 0);
    long double error = fabsl((long double)got - expected);
    if (!(error <= (long double)(ulps * DBL_EPSILON) * size))
        fail_msg("%s_%u(%.17g) = %.17g, not %.17Lg", node_text((node_op)n.op),
            k, a, got, expected);
    if (node_apply(&n, -a, 0, 0) != (k % 2 ? -got : got))
        fail_msg("%s_%u is not symmetric", node_text((node_op)n.op), k);
}

static void families_are_accurate_near_and_far(void **state)
{
    (void)state;
    static const double points[] = {0, 1e-300, 1e-9, 1e-5, 1e-3, 0.1, 0.5, 1,
        1.0001, 1.5, 2, 2.0001, 3, 3.1415926535897931, 4, 5, 7.5, 13, 15,
        15.001, 30, 80.25};
    uint64_t random = 7;
    for (unsigned m = 0; m < 3; m++) {
        for (unsigned k = 0; k <= 12; k++) {
            for (size_t i = 0; i < COUNT_OF(points); i++)
                check_family(m, k, points[i], 6);
            for (int i = 0; i < 20; i++)
                check_family(m, k, 20 * random_number(&random), 6);
        }
        check_family(m, 40, 12.5, 20);
        check_family(m, 40, 41.5, 20);
    }
}

/* Away from 0 the quotients that define the families lose nothing. */
static void families_agree_with_their_quotients(void **state)
{
    (void)state;
    double a = 2.5;
    assert_true(apply(NODE_SINC, a, 0, 0) == sin(a) / a);
    double cosc = apply(NODE_COSC, a, 0, 0);
    assert_true(fabs(cosc - (1 - cos(a)) / (a * a)) < 1e-15);
    double sincc = apply(NODE_SINCC, a, 0, 0);
    assert_true(fabs(sincc - (a - sin(a)) / (a * a * a)) < 1e-15);
    node slope = {.op = NODE_SINC, .order = 1};
    double expected = cos(a) / a - sin(a) / (a * a);
    assert_true(fabs(node_apply(&slope, a, 0, 0) - expected) < 1e-15);
    assert_true(fabs(apply(NODE_SINC, 1e15, 0, 0)) <= 1e-15);
    assert_true(isnan(apply(NODE_SINC, (double)NAN, 0, 0)));
    assert_true(isnan(apply(NODE_SINCC, (double)NAN, 0, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_has_its_value),
        cmocka_unit_test(nan_wins_and_a_branch_not_taken_does_no_harm),
        cmocka_unit_test(integer_powers_are_products),
        cmocka_unit_test(families_are_accurate_near_and_far),
        cmocka_unit_test(families_agree_with_their_quotients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

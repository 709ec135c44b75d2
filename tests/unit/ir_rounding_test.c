/* What rounding may have done to numbers and what is made of them. */
#include "check.h"
#include "ir/rounding.h"
#include <float.h>

/* Of op applied to numbers as they are written. */
static double of(node_op op, double a, double b, double *value)
{
    const node n = {.op = (uint8_t)op};
    const double v[3] = {a, b, 0};
    const double e[3] = {rounding_of_number(a), rounding_of_number(b), 0};
    *value = node_apply(&n, a, b, 0);
    return rounding_of_node(&n, v, e, *value);
}

static void test_whole_numbers_are_exact(void **state)
{
    double value;
    (void)state;
    assert_true(rounding_of_number(3) == 0);
    assert_true(rounding_of_number(-1e15) == 0);
    assert_true(of(NODE_SUB, 7, 4, &value) == 0);
    assert_true(of(NODE_MUL, 7, 4, &value) == 0);
}

static void test_bounds_are_in_proportion(void **state)
{
    double value;
    (void)state;
    CHECK_NEAR(rounding_of_number(0.1), 0.1 * DBL_EPSILON / 2, 1e-30);
    /* two operands and the product itself */
    CHECK_NEAR(
        of(NODE_MUL, 0.1, 0.7, &value), 3 * 0.07 * DBL_EPSILON / 2, 1e-18);
    /* a tiny number is as good as any */
    assert_true(rounding_of_number(1e-20) < 1e-35);
}

static void test_what_cancels_is_below_its_bound(void **state)
{
    double value;
    (void)state;
    /* 0.3 - 0.1*3 is -5.6e-17 */
    const double e[3] = {0.3 * DBL_EPSILON / 2, 3 * 0.1 * DBL_EPSILON, 0};
    const double v[3] = {0.3, 3 * 0.1, 0};
    const node n = {.op = NODE_SUB};
    value = node_apply(&n, v[0], v[1], 0);
    assert_true(value != 0);
    assert_true(fabs(value) <= rounding_of_node(&n, v, e, value));
    /* sin of the double nearest to pi is what that lacks of it */
    const double bound = of(NODE_SIN, 3.141592653589793, 0, &value);
    assert_true(value != 0 && value <= bound);
    /* far above */
    assert_true(of(NODE_SUB, 0.3000001, 0.3, &value) < 1e-8 * value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_numbers_are_exact),
        cmocka_unit_test(test_bounds_are_in_proportion),
        cmocka_unit_test(test_what_cancels_is_below_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

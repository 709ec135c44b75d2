#include "check.h"
#include "linalg/jacobian.h"

static void overflow_begins_where_squares_overflow(void **state)
{
    (void)state;
    const double limit = ldexp(1, 512), below = nextafter(limit, 0);
    assert_true(isfinite(below * below) && !isfinite(limit * limit));
    const double good[] = {0, -1, 5e-324, below, -below};
    const double bad[] = {limit, -limit, 1e308, (double)INFINITY,
        -(double)INFINITY, (double)NAN, -(double)NAN};
    assert_false(any_overflow(good, sizeof good / sizeof *good));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_true(is_overflow(bad[k]));
    assert_true(any_overflow(bad, 1));
    assert_false(any_overflow(bad, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflow_begins_where_squares_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

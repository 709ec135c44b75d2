/* events/locate.c: branches that end where they turn are gone through. */
#include "text_run.h"

#include <math.h>

/* cos(t)^0.6 ends at pi/2, where -(-cos(t))^0.6 begins: q = -(-cos 3)^0.6 at the
 * end, and one event. Of q itself, the slope is unbounded there: t is as good as the
 * power 1/0.6 of what a tolerance is of q, and q behind it as good as tolerances are. */
static void a_branch_that_ends_where_it_turns_is_left(void **state)
{
    (void)state;
    text_run r;
    dae_options o = dae_options_default();
    o.rtol = o.atol = 1e-6;
    text_run_make(&r,
        "var x = 0, q ~ 1\nx' = 1 + 0*q\n"
        "q = sign(cos(x))*abs(cos(x))^0.6\n"
        "solve t in 0..3\n",
        &o);
    CHECK_STATUS(r.status, DAE_OK);
    CHECK_NEAR(r.x[1], -pow(-cos(3), 0.6), 1e-5);
    assert_int_equal(r.stats.events, 1);
    text_run_clear(&r);
}

/* Where no switch is near, a failure is what it was. */
static void other_ends_are_ends(void **state)
{
    (void)state;
    text_run r;
    dae_options o = dae_options_default();
    o.rtol = o.atol = 1e-9;
    text_run_make(&r,
        "var x = 1, y = 1\nx' = -1/(2*x)\ny' = -max(y, 0.1)\n"
        "solve t in 0..3\n",
        &o);
    CHECK_STATUS(r.status, DAE_NUMERIC);
    CHECK_NEAR(r.t, 1, 1e-6);
    text_run_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_that_ends_where_it_turns_is_left),
        cmocka_unit_test(other_ends_are_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

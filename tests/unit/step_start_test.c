/* start.c: no state moves by more than half its tolerance in the norm, and no
 * step is longer than a thousandth of the interval. */
#include "check.h"
#include "newton/norm.h"
#include "step/start.h"

static void the_first_step_is_short_enough(void **state)
{
    (void)state;
    double plain[2] = {1e6, 1e3}, slopes[2] = {3, -40}, still[2] = {0, 0};
    const layout l = {.unknowns = 2, .states = 2};
    const weights w = {.layout = &l, .plain = plain};
    double h = start_step(&w, slopes, 10);
    double moved[2] = {h * slopes[0], h * slopes[1]};
    CHECK_NEAR(norm_weighted(plain, moved, 2), 0.5, 1e-12);
    CHECK_NEAR(start_step(&w, still, 10), 0.9271e-2, 1e-12);
    slopes[0] = slopes[1] = 1e-8;
    CHECK_NEAR(start_step(&w, slopes, 10), 0.9271e-2, 1e-12);
    /* an unknown interval is no limit of its own */
    CHECK_NEAR(start_step(&w, still, 0), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_step_is_short_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

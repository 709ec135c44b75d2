/* Given values of a start against those that the states say, by hand. */
#include "check.h"
#include "run/points.h"

/* One unknown of order 1, given as x = 2, x' = -1. */
static const uint8_t ORDER[] = {1};
static const double X[] = {2}, XP[] = {-1};
static const uint8_t FIXED[] = {1};

static dae_status keep(double *x, double *xp, dae_diagnostics *ds)
{
    const dae_start start = {
        .x = X, .xp = XP, .x_fixed = FIXED, .xp_fixed = FIXED};
    const dae_problem problem = {
        .unknown_count = 1, .order = ORDER, .start = &start};
    layout l;
    assert_int_equal(layout_init(&l, &problem, NULL), DAE_OK);
    const dae_status st = points_keep_given(&problem, &l, 0, x, xp, ds);
    layout_clear(&l);
    return st;
}

static void test_near_values_are_told_as_given(void **state)
{
    (void)state;
    double x = 2 + 1e-7, xp = -1 - 1e-9;
    assert_int_equal(keep(&x, &xp, NULL), DAE_OK);
    assert_true(x == 2 && xp == -1);
}

static void test_other_values_are_refused(void **state)
{
    (void)state;
    dae_diagnostics *ds;
    double x = 2, xp = 0;
    assert_int_equal(dae_diagnostics_create(NULL, &ds), DAE_OK);
    assert_int_equal(keep(&x, &xp, ds), DAE_NUMERIC);
    assert_int_equal(dae_diagnostics_count(ds), 1);
    assert_string_equal(dae_diagnostics_at(ds, 0)->code, "E0502");
    assert_true(xp == 0);
    x = 2.5;
    xp = -1;
    assert_int_equal(keep(&x, &xp, ds), DAE_NUMERIC);
    dae_diagnostics_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_values_are_told_as_given),
        cmocka_unit_test(test_other_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

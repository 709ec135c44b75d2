/* Equations that are quiet at first: nothing in the error test says that a
 * pulse is to come, so no interval is crossed in a few steps. And a tolerance
 * that rounding does not allow is said, not silently raised. */
#include "text_run.h"

static void check_end(const char *text, double x, double tolerance)
{
    text_run r;
    dae_options o = dae_options_default();
    text_run_make(&r, text, &o);
    CHECK_STATUS(r.status, DAE_OK);
    CHECK_NEAR(r.x[0], x, tolerance);
    text_run_clear(&r);
}

/* the integral of a Gauss pulse is sqrt(4 pi) */
static void a_short_pulse_is_not_stepped_over(void **state)
{
    (void)state;
    check_end("var x = 0\nx' = exp(-(t - 50)^2/4)\nsolve t in 0..100\n",
        sqrt(4 * acos(-1)), 1e-4);
}

/* the mean of sin^2 is 1/2; its period divides every round step */
static void an_oscillation_that_vanishes_at_round_times_is_seen(void **state)
{
    (void)state;
    check_end("var x = 0\nx' = sin(4*pi*t)^2\nsolve t in 0..100\n", 50, 1e-3);
}

/* What z is at the start says nothing of where it goes: that it goes there is
 * no error of the first step. */
static void an_algebraic_unknown_that_moves_at_once_rejects_no_step(
    void **state)
{
    (void)state;
    text_run r;
    dae_options o = dae_options_default();
    text_run_make(
        &r, "var x = 1, z ~ 0\nx' = -1e-3*x\nz = 1e6*t\nsolve t in 0..1\n", &o);
    CHECK_STATUS(r.status, DAE_OK);
    CHECK_NEAR(r.x[1], 1e6, 1);
    assert_int_equal(r.stats.rejected_steps, 0);
    text_run_clear(&r);
}

static void a_tolerance_below_rounding_is_said(void **state)
{
    (void)state;
    text_run r;
    dae_options o = dae_options_default();
    o.rtol = 1e-10;
    o.atol = 1e-18;
    text_run_make(&r,
        "param k1 = 0.04, k2 = 3e7, k3 = 1e4\n"
        "var A = 1, B = 0, C ~ 0\n"
        "A' = -k1*A + k3*B*C\n"
        "B' = k1*A - k3*B*C - k2*B^2\n"
        "A + B + C = 1\n"
        "solve t in 0..40\n",
        &o);
    CHECK_STATUS(r.status, DAE_OK);
    assert_int_equal(dae_diagnostics_count(r.ds), 1);
    const dae_diagnostic *d = dae_diagnostics_at(r.ds, 0);
    assert_string_equal(d->code, "N0507");
    assert_non_null(strstr(d->message, "`C`"));
    text_run_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_pulse_is_not_stepped_over),
        cmocka_unit_test(an_oscillation_that_vanishes_at_round_times_is_seen),
        cmocka_unit_test(
            an_algebraic_unknown_that_moves_at_once_rejects_no_step),
        cmocka_unit_test(a_tolerance_below_rounding_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Equations that switch: jumps are crossed wherever they lie, and a solution
 * that would have to switch for ever is named. Times far from 0. */
#include "text_run.h"

static void run_default(text_run *r, const char *text)
{
    dae_options o = dae_options_default();
    text_run_make(r, text, &o);
}

static void check_end(const char *text, double first, double t, double x)
{
    text_run r;
    dae_options o = dae_options_default();
    o.first_step = first;
    text_run_make(&r, text, &o);
    CHECK_STATUS(r.status, DAE_OK);
    assert_true(r.t == t);
    CHECK_NEAR(r.x[0], x, 1e-5 * fabs(x) + 1e-8);
    assert_int_equal(dae_diagnostics_count(r.ds), 0);
    assert_true(r.stats.steps < 2000);
    assert_true(r.stats.rejected_steps < 500);
    text_run_clear(&r);
}

static void a_slope_that_jumps_at_the_start_is_passed(void **state)
{
    (void)state;
    static const double first[] = {0, 1, 1e-3, 1e-10};
    for (size_t k = 0; k < sizeof first / sizeof *first; k++) {
        check_end("var x = 0\nx' = if t > 0 then 1 else 0\n"
                  "solve t in 0..1\n",
            first[k], 1, 1);
        check_end("var x = 0\nx' = sign(t)\nsolve t in 0..1\n", first[k], 1, 1);
        check_end("var x = 0\nx' = if t > 3 then 1e6 else 0\n"
                  "solve t in 3..4\n",
            first[k], 4, 1e6);
    }
}

static void slopes_that_jump_on_the_way_are_passed(void **state)
{
    (void)state;
    check_end("var x = 0\nx' = if t > 0.5 then 1e6 else 0\n"
              "solve t in 0..1\n",
        0, 1, 5e5);
    check_end("var x = 1\nx' = if t < -0.5 then 1 else -x\n"
              "solve t in -1..1\n",
        0, 1, 1.5 * exp(-1.5));
}

/* Two switches within one step are not seen: max_step sees to that. */
static void many_switches_are_passed_one_by_one(void **state)
{
    (void)state;
    const double half = acos(-1) / 50; /* 15 half waves, then part of one */
    text_run r;
    dae_options o = dae_options_default();
    o.max_step = 0.05;
    text_run_make(&r, "var x = 0\nx' = sign(sin(50*t))\nsolve t in 0..1\n", &o);
    CHECK_STATUS(r.status, DAE_OK);
    CHECK_NEAR(r.x[0], half - (1 - 15 * half), 1e-6);
    assert_true(r.stats.steps < 1000);
    text_run_clear(&r);
}

static void an_algebraic_unknown_that_jumps_is_passed(void **state)
{
    (void)state;
    text_run r;
    run_default(&r,
        "var x = 0, y ~ 0\ny = if t < 0.5 then 0 else 1e3\n"
        "x' = y\nsolve t in 0..1\n");
    CHECK_STATUS(r.status, DAE_OK);
    CHECK_NEAR(r.x[0], 500, 1e-6);
    CHECK_NEAR(r.x[1], 1000, 0);
    assert_true(r.stats.restarts == 1);
    assert_true(r.low[1] >= 0 && r.high[1] <= 1000);
    text_run_clear(&r);
    /* by the state, and through another algebraic unknown */
    run_default(&r,
        "var x = 0, y ~ 1, z ~ 1\ny = if x < 0.5 then 1 else 3\n"
        "z^3 = y\nx' = z^3\nsolve t in 0..1\n");
    CHECK_STATUS(r.status, DAE_OK);
    CHECK_NEAR(r.x[0], 2, 1e-5);
    CHECK_NEAR(r.x[2], cbrt(3), 1e-6);
    text_run_clear(&r);
    run_default(&r,
        "var x = 1, y ~ 1\ny = (if t < 1 then 1 else 2)*x\n"
        "x' = -x\nsolve t in 0..2\n");
    CHECK_STATUS(r.status, DAE_OK);
    CHECK_NEAR(r.x[1], 2 * exp(-2), 1e-5);
    text_run_clear(&r);
}

/* y leaves its branch at the fold x = 2/3 of x = y - y^3/3; behind it the
 * equations have a solution far away. That is no jump of the equations. */
static void a_solution_that_ends_is_no_jump(void **state)
{
    (void)state;
    text_run r;
    run_default(&r,
        "var x = 0, y ~ 0\nx' = 1\nx = y - y^3/3\n"
        "solve t in 0..2\n");
    CHECK_STATUS(r.status, DAE_NUMERIC);
    CHECK_NEAR(r.t, 2 / 3.0, 1e-5);
    assert_true(r.high[1] < 1.01 && r.low[1] > -0.01);
    text_run_clear(&r);
}

/* Located: the condition is named, and no step is lost on it. */
static void check_located(const char *text, double t)
{
    text_run r;
    run_default(&r, text);
    CHECK_STATUS(r.status, DAE_NUMERIC);
    const dae_diagnostic *d = text_run_only(&r, "E0521");
    assert_non_null(strstr(d->message, "chatters"));
    CHECK_NEAR(d->t, t, 1e-5);
    assert_true(r.stats.steps < 100);
    text_run_clear(&r);
}

/* Switches that are not located, being said to be smooth. */
static void check_chatter(const char *text, const char *unknown, double t)
{
    text_run r;
    run_default(&r, text);
    CHECK_STATUS(r.status, DAE_NUMERIC);
    const dae_diagnostic *d = text_run_only(&r, "E0501");
    assert_string_equal(d->variable, unknown);
    assert_non_null(d->equation);
    assert_non_null(strstr(d->message, "chatters"));
    assert_non_null(strstr(d->help, "events"));
    CHECK_NEAR(d->t, t, 1e-3);
    assert_true(r.stats.steps < 5000);
    text_run_clear(&r);
}

static void a_solution_that_chatters_stops_soon_and_says_so(void **state)
{
    (void)state;
    check_located("var x = 1\nx' = -sign(x)\nsolve t in 0..2\n", 1);
    check_located(
        "var x = 1\nx' = if x > 0 then -1 else 3\nsolve t in 0..2\n", 1);
    /* friction: stands still once |x| < 0.5 at a turn */
    check_located("var x = 1, v = 0\nv' = -0.5*sign(v) - x\nx' = v\n"
                  "solve t in 0..20\n",
        acos(-1));
    check_chatter(
        "var x = 1\nx' = -smooth(sign(x))\nsolve t in 0..2\n", "x", 1);
    check_chatter("var x = 1\nx' = smooth(if x > 0 then -1 else 3)\n"
                  "solve t in 0..2\n",
        "x", 1);
    check_chatter("var x = 1, v = 0\nv' = -0.5*smooth(sign(v)) - x\nx' = v\n"
                  "solve t in 0..20\n",
        "v", acos(-1));
}

static void a_start_far_from_zero_runs(void **state)
{
    (void)state;
    check_end(
        "var x = 1\nx' = -x\nsolve t in 1e9..1e9+1\n", 0, 1e9 + 1, exp(-1));
    check_end("var x = 1\nx' = -x\nsolve t in -1e9..-1e9+2\n", 1e-12, -1e9 + 2,
        exp(-2));
    check_end("var x = 1\nx' = -1e-4*x\nsolve t in -1e12..-1e12+1e4\n", 0,
        -1e12 + 1e4, exp(-1));
}

static void a_time_too_coarse_for_the_tolerance_is_named(void **state)
{
    (void)state;
    text_run r;
    run_default(&r, "var x = 1\nx' = -x\nsolve t in 1e15..1e15+4\n");
    CHECK_STATUS(r.status, DAE_NUMERIC);
    const dae_diagnostic *d = text_run_only(&r, "E0501");
    assert_non_null(strstr(d->help, "nearer origin"));
    assert_true(r.stats.residual_evals > 2); /* it was tried */
    text_run_clear(&r);
}

static void a_largest_step_below_what_t_can_tell_is_named(void **state)
{
    (void)state;
    text_run r;
    dae_options o = dae_options_default();
    o.max_step = 1e-9;
    text_run_make(&r, "var x = 1\nx' = -x\nsolve t in 1e9..1e9+1\n", &o);
    CHECK_STATUS(r.status, DAE_NUMERIC);
    const dae_diagnostic *d = text_run_only(&r, "E0501");
    assert_non_null(strstr(d->message, "cannot be told from none"));
    text_run_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slope_that_jumps_at_the_start_is_passed),
        cmocka_unit_test(slopes_that_jump_on_the_way_are_passed),
        cmocka_unit_test(many_switches_are_passed_one_by_one),
        cmocka_unit_test(an_algebraic_unknown_that_jumps_is_passed),
        cmocka_unit_test(a_solution_that_ends_is_no_jump),
        cmocka_unit_test(a_solution_that_chatters_stops_soon_and_says_so),
        cmocka_unit_test(a_start_far_from_zero_runs),
        cmocka_unit_test(a_time_too_coarse_for_the_tolerance_is_named),
        cmocka_unit_test(a_largest_step_below_what_t_can_tell_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

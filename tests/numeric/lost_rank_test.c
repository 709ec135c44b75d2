/* Runs that come to a place where the equations stop determining a derivative:
 * they stop there and say which, instead of going on with some solution. The
 * places are known in closed form. */
#include "support/text_run.h"

static void run_text(text_run *r, const char *text, double tolerance)
{
    dae_options o = dae_options_default();
    o.rtol = o.atol = tolerance;
    text_run_make(r, text, &o);
}

/* The last diagnostic is E0502 and speaks of both. */
static void check_lost(
    const text_run *r, const char *equation, const char *unknown)
{
    const size_t count = dae_diagnostics_count(r->ds);
    assert_true(count > 0);
    const dae_diagnostic *d = dae_diagnostics_at(r->ds, count - 1);
    CHECK_STATUS(r->status, DAE_NUMERIC);
    assert_string_equal(d->code, "E0502");
    assert_non_null(strstr(d->message, "lose rank"));
    assert_non_null(strstr(d->message, equation));
    assert_non_null(strstr(d->message, unknown));
}

/* x = sqrt(1 - 2 t) ends at t = 1/2. */
static void an_impasse_is_named(void **state)
{
    const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        text_run r;
        run_text(&r,
            "var x = 1, y = 1\nfall: x*x' = -y\ny' = 0\nsolve t in 0..1\n",
            tolerances[k]);
        check_lost(&r, "`fall`", "`x'`");
        assert_true(r.t > 0.49 && r.t < 0.5 + 100 * tolerances[k]);
        text_run_clear(&r);
    }
}

/* x = sin(2 t) stands still at t = pi/4, where x' = 0 may go on as 0. */
static void a_turning_point_is_not_crossed_in_silence(void **state)
{
    const double turns = 0.78539816339744831;
    const double tolerances[] = {1e-3, 1e-6, 1e-9};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        text_run r;
        run_text(&r,
            "var x = 0\ninit x' ~ 2\nenergy: x'^2/2 + 2*x^2 = 2\n"
            "solve t in 0..3\n",
            tolerances[k]);
        check_lost(&r, "`energy`", "`x'`");
        /* a change of sign is believed where x' is a quarter of what it was:
         * sin(2 (t - pi/4)) = 1/4 at 0.127 after the place; and a few steps */
        assert_true(r.t > turns - 0.05 && r.t < turns + 0.35);
        text_run_clear(&r);
    }
}

/* The coefficient of x' is positive for ever, but small in between. */
static void what_comes_close_is_no_loss(void **state)
{
    text_run r;
    (void)state;
    run_text(&r,
        "var x = 1\n(1e-3 + (t - 1)^2)*x' = -x*(1e-3 + (t - 1)^2)\n"
        "solve t in 0..2\n",
        1e-6);
    CHECK_STATUS(r.status, DAE_OK);
    assert_true(fabs(r.x[0] - exp(-2)) < 1e-5);
    text_run_clear(&r);
}

/* The determinant of [[0 m], [m 0]] is -m^2: rows in another order than their
 * unknowns. */
static void the_order_of_equations_is_no_sign(void **state)
{
    text_run r;
    (void)state;
    run_text(&r,
        "var x = 1, y = 0\n(2 + sin(x))*y' = (2 + sin(x))*x\n"
        "(2 + cos(y))*x' = -(2 + cos(y))*y\nsolve t in 0..6\n",
        1e-8);
    CHECK_STATUS(r.status, DAE_OK);
    assert_true(fabs(r.x[0] - cos(6)) < 1e-5 && fabs(r.x[1] - sin(6)) < 1e-5);
    text_run_clear(&r);
}

/* A coefficient that changes its sign by a switch was never 0. */
static void a_switch_is_no_loss(void **state)
{
    text_run r;
    (void)state;
    run_text(&r,
        "var x = 1\n(if t < 1 then 1 else -1)*x' = (if t < 1 then -x else x)\n"
        "solve t in 0..2\n",
        1e-6);
    CHECK_STATUS(r.status, DAE_OK);
    assert_true(fabs(r.x[0] - exp(-2)) < 1e-4);
    text_run_clear(&r);
}

/* x = 1 - t solves it, and so does x = t - 1 from t = 1 on, where the derivative
 * of the constraint has nothing to say of x'. */
static void a_branch_of_a_constraint_is_named(void **state)
{
    static const dae_reduce ways[] = {
        DAE_REDUCE_AUTO, DAE_REDUCE_PROJECT, DAE_REDUCE_STABILIZE};
    (void)state;
    for (size_t k = 0; k < 6; k++) {
        text_run r;
        double t = 0;
        dae_options o = dae_options_default();
        o.rtol = o.atol = k < 3 ? 1e-4 : 1e-8;
        o.reduce = ways[k % 3];
        text_run_make(&r,
            "var x ~ 1, y ~ -1\nx' = y\nsquare: x^2 = (1 - t)^2\n"
            "solve t in 0..2\n",
            &o);
        check_lost(&r, "`square'`", "`y`");
        const dae_diagnostic *d = dae_diagnostics_at(
            r.ds, dae_diagnostics_count(r.ds) - 1);
        assert_int_equal(sscanf(d->message, "near t = %lf", &t), 1);
        CHECK_NEAR(t, 1, 0.02);
        text_run_clear(&r);
    }
}

/* x = cos t: where x = 0 it has nothing to do with y, and the pick has to be
 * another one; the rank stays. */
static void a_bad_pick_is_no_loss(void **state)
{
    static const dae_reduce ways[] = {
        DAE_REDUCE_AUTO, DAE_REDUCE_PROJECT, DAE_REDUCE_STABILIZE};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        text_run r;
        dae_options o = dae_options_default();
        o.rtol = o.atol = 1e-6;
        o.reduce = ways[k];
        text_run_make(&r,
            "var x = 1, y ~ 0, s ~ 0\nx' = -y + s*x\ny' = x + s*y\n"
            "circle: x^2 + y^2 = 1\nsolve t in 0..20\n",
            &o);
        CHECK_STATUS(r.status, DAE_OK);
        assert_true(fabs(r.x[0] - cos(20)) < 1e-3);
        assert_true(fabs(r.x[1] - sin(20)) < 1e-3);
        text_run_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impasse_is_named),
        cmocka_unit_test(a_turning_point_is_not_crossed_in_silence),
        cmocka_unit_test(what_comes_close_is_no_loss),
        cmocka_unit_test(the_order_of_equations_is_no_sign),
        cmocka_unit_test(a_switch_is_no_loss),
        cmocka_unit_test(a_branch_of_a_constraint_is_named),
        cmocka_unit_test(a_bad_pick_is_no_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

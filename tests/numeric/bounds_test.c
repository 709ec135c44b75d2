/* Bounds: never passed, never held on to without an end, never at the cost of
 * what the equations conserve. */
#include "text_run.h"

static void run_at(text_run *r, const char *text, double rtol, double atol)
{
    dae_options o = dae_options_default();
    o.rtol = rtol;
    o.atol = atol;
    text_run_make(r, text, &o);
}

static void check_pushed_out(
    const char *text, const char *unknown, const char *limit, double t)
{
    text_run r;
    run_at(&r, text, 1e-6, 1e-9);
    CHECK_STATUS(r.status, DAE_NUMERIC);
    assert_true(dae_diagnostics_count(r.ds) >= 1);
    const dae_diagnostic *d = dae_diagnostics_at(r.ds, 0);
    assert_string_equal(d->code, "E0501");
    assert_string_equal(d->variable, unknown);
    assert_non_null(d->equation);
    assert_non_null(strstr(d->message, limit));
    assert_non_null(strstr(d->message, d->equation));
    CHECK_NEAR(d->t, t, 1e-5);
    assert_true(r.stats.steps < 200);
    assert_true(r.stats.residual_evals < 500);
    text_run_clear(&r);
}

static void a_solution_pushed_out_of_its_bounds_stops_soon(void **state)
{
    (void)state;
    check_pushed_out("var x = 0.1 {max = 0.5}\nx' = x*(1 - x)\n"
                     "solve t in 0..5\n",
        "x", "(max = 0.5)", log(9));
    check_pushed_out("var x = 1 {min = 0}\nx' = -2\nsolve t in 0..5\n", "x",
        "(min = 0)", 0.5);
    /* second order: the value is bounded as any other */
    check_pushed_out("var y = 1 {min = 0}\ninit y' = 0\ny'' = -2\n"
                     "solve t in 0..5\n",
        "y", "(min = 0)", 1);
}

static void an_algebraic_unknown_pushed_out_is_named(void **state)
{
    (void)state;
    check_pushed_out("var x = 1, y ~ 1 {min = 0.2}\nx' = -x\ny = x\n"
                     "solve t in 0..5\n",
        "y", "(min = 0.2)", log(5));
    check_pushed_out("var x = 0, y ~ 1 {max = 2}\nx' = 1\n"
                     "y = if t < 1 then 1 else 3\nsolve t in 0..5\n",
        "y", "(max = 2)", 1);
}

static const char conserved[] =
    "var A = 1 {min = 0}, B = 0 {min = 0}, C = 0 {min = 0}\n"
    "A' = -1e4*A\nB' = 1e4*A - 1e3*B\nC' = 1e3*B\nsolve t in 0..1\n";

static void a_conserved_sum_does_not_drift_at_a_bound(void **state)
{
    (void)state;
    for (double rtol = 1e-2; rtol > 1e-8; rtol /= 10) {
        text_run r;
        run_at(&r, conserved, rtol, rtol);
        CHECK_STATUS(r.status, DAE_OK);
        for (int i = 0; i < 3; i++) assert_true(r.low[i] >= 0);
        /* what is cut off an output is no error of the next step */
        assert_true(r.sum_high <= 1 + rtol && r.sum_low >= 1 - rtol);
        CHECK_NEAR(r.x[2], 1, 0.5 * rtol);
        text_run_clear(&r);
    }
}

static void a_tank_runs_empty_and_stays_empty(void **state)
{
    (void)state;
    for (double rtol = 1e-3; rtol > 1e-9; rtol /= 10) {
        text_run r;
        run_at(&r, "var h = 1 {min = 0}\nh' = -sqrt(h)\nsolve t in 0..5\n",
            rtol, rtol);
        CHECK_STATUS(r.status, DAE_OK);
        assert_true(r.low[0] >= 0);
        CHECK_NEAR(r.x[0], 0, rtol);
        assert_true(r.stats.steps < 2000);
        text_run_clear(&r);
    }
}

/* Counts calls with a value below 0. */
static dae_status watched_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    int *below = self;
    (void)t;
    if (x[0] < 0) (*below)++;
    res[0] = xp[0] + 1e3 * x[0];
    return DAE_OK;
}

static dae_status watched_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    int *below = self;
    (void)scope, (void)t, (void)xp;
    if (x[0] < 0) (*below)++;
    values[0] = 1e3;
    values[1] = 1;
    return DAE_OK;
}

static void no_residual_sees_a_value_beyond_its_bound(void **state)
{
    (void)state;
    const double zero = 0;
    const dae_scales scales = {.minimum = &zero};
    int below = 0;
    const dae_problem p = {.self = &below,
        .unknown_count = 1,
        .residual = watched_residual,
        .jacobian = watched_jacobian,
        .scales = &scales};
    dae_options o = dae_options_default();
    o.rtol = o.atol = 1e-3;
    o.t_end = 1;
    dae_solver *solver;
    double x = 1, xp = -1e3;
    CHECK_STATUS(dae_solver_create(&p, &o, NULL, NULL, &solver), DAE_OK);
    CHECK_STATUS(dae_solver_start(solver, 0, &x, &xp, 0), DAE_OK);
    for (int i = 1; i <= 1000; i++) {
        CHECK_STATUS(dae_solver_advance(solver, i / 1e3, &x, NULL), DAE_OK);
        assert_true(x >= 0);
        assert_true(dae_solver_x(solver)[0] >= 0);
    }
    assert_int_equal(below, 0);
    dae_solver_free(solver);
}

static void a_bound_that_held_is_noted_once_at_the_end(void **state)
{
    (void)state;
    text_run r;
    run_at(&r,
        "var h = 1 {min = 0}, k = 2 {min = 0}\nh' = -sqrt(h)\n"
        "k' = -sqrt(k)\nsolve t in 0..9\n",
        1e-3, 1e-3);
    CHECK_STATUS(r.status, DAE_OK);
    size_t notes = dae_diagnostics_count(r.ds);
    assert_true(notes == 2);
    for (size_t i = 0; i < notes; i++) {
        const dae_diagnostic *d = dae_diagnostics_at(r.ds, i);
        assert_string_equal(d->code, "N0506");
        assert_int_equal(d->severity, DAE_NOTE);
        assert_non_null(strstr(d->message, "held at its minimum 0 at t = "));
    }
    text_run_clear(&r);
}

static void advice_does_not_ask_for_a_bound_that_is_there(void **state)
{
    (void)state;
    text_run r;
    /* log has no value at the bound either */
    run_at(&r, "var h = 1 {min = 0}\nh' = log(h) - 1\nsolve t in 0..5\n", 1e-6,
        1e-9);
    CHECK_STATUS(r.status, DAE_NUMERIC);
    const dae_diagnostic *d = dae_diagnostics_at(r.ds, 0);
    assert_string_equal(d->variable ? d->variable : "h", "h");
    assert_non_null(d->help);
    assert_null(strstr(d->help, "a bound (`min`, `max`) on"));
    assert_true(
        strstr(d->help, "(min = 0)") || strstr(d->message, "(min = 0)"));
    text_run_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solution_pushed_out_of_its_bounds_stops_soon),
        cmocka_unit_test(an_algebraic_unknown_pushed_out_is_named),
        cmocka_unit_test(a_conserved_sum_does_not_drift_at_a_bound),
        cmocka_unit_test(a_tank_runs_empty_and_stays_empty),
        cmocka_unit_test(no_residual_sees_a_value_beyond_its_bound),
        cmocka_unit_test(a_bound_that_held_is_noted_once_at_the_end),
        cmocka_unit_test(advice_does_not_ask_for_a_bound_that_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

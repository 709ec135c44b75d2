/* Steps at the edge of what t can tell, of what an error test can pass, and
 * of where the equations determine anything. */
#include "text_run.h"
#include <stdbool.h>

static dae_status decay(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + x[0];
    return DAE_OK;
}

/* From t0 over `units` units in the last place of it, in one step. */
static void check_one_step(double t0, int units, double max_units)
{
    const dae_problem p = {.unknown_count = 1, .residual = decay};
    double unit = nextafter(t0, HUGE_VAL) - t0, x = 1, xp = -1;
    dae_options o = dae_options_default();
    dae_solver *solver;
    o.t_end = t0 + units * unit;
    o.max_step = max_units * unit;
    CHECK_STATUS(dae_solver_create(&p, &o, NULL, NULL, &solver), DAE_OK);
    CHECK_STATUS(dae_solver_start(solver, t0, &x, &xp, 0), DAE_OK);
    CHECK_STATUS(dae_solver_advance(solver, o.t_end, &x, NULL), DAE_OK);
    assert_true(dae_solver_time(solver) == o.t_end);
    assert_int_equal(dae_solver_stats(solver)->steps, 1);
    CHECK_NEAR(x, exp(-units * unit), 1e-12);
    dae_solver_free(solver);
}

/* A step is 2 eps |t| = 3.7 units of 1e9 at least, but for one that ends the
 * interval: no sliver is left that would be shorter. */
static void the_shortest_intervals_are_one_step(void **state)
{
    (void)state;
    check_one_step(1e9, 1, 0);
    check_one_step(1e9, 3, 0);
    check_one_step(-1e9, 1, 0);
    check_one_step(1e9, 6, 5);
    check_one_step(-1e9, 7, 6);
}

static dae_status parabola(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const double *bend = self;
    (void)x;
    res[0] = xp[0] - 2 * *bend * t;
    return DAE_OK;
}

/* From rest the first step of order 1 misses x = bend t^2 by its prediction,
 * 0, and that is its error: 2 bend h^2 by the formula. */
static dae_stats first_step(double tolerances)
{
    const double h = 0.01, atol = 1e-6;
    double bend = tolerances * atol / (2 * h * h), x = 0, xp = 0;
    const dae_problem p = {
        .self = &bend, .unknown_count = 1, .residual = parabola};
    dae_options o = dae_options_default();
    dae_solver *solver;
    o.atol = atol;
    o.t_end = 1;
    o.first_step = h;
    CHECK_STATUS(dae_solver_create(&p, &o, NULL, NULL, &solver), DAE_OK);
    CHECK_STATUS(dae_solver_start(solver, 0, &x, &xp, 0), DAE_OK);
    CHECK_STATUS(dae_solver_step(solver), DAE_OK);
    const dae_stats stats = *dae_solver_stats(solver);
    bool passes = dae_solver_last_step(solver) == h;
    assert_int_equal(stats.error_test_failures, passes ? 0 : 1);
    dae_solver_free(solver);
    return stats;
}

static bool first_step_passes(double tolerances)
{
    return first_step(tolerances).error_test_failures == 0;
}

static void an_error_beyond_the_tolerance_is_rejected(void **state)
{
    (void)state;
    assert_true(first_step_passes(0.5));
    assert_true(first_step_passes(0.999));
    assert_false(first_step_passes(1.001));
    assert_false(first_step_passes(1.5));
}

/* The Jacobian of the failed attempt serves the next one, but for one that was
 * evaluated further than three tolerances from the solution; the start has one
 * of its own. */
static void a_jacobian_of_elsewhere_is_not_kept(void **state)
{
    (void)state;
    const int64_t one = first_step(0.9).jacobian_evals;
    assert_int_equal(first_step(2.9).jacobian_evals, one);
    assert_int_equal(first_step(3.1).jacobian_evals, one + 1);
}

/* x = -1/log(t): however short a step from 0, its error is far beyond the
 * tolerance. */
static void a_start_that_no_step_is_short_enough_for(void **state)
{
    (void)state;
    text_run r;
    dae_options o = dae_options_default();
    text_run_make(&r,
        "var x = 0\nx' = smooth(if t > 0 then 1/(t*log(t)^2) else 0)\n"
        "solve t in 0..0.1\n",
        &o);
    CHECK_STATUS(r.status, DAE_NUMERIC);
    assert_int_equal(dae_diagnostics_count(r.ds), 1);
    const dae_diagnostic *d = dae_diagnostics_at(r.ds, 0);
    assert_string_equal(d->code, "E0501");
    assert_string_equal(d->variable, "x");
    assert_true(d->t == 0 && r.t == 0);
    assert_true(r.stats.residual_evals < 2000);
    text_run_clear(&r);
}

/* Right behind the start nothing works: there is no shortest step at t = 0,
 * so the attempts are counted. */
static void check_stuck_at_the_start(
    const char *text, const char *code, const char *variable)
{
    text_run r;
    dae_options o = dae_options_default();
    text_run_make(&r, text, &o);
    CHECK_STATUS(r.status, DAE_NUMERIC);
    assert_int_equal(dae_diagnostics_count(r.ds), 1);
    const dae_diagnostic *d = dae_diagnostics_at(r.ds, 0);
    assert_string_equal(d->code, code);
    if (variable) assert_string_equal(d->variable, variable);
    assert_true(d->t >= 0 && d->t < 1e-3 && r.t == 0);
    assert_true(r.stats.residual_evals < 2000);
    text_run_clear(&r);
}

static void a_run_that_cannot_leave_its_start_says_why(void **state)
{
    (void)state;
    check_stuck_at_the_start(
        "var x = 1, z ~ 1\nx' = -x\n"
        "0 = smooth(if t > 0 then z^2 + 1 else z - 1)\nsolve t in 0..1\n",
        "E0501", "z");
    check_stuck_at_the_start(
        "var x = 1\nx' = smooth(if t > 0 then log(-x^2) else -x)\n"
        "solve t in 0..1\n",
        "E0503", NULL);
}

/* A thousand steps that hardly get on are no chatter where they were
 * requested: none is rejected. */
static void short_steps_by_request_are_no_chatter(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 1, .residual = decay};
    dae_options o = dae_options_default();
    dae_solver *solver;
    double x = 1, xp = -1;
    o.t_end = 100;
    o.max_step = 1e-7;
    o.max_order = 1;
    CHECK_STATUS(dae_solver_create(&p, &o, NULL, NULL, &solver), DAE_OK);
    CHECK_STATUS(dae_solver_start(solver, 0, &x, &xp, 0), DAE_OK);
    for (int k = 0; k < 4000; k++)
        CHECK_STATUS(dae_solver_step(solver), DAE_OK);
    CHECK_NEAR(dae_solver_time(solver), 4e-4, 1e-6);
    dae_solver_free(solver);
}

/* Behind x = 1/2 no equation contains z. */
static void a_matrix_that_becomes_singular_is_named(void **state)
{
    (void)state;
    text_run r;
    dae_options o = dae_options_default();
    text_run_make(&r,
        "var x = 1, z ~ 1\nx' = -1\n"
        "0 = smooth(if x > 0.5 then z - x else x - 0.25)\nsolve t in 0..1\n",
        &o);
    CHECK_STATUS(r.status, DAE_NUMERIC);
    assert_int_equal(dae_diagnostics_count(r.ds), 1);
    const dae_diagnostic *d = dae_diagnostics_at(r.ds, 0);
    assert_string_equal(d->code, "E0502");
    assert_string_equal(d->variable, "z");
    CHECK_NEAR(d->t, 0.5, 1e-3);
    assert_true(r.stats.residual_evals < 2000);
    text_run_clear(&r);
}

/* F is small where its terms cancel; the values themselves are looked at. */
static void growth_ends_soon_where_it_is_too_large(void **state)
{
    (void)state;
    text_run before, r;
    dae_options o = dae_options_default();
    text_run_make(&before, "var x = 1\nx' = x\nsolve t in 0..354.8\n", &o);
    CHECK_STATUS(before.status, DAE_OK);
    text_run_make(&r, "var x = 1\nx' = x\nsolve t in 0..2000\n", &o);
    CHECK_STATUS(r.status, DAE_NUMERIC);
    const dae_diagnostic *d = dae_diagnostics_at(r.ds, 0);
    assert_string_equal(d->code, "E0503");
    assert_string_equal(d->variable, "x");
    assert_non_null(strstr(d->message, "sizes up to 1.3e154"));
    CHECK_NEAR(d->t, 512 * log(2), 0.1);
    assert_true(r.x[0] > 1e154 && r.high[0] < ldexp(1, 512));
    assert_true(r.stats.steps < before.stats.steps + 300);
    assert_true(r.stats.rejected_steps < before.stats.rejected_steps + 300);
    text_run_clear(&before);
    text_run_clear(&r);
}

/* u' = -v and v^3 - 3v + 3 = u from (1, 1), where dF/dv = 0: by hand, so that
 * nothing says whether the equations switch. */
static dae_status fold_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + x[1];
    res[1] = x[1] * x[1] * x[1] - 3 * x[1] + 3 - x[0];
    return DAE_OK;
}

static void a_fold_at_the_start_is_no_chatter(void **state)
{
    (void)state;
    static const uint8_t order[] = {1, 0};
    double x[] = {1, 1}, xp[] = {-1, 0};
    dae_problem p = {
        .unknown_count = 2, .residual = fold_residual, .order = order};
    dae_options o = dae_options_default();
    dae_diagnostics *ds;
    dae_solver *solver;
    o.t_end = 5;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_solver_create(&p, &o, NULL, ds, &solver), DAE_OK);
    CHECK_STATUS(dae_solver_start(solver, 0, x, xp, 0), DAE_OK);
    CHECK_STATUS(dae_solver_advance(solver, 5, x, NULL), DAE_NUMERIC);
    assert_int_equal(dae_diagnostics_count(ds), 1);
    const dae_diagnostic *d = dae_diagnostics_at(ds, 0);
    assert_null(strstr(d->message, "chatters"));
    assert_string_equal(d->variable, "x[2]");
    assert_string_equal(d->equation, "equation 2");
    CHECK_NEAR(d->t, 0, 1e-6);
    dae_solver_free(solver);
    dae_diagnostics_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortest_intervals_are_one_step),
        cmocka_unit_test(an_error_beyond_the_tolerance_is_rejected),
        cmocka_unit_test(a_jacobian_of_elsewhere_is_not_kept),
        cmocka_unit_test(a_start_that_no_step_is_short_enough_for),
        cmocka_unit_test(a_run_that_cannot_leave_its_start_says_why),
        cmocka_unit_test(short_steps_by_request_are_no_chatter),
        cmocka_unit_test(a_matrix_that_becomes_singular_is_named),
        cmocka_unit_test(growth_ends_soon_where_it_is_too_large),
        cmocka_unit_test(a_fold_at_the_start_is_no_chatter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

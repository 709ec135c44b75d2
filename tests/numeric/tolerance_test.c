/* Errors follow the tolerance on problems with known solutions: both
 * directions of time, second order and first, index 0 and 1, dense output. */
#include "check.h"
#include <dae/solver.h>

typedef struct trial {
    const dae_problem *problem;
    double t0, t1;
    void (*exact)(double t, double *x, double *xp);
    dae_stats stats;
    double worst;    /* error over outputs, in units of the tolerance */
    double worst_xp; /* largest error of xp */
} trial;

enum { OUTPUTS = 37 };

/* Runs with atol = rtol and compares at outputs between steps. */
static void run_trial(trial *w, double rtol)
{
    double x[4], xp[4], y[4], yp[4];
    dae_solver *solver;
    dae_options o = dae_options_default();
    size_t states = dae_problem_state_count(w->problem);
    o.rtol = o.atol = rtol;
    o.t_end = w->t1;
    CHECK_STATUS(
        dae_solver_create(w->problem, &o, NULL, NULL, &solver), DAE_OK);
    w->exact(w->t0, x, xp);
    CHECK_STATUS(dae_solver_start(solver, w->t0, x, xp, 0), DAE_OK);
    w->worst = w->worst_xp = 0;
    for (int i = 1; i <= OUTPUTS; i++) {
        double t = w->t0 + (w->t1 - w->t0) * i / OUTPUTS;
        if (i == OUTPUTS) t = w->t1;
        CHECK_STATUS(dae_solver_advance(solver, t, x, xp), DAE_OK);
        w->exact(t, y, yp);
        for (size_t s = 0; s < states; s++) {
            double tolerance = rtol * fabs(y[s]) + rtol;
            w->worst = fmax(w->worst, fabs(x[s] - y[s]) / tolerance);
        }
        for (size_t j = 0; j < w->problem->unknown_count; j++)
            w->worst_xp = fmax(w->worst_xp, fabs(xp[j] - yp[j]));
    }
    assert_true(dae_solver_time(solver) == w->t1);
    w->stats = *dae_solver_stats(solver);
    dae_solver_free(solver);
}

static void check_tolerances(trial w, double limit)
{
    /* Over two decades of tolerance the error falls by ten at least; from one
     * to the next, errors that happen to cancel may stand out. */
    double before[2] = {HUGE_VAL, HUGE_VAL};
    int64_t steps = 0;
    for (double rtol = 1e-3; rtol > 1e-11; rtol /= 10) {
        run_trial(&w, rtol);
        print_message("  rtol %.0e: %.2f tolerances, xp %.1e, %d steps\n", rtol,
            w.worst, w.worst_xp, (int)w.stats.steps);
        assert_true(w.worst < limit);
        assert_true(w.worst * rtol < 0.1 * before[0]);
        assert_true(w.stats.steps > steps);
        before[0] = before[1];
        before[1] = w.worst * rtol;
        steps = w.stats.steps;
    }
    assert_true(w.worst_xp < 1e-4);
}

/* x' = -50 (x - cos t) - sin t */
static dae_status stiff_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    res[0] = xp[0] + 50 * (x[0] - cos(t)) + sin(t);
    return DAE_OK;
}

static void stiff_exact(double t, double *x, double *xp)
{
    x[0] = cos(t);
    xp[0] = -sin(t);
}

static void a_stiff_equation(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 1, .residual = stiff_residual};
    check_tolerances(
        (trial){.problem = &p, .t1 = 10, .exact = stiff_exact}, 20);
}

/* Two-component oscillation, forwards and backwards. */
static dae_status circle_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] - x[1];
    res[1] = xp[1] + x[0];
    return DAE_OK;
}

static void circle_exact(double t, double *x, double *xp)
{
    x[0] = sin(t), x[1] = cos(t);
    xp[0] = cos(t), xp[1] = -sin(t);
}

static void an_oscillation_in_both_directions(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 2, .residual = circle_residual};
    check_tolerances(
        (trial){.problem = &p, .t0 = 1, .t1 = 8, .exact = circle_exact}, 60);
    check_tolerances(
        (trial){.problem = &p, .t0 = 8, .t1 = 1, .exact = circle_exact}, 60);
}

/* The same as one unknown of order 2: x = (y, y'), xp = (y''). */
static dae_status spring_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + x[0];
    return DAE_OK;
}

static void spring_exact(double t, double *x, double *xp)
{
    x[0] = sin(t), x[1] = cos(t);
    xp[0] = -sin(t);
}

static const uint8_t order_two[1] = {2};
static const dae_problem spring = {
    .unknown_count = 1, .order = order_two, .residual = spring_residual};

static void a_second_order_unknown(void **state)
{
    (void)state;
    check_tolerances(
        (trial){.problem = &spring, .t0 = 1, .t1 = 8, .exact = spring_exact},
        60);
}

static void both_forms_take_the_same_steps(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 2, .residual = circle_residual};
    trial a = {.problem = &p, .t1 = 10, .exact = circle_exact};
    trial b = {.problem = &spring, .t1 = 10, .exact = spring_exact};
    run_trial(&a, 1e-7);
    run_trial(&b, 1e-7);
    double ratio = (double)a.stats.steps / (double)b.stats.steps;
    CHECK_NEAR(ratio, 1, 0.1);
    CHECK_NEAR(a.worst / b.worst, 1, 0.3);
    assert_int_equal(b.stats.condensed, 1);
    assert_int_equal(b.stats.unknowns, 2);
}

/* Index 1, fully implicit: (x0' + x1')/2 = -x0 ..., x1 algebraic of order 0.
 * x0 = exp(-t), x1 = x0^2 + sin t. */
static dae_status index1_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    res[0] = xp[0] + x[0] + 100 * (x[1] - x[0] * x[0] - sin(t));
    res[1] = x[1] * (1 + x[0]) - (x[0] * x[0] + sin(t)) * (1 + x[0]);
    return DAE_OK;
}

static void index1_exact(double t, double *x, double *xp)
{
    x[0] = exp(-t), x[1] = x[0] * x[0] + sin(t);
    xp[0] = -x[0], xp[1] = -2 * x[0] * x[0] + cos(t);
}

static void an_algebraic_unknown(void **state)
{
    (void)state;
    static const uint8_t orders[2] = {1, 0};
    const dae_problem p = {
        .unknown_count = 2, .order = orders, .residual = index1_residual};
    check_tolerances(
        (trial){.problem = &p, .t1 = 5, .exact = index1_exact}, 40);
}

/* The same with the algebraic unknown not marked: order 1 for all. */
static void an_algebraic_unknown_that_is_not_marked(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 2, .residual = index1_residual};
    check_tolerances(
        (trial){.problem = &p, .t1 = 5, .exact = index1_exact}, 40);
}

/* The curve is continuous over the ends of steps, and asking changes
 * nothing. */
static void dense_output_is_continuous_and_harmless(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 2, .residual = circle_residual};
    dae_options o = dae_options_default();
    dae_solver *asked, *left;
    double x[2] = {0, 1}, xp[2] = {1, 0}, before[2], start[2], v[2];
    o.t_end = 5;
    CHECK_STATUS(dae_solver_create(&p, &o, NULL, NULL, &asked), DAE_OK);
    CHECK_STATUS(dae_solver_create(&p, &o, NULL, NULL, &left), DAE_OK);
    CHECK_STATUS(dae_solver_start(asked, 0, x, xp, 0), DAE_OK);
    CHECK_STATUS(dae_solver_start(left, 0, x, xp, 0), DAE_OK);
    memcpy(before, x, sizeof before);
    while (dae_solver_time(asked) < 5) {
        CHECK_STATUS(dae_solver_step(asked), DAE_OK);
        CHECK_STATUS(dae_solver_step(left), DAE_OK);
        double t = dae_solver_time(asked), h = dae_solver_last_step(asked);
        CHECK_STATUS(dae_solver_interpolate(asked, t - h, start, NULL), DAE_OK);
        CHECK_NEAR(start[0], before[0], 1e-14);
        CHECK_NEAR(start[1], before[1], 1e-14);
        for (int q = 1; q < 4; q++) {
            double s = t - h * q / 4;
            CHECK_STATUS(dae_solver_interpolate(asked, s, v, NULL), DAE_OK);
            CHECK_NEAR(v[0], sin(s), 2e-5);
        }
        CHECK_STATUS(dae_solver_interpolate(asked, t, v, NULL), DAE_OK);
        assert_memory_equal(v, dae_solver_x(asked), sizeof v);
        assert_memory_equal(v, dae_solver_x(left), sizeof v);
        memcpy(before, v, sizeof before);
    }
    assert_int_equal(
        dae_solver_interpolate(asked, 0.001, v, NULL), DAE_ARGUMENT);
    dae_solver_free(asked);
    dae_solver_free(left);
}

static void two_runs_are_the_same_run(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 2, .residual = index1_residual};
    double x[2][2], xp[2][2], y[2], yp[2];
    dae_stats stats[2];
    for (int r = 0; r < 2; r++) {
        dae_solver *solver;
        dae_options o = dae_options_default();
        o.t_end = 3;
        CHECK_STATUS(dae_solver_create(&p, &o, NULL, NULL, &solver), DAE_OK);
        index1_exact(0, y, yp);
        CHECK_STATUS(dae_solver_start(solver, 0, y, yp, 0), DAE_OK);
        CHECK_STATUS(dae_solver_advance(solver, 3, x[r], xp[r]), DAE_OK);
        stats[r] = *dae_solver_stats(solver);
        dae_solver_free(solver);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(xp[0], xp[1], sizeof xp[0]);
    assert_int_equal(stats[0].steps, stats[1].steps);
    assert_int_equal(stats[0].residual_evals, stats[1].residual_evals);
}

/* x' = lambda x, t in 0..t_end, never evaluated beyond. */
typedef struct guarded {
    double first, last;
} guarded;

static dae_status guarded_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    guarded *g = self;
    if (t < g->first) g->first = t;
    if (t > g->last) g->last = t;
    res[0] = xp[0] + x[0];
    return DAE_OK;
}

static void the_end_is_met_and_never_passed(void **state)
{
    (void)state;
    const double ends[] = {1, 0.1, 1e-9, 3.7, 1e6};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        guarded g = {0, 0};
        const dae_problem p = {
            .self = &g, .unknown_count = 1, .residual = guarded_residual};
        dae_options o = dae_options_default();
        dae_solver *solver;
        double x = 1, xp = -1;
        o.t_end = ends[e];
        CHECK_STATUS(dae_solver_create(&p, &o, NULL, NULL, &solver), DAE_OK);
        CHECK_STATUS(dae_solver_start(solver, 0, &x, &xp, 0), DAE_OK);
        CHECK_STATUS(dae_solver_advance(solver, o.t_end, &x, &xp), DAE_OK);
        assert_true(dae_solver_time(solver) == o.t_end);
        assert_true(g.last == o.t_end && g.first >= 0);
        CHECK_NEAR(x, exp(-ends[e]), 1e-5);
        assert_int_equal(dae_solver_step(solver), DAE_ARGUMENT);
        assert_int_equal(
            dae_solver_advance(solver, 2 * o.t_end, &x, &xp), DAE_ARGUMENT);
        dae_solver_free(solver);
    }
}

/* t + (end - t) is not always the end: not where the last step is longer than
 * what lies beyond 0. */
static void an_end_near_zero_is_met_and_never_passed(void **state)
{
    (void)state;
    for (int e = 1; e <= 200; e++) {
        guarded g = {0, -1};
        const dae_problem p = {
            .self = &g, .unknown_count = 1, .residual = guarded_residual};
        dae_options o = dae_options_default();
        dae_solver *solver;
        double x = 1, xp = -1;
        o.t_end = e * 1e-4 / 3;
        CHECK_STATUS(dae_solver_create(&p, &o, NULL, NULL, &solver), DAE_OK);
        CHECK_STATUS(dae_solver_start(solver, -1, &x, &xp, 0), DAE_OK);
        CHECK_STATUS(dae_solver_advance(solver, o.t_end, &x, &xp), DAE_OK);
        assert_true(dae_solver_time(solver) == o.t_end);
        assert_true(g.last == o.t_end);
        assert_true(dae_solver_last_step(solver) > 1e-3);
        dae_solver_free(solver);
    }
}

/* There are values for the last step and no others. */
static void values_are_given_within_the_last_step(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 2, .residual = circle_residual};
    for (int sign = -1; sign <= 1; sign += 2) {
        dae_solver *solver;
        dae_options o = dae_options_default();
        double x[2] = {0, 1}, xp[2] = {1, 0}, v[2];
        o.t_end = sign;
        CHECK_STATUS(dae_solver_create(&p, &o, NULL, NULL, &solver), DAE_OK);
        CHECK_STATUS(dae_solver_start(solver, 0, x, xp, 0), DAE_OK);
        CHECK_STATUS(dae_solver_interpolate(solver, 0, v, NULL), DAE_OK);
        assert_int_equal(
            dae_solver_interpolate(solver, sign * 1e-9, v, NULL), DAE_ARGUMENT);
        for (int k = 0; k < 20; k++) {
            CHECK_STATUS(dae_solver_step(solver), DAE_OK);
            double t = dae_solver_time(solver);
            double h = dae_solver_last_step(solver);
            static const double allowed[] = {0, 0.5, 1};
            for (int q = 0; q < 3; q++)
                CHECK_STATUS(
                    dae_solver_interpolate(solver, t - allowed[q] * h, v, NULL),
                    DAE_OK);
            static const double refused[] = {-0.01, 1.01, 1.5, 3};
            for (int q = 0; q < 4; q++)
                assert_int_equal(
                    dae_solver_interpolate(solver, t - refused[q] * h, v, NULL),
                    DAE_ARGUMENT);
        }
        dae_solver_free(solver);
    }
}

/* Without an end the first output gives direction and scale. */
static void no_end_is_needed(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 2, .residual = circle_residual};
    for (int sign = -1; sign <= 1; sign += 2) {
        dae_solver *solver;
        double x[2] = {0, 1}, xp[2] = {1, 0};
        CHECK_STATUS(dae_solver_create(&p, NULL, NULL, NULL, &solver), DAE_OK);
        CHECK_STATUS(dae_solver_start(solver, 0, x, xp, 0), DAE_OK);
        CHECK_STATUS(dae_solver_advance(solver, 0, x, xp), DAE_OK);
        CHECK_NEAR(xp[0], 1, 1e-14);
        for (int i = 1; i <= 3; i++) {
            CHECK_STATUS(dae_solver_advance(solver, sign * i, x, xp), DAE_OK);
            CHECK_NEAR(x[0], sin(sign * i), 1e-4);
        }
        assert_int_equal(
            dae_solver_advance(solver, -sign, x, xp), DAE_ARGUMENT);
        dae_solver_free(solver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_equation),
        cmocka_unit_test(an_oscillation_in_both_directions),
        cmocka_unit_test(a_second_order_unknown),
        cmocka_unit_test(both_forms_take_the_same_steps),
        cmocka_unit_test(an_algebraic_unknown),
        cmocka_unit_test(an_algebraic_unknown_that_is_not_marked),
        cmocka_unit_test(dense_output_is_continuous_and_harmless),
        cmocka_unit_test(two_runs_are_the_same_run),
        cmocka_unit_test(the_end_is_met_and_never_passed),
        cmocka_unit_test(an_end_near_zero_is_met_and_never_passed),
        cmocka_unit_test(values_are_given_within_the_last_step),
        cmocka_unit_test(no_end_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

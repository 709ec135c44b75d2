/* newton.c on problems small enough to be judged by hand. */
#include "check.h"
#include "newton/newton.h"
#include <float.h>

typedef struct fixture {
    arena memory;
    layout layout;
    weights weights;
    iteration *matrix;
    dae_stats stats;
    newton newton;
    double x[4], xp[4], d[4];
} fixture;

static void open_by(fixture *f, const dae_problem *p, dae_linear choice)
{
    memset(f, 0, sizeof *f);
    arena_init(&f->memory, dae_allocator_default(), 0);
    CHECK_STATUS(layout_init(&f->layout, p, NULL), DAE_OK);
    CHECK_STATUS(
        weights_init(&f->weights, p, &f->layout, 1e-6, 1e-8, &f->memory),
        DAE_OK);
    CHECK_STATUS(
        iteration_create(p, &f->layout, choice, NULL, NULL, NULL, &f->matrix),
        DAE_OK);
    CHECK_STATUS(newton_init(&f->newton, p, &f->layout, f->matrix, &f->stats,
                     &f->memory),
        DAE_OK);
}

static void open_fixture(fixture *f, const dae_problem *p)
{
    open_by(f, p, DAE_LINEAR_DENSE);
}

static void close_fixture(fixture *f)
{
    iteration_free(f->matrix);
    layout_clear(&f->layout);
    arena_clear(&f->memory);
}

/* Solves from x, xp with d = 0. */
static newton_outcome solve(fixture *f, double alpha)
{
    memset(f->d, 0, sizeof f->d);
    weights_update(&f->weights, f->x, 1 / alpha);
    newton_task task = {.alpha = alpha,
        .h = 1 / alpha,
        .x = f->x,
        .xp = f->xp,
        .d = f->d,
        .weights = &f->weights,
        .error_constant = 1e-9};
    return newton_solve(&f->newton, &task);
}

/* Stiff and non-stiff: x0' = -x0 + 1, x1' = -10^6 (x1 - x0). */
static dae_status linear_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + x[0] - 1;
    res[1] = xp[1] + 1e6 * (x[1] - x[0]);
    return DAE_OK;
}

static const dae_problem linear_problem = {
    .unknown_count = 2, .residual = linear_residual};

static void a_linear_problem_takes_two_solves_at_most(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, &linear_problem);
    assert_int_equal(solve(&f, 2), NEWTON_CONVERGED);
    /* x0: xp = 2 d, 2 d + d - 1 = 0 */
    CHECK_NEAR(f.x[0], 1 / 3.0, 1e-7);
    CHECK_NEAR(f.xp[0], 2 / 3.0, 1e-7);
    CHECK_NEAR(f.d[0], f.x[0], 0);
    CHECK_NEAR(f.x[1], f.x[0], 1e-5);
    assert_true(f.stats.newton_iterations <= 2);
    assert_int_equal(f.stats.jacobian_evals, 1);
    assert_int_equal(f.stats.factorizations, 1);
    close_fixture(&f);
}

/* Two equations, of which the second has no value above x = 1. */
static dae_status bounded_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + x[0];
    res[1] = xp[1] + sqrt(1 - x[1]);
    return DAE_OK;
}

/* Reports look at the point without a value: it is the one predicted. */
static void a_point_without_a_value_stays_as_it_is(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 2, .residual = bounded_residual};
    fixture f;
    open_fixture(&f, &p);
    f.xp[1] = -1;
    assert_int_equal(solve(&f, 2), NEWTON_CONVERGED);
    f.x[0] = 0.5, f.x[1] = 1.5;
    f.xp[0] = -0.25, f.xp[1] = 0.125;
    assert_int_equal(solve(&f, 2), NEWTON_NONFINITE);
    assert_true(f.x[0] == 0.5 && f.x[1] == 1.5);
    assert_true(f.xp[0] == -0.25 && f.xp[1] == 0.125);
    assert_true(f.newton.lost == SIZE_MAX); /* no correction was */
    assert_int_equal(f.stats.jacobian_evals, 1);
    close_fixture(&f);
}

/* A prediction from which the solution for alpha lies d away. */
static void predict_at(fixture *f, double alpha, double d)
{
    f->x[0] = f->x[1] = 0.25;
    f->xp[0] = f->xp[1] = 0.75 - (1 + alpha) * d;
}

static void predict_near(fixture *f, double alpha)
{
    predict_at(f, alpha, 1e-5);
}

/* |r-1|/(r+1) is the worst contraction; beyond a third, new factors. */
static void factors_of_another_alpha_contract_as_promised(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, &linear_problem);
    assert_int_equal(solve(&f, 2), NEWTON_CONVERGED);
    predict_near(&f, 3);
    assert_int_equal(solve(&f, 3), NEWTON_CONVERGED);
    assert_int_equal(f.stats.factorizations, 1);
    assert_true(f.newton.rate > 0.05 && f.newton.rate <= 0.2 + 1e-6);
    CHECK_NEAR(f.d[0], 1e-5, 1e-7);
    predict_near(&f, 5);
    assert_int_equal(solve(&f, 5), NEWTON_CONVERGED);
    assert_int_equal(f.stats.factorizations, 2);
    assert_int_equal(f.stats.jacobian_evals, 1);
    CHECK_NEAR(f.d[0], 1e-5, 1e-9);
    close_fixture(&f);
}

/* x0' = x1, 0 = x0 + x1 - 1: a row without derivatives holds exactly. */
static dae_status constrained_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] - x[1];
    res[1] = 1000 * x[0] + x[1] - 1;
    return DAE_OK;
}

static void linear_constraints_hold_with_old_factors(void **state)
{
    (void)state;
    static const int64_t start[5] = {0, 1, 3, 4, 4};
    static const int32_t row[4] = {1, 0, 1, 0};
    static const dae_pattern pattern = {start, row, NULL};
    static const uint8_t orders[2] = {1, 0};
    const dae_problem p = {.unknown_count = 2,
        .order = orders,
        .residual = constrained_residual,
        .pattern = &pattern};
    fixture f;
    open_fixture(&f, &p);
    assert_true(f.newton.is_slope_row[0] && !f.newton.is_slope_row[1]);
    assert_int_equal(solve(&f, 2), NEWTON_CONVERGED);
    f.x[0] = 0, f.x[1] = 1.00001, f.xp[0] = 1;
    assert_int_equal(solve(&f, 3), NEWTON_CONVERGED);
    assert_int_equal(f.stats.factorizations, 1);
    CHECK_NEAR(1000 * f.x[0] + f.x[1] - 1, 0, 1e-9);
    close_fixture(&f);
}

/* x0' + 2 x0 - x1 = 1, and the same the other way round. */
static dae_status coupled_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + 2 * x[0] - x[1] - 1;
    res[1] = xp[1] + 2 * x[1] - x[0] - 1;
    return DAE_OK;
}

/* Of a quarter of a tolerance, where a rate of 0.2 asks for two iterations and the true one
 * for one. */
static void incomplete_factors_are_renewed_where_alpha_costs_iterations(
    void **state)
{
    (void)state;
    static const int64_t start[5] = {0, 2, 4, 5, 6};
    static const int32_t row[6] = {0, 1, 0, 1, 0, 1};
    static const uint8_t kind[6] = {2, 2, 2, 2, 2, 2};
    static const dae_pattern pattern = {start, row, kind};
    const dae_problem p = {
        .unknown_count = 2, .residual = coupled_residual, .pattern = &pattern};
    for (int is_iterated = 0; is_iterated < 2; is_iterated++) {
        fixture f;
        open_by(&f, &p, is_iterated ? DAE_LINEAR_GMRES : DAE_LINEAR_DENSE);
        assert_int_equal(solve(&f, 2), NEWTON_CONVERGED);
        assert_int_equal(iteration_is_inexact(f.matrix), is_iterated);
        for (int k = 0; k < 4; k++) {
            predict_at(&f, 3, 7e-8);
            assert_int_equal(solve(&f, 3), NEWTON_CONVERGED);
            CHECK_NEAR(f.d[0], 7e-8, 1e-8);
        }
        assert_int_equal(f.stats.factorizations, 1 + is_iterated);
        close_fixture(&f);
    }
}

static void kept_constants_are_not_evaluated_again(void **state)
{
    (void)state;
    static const int64_t start[5] = {0, 1, 3, 4, 4};
    static const int32_t row[4] = {1, 0, 1, 0};
    static const uint8_t kind[4] = {2, 2, 1, 2};
    static const dae_pattern pattern = {start, row, kind};
    const dae_problem p = {.unknown_count = 2,
        .residual = constrained_residual,
        .pattern = &pattern};
    fixture f;
    open_fixture(&f, &p);
    assert_true(f.newton.is_constant);
    assert_int_equal(solve(&f, 2), NEWTON_CONVERGED);
    f.newton.wants_jacobian = true;
    f.newton.age = 1000;
    assert_int_equal(solve(&f, 2), NEWTON_CONVERGED);
    assert_int_equal(f.stats.jacobian_evals, 1);
    close_fixture(&f);
}

/* x' + atan(50 x) = 0: far off, the old Jacobian is useless. */
static dae_status steep_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    int *calls = self;
    (void)t;
    if (calls) (*calls)++;
    res[0] = xp[0] + 1000 * atan(50 * x[0]);
    return DAE_OK;
}

static void a_useless_jacobian_is_a_divergence(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 1, .residual = steep_residual};
    fixture f;
    open_fixture(&f, &p);
    f.x[0] = 10; /* flat there: Newton leaps far beyond the root */
    assert_int_equal(solve(&f, 1e-3), NEWTON_DIVERGED);
    assert_true(f.newton.is_fresh);
    close_fixture(&f);
}

static dae_status sqrt_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + sqrt(x[0]);
    return DAE_OK;
}

static void a_nan_is_caught_where_it_arises(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 1, .residual = sqrt_residual};
    fixture f;
    open_fixture(&f, &p);
    f.x[0] = -1;
    assert_int_equal(solve(&f, 10), NEWTON_NONFINITE);
    assert_true(f.x[0] == -1 && f.d[0] == 0);
    close_fixture(&f);
}

/* x' + sqrt(x) = 0 from a prediction beyond x >= 0: residual and Jacobian are
 * those at the bound, continued along the tangent. */
static dae_status sqrt_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    (void)self, (void)scope, (void)t, (void)xp;
    values[0] = 0.5 / sqrt(x[0]);
    values[1] = 1;
    return DAE_OK;
}

static void values_beyond_a_bound_are_continued_along_the_tangent(void **state)
{
    (void)state;
    const double zero = 0;
    const dae_scales scales = {.minimum = &zero};
    const dae_problem p = {.unknown_count = 1,
        .residual = sqrt_residual,
        .jacobian = sqrt_jacobian,
        .scales = &scales};
    fixture f;
    open_fixture(&f, &p);
    f.x[0] = -1e-3, f.xp[0] = 0.01;
    assert_int_equal(solve(&f, 10), NEWTON_CONVERGED);
    /* no derivative at 0: it is taken one tolerance, 1e-8 + 1e-6 1e-3, inside;
     * 0.01 + 10 d + slope (-1e-3 + d) = 0, still beyond */
    double slope = 0.5 / sqrt(1e-8 + 1e-9);
    CHECK_NEAR(f.d[0], (1e-3 * slope - 0.01) / (10 + slope), 1e-12);
    assert_true(f.x[0] < 0);
    CHECK_NEAR(f.x[0], -1e-3 + f.d[0], 1e-18);
    CHECK_NEAR(f.xp[0], 0.01 + 10 * f.d[0], 1e-12);
    close_fixture(&f);
}

/* x' = -1 at x = 0 with x >= 0: the solution lies beyond the bound. */
static dae_status falling_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)x;
    res[0] = xp[0] + 1;
    return DAE_OK;
}

static void a_solution_beyond_a_bound_shows_by_how_much(void **state)
{
    (void)state;
    const double zero = 0;
    const dae_scales scales = {.minimum = &zero};
    const dae_problem p = {
        .unknown_count = 1, .residual = falling_residual, .scales = &scales};
    fixture f;
    size_t which = 7;
    open_fixture(&f, &p);
    assert_int_equal(solve(&f, 1), NEWTON_CONVERGED);
    CHECK_NEAR(f.x[0], -1, 1e-6);
    double off = bounds_excess(&f.newton.bounds, f.x, f.weights.plain, &which);
    CHECK_NEAR(off, -f.x[0] * f.weights.plain[0], 1e-6 * off);
    assert_int_equal(which, 0);
    bounds_clip(&f.newton.bounds, f.x);
    assert_true(f.x[0] == 0);
    close_fixture(&f);
}

static dae_status stop_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)x, (void)xp, (void)res;
    return DAE_LIMIT;
}

static void a_callback_that_stops_stops(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 1, .residual = stop_residual};
    fixture f;
    open_fixture(&f, &p);
    assert_int_equal(solve(&f, 1), NEWTON_STOPPED);
    assert_int_equal(f.newton.status, DAE_LIMIT);
    close_fixture(&f);
}

/* x + 10^8 y = 10^8, y' = 0: rounding of 10^8 y moves x by 10^-8. */
static dae_status noisy_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0];
    res[1] = x[1] + 1e8 * x[0] - 1e8;
    return DAE_OK;
}

static void noise_is_the_rounding_of_the_equations(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 2, .residual = noisy_residual};
    fixture f;
    double noise[2];
    open_fixture(&f, &p);
    f.x[0] = 1, f.x[1] = 1e7;
    newton_task task = {.alpha = 1,
        .h = 1,
        .x = f.x,
        .xp = f.xp,
        .d = f.d,
        .weights = &f.weights,
        .error_constant = 1};
    newton_noise(&f.newton, &task, noise);
    assert_true(noise[0] == 0 && noise[1] == 0); /* no factors yet */
    solve(&f, 1);
    f.x[1] = 1e7;
    newton_noise(&f.newton, &task, noise);
    assert_true(noise[1] > 1e-8 && noise[1] < 1e-7);
    close_fixture(&f);
}

/* x0 = 1 and x1 = 1e-3 x0': the rounding of x0 divided by the step. */
static dae_status slope_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = x[0] - 1;
    res[1] = x[1] - 1e-3 * xp[0];
    return DAE_OK;
}

/* x0 = 1 and a sum and a difference that cannot be told apart: no step helps. */
static dae_status close_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = x[0] + x[1] - 1;
    res[1] = x[0] + (1 + 1e-5) * x[1] - 1;
    (void)xp;
    return DAE_OK;
}

static double noise_of_second(dae_residual_fn *residual, double alpha)
{
    const dae_problem p = {.unknown_count = 2, .residual = residual};
    fixture f;
    double noise[2];
    open_fixture(&f, &p);
    f.x[0] = 1;
    assert_int_equal(solve(&f, alpha), NEWTON_CONVERGED);
    newton_task task = {.alpha = alpha,
        .h = 1 / alpha,
        .x = f.x,
        .xp = f.xp,
        .d = f.d,
        .weights = &f.weights,
        .error_constant = 1};
    newton_noise(&f.newton, &task, noise);
    close_fixture(&f);
    return noise[1];
}

static void noise_of_short_steps_counts_and_that_of_bad_matrices_does_not(
    void **state)
{
    (void)state;
    /* eps |x0| twice (x0 and the 1 are each that large), 1e-3, alpha */
    for (double alpha = 1e8; alpha < 1e13; alpha *= 10) {
        const double noise = noise_of_second(slope_residual, alpha);
        const double known = DBL_EPSILON * 1e-3 * alpha;
        assert_true(noise > 0.5 * known && noise < 4 * known);
    }
    /* a tenth of a percent of the largest value at most */
    CHECK_NEAR(noise_of_second(slope_residual, 1e17), 1e-3, 1e-12);
    CHECK_NEAR(noise_of_second(close_residual, 1e8), 64 * DBL_EPSILON, 1e-20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            noise_of_short_steps_counts_and_that_of_bad_matrices_does_not),
        cmocka_unit_test(a_linear_problem_takes_two_solves_at_most),
        cmocka_unit_test(a_point_without_a_value_stays_as_it_is),
        cmocka_unit_test(factors_of_another_alpha_contract_as_promised),
        cmocka_unit_test(linear_constraints_hold_with_old_factors),
        cmocka_unit_test(
            incomplete_factors_are_renewed_where_alpha_costs_iterations),
        cmocka_unit_test(kept_constants_are_not_evaluated_again),
        cmocka_unit_test(a_useless_jacobian_is_a_divergence),
        cmocka_unit_test(a_nan_is_caught_where_it_arises),
        cmocka_unit_test(values_beyond_a_bound_are_continued_along_the_tangent),
        cmocka_unit_test(a_solution_beyond_a_bound_shows_by_how_much),
        cmocka_unit_test(a_callback_that_stops_stops),
        cmocka_unit_test(noise_is_the_rounding_of_the_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

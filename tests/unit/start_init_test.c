/* Consistent starts of small problems whose solutions are known. */
#include "unit/start_start_support.h"

/* Robertson's kinetics with the mass balance for the third species. */
static dae_status robertson(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + 0.04 * x[0] - 1e4 * x[1] * x[2];
    res[1] = xp[1] - 0.04 * x[0] + 1e4 * x[1] * x[2] + 3e7 * x[1] * x[1];
    res[2] = x[0] + x[1] + x[2] - 1;
    return DAE_OK;
}

static void test_robertson_determined(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 3, robertson);
    f.order[2] = 0;
    fix(&f, 0, 0.9);
    fix(&f, 1, 1e-5);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[2], 1 - 0.9 - 1e-5, 1e-13);
    CHECK_NEAR(f.xp[0], -0.04 * 0.9 + 1e4 * 1e-5 * f.x[2], 1e-12);
    CHECK_NEAR(f.xp[1], -f.xp[0] - 3e7 * 1e-10, 1e-11);
    assert_int_equal(f.report.degrees_missing, 0);
    assert_int_equal(f.report.redundant, 0);
    assert_int_equal(f.report.conditions, 2);
    assert_int_equal(dae_diagnostics_count(f.ds), 0);
    assert_true(f.report.residual <= 1);
    fixture_clear(&f);
}

static void test_robertson_one_missing(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 3, robertson);
    f.order[2] = 0;
    fix(&f, 0, 1);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.report.degrees_missing, 1);
    assert_true(says(&f, "W0404", "1 initial condition missing"));
    CHECK_NEAR(f.x[1] + f.x[2], 0, 1e-14);
    fixture_clear(&f);
}

static void test_robertson_all_given(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 3, robertson);
    f.order[2] = 0;
    fix(&f, 0, 1);
    fix(&f, 1, 0);
    fix(&f, 2, 0);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.report.redundant, 1);
    assert_true(says(&f, "N0407", "1 redundant initial condition"));
    fixture_clear(&f);
}

/* An ODE with guesses only keeps them. */
static dae_status decay(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + 1e6 * x[0];
    return DAE_OK;
}

static void test_guess_of_a_state_is_kept(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 1, decay);
    f.x[0] = 3;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[0], 3, 0);
    CHECK_NEAR(f.xp[0], -3e6, 1e-3);
    assert_int_equal(f.report.degrees_missing, 1);
    assert_true(says(&f, "W0404", "`x[1]` = 3"));
    fixture_clear(&f);
}

/* A steady start: x' given, x not. */
static dae_status logistic(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] - x[0] * (2 - x[0]);
    res[1] = xp[1] - x[0] + x[1];
    return DAE_OK;
}

static void test_steady_start(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, logistic);
    f.x[0] = 1.5;
    f.xp_fixed[0] = f.xp_fixed[1] = 1;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[0], 2, 1e-13);
    CHECK_NEAR(f.x[1], 2, 1e-13);
    assert_int_equal(f.report.degrees_missing, 0);
    fixture_clear(&f);
}

/* y'' = -g - d y'|y'|, one unknown of order 2. */
static dae_status fall(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = 2 * xp[0] + 2 * 9.81 + 0.1 * x[1] * fabs(x[1]) + 0 * x[0];
    return DAE_OK;
}

static void test_second_order(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 1, fall);
    f.order[0] = 2;
    fix(&f, 0, 100);
    fix(&f, 1, -3);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.xp[0], -9.81 + 0.45, 1e-13);
    assert_int_equal(f.report.degrees_missing, 0);
    assert_int_equal(f.report.conditions, 2);
    fixture_clear(&f);
}

/* Pendulum in its angle, with the height as an algebraic unknown:
 * l phi'' + g sin(phi) = 0, y + l cos(phi) = 0. */
static dae_status pendulum(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = 2 * xp[0] + 9.81 * sin(x[0]);
    res[1] = x[2] + 2 * cos(x[0]);
    return DAE_OK;
}

/* The height is given instead of the angle; the guess picks the side. */
static void test_pendulum_from_its_height(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, pendulum);
    f.order[0] = 2;
    f.order[1] = 0;
    f.x[0] = -0.5;
    fix(&f, 1, 0.25);
    fix(&f, 2, -sqrt(3.0));
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[0], -acos(sqrt(3.0) / 2), 1e-12);
    CHECK_NEAR(f.xp[0], 9.81 / 4, 1e-11);
    fixture_clear(&f);
}

/* The derivatives at the usual start, from the differentiated sums of the
 * rows that a capacitor couples. */
static void transistor_rates(double *xp)
{
    const double uf = 0.026, al = 0.99, be = 1e-6, r0 = 1000, r = 9000;
    const double uep = 0.1 * 200 * 3.14159265358979323846, d = be / uf;
    const double a = 2 / r + (1 - al) * d;
    xp[2] = -3 / (r * 2e-6);
    xp[5] = -3 / (r * 4e-6);
    xp[0] = xp[1] = (uep / r0 + (1 - al) * d * xp[2]) / (1 / r0 + a);
    xp[3] = xp[4] = (-al * d * (xp[1] - xp[2]) + (1 - al) * d * xp[5])
        / (1 / r + a);
    xp[6] = xp[7] = (-al * d * (xp[4] - xp[5])) / (2 / r);
}

static void test_transistor_derivatives(void **state)
{
    (void)state;
    fixture f;
    double xp[8];
    transistor_start(&f, true);
    transistor_rates(xp);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    for (size_t j = 0; j < 8; j++)
        CHECK_NEAR(f.xp[j], xp[j], 1e-5 * (1 + fabs(xp[j])));
    assert_int_equal(f.report.degrees_missing, 0);
    assert_int_equal(f.report.redundant, 3);
    fixture_clear(&f);
}

/* Guesses only: five conditions are missing, not eight, and the three
 * algebraic sums are satisfied. */
static void test_transistor_guesses(void **state)
{
    (void)state;
    fixture f;
    double res[8];
    transistor_start(&f, false);
    f.x[0] = 0.3;
    f.x[3] = 5;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.report.degrees_missing, 5);
    CHECK_STATUS(transistor(NULL, 0, f.x, f.xp, res), DAE_OK);
    for (size_t i = 0; i < 8; i++) CHECK_NEAR(res[i], 0, 1e-12);
    fixture_clear(&f);
}

/* dF/d(slot) by columns: eight of x, eight of xp, eight rows each. */
static dae_status transistor_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    const double uf = 0.026, al = 0.99, be = 1e-6, r0 = 1000, r = 9000;
    const double d1 = be / uf * exp((x[1] - x[2]) / uf);
    const double d2 = be / uf * exp((x[4] - x[5]) / uf);
    (void)self;
    (void)scope;
    (void)t;
    (void)xp;
    memset(v, 0, 128 * sizeof *v);
    v[0] = -1 / r0;
    v[8 + 1] = -2 / r - (1 - al) * d1;
    v[16 + 1] = (1 - al) * d1;
    v[8 + 2] = d1;
    v[16 + 2] = -1 / r - d1;
    v[24 + 3] = -1 / r;
    v[8 + 3] = -al * d1;
    v[16 + 3] = al * d1;
    v[32 + 4] = -2 / r - (1 - al) * d2;
    v[40 + 4] = (1 - al) * d2;
    v[32 + 5] = d2;
    v[40 + 5] = -1 / r - d2;
    v[48 + 6] = -1 / r;
    v[32 + 6] = -al * d2;
    v[40 + 6] = al * d2;
    v[56 + 7] = -1 / r;
    const size_t from[] = {0, 3, 6};
    for (size_t k = 0; k < 3; k++) {
        const size_t a = from[k], b = a + 1;
        const double c = (double)(2 * k + 1) * 1e-6;
        v[8 * (8 + a) + a] = v[8 * (8 + b) + b] = -c;
        v[8 * (8 + b) + a] = v[8 * (8 + a) + b] = c;
    }
    v[8 * (8 + 2) + 2] = -2e-6;
    v[8 * (8 + 5) + 5] = -4e-6;
    return DAE_OK;
}

static void test_transistor_with_its_jacobian(void **state)
{
    (void)state;
    fixture f;
    double xp[8];
    transistor_rates(xp);
    transistor_start(&f, true);
    f.problem.jacobian = transistor_jacobian;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    for (size_t j = 0; j < 8; j++)
        CHECK_NEAR(f.xp[j], xp[j], 1e-7 * (1 + fabs(xp[j])));
    assert_int_equal(f.report.redundant, 3);
    fixture_clear(&f);
    /* five given values determine the other three */
    transistor_start(&f, true);
    f.problem.jacobian = transistor_jacobian;
    f.x_fixed[1] = f.x_fixed[4] = f.x_fixed[7] = 0;
    f.x[1] = 2.9;
    f.x[4] = 3.05;
    f.x[7] = 0.1;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[1], 3, 1e-9);
    CHECK_NEAR(f.x[4], 3, 1e-9);
    CHECK_NEAR(f.x[7], 0, 1e-9);
    for (size_t j = 0; j < 8; j++)
        CHECK_NEAR(f.xp[j], xp[j], 1e-6 * (1 + fabs(xp[j])));
    assert_int_equal(f.report.degrees_missing, 0);
    assert_int_equal(f.report.redundant, 0);
    fixture_clear(&f);
}

/* x' + y' + x = 0, x + y = sin t + 3: dF/dx' has rank 1, by its pattern. */
static dae_status sum_of_rates(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    res[0] = xp[0] + xp[1] * x[1] + x[0];
    res[1] = x[0] + x[1] - sin(t) - 3;
    return DAE_OK;
}

static void test_rates_open_by_pattern(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, sum_of_rates);
    fix(&f, 0, 1);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[1], 2, 1e-14);
    /* xp0 + 2 xp1 = -1, xp0 + xp1 = 1 */
    CHECK_NEAR(f.xp[1], -2, 1e-6);
    CHECK_NEAR(f.xp[0], 3, 1e-6);
    CHECK_NEAR(f.xp[0] + 2 * f.xp[1], -1, 1e-8);
    assert_int_equal(f.report.degrees_missing, 0);
    fixture_clear(&f);
}

static void test_least_change(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 3, line);
    f.order[1] = f.order[2] = 0;
    f.x[0] = 1;
    f.x[1] = 2;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    /* changes 3 in all, in the ratio of the squared sizes 1 : 4 */
    CHECK_NEAR(f.x[0], 1 + 0.6, 1e-6);
    CHECK_NEAR(f.x[1], 2 + 2.4, 1e-6);
    CHECK_NEAR(f.x[2], 1, 1e-12);
    CHECK_NEAR(f.xp[0], f.x[1], 1e-9);
    assert_int_equal(f.report.degrees_missing, 1);
    fixture_clear(&f);
}

static dae_status circle(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = x[0] * x[0] + x[1] * x[1] - 1;
    res[1] = xp[0] - x[1];
    return DAE_OK;
}

/* The nearest point of a circle, which Newton's steps alone miss. */
static void test_least_change_on_a_curve(void **state)
{
    (void)state;
    fixture f;
    double nominal[2] = {4, 4};
    fixture_init(&f, 2, circle);
    f.order[1] = 0;
    f.scales.nominal = nominal;
    f.x[0] = 3;
    f.x[1] = 0.75;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[0] * f.x[0] + f.x[1] * f.x[1], 1, 1e-9);
    CHECK_NEAR(f.x[1] / f.x[0], 0.25, 1e-3);
    fixture_clear(&f);
}

static void test_bounds_pick_the_branch(void **state)
{
    (void)state;
    const double guess[] = {0.1, 10, 0, -5};
    for (size_t k = 0; k < 4; k++) {
        fixture f;
        fixture_init(&f, 2, dimer);
        f.order[1] = 0;
        f.minimum[1] = guess[k] == 0 ? 0.1 : 0; /* excludes the default */
        fix(&f, 0, 1);
        f.x[1] = guess[k];
        CHECK_STATUS(fixture_run(&f), DAE_OK);
        CHECK_NEAR(f.x[1], 0.125, 1e-12);
        if (guess[k] < 0) assert_true(says(&f, "N0406", "x[2] ~ -5"));
        else assert_int_equal(dae_diagnostics_count(f.ds), 0);
        fixture_clear(&f);
    }
}

/* The matrix is singular at the guess only. */
static void test_singular_guess(void **state)
{
    (void)state;
    fixture f;
    double value = 4;
    fixture_init(&f, 1, square_is);
    f.problem.self = &value;
    f.order[0] = 0;
    f.minimum[0] = 0;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[0], 2, 1e-12);
    fixture_clear(&f);
}

/* x'^2 = x: singular at the guess x' = 0, and a guess picks the branch. */
static dae_status implicit_rate(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] * xp[0] - x[0];
    return DAE_OK;
}

static void test_branch_of_a_derivative(void **state)
{
    (void)state;
    const double guess[] = {0, 1, -1}, expected[] = {2, 2, -2};
    for (size_t k = 0; k < 3; k++) {
        fixture f;
        fixture_init(&f, 1, implicit_rate);
        fix(&f, 0, 4);
        f.xp[0] = guess[k];
        CHECK_STATUS(fixture_run(&f), DAE_OK);
        CHECK_NEAR(f.xp[0], expected[k], 1e-10);
        fixture_clear(&f);
    }
}

static int always(void *context)
{
    (void)context;
    return 1;
}

static void test_interrupt(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 1, decay);
    fix(&f, 0, 1);
    f.interrupt = always;
    CHECK_STATUS(fixture_run(&f), DAE_INTERRUPTED);
    CHECK_NEAR(f.xp[0], 0, 0);
    fixture_clear(&f);
}

static void test_general_conditions(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, oscillator);
    f.start.condition_count = 2;
    f.start.condition_residual = two_conditions;
    f.use_conditions = true;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[0], 1, 1e-12);
    CHECK_NEAR(f.x[1], 2, 1e-12);
    CHECK_NEAR(f.xp[0], 1, 1e-12);
    CHECK_NEAR(f.xp[1], 1, 1e-12);
    assert_int_equal(f.report.conditions, 2);
    assert_int_equal(f.report.degrees_missing, 0);
    fixture_clear(&f);
}

/* Every allocation may fail; nothing leaks and the answer stays the same. */
static void test_memory_runs_out(void **state)
{
    (void)state;
    for (int is_given = 0; is_given < 2; is_given++) {
        dae_status st = DAE_MEMORY;
        for (size_t n = 0; st == DAE_MEMORY; n++) {
            fixture f;
            failing_memory memory;
            transistor_start(&f, is_given);
            f.x[3] += is_given ? 0 : 0.1;
            failing_init(&memory, n);
            f.allocator = &memory.allocator;
            st = fixture_run(&f);
            assert_true(st == DAE_OK || st == DAE_MEMORY);
            assert_int_equal(memory.live, 0);
            assert_true(n < 1000);
            fixture_clear(&f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_robertson_determined),
        cmocka_unit_test(test_robertson_one_missing),
        cmocka_unit_test(test_robertson_all_given),
        cmocka_unit_test(test_guess_of_a_state_is_kept),
        cmocka_unit_test(test_steady_start),
        cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_pendulum_from_its_height),
        cmocka_unit_test(test_transistor_derivatives),
        cmocka_unit_test(test_transistor_guesses),
        cmocka_unit_test(test_rates_open_by_pattern),
        cmocka_unit_test(test_least_change),
        cmocka_unit_test(test_least_change_on_a_curve),
        cmocka_unit_test(test_bounds_pick_the_branch),
        cmocka_unit_test(test_singular_guess),
        cmocka_unit_test(test_general_conditions),
        cmocka_unit_test(test_transistor_with_its_jacobian),
        cmocka_unit_test(test_branch_of_a_derivative),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

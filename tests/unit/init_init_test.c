/* Consistent starts of small problems whose solutions are known. */
#include "base/source.h"
#include "check.h"
#include "init/init.h"

enum { MOST = 32 };

/* A problem with its start, filled by each test. */
typedef struct fixture {
    dae_problem problem;
    dae_scales scales;
    dae_start start;
    uint8_t order[MOST];
    double minimum[MOST], maximum[MOST];
    double x[MOST], xp[MOST], atol[MOST];
    uint8_t x_fixed[MOST], xp_fixed[MOST];
    double rtol;
    bool use_conditions;
    dae_start_report report;
    dae_stats stats;
    dae_diagnostics *ds;
    const dae_allocator *allocator;
    dae_interrupt_fn *interrupt;
} fixture;

static void fixture_init(fixture *f, size_t n, dae_residual_fn *residual)
{
    memset(f, 0, sizeof *f);
    f->problem.unknown_count = n;
    f->problem.residual = residual;
    f->problem.order = f->order;
    f->problem.scales = &f->scales;
    f->problem.start = &f->start;
    f->scales.minimum = f->minimum;
    f->scales.maximum = f->maximum;
    f->rtol = 1e-8;
    for (size_t k = 0; k < MOST; k++) {
        f->order[k] = 1;
        f->minimum[k] = -(double)INFINITY;
        f->maximum[k] = (double)INFINITY;
        f->atol[k] = 1e-10;
    }
    CHECK_STATUS(dae_diagnostics_create(NULL, &f->ds), DAE_OK);
}

static dae_status fixture_run(fixture *f)
{
    layout l;
    dae_status st = layout_init(&l, &f->problem, f->allocator);
    if (st) return st;
    const init_request r = {.problem = &f->problem,
        .layout = &l,
        .t0 = 0,
        .rtol = f->rtol,
        .atol = f->atol,
        .x_fixed = f->x_fixed,
        .xp_fixed = f->xp_fixed,
        .use_conditions = f->use_conditions,
        .allocator = f->allocator,
        .ds = f->ds,
        .interrupt = f->interrupt};
    st = init_consistent(&r, f->x, f->xp, &f->report, &f->stats);
    layout_clear(&l);
    return st;
}

static void fix(fixture *f, size_t k, double value)
{
    f->x[k] = value;
    f->x_fixed[k] = 1;
}

static bool says(const fixture *f, const char *code, const char *text)
{
    for (size_t i = 0; i < dae_diagnostics_count(f->ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(f->ds, i);
        if (strcmp(d->code, code) != 0) continue;
        if (strstr(d->message, text) || (d->help && strstr(d->help, text)))
            return true;
    }
    for (size_t i = 0; i < dae_diagnostics_count(f->ds); i++)
        print_error("%s: %s [%s]\n", dae_diagnostics_at(f->ds, i)->code,
            dae_diagnostics_at(f->ds, i)->message,
            dae_diagnostics_at(f->ds, i)->help);
    return false;
}

static void fixture_clear(fixture *f)
{
    dae_diagnostics_free(f->ds);
}

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
    assert_true(says(&f, "W0404", "1 initial condition too few"));
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
    assert_true(says(&f, "N0407", "1 initial condition follows"));
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
    CHECK_NEAR(f.xp[0], -3e6, 1e-8);
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

/* Transistor amplifier [MI03]: M x' = f(t, x), M of rank 5 of 8. */
static dae_status transistor(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const double ub = 6, uf = 0.026, al = 0.99, be = 1e-6, r0 = 1000, r = 9000;
    const double ue = 0.1 * sin(200 * 3.14159265358979323846 * t);
    const double g1 = be * expm1((x[1] - x[2]) / uf);
    const double g2 = be * expm1((x[4] - x[5]) / uf);
    (void)self;
    const double d1 = 1e-6 * (xp[1] - xp[0]), d3 = 3e-6 * (xp[4] - xp[3]),
                 d5 = 5e-6 * (xp[7] - xp[6]);
    res[0] = d1 - (x[0] - ue) / r0;
    res[1] = -d1 - (x[1] / r + (x[1] - ub) / r + (1 - al) * g1);
    res[2] = -2e-6 * xp[2] - (x[2] / r - g1);
    res[3] = d3 - ((x[3] - ub) / r + al * g1);
    res[4] = -d3 - (x[4] / r + (x[4] - ub) / r + (1 - al) * g2);
    res[5] = -4e-6 * xp[5] - (x[5] / r - g2);
    res[6] = d5 - ((x[6] - ub) / r + al * g2);
    res[7] = -d5 - x[7] / r;
    return DAE_OK;
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

static void transistor_start(fixture *f, bool is_given)
{
    const double x[8] = {0, 3, 3, 6, 3, 3, 6, 0};
    fixture_init(f, 8, transistor);
    for (size_t j = 0; j < 8; j++) {
        f->x[j] = x[j];
        f->x_fixed[j] = is_given;
        f->atol[j] = 1e-8;
    }
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

static void test_transistor_inconsistent(void **state)
{
    (void)state;
    fixture f;
    transistor_start(&f, true);
    f.x[3] = 5;
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    assert_true(says(&f, "E0401", "contradict the initial conditions"));
    assert_int_equal(dae_diagnostics_count(f.ds), 1);
    CHECK_NEAR(f.x[3], 5, 0);
    CHECK_NEAR(f.xp[2], 0, 0); /* left as it was */
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

static dae_status sum_is_three(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = x[0] + x[1] - 3;
    res[1] = xp[0] - x[1];
    return DAE_OK;
}

static size_t sum_names(
    void *self, dae_name_kind kind, size_t index, char *text, size_t size)
{
    static const char *const equation[] = {"balance", "growth"};
    static const char *const unknown[] = {"x", "y"};
    (void)self;
    return (size_t)snprintf(text, size, "%s",
        kind == DAE_NAME_UNKNOWN ? unknown[index] : equation[index]);
}

static void test_contradiction_is_named(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, sum_is_three);
    f.problem.name = sum_names;
    f.order[1] = 0;
    fix(&f, 0, 1);
    fix(&f, 1, 1);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    assert_true(says(&f, "E0401",
        "`balance` contradicts the initial conditions `x = 1`, `y = 1`"));
    fixture_clear(&f);
}

/* A condition right to within rtol of the terms holds. */
static void test_rounded_condition_holds(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, sum_is_three);
    f.rtol = 1e-6;
    f.order[1] = 0;
    fix(&f, 0, 1);
    fix(&f, 1, 2.000001);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.report.redundant, 1);
    fixture_clear(&f);
    fixture_init(&f, 2, sum_is_three);
    f.rtol = 1e-6;
    f.order[1] = 0;
    fix(&f, 0, 1);
    fix(&f, 1, 2.00001);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    fixture_clear(&f);
}

/* Underdetermined: the nearest point of a line to the guesses, each change
 * measured by the size of its guess. */
static dae_status line(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = x[0] + x[1] - 6;
    res[1] = 0 * x[0] + x[2] - 1;
    res[2] = xp[0] - x[1];
    return DAE_OK;
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

/* An equilibrium with one positive root. */
static dae_status dimer(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = 2 * 30 * x[1] * x[1] + 0.5 * x[1] - x[0];
    res[1] = xp[0] + x[1];
    return DAE_OK;
}

static void test_bounds_pick_the_branch(void **state)
{
    (void)state;
    const double guess[] = {0.1, 10, 0, -5};
    for (size_t k = 0; k < 4; k++) {
        fixture f;
        fixture_init(&f, 2, dimer);
        f.order[1] = 0;
        f.minimum[1] = 0;
        fix(&f, 0, 1);
        f.x[1] = guess[k];
        CHECK_STATUS(fixture_run(&f), DAE_OK);
        CHECK_NEAR(f.x[1], 0.125, 1e-12);
        if (guess[k] < 0) assert_true(says(&f, "N0406", "x[2] ~ -5"));
        else assert_int_equal(dae_diagnostics_count(f.ds), 0);
        fixture_clear(&f);
    }
}

static void test_condition_beyond_bounds(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, dimer);
    f.order[1] = 0;
    f.maximum[0] = 0.5;
    fix(&f, 0, 1);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    assert_true(says(&f, "E0405", "above its maximum"));
    fixture_clear(&f);
}

static dae_status square_is(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const double *value = self;
    (void)t;
    (void)xp;
    res[0] = x[0] * x[0] - *value;
    return DAE_OK;
}

static void test_no_real_solution(void **state)
{
    (void)state;
    const double guess[] = {0, 1, -7, 1e-3};
    for (size_t k = 0; k < 4; k++) {
        fixture f;
        double value = -1;
        fixture_init(&f, 1, square_is);
        f.problem.self = &value;
        f.order[0] = 0;
        f.x[0] = guess[k];
        CHECK_STATUS(fixture_run(&f), DAE_NUMERIC);
        assert_true(says(&f, "E0402", "`equation 1` keeps a residual"));
        CHECK_NEAR(f.x[0], guess[k], 0);
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

/* A chain in which the second link has no solution: it is named, not the
 * third, which has none without it. */
static dae_status chain(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = x[1] * x[2] - x[0] - 3; /* waits for x[1] and x[2] */
    res[1] = x[1] * x[1] - 4;
    res[2] = x[2] * x[2] - 2 * x[2] + x[1];
    return DAE_OK;
}

static void test_failing_block_is_named(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 3, chain);
    f.order[0] = f.order[1] = f.order[2] = 0;
    f.x[1] = 3;
    f.x[2] = 5;
    CHECK_STATUS(fixture_run(&f), DAE_NUMERIC);
    assert_true(says(&f, "E0402", "`equation 3` keeps a residual"));
    assert_true(says(&f, "E0402", "(one equation for one unknown"));
    assert_true(says(&f, "E0402", "(guess 5)"));
    fixture_clear(&f);
    /* from a negative x[1] it has one */
    fixture_init(&f, 3, chain);
    f.order[0] = f.order[1] = f.order[2] = 0;
    f.x[1] = -3;
    f.x[2] = 5;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[2], 1 + sqrt(3.0), 1e-12);
    CHECK_NEAR(f.x[0], -2 * f.x[2] - 3, 1e-12);
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
        CHECK_NEAR(f.xp[0], expected[k], 1e-12);
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

static dae_status logarithm(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = log(x[0]) - 2;
    return DAE_OK;
}

static size_t explain_logarithm(void *self, size_t equation, double t,
    const double *x, const double *xp, char *text, size_t size)
{
    (void)self;
    (void)t;
    (void)xp;
    return (size_t)snprintf(text, size, "row %zu: log(%g)", equation, x[0]);
}

static void test_no_value_at_the_start(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 1, logarithm);
    f.problem.explain = explain_logarithm;
    f.order[0] = 0;
    f.x[0] = -1;
    CHECK_STATUS(fixture_run(&f), DAE_NUMERIC);
    assert_true(says(&f, "E0403", "`equation 1` has no value"));
    fixture_clear(&f);
}

/* Newton's first step leaves the domain: it is shortened. */
static void test_step_back_into_the_domain(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 1, logarithm);
    f.order[0] = 0;
    f.x[0] = 100;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[0], exp(2), 1e-9);
    fixture_clear(&f);
}

/* General conditions: x + 2 y = 5 and x' = 1 for x' = y - x, y' = x. */
static dae_status oscillator(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] - x[1] + x[0];
    res[1] = xp[1] - x[0];
    return DAE_OK;
}

static dae_status two_conditions(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const double *third = self;
    (void)t;
    res[0] = x[0] + 2 * x[1] - 5;
    res[1] = xp[0] - 1;
    if (third) res[2] = x[1] - *third;
    return DAE_OK;
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

static void test_too_many_conditions(void **state)
{
    (void)state;
    const double third[] = {2, 2.5};
    for (int k = 0; k < 2; k++) {
        fixture f;
        double value = third[k];
        fixture_init(&f, 2, oscillator);
        f.problem.self = &value;
        f.start.condition_count = 3;
        f.start.condition_residual = two_conditions;
        f.use_conditions = true;
        CHECK_STATUS(fixture_run(&f), k ? DAE_INCONSISTENT : DAE_OK);
        if (k) assert_true(says(&f, "E0401", "contradicts"));
        else assert_int_equal(f.report.redundant, 1);
        fixture_clear(&f);
    }
}

/* x' = -x, x + y + z = 2, 2 (x + y + z) = 5: no values of y and z satisfy
 * both, and none of x would help them. */
static dae_status sum_said_twice(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + x[0];
    res[1] = x[0] + x[1] + x[2] - 2;
    res[2] = 2 * x[0] + 2 * x[1] + 2 * x[2] - 5;
    return DAE_OK;
}

static void test_equations_contradict_each_other(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 3, sum_said_twice);
    f.order[1] = f.order[2] = 0;
    fix(&f, 0, 1);
    f.x[1] = 1;
    CHECK_STATUS(fixture_run(&f), DAE_NUMERIC);
    assert_int_equal(dae_diagnostics_count(f.ds), 1);
    assert_true(says(&f, "E0402",
        "equations `equation 2` and `equation 3` contradict each other"));
    assert_true(says(&f, "E0402", "no initial condition is to blame"));
    fixture_clear(&f);
}

/* x' + y' = -x, 2 x' + 2 y' = -2 x - y: y must be 0; x may be anything. */
static dae_status rates_said_twice(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + xp[1] + x[0];
    res[1] = 2 * xp[0] + 2 * xp[1] + 2 * x[0] + x[1];
    return DAE_OK;
}

static void test_only_the_condition_to_blame_is_named(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, rates_said_twice);
    fix(&f, 0, 1);
    fix(&f, 1, 1);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    assert_int_equal(dae_diagnostics_count(f.ds), 1);
    assert_string_equal(dae_diagnostics_at(f.ds, 0)->message,
        "equations `equation 1` and `equation 2` contradict the initial "
        "condition `x[2] = 1`");
    assert_true(says(&f, "E0401", "`x[2] ~ 1`"));
    fixture_clear(&f);
}

/* x^2 + y^2 = 1 and x + y = 5 have no solution, though for all that their
 * derivatives say at one point they could have: no claim of more. */
static dae_status circle_and_line(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = x[0] * x[0] + x[1] * x[1] - 1;
    res[1] = x[0] + x[1] - 5;
    return DAE_OK;
}

static void test_no_contradiction_by_one_point(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, circle_and_line);
    f.order[0] = f.order[1] = 0;
    f.x[0] = 1;
    CHECK_STATUS(fixture_run(&f), DAE_NUMERIC);
    assert_int_equal(dae_diagnostics_count(f.ds), 1);
    assert_true(says(&f, "E0402", "keeps a residual"));
    fixture_clear(&f);
}

/* x' = -x + z, y' = -y + w, z + w = x, 2 z + 2 w + x - y = 2 x: by pattern all
 * is determined, by the numbers z - w is open. */
static dae_status open_difference(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + x[0] - x[2];
    res[1] = xp[1] + x[1] - x[3];
    res[2] = x[2] + x[3] - x[0];
    res[3] = 2 * x[2] + 2 * x[3] + x[0] - x[1] - 2 * x[0];
    return DAE_OK;
}

static void test_what_numbers_leave_open_is_named(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 4, open_difference);
    f.order[2] = f.order[3] = 0;
    fix(&f, 0, 1);
    fix(&f, 1, 1);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_true(says(&f, "W0404",
        "1 initial condition too few; taken from guesses: `x[3]` = 0.5, "
        "`x[4]` = 0.5"));
    assert_true(says(&f, "W0404",
        "no constraint determines `x[3]` at the start: where no condition is "
        "meant for it, the index is above 1"));
    fixture_clear(&f);
}

/* The same with coefficients of which no multiple is exact: what elimination
 * leaves of the last row is rounding and determines nothing. */
static dae_status open_but_for_rounding(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + x[0] - x[2];
    res[1] = xp[1] + x[1] - x[3];
    res[2] = 0.1 * x[2] + 0.7 * x[3] - 0.8 * x[0];
    res[3] = 0.3 * x[2] + 2.1 * x[3] - 2.4 * x[0] + x[0] - x[1];
    return DAE_OK;
}

static void test_rounding_determines_nothing(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 4, open_but_for_rounding);
    f.order[2] = f.order[3] = 0;
    fix(&f, 0, 1);
    fix(&f, 1, 1);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.report.degrees_missing, 1);
    assert_true(says(&f, "W0404", "1 initial condition too few"));
    fixture_clear(&f);
}

/* Places: x is declared at 4, given by an init line at 20; y is declared and
 * given at 8; equations stand at 30 and 40. */
static int place_in_text(void *self, dae_name_kind kind, size_t index,
    const struct dae_source **source, uint32_t *begin, uint32_t *end)
{
    const uint32_t unknown[] = {4, 8}, equation[] = {30, 40};
    *source = self;
    if (kind == DAE_NAME_START && index == 1) return *source = NULL, 0;
    *begin = kind == DAE_NAME_START ? 20
        : kind == DAE_NAME_UNKNOWN  ? unknown[index]
                                    : equation[index];
    *end = *begin + 1;
    return 1;
}

static void test_places_of_given_values(void **state)
{
    (void)state;
    fixture f;
    arena memory;
    dae_source source;
    char text[51];
    memset(text, '.', 50);
    for (int k = 9; k < 50; k += 10) text[k] = '\n';
    arena_init(&memory, NULL, 0);
    CHECK_STATUS(source_init(&source, &memory, "m.dae", text, 50), DAE_OK);
    fixture_init(&f, 2, sum_is_three);
    f.problem.self = &source;
    f.problem.place = place_in_text;
    f.order[1] = 0;
    fix(&f, 0, 1);
    fix(&f, 1, 1);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    const dae_diagnostic *d = dae_diagnostics_at(f.ds, 0);
    assert_int_equal(d->span_count, 3);
    assert_int_equal(d->spans[0].line, 4); /* the equation */
    assert_int_equal(d->spans[1].line, 3); /* x: the init line */
    assert_int_equal(d->spans[1].column, 1);
    assert_int_equal(d->spans[2].line, 1); /* y: its declaration */
    assert_int_equal(d->spans[2].column, 9);
    fixture_clear(&f);
    /* a guess that stands in for a condition */
    fixture_init(&f, 2, sum_is_three);
    f.problem.self = &source;
    f.problem.place = place_in_text;
    f.order[1] = 0;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    d = dae_diagnostics_at(f.ds, 0);
    assert_string_equal(d->code, "W0404");
    assert_int_equal(d->span_count, 2);
    assert_int_equal(d->spans[0].line, 3);
    assert_int_equal(d->spans[1].column, 9);
    fixture_clear(&f);
    arena_clear(&memory);
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
        cmocka_unit_test(test_transistor_inconsistent),
        cmocka_unit_test(test_rates_open_by_pattern),
        cmocka_unit_test(test_contradiction_is_named),
        cmocka_unit_test(test_rounded_condition_holds),
        cmocka_unit_test(test_least_change),
        cmocka_unit_test(test_least_change_on_a_curve),
        cmocka_unit_test(test_bounds_pick_the_branch),
        cmocka_unit_test(test_condition_beyond_bounds),
        cmocka_unit_test(test_no_real_solution),
        cmocka_unit_test(test_singular_guess),
        cmocka_unit_test(test_no_value_at_the_start),
        cmocka_unit_test(test_step_back_into_the_domain),
        cmocka_unit_test(test_general_conditions),
        cmocka_unit_test(test_too_many_conditions),
        cmocka_unit_test(test_transistor_with_its_jacobian),
        cmocka_unit_test(test_failing_block_is_named),
        cmocka_unit_test(test_branch_of_a_derivative),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_equations_contradict_each_other),
        cmocka_unit_test(test_only_the_condition_to_blame_is_named),
        cmocka_unit_test(test_no_contradiction_by_one_point),
        cmocka_unit_test(test_what_numbers_leave_open_is_named),
        cmocka_unit_test(test_rounding_determines_nothing),
        cmocka_unit_test(test_places_of_given_values),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

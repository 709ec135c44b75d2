/* What is found out about starts of small systems made for one finding each. */
#include "unit/start_findings_support.h"

/* ---- one finding each ---------------------------------------------------------------- */

static const char *const few_slots[] = {"a", "b", "c", "d"};

static const char *const few_rows[] = {"e1", "e2", "e3", "e4"};

static void few_init(
    fixture *f, size_t n, size_t equations, dae_residual_fn *residual)
{
    fixture_init(f, n, equations, residual, NULL);
    f->problem.name = name_of;
    f->rows = few_rows;
    f->slots = few_slots;
}

static dae_status energy(
    void *self, double t, const double *z, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] * xp[0] / 2 + 2 * z[0] * z[0] - 2;
    return DAE_OK;
}

static dae_status energy_jacobian(void *self, dae_scope scope, double t,
    const double *z, const double *xp, double *values)
{
    (void)self;
    (void)scope;
    (void)t;
    values[0] = 4 * z[0];
    values[1] = xp[0];
    return DAE_OK;
}

/* x'^2/2 + 2 x^2 = 2 at x = 1.2: x'^2 = -1.76. */
static void test_no_real_speed(void **state)
{
    (void)state;
    for (int guess = 0; guess < 3; guess++) {
        fixture f;
        few_init(&f, 1, 0, energy);
        f.order[0] = 1;
        f.problem.jacobian = guess < 2 ? energy_jacobian : NULL;
        fix(&f, 0, 1.2);
        f.xp[0] = guess;
        CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
        CHECK_CONFLICT(&f, "e1 a");
        CHECK_NEAR(f.found.conflicts[0].residual, 0.88, 1e-5);
        assert_true(says(&f, "E0401", "`e1` with the initial condition"));
        fixture_clear(&f);
    }
}

static dae_status reactor(
    void *self, double t, const double *z, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = z[0] - 0.5 * z[1] - 60 * z[1] * z[1];
    return DAE_OK;
}

/* 60 B^2 + B/2 = A: for A = -1 nothing real, for B = -0.1 not A = 1. */
static void test_no_real_concentration(void **state)
{
    (void)state;
    fixture f;
    few_init(&f, 2, 1, reactor);
    fix(&f, 0, -1);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    CHECK_CONFLICT(&f, "e1 a");
    /* at B = -1/240 the right side is least */
    CHECK_NEAR(f.found.conflicts[0].residual, -1 + 1.0 / 960, 1e-6);
    assert_true(says(&f, "E0401", "no values were found"));
    fixture_clear(&f);
    few_init(&f, 2, 1, reactor);
    fix(&f, 0, 1);
    fix(&f, 1, -0.1);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    CHECK_CONFLICT(&f, "e1 a b");
    fixture_clear(&f);
}

static dae_status sphere(
    void *self, double t, const double *z, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = z[0] * z[0] + z[1] * z[1] + 1;
    return DAE_OK;
}

static void test_nothing_given_is_to_blame(void **state)
{
    (void)state;
    fixture f;
    few_init(&f, 2, 1, sphere);
    f.x[0] = 1;
    f.x[1] = 0.5;
    CHECK_STATUS(fixture_run(&f), DAE_NUMERIC);
    assert_int_equal(f.found.outcome, INIT_UNSOLVED);
    assert_true(says(&f, "E0402", "`e1`"));
    fixture_clear(&f);
}

/* A root elsewhere: a minimum of the residual's size proves nothing. */
static dae_status cubic(
    void *self, double t, const double *z, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = z[0] * z[0] * z[0] - 3 * z[0] + 3 + z[1];
    return DAE_OK;
}

static void test_minimum_with_a_root_elsewhere(void **state)
{
    (void)state;
    fixture f;
    few_init(&f, 2, 1, cubic);
    f.x[0] = 1.1;
    fix(&f, 1, 0);
    const dae_status st = fixture_run(&f);
    if (st == DAE_OK) /* found it: x^3 - 3 x + 3 = 0 */
        CHECK_NEAR(f.x[0], -2.1038034027355365, 1e-6);
    for (size_t i = 0; i < dae_diagnostics_count(f.ds); i++)
        assert_null(strstr(dae_diagnostics_at(f.ds, i)->message, "contradict"));
    fixture_clear(&f);
}

/* a = b, b = c, c = d with a, d and b given: a = 1, d = 2 would need three
 * equations, a = 1, b = 3 only one. */
static dae_status chain(
    void *self, double t, const double *z, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    for (size_t i = 0; i < 3; i++) res[i] = z[i] - z[i + 1];
    return DAE_OK;
}

static void test_smallest_of_two(void **state)
{
    (void)state;
    fixture f;
    few_init(&f, 4, 3, chain);
    fix(&f, 0, 1);
    fix(&f, 1, 3);
    fix(&f, 3, 2);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    CHECK_CONFLICT(&f, "e1 a b");
    fixture_clear(&f);
    few_init(&f, 4, 3, chain);
    fix(&f, 0, 1);
    fix(&f, 3, 2);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    CHECK_CONFLICT(&f, "e1 e2 e3 a d");
    fixture_clear(&f);
}

/* x x' = -y at x = 0, y = 1: x is needed for the contradiction although its
 * derivative, x', happens to be 0. */
static dae_status mass(
    void *self, double t, const double *z, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = z[0] * xp[0] + z[1];
    res[1] = xp[1] - 1;
    return DAE_OK;
}

static void test_product_that_vanishes(void **state)
{
    (void)state;
    fixture f;
    few_init(&f, 2, 0, mass);
    f.order[0] = f.order[1] = 1;
    fix(&f, 0, 0);
    fix(&f, 1, 1);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    CHECK_CONFLICT(&f, "e1 a b");
    fixture_clear(&f);
}

/* Two equations that say the same, and a multiplier shared by two slots: c + d
 * is determined, neither is. */
static dae_status shared(
    void *self, double t, const double *z, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = z[0] - z[1];
    res[1] = 2 * z[0] - 2 * z[1];
    res[2] = z[2] + z[3] - z[0];
    return DAE_OK;
}

static void test_undetermined_is_not_missing(void **state)
{
    (void)state;
    fixture f;
    few_init(&f, 4, 3, shared);
    f.has_masks = true;
    f.may_be_given[0] = f.may_be_given[1] = 1;
    f.is_inner[2] = f.is_inner[3] = 1;
    fix(&f, 0, 1);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.found.missing, 0);
    CHECK_SLOTS(&f, undetermined, "c d");
    CHECK_SLOTS(&f, open, "c d");
    assert_int_equal(f.found.could_fix_count, 0);
    assert_int_equal(f.found.singular_count, 0);
    CHECK_NEAR(f.x[2] + f.x[3], 1, 1e-9);
    fixture_clear(&f);
    few_init(&f, 4, 3, shared); /* nothing inner: c or d is missing, too */
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.found.missing, 2);
    assert_int_equal(f.found.undetermined_count, 0);
    CHECK_SLOTS(&f, open, "a b c d");
    fixture_clear(&f);
}

/* Two lines that cross at the origin: the point is singular, and one condition
 * is missing as everywhere else. */
static dae_status cross(
    void *self, double t, const double *z, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = z[0] * z[1];
    return DAE_OK;
}

static dae_status cross_jacobian(void *self, dae_scope scope, double t,
    const double *z, const double *xp, double *values)
{
    (void)self;
    (void)scope;
    (void)t;
    (void)xp;
    memset(values, 0, 4 * sizeof *values);
    values[0] = z[1];
    values[1] = z[0];
    return DAE_OK;
}

static void test_lines_that_cross(void **state)
{
    (void)state;
    fixture f;
    few_init(&f, 2, 1, cross);
    f.problem.jacobian = cross_jacobian;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.found.missing, 1);
    assert_true(f.found.singular_count > 0);
    fixture_clear(&f);
}

/* General conditions: a + b = 3 twice. */
static dae_status free_pair(
    void *self, double t, const double *z, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + z[0];
    res[1] = xp[1] + z[1];
    return DAE_OK;
}

static dae_status sums(
    void *self, double t, const double *z, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = z[0] + z[1] - 3;
    res[1] = 2 * z[0] + 2 * z[1] - 6;
    return DAE_OK;
}

static void test_general_conditions(void **state)
{
    (void)state;
    fixture f;
    few_init(&f, 2, 0, free_pair);
    f.order[0] = f.order[1] = 1;
    f.start.condition_count = 2;
    f.start.condition_residual = sums;
    f.x[0] = 1;
    f.x[1] = 2;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.found.missing, 1);
    assert_int_equal(f.found.redundant_count, 1);
    assert_int_equal(f.found.redundant[0].kind, INIT_CONDITION);
    assert_int_equal(f.found.redundant[0].index, 1);
    CHECK_SLOTS(&f, could_fix, "a b");
    fixture_clear(&f);
}

static dae_status bounded(
    void *self, double t, const double *z, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + z[0];
    return DAE_OK;
}

static void test_beyond_a_bound(void **state)
{
    (void)state;
    fixture f;
    const double minimum[] = {0};
    const dae_scales scales = {.minimum = minimum};
    few_init(&f, 1, 0, bounded);
    f.order[0] = 1;
    f.problem.scales = &scales;
    fix(&f, 0, -1);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    assert_int_equal(f.found.outcome, INIT_CONTRADICTORY);
    CHECK_CONFLICT(&f, "a a>=");
    CHECK_NEAR(f.found.conflicts[0].residual, -1, 0);
    CHECK_NEAR(f.found.conflicts[1].residual, 0, 0);
    fixture_clear(&f);
}

/* A sum of neighbours, too many of them for ranks: structure counts. */
enum { LONG = 2500 };

static dae_status neighbours(
    void *self, double t, const double *z, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    for (size_t i = 0; i + 1 < LONG; i++) res[i] = z[i] + 2 * z[i + 1] - 3;
    return DAE_OK;
}

static void test_too_large_for_ranks(void **state)
{
    (void)state;
    static int64_t start[2 * LONG + 1];
    static int32_t row[2 * LONG];
    static double x[LONG], xp[LONG], atol[LONG];
    static uint8_t order[LONG], fixed[LONG];
    int32_t at = 0;
    for (int32_t j = 0; j < LONG; j++) {
        if (j > 0) row[at++] = j - 1;
        if (j < LONG - 1) row[at++] = j;
        start[j + 1] = at;
        atol[j] = 1e-9;
    }
    for (size_t j = LONG; j < (size_t)2 * LONG; j++) start[j + 1] = at;
    const dae_pattern pattern = {start, row, NULL};
    const dae_problem problem = {.unknown_count = LONG,
        .order = order,
        .residual = neighbours,
        .pattern = &pattern};
    for (int given = 0; given < 2; given++) {
        init_findings found;
        dae_stats stats = {0};
        dae_start_report report;
        dae_diagnostics *ds = NULL;
        layout l;
        CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
        CHECK_STATUS(layout_init(&l, &problem, NULL), DAE_OK);
        fixed[0] = (uint8_t)given;
        x[0] = 1;
        const init_request r = {.problem = &problem,
            .layout = &l,
            .rtol = 1e-6,
            .atol = atol,
            .x_fixed = fixed,
            .xp_fixed = fixed + LONG / 2,
            .equation_count = LONG - 1,
            .is_thorough = true};
        CHECK_STATUS(
            start_reported(r, &found, x, xp, &report, &stats, ds), DAE_OK);
        assert_true(given || !found.is_by_rank);
        assert_int_equal(found.outcome, INIT_CONSISTENT);
        assert_int_equal(found.missing, 1 - given);
        assert_int_equal(report.degrees_missing, 1 - given);
        if (given) CHECK_NEAR(found.z[1], 1, 1e-6);
        init_findings_clear(&found);
        layout_clear(&l);
        dae_diagnostics_free(ds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_real_speed),
        cmocka_unit_test(test_no_real_concentration),
        cmocka_unit_test(test_nothing_given_is_to_blame),
        cmocka_unit_test(test_minimum_with_a_root_elsewhere),
        cmocka_unit_test(test_smallest_of_two),
        cmocka_unit_test(test_product_that_vanishes),
        cmocka_unit_test(test_undetermined_is_not_missing),
        cmocka_unit_test(test_lines_that_cross),
        cmocka_unit_test(test_general_conditions),
        cmocka_unit_test(test_beyond_a_bound),
        cmocka_unit_test(test_too_large_for_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

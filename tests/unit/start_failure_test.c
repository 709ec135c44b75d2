/* Starts that are contradictory, underdetermined or without a solution: what is
 * named, and where. */
#include "unit/start_start_support.h"

static void test_transistor_inconsistent(void **state)
{
    (void)state;
    fixture f;
    transistor_start(&f, true);
    f.x[3] = 5;
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    assert_true(says(&f, "E0401", "initial condition"));
    assert_int_equal(dae_diagnostics_count(f.ds), 1);
    CHECK_NEAR(f.x[3], 5, 0);
    CHECK_NEAR(f.xp[2], 0, 0); /* left as it was */
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
        assert_true(says(&f, "E0402", "`equation 1`"));
        CHECK_NEAR(f.x[0], guess[k], 0);
        fixture_clear(&f);
    }
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

static dae_status logarithm(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = log(x[0]) - 2;
    return DAE_OK;
}

static size_t explain_logarithm(void *self, dae_name_kind kind, size_t equation,
    double t, const double *x, const double *xp, char *text, size_t size)
{
    (void)self;
    assert_int_equal(kind, DAE_NAME_EQUATION);
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
        if (k) assert_true(says(&f, "E0401", "initial condition"));
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
    assert_true(says(&f, "E0402", "no initial condition is involved"));
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
    assert_true(says(&f, "E0401", "correct or remove the condition"));
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
    assert_true(says(&f, "E0402", "has a residual"));
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
    f.is_thorough = true;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_true(says(&f, "W0404",
        "1 initial condition missing; found from the guesses: `x[3]` = 0.5"));
    assert_true(says(&f, "W0404", "give one of `x[3]`, `x[4]` a value"));
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
    assert_true(says(&f, "W0404", "1 initial condition missing"));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contradiction_is_named),
        cmocka_unit_test(test_rounded_condition_holds),
        cmocka_unit_test(test_condition_beyond_bounds),
        cmocka_unit_test(test_no_real_solution),
        cmocka_unit_test(test_no_value_at_the_start),
        cmocka_unit_test(test_step_back_into_the_domain),
        cmocka_unit_test(test_too_many_conditions),
        cmocka_unit_test(test_transistor_inconsistent),
        cmocka_unit_test(test_failing_block_is_named),
        cmocka_unit_test(test_equations_contradict_each_other),
        cmocka_unit_test(test_only_the_condition_to_blame_is_named),
        cmocka_unit_test(test_no_contradiction_by_one_point),
        cmocka_unit_test(test_what_numbers_leave_open_is_named),
        cmocka_unit_test(test_rounding_determines_nothing),
        cmocka_unit_test(test_places_of_given_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

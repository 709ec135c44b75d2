/* What is found out about the start of a pendulum with the derivatives of its
 * rod: lambda the force by length, y downward, g = 9.81. */
#include "share.h"
#include "unit/start_findings_support.h"

#define G 9.81

static size_t count_of(const fixture *f, const char *code)
{
    size_t count = 0;
    for (size_t i = 0; i < dae_diagnostics_count(f->ds); i++)
        count += strcmp(dae_diagnostics_at(f->ds, i)->code, code) == 0;
    return count;
}

#define CHECK_REDUNDANT(f, expected)                                           \
    check_parties((f), (f)->found.redundant, (f)->found.redundant_count,       \
        (expected), __FILE__, __LINE__)

/* ---- the pendulum --------------------------------------------------------------- */

enum { X, U, A, Y, V, B, LAM, PENDULUM };

static const char *const pendulum_slots[] = {
    "x", "x'", "x''", "y", "y'", "y''", "lam"};

static const char *const pendulum_rows[] = {"f1", "f2", "rod", "rod'", "rod''"};

static dae_status pendulum(
    void *self, double t, const double *z, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = z[A] + 2 * z[LAM] * z[X];
    res[1] = z[B] + 2 * z[LAM] * z[Y] - G;
    res[2] = z[X] * z[X] + z[Y] * z[Y] - 1;
    res[3] = 2 * z[X] * z[U] + 2 * z[Y] * z[V];
    res[4] = 2 * (z[U] * z[U] + z[X] * z[A] + z[V] * z[V] + z[Y] * z[B]);
    return DAE_OK;
}

/* By columns, five rows each. */
static const int64_t pendulum_start[] = {
    0, 4, 6, 8, 12, 14, 16, 18, 18, 18, 18, 18, 18, 18, 18};

static const int32_t pendulum_row[] = {
    0, 2, 3, 4, 3, 4, 0, 4, 1, 2, 3, 4, 3, 4, 1, 4, 0, 1};

static const dae_pattern pendulum_pattern = {
    pendulum_start, pendulum_row, NULL};

static dae_status pendulum_jacobian(void *self, dae_scope scope, double t,
    const double *z, const double *xp, double *values)
{
    (void)self;
    (void)scope;
    (void)t;
    (void)xp;
    const double all[] = {2 * z[LAM], 2 * z[X], 2 * z[U], 2 * z[A], 2 * z[X],
        4 * z[U], 1, 2 * z[X], 2 * z[LAM], 2 * z[Y], 2 * z[V], 2 * z[B],
        2 * z[Y], 4 * z[V], 1, 2 * z[Y], 2 * z[X], 2 * z[Y]};
    memcpy(values, all, sizeof all);
    return DAE_OK;
}

static void pendulum_init(fixture *f)
{
    fixture_init(f, PENDULUM, 5, pendulum, pendulum_jacobian);
    f->problem.pattern = &pendulum_pattern;
    f->problem.name = name_of;
    f->rows = pendulum_rows;
    f->slots = pendulum_slots;
    f->has_masks = true;
    f->may_be_given[X] = f->may_be_given[Y] = 1;
    f->may_be_given[U] = f->may_be_given[V] = 2;
    f->is_inner[A] = f->is_inner[B] = f->is_inner[LAM] = 1;
    f->stands_for[U] = f->stands_for[V] = 1;
    f->stands_for[A] = f->stands_for[B] = 2;
}

static void give_state(fixture *f, double x, double y, double u, double v)
{
    fix(f, X, x);
    fix(f, Y, y);
    fix(f, U, u);
    fix(f, V, v);
}

static void test_two_conditions_for_two_freedoms(void **state)
{
    (void)state;
    fixture f;
    pendulum_init(&f);
    fix(&f, X, 0.6);
    f.x[Y] = -0.7;
    fix(&f, U, 0.8);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.found.outcome, INIT_CONSISTENT);
    assert_true(f.found.is_by_rank);
    CHECK_NEAR(f.x[Y], -0.8, 1e-9);
    CHECK_NEAR(f.x[V], 0.6, 1e-9);
    /* lam = (v^2 + g y)/2 on the circle */
    CHECK_NEAR(f.x[LAM], (1 - 0.8 * G) / 2, 1e-8);
    CHECK_NEAR(f.x[A], -2 * f.x[LAM] * 0.6, 1e-8);
    assert_int_equal(f.found.missing, 0);
    assert_int_equal(f.found.redundant_count, 0);
    assert_int_equal(f.found.singular_count, 0);
    assert_int_equal(f.found.open_count, 0);
    assert_int_equal(f.found.slot_count, PENDULUM);
    CHECK_NEAR(f.found.z[LAM], f.x[LAM], 0);
    assert_true(f.found.residual <= 1);
    assert_int_equal(dae_diagnostics_count(f.ds), 0);
    fixture_clear(&f);
}

/* (1, 0.1, 0, 0, 0): x^2 + y^2 - 1 = 0.01. */
static void test_wrong_position(void **state)
{
    (void)state;
    fixture f;
    pendulum_init(&f);
    give_state(&f, 1, 0.1, 0, 0);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    assert_int_equal(f.found.outcome, INIT_CONTRADICTORY);
    CHECK_CONFLICT(&f, "rod x y");
    CHECK_NEAR(f.found.conflicts[0].residual, 0.01, 1e-15);
    CHECK_NEAR(f.found.conflicts[2].residual, 0.1, 0);
    assert_true(says(&f, "E0401",
        "`rod` contradicts the initial conditions `x = 1`, `y = 0.1`"));
    assert_int_equal(dae_diagnostics_count(f.ds), 1);
    fixture_clear(&f);
}

/* (1, 0, 0.2, 0, 0): 2 x u + 2 y v = 0.4. With y or v another number it could
 * hold for some v or y, so one of the two takes part. */
static void test_wrong_velocity(void **state)
{
    (void)state;
    fixture f;
    pendulum_init(&f);
    give_state(&f, 1, 0, 0.2, 0);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    CHECK_CONFLICT(&f, "rod' x x' y");
    CHECK_NEAR(f.found.conflicts[0].residual, 0.4, 1e-15);
    assert_true(says(&f, "E0401", "`rod'`"));
    fixture_clear(&f);
}

/* (1, 0, 0, 0, 1): u' = -2, but the rod wants 0. */
static void test_wrong_acceleration(void **state)
{
    (void)state;
    fixture f;
    pendulum_init(&f);
    give_state(&f, 1, 0, 0, 0);
    fix(&f, LAM, 1);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    /* another x', y' or y would do: u'^2 + v'^2 = 2, or any y'' by y */
    CHECK_CONFLICT(&f, "f1 rod'' x x' y y' lam");
    assert_true(says(&f, "E0401", "equations `f1` and `rod''` contradict"));
    fixture_clear(&f);
}

/* (1, 0, 0, w, w^2/2) holds for any w. */
static void test_right_acceleration(void **state)
{
    (void)state;
    fixture f;
    pendulum_init(&f);
    give_state(&f, 1, 0, 0, 3);
    fix(&f, LAM, 4.5);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.found.missing, 0);
    /* five values for two freedoms; at x = 1 to first order the rod says
     * dx = 0 and its derivative du + w dy = 0 */
    CHECK_REDUNDANT(&f, "x y lam");
    fixture_clear(&f);
}

/* x(0) = 2 and rod: nothing y could do about it. */
static void test_beyond_the_rod(void **state)
{
    (void)state;
    fixture f;
    pendulum_init(&f);
    fix(&f, X, 2);
    fix(&f, Y, 0);
    fix(&f, V, 0);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    CHECK_CONFLICT(&f, "rod x");
    CHECK_NEAR(f.found.conflicts[0].residual, 3, 0);
    fixture_clear(&f);
    pendulum_init(&f);
    fix(&f, X, 2);
    f.x[Y] = 0.5;
    fix(&f, V, 0);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    CHECK_CONFLICT(&f, "rod x");
    assert_true(says(&f, "E0401", "`rod`"));
    fixture_clear(&f);
}

static void test_velocity_missing(void **state)
{
    (void)state;
    fixture f;
    pendulum_init(&f);
    fix(&f, X, 0.6);
    f.x[Y] = -0.8;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.found.outcome, INIT_CONSISTENT);
    assert_int_equal(f.found.missing, 1);
    CHECK_SLOTS(&f, could_fix, "x' y'");
    assert_int_equal(f.found.undetermined_count, 0);
    assert_int_equal(f.found.singular_count, 0);
    assert_true(says(&f, "W0404", "1 initial condition missing"));
    assert_int_equal(f.report.degrees_missing, 1);
    fixture_clear(&f);
}

static void test_all_missing(void **state)
{
    (void)state;
    fixture f;
    pendulum_init(&f);
    f.x[X] = 0.6;
    f.x[Y] = -0.8;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.found.missing, 2);
    /* two together, then the others: y follows from x, y' from x' */
    CHECK_SLOTS(&f, could_fix, "x x' y y'");
    /* the guesses are on the circle: lam moves, not they */
    CHECK_NEAR(f.x[X], 0.6, 1e-9);
    CHECK_NEAR(f.x[Y], -0.8, 1e-9);
    CHECK_NEAR(f.x[LAM], -0.4 * G, 1e-8);
    fixture_clear(&f);
    pendulum_init(&f);
    f.x[X] = 0.6;
    f.x[Y] = -0.8;
    f.may_be_given[X] = 0;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_SLOTS(&f, could_fix, "y x' y'");
    fixture_clear(&f);
}

static void test_redundant_values(void **state)
{
    (void)state;
    fixture f;
    pendulum_init(&f);
    give_state(&f, 0.6, -0.8, 0.8, 0.6);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.found.missing, 0);
    CHECK_REDUNDANT(&f, "y y'");
    assert_true(says(&f, "N0407", "`y = -0.8`, `y' = 0.6`"));
    assert_int_equal(f.report.redundant, 2);
    fixture_clear(&f);
}

/* x = 1 is the end of the circle: y = 0 twice. */
static void test_double_root(void **state)
{
    (void)state;
    for (int guess = 0; guess < 2; guess++) {
        fixture f;
        pendulum_init(&f);
        fix(&f, X, 1);
        fix(&f, V, 0);
        f.x[Y] = guess ? 0.3 : 0;
        CHECK_STATUS(fixture_run(&f), DAE_OK);
        assert_int_equal(f.found.outcome, INIT_CONSISTENT);
        CHECK_NEAR(f.x[Y], 0, 1e-4);
        CHECK_NEAR(f.x[U], 0, 1e-4);
        assert_int_equal(f.found.missing, 0);
        assert_int_equal(f.found.redundant_count, 0);
        CHECK_SLOTS(&f, singular, "y");
        assert_true(says(&f, "W0409", "singular start: `y`"));
        assert_int_equal(count_of(&f, "W0404"), 0);
        fixture_clear(&f);
    }
}

/* With x = 1, y = 0 and x' = 0 given every y' is right. */
static void test_singular_and_missing(void **state)
{
    (void)state;
    fixture f;
    pendulum_init(&f);
    fix(&f, X, 1);
    fix(&f, Y, 0);
    fix(&f, U, 0);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.found.missing, 1);
    CHECK_SLOTS(&f, could_fix, "y'");
    CHECK_REDUNDANT(&f, "x x'");
    CHECK_SLOTS(&f, singular, "y'");
    fixture_clear(&f);
}

/* ---- the order of rows and slots --------------------------------------------------- */

/* The pendulum with its slots and rows in the opposite order. */
static const char *const backwards_slots[] = {
    "lam", "y''", "y'", "y", "x''", "x'", "x"};

static const char *const backwards_rows[] = {
    "rod''", "rod'", "rod", "f2", "f1"};

static dae_status backwards(
    void *self, double t, const double *z, const double *xp, double *res)
{
    double turned[PENDULUM], out[5];
    for (size_t k = 0; k < PENDULUM; k++) turned[k] = z[PENDULUM - 1 - k];
    const dae_status st = pendulum(self, t, turned, xp, out);
    for (size_t i = 0; i < 5; i++) res[i] = out[4 - i];
    return st;
}

static dae_status backwards_jacobian(void *self, dae_scope scope, double t,
    const double *z, const double *xp, double *values)
{
    double turned[PENDULUM], entries[18];
    (void)pendulum_start;
    for (size_t k = 0; k < PENDULUM; k++) turned[k] = z[PENDULUM - 1 - k];
    const dae_status st = pendulum_jacobian(
        self, scope, t, turned, xp, entries);
    memset(values, 0, (size_t)2 * PENDULUM * 5 * sizeof *values);
    for (size_t k = 0; k < PENDULUM; k++)
        for (int64_t p = pendulum_start[k]; p < pendulum_start[k + 1]; p++)
            values[(PENDULUM - 1 - k) * 5 + (size_t)(4 - pendulum_row[p])] =
                entries[p];
    return st;
}

static void backwards_init(fixture *f)
{
    fixture_init(f, PENDULUM, 5, backwards, backwards_jacobian);
    f->problem.name = name_of;
    f->rows = backwards_rows;
    f->slots = backwards_slots;
    f->has_masks = true;
    for (size_t k = 0; k < PENDULUM; k++) {
        const size_t own = PENDULUM - 1 - k;
        f->is_inner[own] = k == A || k == B || k == LAM;
        f->may_be_given[own] = f->is_inner[own] ? 0 : k == X || k == Y ? 1 : 2;
    }
}

#define TURN(k) (PENDULUM - 1 - (k))

static void test_order_of_lines(void **state)
{
    (void)state;
    fixture f;
    backwards_init(&f); /* wrong velocity */
    fix(&f, TURN(X), 1);
    fix(&f, TURN(Y), 0);
    fix(&f, TURN(U), 0.2);
    fix(&f, TURN(V), 0);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    assert_int_equal(f.found.conflict_count, 4);
    assert_string_equal(f.rows[f.found.conflicts[0].index], "rod'");
    fixture_clear(&f);
    backwards_init(&f); /* a velocity missing */
    fix(&f, TURN(X), 0.6);
    f.x[TURN(Y)] = -0.8;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.found.missing, 1);
    CHECK_SLOTS(&f, could_fix, "y' x'");
    fixture_clear(&f);
    backwards_init(&f); /* a double root */
    fix(&f, TURN(X), 1);
    fix(&f, TURN(V), 0);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    assert_int_equal(f.found.missing, 0);
    assert_int_equal(f.found.redundant_count, 0);
    CHECK_SLOTS(&f, singular, "y");
    fixture_clear(&f);
}

/* ---- memory ----------------------------------------------------------------------- */

/* A start whose allocation `fail_at` fails: how many calls it made, and whether
 * that one was among them. */
static size_t run_without(void (*prepare)(fixture *), dae_status expected,
    size_t fail_at, bool *is_met)
{
    faulty_memory m;
    fixture f;
    prepare(&f);
    memory_init(&m);
    f.allocator = &m.allocator;
    memory_arm(&m, MEMORY_FAILS_ONCE, fail_at);
    const dae_status st = fixture_run(&f);
    const size_t calls = m.calls;
    *is_met = m.failures > 0;
    memory_heal(&m);
    fixture_clear(&f);
    assert_int_equal(m.blocks, 0);
    assert_int_equal(m.mistold, 0);
    if (!*is_met || st != DAE_MEMORY) CHECK_STATUS(st, expected);
    return calls;
}

static void run_until_success(
    const char *name, void (*prepare)(fixture *), dae_status expected)
{
    bool is_met;
    const size_t calls = run_without(prepare, expected, SIZE_MAX, &is_met);
    assert_true(calls > 20);
    const size_t share = calls / test_shared(calls, 20);
    is_met = true;
    for (size_t n = 0; is_met; n++)
        (void)run_without(prepare, expected,
            memory_choose(name, MEMORY_FAILS_ONCE, share, n), &is_met);
}

static void prepare_double_root(fixture *f)
{
    pendulum_init(f);
    fix(f, X, 1);
    fix(f, V, 0);
}

static void prepare_wrong(fixture *f)
{
    pendulum_init(f);
    give_state(f, 1, 0, 0, 0);
    fix(f, LAM, 1);
}

static void prepare_no_real(fixture *f)
{
    pendulum_init(f);
    fix(f, X, 2);
    f->x[Y] = 0.5;
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    run_until_success("a double root", prepare_double_root, DAE_OK);
    run_until_success("a wrong force", prepare_wrong, DAE_INCONSISTENT);
    run_until_success("no real root", prepare_no_real, DAE_INCONSISTENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_conditions_for_two_freedoms),
        cmocka_unit_test(test_wrong_position),
        cmocka_unit_test(test_wrong_velocity),
        cmocka_unit_test(test_wrong_acceleration),
        cmocka_unit_test(test_right_acceleration),
        cmocka_unit_test(test_beyond_the_rod),
        cmocka_unit_test(test_velocity_missing),
        cmocka_unit_test(test_all_missing),
        cmocka_unit_test(test_redundant_values),
        cmocka_unit_test(test_double_root),
        cmocka_unit_test(test_singular_and_missing),
        cmocka_unit_test(test_order_of_lines),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What is found out about a start whose equations are more or fewer than its
 * unknowns: the pendulum with the derivatives of its rod, lambda the force by
 * length, y downward, g = 9.81; and small systems made for one finding each. */
#include "check.h"
#include "faulty_memory.h"
#include "init/init.h"

enum { MOST = 16 };
#define G 9.81

typedef struct fixture {
    dae_problem problem;
    dae_start start;
    uint8_t order[MOST], x_fixed[MOST], xp_fixed[MOST];
    double x[MOST], xp[MOST], atol[MOST];
    uint8_t may_be_given[2 * MOST], is_inner[2 * MOST], stands_for[MOST];
    bool has_masks;
    const char *const *rows, *const *slots;
    size_t equations;
    init_findings found;
    dae_start_report report;
    dae_diagnostics *ds;
    const dae_allocator *allocator;
} fixture;

static size_t name_of(
    void *self, dae_name_kind kind, size_t index, char *text, size_t size)
{
    const fixture *f = self;
    const char *name = "C";
    if (kind == DAE_NAME_EQUATION) name = f->rows[index];
    if (kind == DAE_NAME_UNKNOWN) name = f->slots[index];
    return (size_t)snprintf(text, size, "%s", name);
}

/* `n` algebraic unknowns, `equations` rows. */
static void fixture_init(fixture *f, size_t n, size_t equations,
    dae_residual_fn *residual, dae_jacobian_fn *jacobian)
{
    memset(f, 0, sizeof *f);
    f->problem.self = f;
    f->problem.unknown_count = n;
    f->problem.order = f->order;
    f->problem.residual = residual;
    f->problem.jacobian = jacobian;
    f->problem.start = &f->start;
    f->equations = equations;
    for (size_t k = 0; k < MOST; k++) f->atol[k] = 1e-9;
    CHECK_STATUS(dae_diagnostics_create(NULL, &f->ds), DAE_OK);
}

static dae_status fixture_run(fixture *f)
{
    layout l;
    dae_stats stats = {0};
    init_findings_clear(&f->found);
    dae_status st = layout_init(&l, &f->problem, f->allocator);
    if (st) return st;
    const init_request r = {.problem = &f->problem,
        .layout = &l,
        .rtol = 1e-6,
        .atol = f->atol,
        .x_fixed = f->x_fixed,
        .xp_fixed = f->xp_fixed,
        .use_conditions = true,
        .equation_count = f->equations,
        .findings = &f->found,
        .stands_for = f->has_masks ? f->stands_for : NULL,
        .may_be_given = f->has_masks ? f->may_be_given : NULL,
        .is_inner = f->has_masks ? f->is_inner : NULL,
        .allocator = f->allocator,
        .ds = f->ds};
    st = init_consistent(&r, f->x, f->xp, &f->report, &stats);
    layout_clear(&l);
    return st;
}

static void fixture_clear(fixture *f)
{
    init_findings_clear(&f->found);
    dae_diagnostics_free(f->ds);
}

static void fix(fixture *f, size_t k, double value)
{
    f->x[k] = value;
    f->x_fixed[k] = 1;
}

static size_t count_of(const fixture *f, const char *code)
{
    size_t count = 0;
    for (size_t i = 0; i < dae_diagnostics_count(f->ds); i++)
        count += strcmp(dae_diagnostics_at(f->ds, i)->code, code) == 0;
    return count;
}

static bool says(const fixture *f, const char *code, const char *text)
{
    for (size_t i = 0; i < dae_diagnostics_count(f->ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(f->ds, i);
        if (strcmp(d->code, code) == 0 && strstr(d->message, text)) return true;
    }
    for (size_t i = 0; i < dae_diagnostics_count(f->ds); i++)
        print_error("%s: %s [%s]\n", dae_diagnostics_at(f->ds, i)->code,
            dae_diagnostics_at(f->ds, i)->message,
            dae_diagnostics_at(f->ds, i)->help);
    return false;
}

/* The parties in words: "rod x y", rows first. */
static void check_parties(const fixture *f, const init_party *list,
    size_t count, const char *expected, const char *file, int line)
{
    char text[256] = "";
    for (size_t k = 0; k < count; k++) {
        const char *name = "C";
        if (list[k].kind == INIT_EQUATION) name = f->rows[list[k].index];
        if (list[k].kind == INIT_GIVEN)
            name = f->slots[list[k].index % f->problem.unknown_count];
        if (k) strcat(text, " ");
        strcat(text, name);
    }
    if (strcmp(text, expected) == 0) return;
    print_error("\"%s\", expected \"%s\"\n", text, expected);
    _fail(file, line);
}
#define CHECK_CONFLICT(f, expected)                                            \
    check_parties((f), (f)->found.conflicts, (f)->found.conflict_count,        \
        (expected), __FILE__, __LINE__)
#define CHECK_REDUNDANT(f, expected)                                           \
    check_parties((f), (f)->found.redundant, (f)->found.redundant_count,       \
        (expected), __FILE__, __LINE__)

static void check_slots(const fixture *f, const int32_t *list, size_t count,
    const char *expected, const char *file, int line)
{
    char text[256] = "";
    for (size_t k = 0; k < count; k++) {
        if (k) strcat(text, " ");
        strcat(text, f->slots[(size_t)list[k] % f->problem.unknown_count]);
    }
    if (strcmp(text, expected) == 0) return;
    print_error("\"%s\", expected \"%s\"\n", text, expected);
    _fail(file, line);
}
#define CHECK_SLOTS(f, which, expected)                                        \
    check_slots((f), (f)->found.which, (f)->found.which##_count, (expected),   \
        __FILE__, __LINE__)

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
    assert_int_equal(f.found.slot_count, 2 * PENDULUM);
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
    CHECK_CONFLICT(&f, "rod' x x' y'");
    CHECK_NEAR(f.found.conflicts[0].residual, 0.4, 1e-15);
    assert_true(says(&f, "E0401", "`rod'` contradicts"));
    assert_true(says(&f, "E0401", "`x' = 0.2`"));
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
    assert_true(says(&f, "E0401",
        "no real value of `y` satisfies `rod` with the initial conditions "
        "`x = 2`"));
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
    assert_true(says(&f, "W0404", "1 initial condition too few"));
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
        assert_true(says(&f, "W0409", "singular in `y`"));
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
        assert_true(says(&f, "E0401",
            "no real value of `a'` satisfies `e1` with the initial conditions "
            "`a = 1.2`"));
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
    assert_true(says(&f, "E0401", "no real value of `b`"));
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
    CHECK_CONFLICT(&f, "e1");
    assert_true(says(&f, "E0402", "no real values of `a`, `b` satisfy `e1`"));
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
        assert_null(
            strstr(dae_diagnostics_at(f.ds, i)->message, "no real value"));
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
    CHECK_CONFLICT(&f, "a");
    CHECK_NEAR(f.found.conflicts[0].residual, -1, 0);
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
            .findings = &found,
            .ds = ds};
        CHECK_STATUS(init_consistent(&r, x, xp, &report, &stats), DAE_OK);
        assert_false(found.is_by_rank);
        assert_int_equal(found.outcome, INIT_CONSISTENT);
        assert_int_equal(found.missing, 1 - given);
        assert_int_equal(report.degrees_missing, 1 - given);
        if (given) CHECK_NEAR(found.z[1], 1, 1e-6);
        init_findings_clear(&found);
        layout_clear(&l);
        dae_diagnostics_free(ds);
    }
}

/* ---- memory ----------------------------------------------------------------------- */

static void run_until_success(void (*prepare)(fixture *), dae_status expected)
{
    for (size_t n = 0;; n++) {
        faulty_memory m;
        fixture f;
        prepare(&f);
        memory_init(&m);
        f.allocator = &m.allocator;
        memory_arm(&m, MEMORY_FAILS_ONCE, n);
        const dae_status st = fixture_run(&f);
        const size_t failures = m.failures;
        memory_heal(&m);
        fixture_clear(&f);
        assert_int_equal(m.blocks, 0);
        assert_int_equal(m.mistold, 0);
        if (failures == 0) {
            CHECK_STATUS(st, expected);
            assert_true(n > 20);
            return;
        }
        if (st != DAE_MEMORY) CHECK_STATUS(st, expected);
    }
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
    run_until_success(prepare_double_root, DAE_OK);
    run_until_success(prepare_wrong, DAE_INCONSISTENT);
    run_until_success(prepare_no_real, DAE_INCONSISTENT);
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
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* reduced.c: which slots become one, what a pick makes of
 * a pendulum by hand, Jacobians against differences, values to and fro, names,
 * places, tolerances, bounds. */
#include "base/source.h"
#include "random.h"
#include "reduced_text.h"

enum { ROOM = 400 };

static size_t slot(const reduced_text *f, const reduced *r, const char *name)
{
    return (size_t)r->slot_of[reduced_text_column(f, name)];
}

/* x and xp in one. */
static double *value_of(const reduced_text *f, const reduced *r, double *x,
    double *xp, const char *name)
{
    const size_t s = slot(f, r, name);
    assert_true(s < r->layout.states + r->layout.unknowns);
    return s < r->layout.states ? &x[s] : &xp[s - r->layout.states];
}

static void open_picked(reduced_text *f, const char *text, int64_t more)
{
    reduced_text_open(f, text, more);
    CHECK_STATUS(reduced_text_pick(f), DAE_OK);
}

/* ---- what becomes one ----------------------------------------------------------- */

/* Unknowns of a reduced problem, and the longest of its chains. */
static void check_merged(const char *text, size_t unknowns, size_t longest)
{
    reduced_text f;
    size_t found = 0;
    open_picked(&f, text, 0);
    reduced *r = reduced_text_make(&f);
    assert_int_equal(r->problem.unknown_count, unknowns);
    for (size_t j = 0; j < unknowns; j++)
        if (r->layout.order[j] > found) found = r->layout.order[j];
    assert_int_equal(found, longest);
    reduced_free(r);
    reduced_text_clear(&f);
}

static void chains_of_equalities_are_one_unknown(void **state)
{
    (void)state;
    check_merged("var x = 1, v = 0\nx' = v\nv' = -x\n", 1, 2);
    check_merged("var x = 1, v = 0\nv = x'\nv' = -x\n", 1, 2);
    check_merged("var x = 1, v = 0, a = 0\nx' = v\nv' = a\na' = -x\n", 1, 3);
    check_merged("var x = 1, y, z\nx' = -z\ny = x\nz = y\n", 1, 1);
    /* second order already: x, x', x'' = v', v */
    check_merged("var x = 1, v = 0\nx'' = v\nv' = -x\n", 1, 3);
}

/* Of a circle of equalities one stays an equation. */
static void circles_stay_equations(void **state)
{
    (void)state;
    check_merged("var x = 1, y = 0\nx' = y\ny' = x\n", 1, 2);
    check_merged("var x = 1, y = 0, z = 0\nx' = y\ny' = z\nz' = x\n", 1, 3);
    check_merged("var x = 1\nx' = x\n", 1, 1);
    check_merged("var x = 1\nx'' = x\n", 1, 2);
    check_merged("var x = 1\nx'' = x'\n", 1, 2);
}

/* One derivative belongs to one state. */
static void two_states_have_no_derivative_in_common(void **state)
{
    (void)state;
    check_merged("var x = 1, y = 0, v = 0\nx' = v\ny' = v\nv' = -x-y\n", 2, 2);
    check_merged("var x = 1, y = 0\nx' = y'\ny' = -x\n", 2, 1);
}

/* The last derivative of a chain is a slope; an unknown is to have its own
 * accuracy. */
static void a_value_ends_no_chain(void **state)
{
    (void)state;
    reduced_text f;
    open_picked(&f, "var x = 1, v\nx' = v\nv = cos(x)\n", 0);
    reduced *r = reduced_text_make(&f);
    assert_int_equal(r->problem.unknown_count, 2);
    assert_true(slot(&f, r, "v") < r->layout.states);
    assert_true(slot(&f, r, "x'") >= r->layout.states);
    reduced_free(r);
    reduced_text_clear(&f);
}

static void bounds_keep_a_slot(void **state)
{
    (void)state;
    check_merged("var x = 1 {min = -5}, v = 0\nx' = v\nv' = -x\n", 2, 1);
    check_merged("var x = 1, v = 0 {max = 5}\nx' = v\nv' = -x\n", 2, 1);
}

/* x = y binds two states: their derivatives are one as well. */
static void equal_states_have_equal_derivatives(void **state)
{
    (void)state;
    reduced_text f;
    open_picked(&f, "var x = 1, y, z\nx' = z - x\ny' = -z\nx = y\n", 0);
    reduced *r = reduced_text_make(&f);
    assert_int_equal(r->problem.unknown_count, 2);
    assert_int_equal(slot(&f, r, "x"), slot(&f, r, "y"));
    assert_int_equal(slot(&f, r, "x'"), slot(&f, r, "y'"));
    assert_true(slot(&f, r, "x'") >= r->layout.states);
    reduced_free(r);
    reduced_text_clear(&f);
}

/* ---- the pendulum ---------------------------------------------------------------- */

static const char second_order[] = "var x ~ 0.6, y ~ 0.8, lam ~ 0\n"
                                   "horizontal: x'' = -lam*x\n"
                                   "vertical: y'' = -lam*y - 9.81\n"
                                   "rod: x^2 + y^2 = 1\n"
                                   "solve t in 0..1\n";
static const char first_order[] = "var x ~ 0.6, y ~ 0.8, u ~ 0, v ~ 0\n"
                                  "var lam ~ 0\n"
                                  "moves: x' = u\n"
                                  "falls: y' = v\n"
                                  "horizontal: u' = -lam*x\n"
                                  "vertical: v' = -lam*y - 9.81\n"
                                  "rod: x^2 + y^2 = 1\n"
                                  "solve t in 0..1\n";

static void open_pendulum(reduced_text *f, const char *text, int64_t more)
{
    reduced_text_open(f, text, more);
    reduced_text_set(f, "x", 0.6);
    reduced_text_set(f, "y", 0.8);
    CHECK_STATUS(reduced_text_pick(f), DAE_OK);
}

/* The row of an equation of the extended problem. */
static size_t row_named(const reduced *r, const char *name)
{
    char text[64];
    for (size_t i = 0; i < r->problem.unknown_count; i++) {
        r->problem.name(
            r->problem.self, DAE_NAME_EQUATION, i, text, sizeof text);
        if (strcmp(text, name) == 0) return i;
    }
    fail_msg("there is no equation %s", name);
    return 0;
}

/* Five equations in x, x', x'' and in y, y', y'', lam that are determined, by
 * hand: with x = 0.5, x' = 2, x'' = 3, y = 0.7, y' = -1, y'' = 4, lam = 6. */
static void check_pendulum(const char *text)
{
    reduced_text f;
    double x[8] = {0}, xp[8] = {0}, res[8] = {0};
    open_pendulum(&f, text, 0);
    reduced *r = reduced_text_make(&f);
    assert_int_equal(r->problem.unknown_count, 5);
    assert_int_equal(r->layout.states, 6);
    *value_of(&f, r, x, xp, "x") = 0.5;
    *value_of(&f, r, x, xp, "x'") = 2;
    *value_of(&f, r, x, xp, "x''") = 3;
    *value_of(&f, r, x, xp, "y") = 0.7;
    *value_of(&f, r, x, xp, "y'") = -1;
    *value_of(&f, r, x, xp, "y''") = 4;
    *value_of(&f, r, x, xp, "lam") = 6;
    CHECK_STATUS(r->problem.residual(r, 0, x, xp, res), DAE_OK);
    CHECK_NEAR(res[row_named(r, "horizontal")], 3 + 6 * 0.5, 1e-14);
    CHECK_NEAR(res[row_named(r, "vertical")], 4 + 6 * 0.7 + 9.81, 1e-14);
    CHECK_NEAR(res[row_named(r, "rod")], 0.25 + 0.49 - 1, 1e-14);
    CHECK_NEAR(res[row_named(r, "rod'")], 2 * (0.5 * 2 - 0.7), 1e-14);
    CHECK_NEAR(
        res[row_named(r, "rod''")], 2 * (4 + 0.5 * 3 + 1 + 0.7 * 4), 1e-14);
    reduced_free(r);
    reduced_text_clear(&f);
}

static void a_pendulum_has_five_equations_in_any_form(void **state)
{
    (void)state;
    check_pendulum(second_order);
    check_pendulum(first_order);
}

/* ---- Jacobians ------------------------------------------------------------------- */

static double *slot_at(const reduced *r, double *x, double *xp, size_t s)
{
    return s < r->layout.states ? &x[s] : &xp[s - r->layout.states];
}

static void check_column(
    const reduced *r, double *x, double *xp, size_t s, const double *values)
{
    const double h = 1e-5;
    const size_t n = r->problem.unknown_count;
    double up[ROOM], down[ROOM], own[ROOM] = {0};
    double *v = slot_at(r, x, xp, s), kept = *v;
    *v = kept + h;
    CHECK_STATUS(r->problem.residual(r->problem.self, 0, x, xp, up), DAE_OK);
    *v = kept - h;
    CHECK_STATUS(r->problem.residual(r->problem.self, 0, x, xp, down), DAE_OK);
    *v = kept;
    const dae_pattern *p = r->problem.pattern;
    for (int64_t k = p->column_start[s]; k < p->column_start[s + 1]; k++) {
        if (k > p->column_start[s]) assert_true(p->row[k] > p->row[k - 1]);
        own[p->row[k]] = values[k];
    }
    for (size_t i = 0; i < n; i++)
        CHECK_NEAR(own[i], (up[i] - down[i]) / (2 * h), 1e-7);
}

/* At once as one by one, also more than REDUCED_POINTS. */
static void check_points(const reduced *r, double *x, double *xp)
{
    enum { COUNT = REDUCED_POINTS + 3 };
    const dae_problem *p = &r->problem;
    const size_t n = r->layout.unknowns, s = r->layout.states;
    double *f = calloc(2 * COUNT * n + COUNT * s, sizeof *f), t[COUNT];
    double *res[COUNT], *at[COUNT], *slopes[COUNT];
    assert_non_null(f);
    for (size_t k = 0; k < COUNT; k++) {
        res[k] = f + k * n;
        at[k] = f + 2 * COUNT * n + k * s;
        slopes[k] = xp;
        t[k] = (double)k;
        for (size_t i = 0; i < s; i++) at[k][i] = x[i] + (double)(i * k) / 64;
        double *one = f + (COUNT + k) * n;
        CHECK_STATUS(p->residual(p->self, t[k], at[k], xp, one), DAE_OK);
    }
    CHECK_STATUS(p->residuals(p->self, COUNT, t, (const double *const *)at,
                     (const double *const *)slopes, res),
        DAE_OK);
    assert_memory_equal(f, f + COUNT * n, COUNT * n * sizeof *f);
    free(f);
}

/* At random values, also asked for what varies only. */
static void check_jacobian(const reduced *r, uint64_t seed)
{
    random_state rnd = {seed};
    const size_t slots = r->layout.states + r->layout.unknowns;
    double x[ROOM], xp[ROOM], values[4 * ROOM], again[4 * ROOM] = {0};
    const size_t entries = (size_t)r->problem.pattern->column_start[slots];
    assert_true(slots <= ROOM && entries <= 4 * ROOM);
    for (int k = 0; k < 5; k++) {
        for (size_t s = 0; s < slots; s++)
            *slot_at(r, x, xp, s) = random_unit(&rnd);
        CHECK_STATUS(
            r->problem.jacobian(r->problem.self, DAE_ALL, 0, x, xp, values),
            DAE_OK);
        CHECK_STATUS(
            r->problem.jacobian(r->problem.self, DAE_VARYING, 0, x, xp, again),
            DAE_OK);
        assert_memory_equal(values, again, entries * sizeof *values);
        for (size_t s = 0; s < slots; s++) check_column(r, x, xp, s, values);
        check_points(r, x, xp);
    }
    assert_int_equal(r->evaluations, 10);
}

static const char circle[] = "var x = 1, y = 0\nx' = y\ny' = x\n";
static const char bound[] = "var x = 1, y, z\nx' = z*x\ny' = -z\nx = y\n";
/* x'' is there for a value of k that is 0 */
static const char stray[] = "param k = 0\n"
                            "var x = 1, z\n"
                            "k*x'' + x' = -x*z\n"
                            "z = x^2\n";
/* x' and v are one and stand in one row, squared and not */
static const char damped[] = "var x = 1, v = 0\n"
                             "x' = v\n"
                             "v' = -x - 2*v*x' - 3*x' - v\n";

static void jacobians_are_differences(void **state)
{
    (void)state;
    static const char *const texts[] = {
        second_order, first_order, circle, bound, stray, damped};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int64_t more = 0; more < 3; more++) {
            reduced_text f;
            if (k < 2) open_pendulum(&f, texts[k], more);
            else open_picked(&f, texts[k], more);
            reduced *r = reduced_text_make(&f);
            check_jacobian(r, 17 + k);
            reduced_free(r);
            reduced_text_clear(&f);
        }
}

/* ---- values to and fro ------------------------------------------------------------ */

static void check_to_and_fro(const reduced *r, uint64_t seed)
{
    random_state rnd = {seed};
    const size_t states = r->layout.states, n = r->layout.unknowns;
    double x[ROOM], xp[ROOM], back[ROOM], back_p[ROOM], columns[ROOM];
    assert_true(states <= ROOM && r->e->columns <= ROOM);
    for (size_t s = 0; s < states; s++) x[s] = random_unit(&rnd);
    for (size_t j = 0; j < n; j++)
        xp[j] = r->layout.order[j] ? random_unit(&rnd) : 0;
    reduced_scatter(r, x, xp, columns);
    reduced_gather(r, columns, back, back_p);
    assert_memory_equal(x, back, states * sizeof *x);
    assert_memory_equal(xp, back_p, n * sizeof *xp);
    for (size_t p = 0; p < r->e->columns; p++)
        if (r->slot_of[p] < 0) assert_true(columns[p] == 0);
        else assert_true(isfinite(columns[p]));
}

static void values_go_to_and_fro(void **state)
{
    (void)state;
    static const char *const texts[] = {
        second_order, first_order, circle, bound, stray, damped};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        reduced_text f;
        if (k < 2) open_pendulum(&f, texts[k], 0);
        else open_picked(&f, texts[k], 0);
        reduced *r = reduced_text_make(&f);
        check_to_and_fro(r, 3 + k);
        reduced_free(r);
        reduced_text_clear(&f);
    }
}

/* What the structure does not speak of has no place; with offsets raised it
 * has one, and one more equation determines it. */
static void a_stray_derivative_has_no_place_unless_raised(void **state)
{
    (void)state;
    reduced_text f;
    open_picked(&f, stray, 0);
    reduced *r = reduced_text_make(&f);
    assert_int_equal(r->slot_of[reduced_text_column(&f, "x''")], -1);
    assert_int_equal(r->problem.unknown_count, 2);
    reduced_free(r);
    reduced_text_clear(&f);
    open_picked(&f, stray, 1);
    r = reduced_text_make(&f);
    assert_true(r->slot_of[reduced_text_column(&f, "x''")] >= 0);
    assert_int_equal(r->problem.unknown_count, 4); /* x, x'', z, z' */
    assert_int_equal(r->layout.order[0], 1);
    reduced_free(r);
    reduced_text_clear(&f);
}

/* ---- names, places ---------------------------------------------------------------- */

static void check_name(
    const reduced *r, dae_name_kind kind, size_t index, const char *expected)
{
    char text[64];
    const size_t length = r->problem.name(
        r->problem.self, kind, index, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void unknowns_and_equations_have_names(void **state)
{
    (void)state;
    static const char *const unknowns[] = {"x", "y", "y'", "y''", "lam"};
    static const char *const rows[] = {
        "horizontal", "vertical", "rod", "rod'", "rod''"};
    reduced_text f;
    open_pendulum(&f, second_order, 0);
    reduced *r = reduced_text_make(&f);
    for (size_t k = 0; k < 5; k++) {
        check_name(r, DAE_NAME_UNKNOWN, k, unknowns[k]);
        check_name(r, DAE_NAME_EQUATION, k, rows[k]);
    }
    reduced_free(r);
    reduced_text_clear(&f);
}

/* y' is v where the user has a name for it. */
static void a_name_of_the_user_comes_first(void **state)
{
    (void)state;
    static const char *const unknowns[] = {"x", "y", "v", "y''", "lam"};
    reduced_text f;
    open_pendulum(&f, first_order, 0);
    reduced *r = reduced_text_make(&f);
    for (size_t k = 0; k < 3; k++)
        check_name(r, DAE_NAME_UNKNOWN, k, unknowns[k]);
    assert_int_equal(slot(&f, r, "v"), slot(&f, r, "y'"));
    assert_int_equal(slot(&f, r, "u"), slot(&f, r, "x'"));
    reduced_free(r);
    reduced_text_clear(&f);
}

static void places_are_those_of_the_text(void **state)
{
    (void)state;
    reduced_text f;
    const dae_source *source = NULL;
    uint32_t begin = 0, end = 0, own = 0, own_end = 0;
    open_pendulum(&f, second_order, 0);
    reduced *r = reduced_text_make(&f);
    assert_true(
        f.p->place(f.p->self, DAE_NAME_EQUATION, 2, &source, &own, &own_end));
    for (size_t row = 2; row < 5; row++) {
        assert_true(r->problem.place(
            r->problem.self, DAE_NAME_EQUATION, row, &source, &begin, &end));
        assert_true(begin == own && end == own_end);
    }
    assert_true(begin != 0 || end != 0);
    reduced_free(r);
    reduced_text_clear(&f);
}

/* ---- tolerances, bounds, what is tested ------------------------------------------ */

static void tolerances_and_bounds_follow(void **state)
{
    (void)state;
    reduced_text f;
    open_pendulum(&f,
        "var x ~ 0.6 {atol = 1e-3}, y ~ 0.8 {atol = 1e-5, min = -2}\n"
        "var lam ~ 0 {max = 100}\n"
        "x'' = -lam*x\ny'' = -lam*y - 9.81\nx^2 + y^2 = 1\n",
        0);
    reduced *r = reduced_text_make(&f);
    const dae_scales *s = r->problem.scales;
    CHECK_NEAR(s->state_atol[slot(&f, r, "x")], 1e-3, 0);
    CHECK_NEAR(s->state_atol[slot(&f, r, "x'")], 1e-3, 0);
    CHECK_NEAR(s->state_atol[slot(&f, r, "y")], 1e-5, 0);
    CHECK_NEAR(s->state_atol[slot(&f, r, "y''")], 1e-5, 0);
    CHECK_NEAR(s->state_atol[slot(&f, r, "lam")], 1e-9, 0);
    /* unknowns: x, y, y', y'', lam */
    assert_true(s->minimum[0] == -HUGE_VAL && s->maximum[0] == HUGE_VAL);
    assert_true(s->minimum[1] == -2 && s->minimum[2] == -HUGE_VAL);
    assert_true(s->maximum[4] == 100 && s->maximum[1] == HUGE_VAL);
    reduced_free(r);
    reduced_text_clear(&f);
}

/* Of slots that are one the smaller tolerance counts, unless it is that of a
 * derivative that has a name. */
static void one_slot_has_one_tolerance(void **state)
{
    (void)state;
    reduced_text f;
    open_picked(&f,
        "var x = 1 {atol = 1e-3}, v = 0 {atol = 1e-5}\nx' = v\nv' = -x\n", 0);
    reduced *r = reduced_text_make(&f);
    const dae_scales *s = r->problem.scales;
    CHECK_NEAR(s->state_atol[slot(&f, r, "x")], 1e-3, 0);
    CHECK_NEAR(s->state_atol[slot(&f, r, "v")], 1e-5, 0);
    reduced_free(r);
    reduced_text_clear(&f);
    open_picked(&f,
        "var x = 1 {atol = 1e-3}, y {atol = 1e-5}, z {atol = 1e-4}\n"
        "x' = -x\ny = x\nx = z\n",
        0);
    r = reduced_text_make(&f);
    s = r->problem.scales;
    CHECK_NEAR(s->state_atol[slot(&f, r, "x")], 1e-5, 0);
    reduced_free(r);
    reduced_text_clear(&f);
}

static void what_follows_is_not_tested(void **state)
{
    (void)state;
    reduced_text f;
    open_pendulum(&f, second_order, 0);
    reduced *r = reduced_text_make(&f);
    const uint8_t *g = r->problem.index_group;
    assert_true(g[0] == 1 && g[1] == 1 && g[2] == 1); /* x, y, y' */
    assert_true(g[3] > 1 && g[4] > 1);                /* y'' and the force */
    reduced_free(r);
    reduced_text_clear(&f);
}

/* ---- memory ---------------------------------------------------------------------- */

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    reduced_text f;
    size_t failed = 0;
    open_pendulum(&f, first_order, 0);
    for (dae_status st = DAE_MEMORY; st; failed++) {
        failing_memory memory;
        reduced *r;
        failing_init(&memory, failed);
        st = reduced_create(
            f.p, f.e, &f.pick, f.follows, 1e-9, NULL, &memory.allocator, &r);
        if (st) CHECK_STATUS(st, DAE_MEMORY);
        if (st) assert_null(r);
        reduced_free(r);
        assert_int_equal(memory.live, 0);
    }
    assert_true(failed > 3);
    reduced_text_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_of_equalities_are_one_unknown),
        cmocka_unit_test(circles_stay_equations),
        cmocka_unit_test(two_states_have_no_derivative_in_common),
        cmocka_unit_test(a_value_ends_no_chain),
        cmocka_unit_test(bounds_keep_a_slot),
        cmocka_unit_test(equal_states_have_equal_derivatives),
        cmocka_unit_test(a_pendulum_has_five_equations_in_any_form),
        cmocka_unit_test(jacobians_are_differences),
        cmocka_unit_test(values_go_to_and_fro),
        cmocka_unit_test(a_stray_derivative_has_no_place_unless_raised),
        cmocka_unit_test(unknowns_and_equations_have_names),
        cmocka_unit_test(a_name_of_the_user_comes_first),
        cmocka_unit_test(places_are_those_of_the_text),
        cmocka_unit_test(tolerances_and_bounds_follow),
        cmocka_unit_test(one_slot_has_one_tolerance),
        cmocka_unit_test(what_follows_is_not_tested),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

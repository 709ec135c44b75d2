/* pick_all, the stabilizer and unreduced_depths: all derivatives as states, relations with
 * multipliers and their Jacobian against differences, and how deep a value
 * lies, for systems of which all three are known by hand. */
#include "random.h"
#include "reduce/reduction.h"
#include "reduced_text.h"

enum { ROOM = 60, ENTRIES = 400 };

static const char second_order[] = "var x ~ 0.6, y ~ 0.8, lam ~ 0\n"
                                   "horizontal: x'' = -lam*x\n"
                                   "vertical: y'' = -lam*y - 9.81\n"
                                   "rod: x^2 + y^2 = 1\n";
static const char first_order[] = "var x ~ 0.6, y ~ 0.8, u ~ 0, v ~ 0\n"
                                  "var lam ~ 0\n"
                                  "moves: x' = u\n"
                                  "falls: y' = v\n"
                                  "horizontal: u' = -lam*x\n"
                                  "vertical: v' = -lam*y - 9.81\n"
                                  "rod: x^2 + y^2 = 1\n";
static const char chain[] = "var a, b, c\n"
                            "first: a = sin(t)\n"
                            "second: b = a'\n"
                            "third: c = b'\n";

static void open_whole(reduced_text *f, const char *text, bool keeps)
{
    reduced_text_open(f, text, 0);
    for (size_t p = 0; p < f->e->columns; p++)
        f->columns[p] = 0.5 + 0.1 * (double)p;
    reduced_text_evaluate(f);
    CHECK_STATUS(
        pick_all(f->p, f->e, &f->structure, keeps, NULL, &f->pick), DAE_OK);
}

static reduced *stabilized(const reduced_text *f)
{
    reduced *r;
    const stabilize_request q = {&f->structure, f->size, f->values, 1e-6};
    CHECK_STATUS(
        reduced_create(f->p, f->e, &f->pick, f->follows, 1e-9, &q, NULL, &r),
        DAE_OK);
    return r;
}

/* ---- all derivatives are states --------------------------------------------------- */

/* Unknowns, states among their values, and rows left out. */
static void check_whole(
    const char *text, size_t unknowns, size_t states, size_t left_out)
{
    reduced_text f;
    size_t named = 0, out = 0;
    open_whole(&f, text, false);
    reduced *r = reduced_text_make(&f);
    assert_int_equal(r->problem.unknown_count, unknowns);
    for (size_t s = 0; s < r->layout.states; s++)
        named += r->state_name[s] >= 0;
    for (size_t i = 0; i < f.e->rows; i++) out += f.pick.is_out[i];
    assert_int_equal(named, states);
    assert_int_equal(out, left_out);
    reduced_free(r);
    reduced_text_clear(&f);
}

static void everything_below_the_highest_derivative_is_a_state(void **state)
{
    (void)state;
    /* x, x', y, y'; x, y, lam; rod and rod' */
    check_whole(second_order, 3, 4, 2);
    check_whole(first_order, 3, 4, 2);
    /* a, a' = b; c is a'' but an unknown of its own; a = sin t and its slope */
    check_whole(chain, 2, 2, 2);
    /* nothing to do */
    check_whole("var x = 1, y\nx' = -y\ny = x^2\n", 2, 1, 0);
    /* a name may not go beyond bounds of its own: v keeps its states, and so
       x' = v is a constraint, with rod and rod' */
    check_whole("var x ~ 0.6, y ~ 0.8, v ~ 0 {max = 9}, lam ~ 0\n"
                "x' = v\nv' = -lam*x\ny'' = -lam*y - 9.81\nx^2 + y^2 = 1\n",
        4, 5, 3);
}

/* Names of names, in any order of lines. */
static void names_of_names(void **state)
{
    (void)state;
    check_whole(
        "var s, a, b, f ~ 0\ns' = a\na' = b\nb' = f\ns = sin(t)\n", 2, 3, 3);
    check_whole(
        "var f ~ 0, b, a, s\nb' = f\ns = sin(t)\na' = b\ns' = a\n", 2, 3, 3);
}

/* ---- multipliers ------------------------------------------------------------------- */

static void name_of(
    const reduced *r, dae_name_kind kind, size_t index, const char *expected)
{
    char text[80];
    r->problem.name(r->problem.self, kind, index, text, sizeof text);
    assert_string_equal(text, expected);
}

static void a_multiplier_for_each_constraint(void **state)
{
    (void)state;
    reduced_text f;
    open_whole(&f, second_order, true);
    reduced *r = stabilized(&f);
    /* x, x', x'', y, y', y'', lam and two multipliers, for horizontal,
       vertical, rod, rod', rod'' and four relations */
    assert_int_equal(r->stabilizer->count, 2);
    assert_int_equal(r->stabilizer->relations, 4);
    assert_int_equal(r->problem.unknown_count, 9);
    assert_int_equal(r->row_count, 5);
    name_of(r, DAE_NAME_UNKNOWN, 7, "multiplier of rod'");
    name_of(r, DAE_NAME_UNKNOWN, 8, "multiplier of rod");
    const struct dae_source *source;
    uint32_t begin, end;
    assert_int_equal(r->problem.place(r->problem.self, DAE_NAME_UNKNOWN, 8,
                         &source, &begin, &end),
        0);
    for (size_t k = 7; k < 9; k++)
        assert_int_equal(r->problem.index_group[k], 2);
    reduced_free(r);
    reduced_text_clear(&f);
}

/* x' = x_1 - 2 x/L mu, with x = 0.5 and y = 0.8: L = 1.6, the larger gradient. */
static void relations_by_hand(void **state)
{
    (void)state;
    reduced_text f;
    double x[ROOM] = {0}, xp[ROOM] = {0}, res[ROOM];
    open_whole(&f, second_order, true);
    const size_t column = reduced_text_column(&f, "x");
    reduced_text_set(&f, "x", 0.5);
    reduced_text_set(&f, "y", 0.8);
    reduced_text_evaluate(&f);
    reduced *r = stabilized(&f);
    const stabilizer *z = r->stabilizer;
    x[r->slot_of[reduced_text_column(&f, "x'")]] = 3;
    x[r->layout.states - 1] = 0.25;
    for (size_t q = 0; q < z->relations; q++)
        if (z->column[q] == (int32_t)column) xp[z->unknown[q]] = 7;
    CHECK_STATUS(r->problem.residual(r, 0, x, xp, res), DAE_OK);
    for (size_t q = 0; q < z->relations; q++)
        if (z->column[q] == (int32_t)column)
            CHECK_NEAR(res[r->row_count + q], 7 - 3 + 1.0 / 1.6 * 0.25, 1e-14);
    reduced_free(r);
    reduced_text_clear(&f);
}

static double *slot_at(const reduced *r, double *x, double *xp, size_t s)
{
    return s < r->layout.states ? &x[s] : &xp[s - r->layout.states];
}

static void check_column(
    const reduced *r, double *x, double *xp, size_t s, const double *values)
{
    const double h = 1e-5;
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
    for (size_t i = 0; i < r->problem.unknown_count; i++)
        CHECK_NEAR(own[i], (up[i] - down[i]) / (2 * h), 1e-7);
}

/* Gradients are those of the last Jacobian, so differences see none of theirs. */
static void check_jacobian(const char *text)
{
    reduced_text f;
    random_state rnd = {5};
    double x[ROOM], xp[ROOM], values[ENTRIES];
    open_whole(&f, text, true);
    reduced *r = stabilized(&f);
    const size_t slots = r->layout.states + r->layout.unknowns;
    assert_true(slots <= ROOM);
    assert_true(r->problem.pattern->column_start[slots] <= ENTRIES);
    for (int k = 0; k < 5; k++) {
        for (size_t s = 0; s < slots; s++)
            *slot_at(r, x, xp, s) = random_unit(&rnd);
        CHECK_STATUS(
            r->problem.jacobian(r->problem.self, DAE_ALL, 0, x, xp, values),
            DAE_OK);
        for (size_t s = 0; s < slots; s++) check_column(r, x, xp, s, values);
    }
    reduced_free(r);
    reduced_text_clear(&f);
}

static void jacobians_are_differences(void **state)
{
    (void)state;
    check_jacobian(second_order);
    check_jacobian(first_order);
    check_jacobian(chain);
    /* a constraint that has x' and its name u in one */
    check_jacobian("var x ~ 1, y ~ 0, u ~ 0, f ~ 0\nx' = u\nu' = -f\n"
                   "y' = f*y\n2*x' + 3*u*u + y = 1\n");
}

/* ---- depth ------------------------------------------------------------------------ */

static void check_depth(const char *text, const char *const *names,
    const int32_t *expected, size_t count)
{
    reduced_text f;
    int32_t depth[REDUCED_MOST];
    reduced_text_open(&f, text, 0);
    assert_true(f.e->columns <= REDUCED_MOST);
    CHECK_STATUS(unreduced_depths(f.e, &f.structure, NULL, depth), DAE_OK);
    for (size_t k = 0; k < count; k++)
        assert_int_equal(depth[reduced_text_column(&f, names[k])], expected[k]);
    reduced_text_clear(&f);
}

/* As [HLR89] classifies the variables of a mechanism, and a chain's [BCP96]. */
static void depths_of_known_systems(void **state)
{
    (void)state;
    const char *const mechanism[] = {"x", "y", "u", "v", "lam"};
    check_depth(first_order, mechanism, (int32_t[]){0, 0, 1, 1, 2}, 5);
    const char *const twice[] = {"x", "x'", "x''", "y'", "lam"};
    check_depth(second_order, twice, (int32_t[]){0, 1, 2, 1, 2}, 5);
    const char *const links[] = {"a", "b", "c", "a'", "a''"};
    check_depth(chain, links, (int32_t[]){0, 1, 2, 1, 2}, 5);
    const char *const fed[] = {"x", "z"};
    check_depth("var x, z\nx' = z\nx = sin(t)\n", fed, (int32_t[]){0, 1}, 2);
}

/* What only looks on is as deep as what it looks at, and no deeper. */
static void depths_of_onlookers(void **state)
{
    (void)state;
    const char *const names[] = {"w", "k", "s", "q"};
    check_depth("var x ~ 0.6, y ~ 0.8, lam ~ 0, w, k, s, q = 0\n"
                "x'' = -lam*x\ny'' = -lam*y - 9.81\nx^2 + y^2 = 1\n"
                "w = x*y\nk = x'^2\ns = lam*x\nq' = x' - q\n",
        names, (int32_t[]){0, 1, 2, 0}, 4);
    const char *const index_1[] = {"x", "y"};
    check_depth(
        "var x = 1, y\nx' = -y\ny + y^3 = x\n", index_1, (int32_t[]){0, 0}, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_below_the_highest_derivative_is_a_state),
        cmocka_unit_test(names_of_names),
        cmocka_unit_test(a_multiplier_for_each_constraint),
        cmocka_unit_test(relations_by_hand),
        cmocka_unit_test(jacobians_are_differences),
        cmocka_unit_test(depths_of_known_systems),
        cmocka_unit_test(depths_of_onlookers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

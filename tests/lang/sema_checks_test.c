/* What stands beside the equations: curves, expectations, options of `solve`,
 * attributes, starts, and the values that a caller sets. */
#include "lang/sema_support.h"

static void check_observation(
    const fixture *f, size_t k, const char *name, double value)
{
    char text[64];
    dae_model_observation_name(f->model, k, text, sizeof text);
    assert_string_equal(text, name);
    CHECK_NEAR(f->obs[k], value, 1e-14);
}

static void observe_at(fixture *f, double t)
{
    CHECK_STATUS(dae_model_set_start(f->model, 0, f->x, f->xp), DAE_OK);
    assert_true(dae_model_observation_count(f->model) <= 64);
    CHECK_STATUS(dae_model_observe(f->model, t, f->x, f->xp, f->obs), DAE_OK);
}

static void curves_of_arrays_are_named_by_their_indices(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var X[2, 0..1], s\n"
        "X' = -X\ns = t\n"
        "plot X, s\n"
        "plot 2*X[1] over s + 1\n");
    observe_at(&f, 3);
    check_observation(&f, 0, "X[1,0]", 0.5);
    check_observation(&f, 1, "X[1,1]", 0.75);
    check_observation(&f, 2, "X[2,0]", 1);
    check_observation(&f, 3, "X[2,1]", 1.25);
    check_observation(&f, 4, "s", 1.5);
    check_observation(&f, 5, "s + 1", 2.5);
    check_observation(&f, 6, "2*X[1][1]", 1);
    check_observation(&f, 7, "2*X[1][2]", 1.5);
    assert_int_equal(dae_model_plot_count(f.model), 7);
    dae_plot last = dae_model_plot(f.model, 6);
    assert_int_equal(last.plot, 1);
    assert_int_equal(last.observation, 7);
    assert_int_equal(last.over, 5);
    assert_true(dae_model_plot(f.model, 4).over == SIZE_MAX);
    close_model(&f);
}

static void observations_have_units(void **state)
{
    (void)state;
    /* v, u, y; what the first line plots; x[1] and y of the second */
    static const char *const units[] = {
        "m/s", "V", "kg", "m", "m", "", "m", "V", "", "m", "kg"};
    enum { COUNT = sizeof units / sizeof *units };
    fixture f;
    open_model(&f,
        "var x[2] = 1 {m, min = -9}\n"
        "let v = x[1] {m/s}\n"
        "input u = sin(t) {V}\n"
        "x' = -x\n"
        "output y = 2*x[2] {kg}\n"
        "plot x, x[1]', -x[2], u, 2*u\n"
        "plot y over x[1]\n");
    assert_int_equal(dae_model_observation_count(f.model), COUNT);
    for (size_t k = 0; k < COUNT; k++)
        assert_string_equal(dae_model_observation_unit(f.model, k), units[k]);
    close_model(&f);
}

static void expectations_of_arrays_hold_for_each_element(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param k = 2\n"
        "var x[2], y\n"
        "x' = -x\ny = 1\n"
        "expect x ~ [1, 2] within 0.1 at 1\n"
        "expect 3 ~ x within y\n"
        "expect x >= initial(x) - 1 always\n"
        "expect not (y > 1) and x[1] < k and (k > 1 or y != 2) final\n");
    observe_at(&f, 1);
    assert_int_equal(dae_model_expect_count(f.model), 7);
    const dae_expect *e = dae_model_expect_at(f.model, 1);
    assert_int_equal(e->kind, DAE_EXPECT_NEAR);
    assert_int_equal(e->place, DAE_EXPECT_AT);
    CHECK_NEAR(f.obs[e->left], 0.75, 0);
    CHECK_NEAR(f.obs[e->right], 2, 0);
    e = dae_model_expect_at(f.model, 3);
    CHECK_NEAR(f.obs[e->left], 3, 0);
    CHECK_NEAR(f.obs[e->right], 0.75, 0);
    CHECK_NEAR(f.obs[e->within], 1, 0);
    e = dae_model_expect_at(f.model, 5);
    assert_int_equal(e->place, DAE_EXPECT_ALWAYS);
    CHECK_NEAR(f.obs[e->left], 1, 0);
    CHECK_NEAR(f.obs[e->compare_left], 0.75, 0);
    CHECK_NEAR(f.obs[e->compare_right], -0.25, 0);
    /* not (1 > 1) and 0.5 < 2, and what params decide holds */
    e = dae_model_expect_at(f.model, 6);
    assert_int_equal(e->place, DAE_EXPECT_FINAL);
    assert_true(e->compare_left == SIZE_MAX);
    CHECK_NEAR(f.obs[e->left], 1, 0);
    assert_int_equal(e->operand_count, 4);
    CHECK_NEAR(f.obs[e->operands], 1, 0);
    CHECK_NEAR(f.obs[e->operands + 2], 0.5, 0);
    close_model(&f);
}

static void structure_and_codes_are_expected_too(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param index = 4, n = 2\n"
        "var x = 1\n"
        "x' = -x\n"
        "expect dof == n - 1\n"
        "expect index == 4\n"
        "expect \"E0301\"\n"
        "expect true or x > 1\n"
        "expect false and x > 1\n");
    observe_at(&f, 1);
    const dae_expect *e = dae_model_expect_at(f.model, 0);
    assert_int_equal(e->kind, DAE_EXPECT_DOF);
    CHECK_NEAR(e->number, 1, 0);
    e = dae_model_expect_at(f.model, 1); /* the model's own `index` */
    assert_int_equal(e->kind, DAE_EXPECT_TRUE);
    CHECK_NEAR(f.obs[e->left], 1, 0);
    e = dae_model_expect_at(f.model, 2);
    assert_int_equal(e->kind, DAE_EXPECT_CODE);
    assert_string_equal(e->code, "E0301");
    assert_string_equal(e->text, "expect \"E0301\"");
    e = dae_model_expect_at(f.model, 3);
    CHECK_NEAR(f.obs[e->left], 1, 0);
    assert_int_equal(e->operand_count, 0);
    e = dae_model_expect_at(f.model, 4);
    CHECK_NEAR(f.obs[e->left], 0, 0);
    assert_int_equal(e->operand_count, 0);
    close_model(&f);
}

static void all_options_of_solve(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "\"the title\"\n"
        "param h = 0.5\n"
        "var x = 1\n"
        "x' = -x\n"
        "solve t in 2..-3, rtol = h/100, atol = 1e-9, method = bdf, order = 4,"
        " points = 9, grid = \"even\", first = 1e-6, first_step = h, max_step ="
        " 2*h, linear = \"klu\"\n");
    const dae_settings *s = dae_model_settings(f.model);
    assert_int_equal(s->has_solve, 1);
    CHECK_NEAR(s->t0, 2, 0);
    CHECK_NEAR(s->t1, -3, 0);
    CHECK_NEAR(s->rtol, 0.005, 0);
    CHECK_NEAR(s->atol, 1e-9, 0);
    assert_string_equal(s->method, "bdf");
    assert_int_equal(s->order, 4);
    assert_int_equal(s->points, 9);
    assert_int_equal(s->log_grid, 0);
    CHECK_NEAR(s->log_first, 1e-6, 0);
    CHECK_NEAR(s->first_step, 0.5, 0);
    CHECK_NEAR(s->max_step, 1, 0);
    assert_string_equal(s->linear, "klu");
    assert_string_equal(dae_model_title(f.model), "the title");
    close_model(&f);
}

static void attributes_reach_every_element(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param big = 100 {m/s}\n"
        "var x[2] = 1 {m/s, min = -1, max = big, nominal = 10, atol = 1e-9, "
        "state = 1} \"speed\"\n"
        "var y {state = 0}\n"
        "x' = -x\ny = x[1]\n");
    const dae_problem *p = f.p;
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(p->scales->minimum[k], -1, 0);
        CHECK_NEAR(p->scales->maximum[k], 100, 0);
        CHECK_NEAR(p->scales->nominal[k], 10, 0);
        CHECK_NEAR(p->scales->atol[k], 1e-9, 0);
    }
    assert_string_equal(dae_model_unknown_unit(f.model, 1), "m/s");
    assert_string_equal(dae_model_unknown_doc(f.model, 1), "speed");
    assert_string_equal(dae_model_unknown_unit(f.model, 2), "");
    close_model(&f);
}

/* ---- starts ---------------------------------------------------------------- */

static void init_lines_go_through_arrays_and_loops(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param a = 3\n"
        "var x[3], y[2] ~ 7, v' = 5, z ~ 1\n"
        "x'' = -x\ny' = -y\nv' = -v\nz' = 0*z\n"
        "init x = [1, a, 2*a]\n"
        "init x[i]' = i for i in 1..3\n"
        "init 4 = y[1], y' ~ [8, 9], z ~ 3\n"
        "init sum(x) + v = 2, y[2] = 2*z for i in 1..1\n");
    const dae_start *s = f.p->start;
    /* x[k] stands before x[k]' */
    const double want[] = {1, 1, 3, 2, 6, 3};
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR(s->x[k], want[k], 0);
        assert_true(s->x_fixed[k]);
    }
    CHECK_NEAR(s->x[6], 4, 0);
    assert_true(s->x_fixed[6]);
    CHECK_NEAR(s->x[7], 7, 0);
    assert_false(s->x_fixed[7]);
    CHECK_NEAR(s->xp[3], 8, 0);
    CHECK_NEAR(s->xp[4], 9, 0);
    assert_false(s->xp_fixed[4]);
    CHECK_NEAR(s->xp[5], 5, 0);
    assert_true(s->xp_fixed[5]);
    CHECK_NEAR(s->x[9], 3, 0); /* before the one of the declaration */
    assert_int_equal(s->condition_count, 2);
    CHECK_STATUS(s->condition_residual(f.p->self, 0, f.x, f.xp, f.res), DAE_OK);
    CHECK_NEAR(f.res[0], f.x[0] + f.x[2] + f.x[4] + f.x[8] - 2, 1e-14);
    CHECK_NEAR(f.res[1], f.x[7] - 2 * f.x[9], 1e-14);
    close_model(&f);
}

/* A start that is set holds, whatever the text says of it. */
static void set_values_reach_arrays_and_derivatives(void **state)
{
    (void)state;
    fixture f;
    const dae_override set[] = {{"x(0)", "k + 1"}, {"y'(0)", "4"},
        {"x[2](0)", "9"}, {"w[2]", "5"}, {"w[1]", "6"}, {"w[1]", "7"}};
    open_with(&f,
        "param k = 1, w[2] = 0\n"
        "var x[2] = 3, y = 1\n"
        "x' = -x\ny'' = w[1]*y + w[2]\n",
        set, 6);
    const dae_start *s = f.p->start;
    CHECK_NEAR(s->x[0], 2, 0);
    CHECK_NEAR(s->x[1], 9, 0);
    CHECK_NEAR(s->x[3], 4, 0);
    assert_true(s->x_fixed[3]);
    evaluate(&f, 0);
    CHECK_NEAR(f.res[2], 12 - (7 * 1 + 5), 0);
    close_model(&f);
}

typedef struct wrong_set {
    const char *name, *value, *code;
    uint32_t column; /* in the name or value */
    const char *says;
} wrong_set;

static void check_wrong_set(const wrong_set *w)
{
    static const char text[] =
        "param k = 1, R[2] = 4, n = 2\nvar x[n] = 1\nlet e = 2*x[1]\n"
        "fun f(a) = a\nx' = -k*x*R[1]\n";
    dae_diagnostics *ds;
    dae_model *model;
    dae_override set = {w->name, w->value};
    dae_model_options options = {.overrides = &set, .override_count = 1};
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    dae_status st = dae_model_parse(
        "set.dae", text, strlen(text), &options, NULL, ds, &model);
    bool ok = st == DAE_MODEL && dae_diagnostics_count(ds) == 1
        && has(ds, w->code, 1, w->column);
    const dae_diagnostic *d = dae_diagnostics_at(ds, 0);
    ok = ok
        && (strstr(d->message, w->says)
            || (d->help && strstr(d->help, w->says)));
    if (!ok) {
        print_error(
            "%s=%s, wanted %s at %u\n", w->name, w->value, w->code, w->column);
        describe(ds);
    }
    assert_true(ok);
    dae_model_free(model);
    dae_diagnostics_free(ds);
}

static void values_that_cannot_be_set(void **state)
{
    (void)state;
    static const wrong_set sets[] = {
        {"q", "1", "E0201", 1, "no param `q`"},
        {"2*k", "1", "E0203", 1, "a name is wanted"},
        {"x", "1", "E0203", 1, "'x(0)=...'"},
        {"e", "1", "E0203", 1, "`e` is not a param"},
        {"f", "1", "E0203", 1, "`f` is not a param"},
        {"R[3]", "1", "E0205", 1, "no such element"},
        {"R[1,1]", "1", "E0205", 1, "no such element"},
        {"k", "zz", "E0201", 1, "`zz` is not declared"},
        {"k", "2*t", "E0206", 1, "must be a constant"},
        {"k", "x[1]", "E0206", 1, "`k` cannot depend on the unknown `x`"},
        {"k", "[1, 2]", "E0204", 1, "an array of 2"},
        {"k", "1 +", "E0102", 4, ""},
        {"x[1](2)", "1", "E0203", 1, "at the start, t = 0"},
        {"x[1](0, 0)", "1", "E0203", 1, "'x(0)=value'"},
        {"x[1](q)", "1", "E0201", 6, "`q` is not declared"},
        {"x[1](t)", "1", "E0206", 6, "the time of a start"},
        {"y(0)", "1", "E0201", 1, "`y` is not declared"},
        {"x[3](0)", "1", "E0205", 3, "outside 1..2"},
        {"k(0)", "1", "E0203", 1, "params, unknowns and derivatives"},
        {"e(0)", "1", "E0203", 1, "params, unknowns and derivatives"},
        {"x(0)", "t", "E0206", 1, "must be a constant"},
    };
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
        check_wrong_set(&sets[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_of_arrays_are_named_by_their_indices),
        cmocka_unit_test(expectations_of_arrays_hold_for_each_element),
        cmocka_unit_test(structure_and_codes_are_expected_too),
        cmocka_unit_test(all_options_of_solve),
        cmocka_unit_test(observations_have_units),
        cmocka_unit_test(attributes_reach_every_element),
        cmocka_unit_test(init_lines_go_through_arrays_and_loops),
        cmocka_unit_test(set_values_reach_arrays_and_derivatives),
        cmocka_unit_test(values_that_cannot_be_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What models mean: residuals at a point worked out by hand, counts, names,
 * start values. */
#include "lang/sema_support.h"

static void precedence_is_the_textbooks(void **state)
{
    (void)state;
    fixture f;
    /* x = 0.5, y = 0.75, z = 1 */
    open_model(&f,
        "var x, y, z\n"
        "0 = -x^2\n"
        "0 = 2^3^2 - x - y - z\n"
        "0 = x - y*z/y\n");
    evaluate(&f, 0);
    CHECK_NEAR(f.res[0], 0.25, 0);
    CHECK_NEAR(f.res[1], -(512 - 0.5 - 0.75 - 1), 0);
    CHECK_NEAR(f.res[2], -(0.5 - 1), 0);
    close_model(&f);
}

static void arrays_have_lower_bounds_and_slices(void **state)
{
    (void)state;
    fixture f;
    /* T[0..3] = 0.5 0.75 1 1.25; s = 1.5 */
    open_model(&f,
        "var T[0..3], s\n"
        "T[i] = T[i-1]*i for i in 1..3\n"
        "edge: T[0] = 2\n"
        "s = sum(T[1..2]) + max(T) - min(T) + prod(T[:])\n");
    evaluate(&f, 0);
    assert_int_equal(dae_model_equation_count(f.model), 5);
    CHECK_NEAR(f.res[0], 0.75 - 0.5, 0);
    CHECK_NEAR(f.res[1], 1 - 0.75 * 2, 0);
    CHECK_NEAR(f.res[2], 1.25 - 3, 0);
    CHECK_NEAR(f.res[3], 0.5 - 2, 0);
    CHECK_NEAR(f.res[4], 1.5 - (1.75 + 1.25 - 0.5 + 0.5 * 0.75 * 1.25), 1e-15);
    check_unknown(&f, 0, "T[0]");
    check_unknown(&f, 4, "s");
    check_equation(&f, 0, "L2[1]");
    check_equation(&f, 3, "edge");
    check_equation(&f, 4, "L4");
    close_model(&f);
}

static void vectors_and_matrices_multiply(void **state)
{
    (void)state;
    fixture f;
    /* v = 0.5 0.75 1, w = 1.25 1.5 1.75, n = 2, d = 2.25 */
    open_model(&f,
        "param A[3,3] = [[1,2,3],[4,5,6],[7,8,9]]\n"
        "var v[3], w[3], n, d\n"
        "A*v = w\n"
        "cross(v, w) = zeros(3)\n"
        "n = norm(v)\n"
        "d = dot(v, w) + transpose(A)[1,2]\n");
    evaluate(&f, 0);
    CHECK_NEAR(f.res[0], 0.5 + 1.5 + 3 - 1.25, 0);
    CHECK_NEAR(f.res[1], 2 + 3.75 + 6 - 1.5, 0);
    CHECK_NEAR(f.res[2], 3.5 + 6 + 9 - 1.75, 0);
    CHECK_NEAR(f.res[3], 0.75 * 1.75 - 1 * 1.5, 1e-15);
    CHECK_NEAR(f.res[4], 1 * 1.25 - 0.5 * 1.75, 1e-15);
    CHECK_NEAR(f.res[5], 0.5 * 1.5 - 0.75 * 1.25, 1e-15);
    CHECK_NEAR(f.res[6], 2 - sqrt(0.25 + 0.5625 + 1), 1e-15);
    CHECK_NEAR(f.res[7], 2.25 - (0.5 * 1.25 + 0.75 * 1.5 + 1.75 + 4), 1e-15);
    check_equation(&f, 3, "L4[1]");
    close_model(&f);
}

static void primes_differentiate_any_expression(void **state)
{
    (void)state;
    fixture f;
    /* V = x[0], c = x[1]; V' = 10, c' = 11; the input at t = 2 */
    open_model(&f,
        "input g = t^3\n"
        "let E = V*c\n"
        "var V, c\n"
        "(V*c)' = 1\n"
        "V' = E' + g' + g'' + sin(c)'\n");
    evaluate(&f, 2);
    double product = 10 * 0.75 + 0.5 * 11;
    CHECK_NEAR(f.res[0], product - 1, 1e-14);
    CHECK_NEAR(f.res[1], 10 - (product + 12 + 12 + cos(0.75) * 11), 1e-13);
    close_model(&f);
    /* what turns out to be a param only while it is written down: 0 */
    open_model(&f,
        "param w = 3\n"
        "var x\n"
        "x' = -x + (if x > 10 then w else w)' + ((x - x)*x + w)'\n");
    evaluate(&f, 0);
    CHECK_NEAR(f.res[0], f.xp[0] + 0.5, 1e-15);
    close_model(&f);
}

static void second_order_unknowns_have_three_slots(void **state)
{
    (void)state;
    fixture f;
    open_model(&f, "var y = 1\ninit y' = 2\nm: y'' = -4*y - 3*y'\n");
    assert_int_equal(dae_problem_state_count(f.p), 2);
    assert_int_equal(f.p->unknown_count, 1);
    assert_int_equal(dae_model_unknown_order(f.model, 0), 2);
    evaluate(&f, 0);
    CHECK_NEAR(f.res[0], 10 + 4 * 0.5 + 3 * 0.75, 1e-15);
    CHECK_NEAR(f.p->start->x[0], 1, 0);
    CHECK_NEAR(f.p->start->x[1], 2, 0);
    assert_true(f.p->start->x_fixed[0] && f.p->start->x_fixed[1]);
    close_model(&f);
}

static void functions_see_their_arguments_only(void **state)
{
    (void)state;
    fixture f;
    /* i of the loop is not i of the model inside f */
    open_model(&f,
        "param i = 100\n"
        "fun f(a)\n  b = a + i\n  return 2*b\nend\n"
        "var x[2]\n"
        "x[i] = f(i) for i in 1..2\n");
    evaluate(&f, 0);
    CHECK_NEAR(f.res[0], 0.5 - 202, 0);
    CHECK_NEAR(f.res[1], 0.75 - 204, 0);
    close_model(&f);
}

static void compile_time_ifs_drop_branches(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param n = 3\n"
        "var x[n]\n"
        "fun left(i) = if i > 1 then x[i-1] else 7\n"
        "for i in 1..n\n"
        "  if i == n\n    x[i] = 9\n"
        "  else\n    x[i] = left(i)\n  end\n"
        "end\n"
        "if n > 2\n  var y\n  y = n\nelse\n  z = q\nend\n");
    evaluate(&f, 0);
    assert_int_equal(dae_model_unknown_count(f.model), 4);
    /* statement by statement: x[n] = 9, then the others, then y */
    CHECK_NEAR(f.res[0], 1 - 9, 0);
    CHECK_NEAR(f.res[1], 0.5 - 7, 0);
    CHECK_NEAR(f.res[2], 0.75 - 0.5, 0);
    CHECK_NEAR(f.res[3], 1.25 - 3, 0);
    close_model(&f);
}

/* At the top of the model, too: the last branch, or none. */
static void compile_time_ifs_take_the_last_branch_or_none(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param n = 1\n"
        "if n > 2\n  var x\n  x = 1\nelse\n  var z\n  z' = 5\nend\n"
        "if n > 3\n  q = 1\nelseif n > 2\n  q = 2\nend\n");
    evaluate(&f, 0);
    assert_int_equal(dae_model_equation_count(f.model), 1);
    check_unknown(&f, 0, "z");
    CHECK_NEAR(f.res[0], 5, 0);
    close_model(&f);
}

static void numbers_known_now_are_worked_out_now(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param k = 4, a = 2*inf, b = 1/inf, c = k^0.5 + k^3 + sinc(k)\n"
        "var x, y, z\n"
        "x' = t'' + (2*t)' + (t*1)' + b + (if a > 1e308 then 1 else 0)\n"
        "y' = c + sinc(0.5) + stumpff(2, 0) + x^2.5 + x^0.5\n"
        "z' = (if not (1 > 2) then x^2 else q[1]) + z^2000 + 2^x\n"
        "fun unused(a) = a\n"
        "param q[1] = 0\n");
    f.x[2] = 1;
    evaluate(&f, 1);
    CHECK_NEAR(f.res[0], 10 - 4, 0);
    double c = 2 + 64 + sin(4) / 4;
    CHECK_NEAR(f.res[1],
        11 - (c + sin(0.5) / 0.5 + 0.5 + pow(0.5, 2.5) + sqrt(0.5)), 1e-13);
    CHECK_NEAR(f.res[2], 12 - (0.25 + 1 + sqrt(2)), 1e-13);
    close_model(&f);
}

static void long_sums_are_definitions_of_many_rows(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param w[k in 1..40] = k\n"
        "var x[40], s, p\n"
        "fun scaled(a) = sum(a*w[k]*x[k] for k in 1..40 where k != 3)\n"
        "x[k]' = s for k in 1..40\n"
        "s = scaled(2*p) + 1\n"
        "p = exp(sum(x[k] - x[k] + 1/40 for k in 1..40))\n");
    double sum = 0;
    for (int k = 1; k <= 40; k++) {
        if (k != 3) sum += k * f.x[k - 1];
    }
    evaluate(&f, 0);
    double s = f.x[40], p = f.x[41];
    CHECK_NEAR(f.res[0], 10 - s, 1e-12);
    CHECK_NEAR(f.res[40], s - (2 * p * sum + 1), 1e-9);
    CHECK_NEAR(f.res[41], p - exp(1), 1e-12);
    close_model(&f);
}

/* Element by element, and the same numbers as a loop. */
static void large_arrays_combine_element_by_element(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param n = 30\n"
        "param w[i in 1..n] = i\n"
        "let m = sum(x)/n, y = 2*x - w, z[i in 1..n] = m*x[i]\n"
        "var x[n]\n"
        "x' = -x*m + sin(y) + z*w\n");
    evaluate(&f, 0);
    double m = 0;
    for (int k = 0; k < 30; k++) m += f.x[k] / 30;
    for (int k = 0; k < 30; k++) {
        double w = k + 1, x = f.x[k];
        CHECK_NEAR(
            f.res[k], 10 + k - (-x * m + sin(2 * x - w) + m * x * w), 1e-10);
    }
    check_equation(&f, 29, "L5[30]");
    close_model(&f);
}

static void overrides_replace_values(void **state)
{
    (void)state;
    fixture f;
    const dae_override set[] = {
        {"k", "2*3"}, {"n", "2"}, {"x[2](0)", "5"}, {"R[1]", "8"}};
    open_with(&f,
        "param n = 1, k = 1, R[2] = 4\n"
        "var x[n] ~ k\n"
        "x' = -k*x*R[1]\n",
        set, 4);
    assert_int_equal(dae_model_unknown_count(f.model), 2);
    evaluate(&f, 0);
    CHECK_NEAR(f.res[0], 10 + 6 * 0.5 * 8, 0);
    CHECK_NEAR(f.p->start->x[0], 6, 0);
    CHECK_NEAR(f.p->start->x[1], 5, 0);
    assert_false(f.p->start->x_fixed[0]);
    assert_true(f.p->start->x_fixed[1]);
    CHECK_STATUS(dae_model_set_param(f.model, "k", 10), DAE_OK);
    evaluate(&f, 0);
    CHECK_NEAR(f.res[0], 10 + 10 * 0.5 * 8, 0);
    CHECK_NEAR(f.p->start->x[0], 10, 0);
    CHECK_STATUS(dae_model_set_param(f.model, "n", 3), DAE_UNSUPPORTED);
    CHECK_STATUS(dae_model_set_param(f.model, "q", 3), DAE_ARGUMENT);
    close_model(&f);
}

static void guesses_yield_to_conditions_and_elements(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var x[3] ~ 1, y ~ 1, z = 4\n"
        "init x[2] ~ 2, y = 3, z ~ 9\n"
        "x' = -x\ny' = 0\nz' = 0\n");
    CHECK_NEAR(f.p->start->x[0], 1, 0);
    CHECK_NEAR(f.p->start->x[1], 2, 0);
    CHECK_NEAR(f.p->start->x[3], 3, 0);
    CHECK_NEAR(f.p->start->x[4], 4, 0);
    assert_false(f.p->start->x_fixed[1]);
    assert_true(f.p->start->x_fixed[3]);
    assert_true(f.p->start->x_fixed[4]);
    assert_int_equal(dae_model_unknown_given(f.model, 1), DAE_GIVEN_GUESS);
    assert_int_equal(dae_model_unknown_given(f.model, 3), DAE_GIVEN_CONDITION);
    close_model(&f);
}

/* Whether N0408 was given at this place of the text. */
static bool is_noted(const fixture *f, uint32_t line, uint32_t column)
{
    for (size_t k = 0; k < dae_diagnostics_count(f->ds); k++) {
        const dae_diagnostic *d = dae_diagnostics_at(f->ds, k);
        if (strcmp(d->code, "N0408") == 0 && d->spans[0].line == line
            && d->spans[0].column == column)
            return true;
    }
    return false;
}

/* An element's own guess frees it from the condition of the whole array. One
 * beside a condition of the same rank is not used, and told, once for a line,
 * wherever it stands. */
static void guesses_beside_conditions_are_used_or_told(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var T[4] = 20, q[3] = 1, z = 4, y ~ 1\n"
        "init T[1] ~ 30, q ~ 5, z ~ 9, y ~ 2\n"
        "init T[i] ~ 7 for i in 3..4\n"
        "init y = 3\n"
        "T' = -T\nq' = -q\nz' = 0\ny' = 0\n");
    const double want[] = {30, 20, 7, 7, 1, 1, 1, 4, 3};
    const uint8_t held[] = {0, 1, 0, 0, 1, 1, 1, 1, 1};
    for (size_t j = 0; j < 9; j++) {
        CHECK_NEAR(f.p->start->x[j], want[j], 0);
        assert_int_equal(f.p->start->x_fixed[j], held[j]);
    }
    assert_int_equal(dae_diagnostics_count(f.ds), 3);
    assert_true(is_noted(&f, 2, 17));
    assert_true(is_noted(&f, 2, 24));
    assert_true(is_noted(&f, 2, 31));
    close_model(&f);
}

static void observations_and_expectations_are_in_order(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var x = 1\n"
        "x' = -x\n"
        "output two = 2*x, pair[k in 1..2] = k*x\n"
        "input u = t\n"
        "solve t in 0..1, rtol = 1e-5, points = 7, grid = \"log\"\n"
        "plot x\n"
        "expect two ~ 2*initial(x) within 0.5 at 0.25\n"
        "expect x > 0 always\n"
        "expect index == 0\n");
    CHECK_STATUS(dae_model_set_start(f.model, 0, f.x, f.xp), DAE_OK);
    f.x[0] = 3;
    CHECK_STATUS(dae_model_observe(f.model, 2, f.x, f.xp, f.obs), DAE_OK);
    assert_true(dae_model_observation_count(f.model) >= 8);
    CHECK_NEAR(f.obs[0], 6, 0);
    CHECK_NEAR(f.obs[2], 6, 0);
    CHECK_NEAR(f.obs[3], 2, 0);
    char name[32];
    dae_model_observation_name(f.model, 2, name, sizeof name);
    assert_string_equal(name, "pair[2]");
    assert_int_equal(dae_model_expect_count(f.model), 3);
    const dae_expect *near = dae_model_expect_at(f.model, 0);
    assert_int_equal(near->kind, DAE_EXPECT_NEAR);
    CHECK_NEAR(near->at, 0.25, 0);
    CHECK_NEAR(f.obs[near->left], 6, 0);
    CHECK_NEAR(f.obs[near->right], 1, 0);
    CHECK_NEAR(f.obs[near->within], 0.5, 0);
    const dae_expect *truth = dae_model_expect_at(f.model, 1);
    assert_int_equal(truth->place, DAE_EXPECT_ALWAYS);
    CHECK_NEAR(f.obs[truth->left], 1, 0);
    CHECK_NEAR(f.obs[truth->compare_left], 3, 0);
    const dae_expect *index = dae_model_expect_at(f.model, 2);
    assert_int_equal(index->kind, DAE_EXPECT_INDEX);
    CHECK_NEAR(index->number, 0, 0);
    const dae_settings *s = dae_model_settings(f.model);
    CHECK_NEAR(s->rtol, 1e-5, 0);
    assert_int_equal(s->points, 7);
    assert_true(s->log_grid);
    close_model(&f);
}

static void utf8_names_and_the_time_variable(void **state)
{
    (void)state;
    fixture f;
    open_model(&f, "param λ = 2\nvar Φ = 1\nΦ' = -λ*Φ*τ\nsolve τ in 0..1\n");
    evaluate(&f, 3);
    CHECK_NEAR(f.res[0], 10 + 2 * 0.5 * 3, 0);
    check_unknown(&f, 0, "Φ");
    assert_string_equal(dae_model_settings(f.model)->independent, "τ");
    close_model(&f);
}

static int count_down(void *context)
{
    int *left = context;
    return --*left < 0;
}

/* The caller's start counts wherever the line's would: in the settings, in
 * the problem and for values that are set. */
static void a_start_from_outside(void **state)
{
    (void)state;
    static const char text[] = "var x = 1\nx' = -x\nsolve t in 0..10\n";
    dae_override set = {"x(5)", "3"};
    dae_model_options options = {
        .overrides = &set, .override_count = 1, .has_start = 1, .start = 5};
    dae_diagnostics *ds;
    dae_model *model;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_model_parse("start.dae", text, strlen(text), &options,
                     NULL, ds, &model),
        DAE_OK);
    assert_true(dae_model_settings(model)->t0 == 5);
    assert_true(dae_model_settings(model)->t1 == 10);
    assert_true(dae_model_problem(model)->start->t0 == 5);
    assert_true(dae_model_problem(model)->start->x[0] == 3);
    dae_model_free(model);
    options.start = (double)INFINITY;
    CHECK_STATUS(dae_model_parse("start.dae", text, strlen(text), &options,
                     NULL, ds, &model),
        DAE_ARGUMENT);
    dae_diagnostics_free(ds);
}

static void compiling_is_interrupted(void **state)
{
    (void)state;
    static const char text[] = "var x[5000] = 1\nx' = -x\n";
    dae_status st = DAE_INTERRUPTED;
    int asked = 0;
    for (; st == DAE_INTERRUPTED && asked < 1000; asked++) {
        int left = asked;
        dae_diagnostics *ds;
        dae_model *model;
        dae_model_options options = {
            .interrupt = count_down, .interrupt_context = &left};
        CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
        st = dae_model_parse(
            "stop.dae", text, strlen(text), &options, NULL, ds, &model);
        assert_true((model == NULL) == (st == DAE_INTERRUPTED));
        assert_int_equal(dae_diagnostics_error_count(ds), 0);
        dae_model_free(model);
        dae_diagnostics_free(ds);
    }
    CHECK_STATUS(st, DAE_OK);
    assert_true(asked > 3); /* inside of lowering, too */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_from_outside),
        cmocka_unit_test(compiling_is_interrupted),
        cmocka_unit_test(precedence_is_the_textbooks),
        cmocka_unit_test(arrays_have_lower_bounds_and_slices),
        cmocka_unit_test(vectors_and_matrices_multiply),
        cmocka_unit_test(primes_differentiate_any_expression),
        cmocka_unit_test(second_order_unknowns_have_three_slots),
        cmocka_unit_test(functions_see_their_arguments_only),
        cmocka_unit_test(compile_time_ifs_drop_branches),
        cmocka_unit_test(compile_time_ifs_take_the_last_branch_or_none),
        cmocka_unit_test(numbers_known_now_are_worked_out_now),
        cmocka_unit_test(long_sums_are_definitions_of_many_rows),
        cmocka_unit_test(large_arrays_combine_element_by_element),
        cmocka_unit_test(overrides_replace_values),
        cmocka_unit_test(guesses_yield_to_conditions_and_elements),
        cmocka_unit_test(guesses_beside_conditions_are_used_or_told),
        cmocka_unit_test(observations_and_expectations_are_in_order),
        cmocka_unit_test(utf8_names_and_the_time_variable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

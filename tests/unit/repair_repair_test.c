/* Repairs of problems written by hand, and where there is no repair. */
#include "unit/repair_support.h"

static void subject_init(subject *w, const dae_problem *p)
{
    subject_open(w, p);
    subject_repair(w);
    for (size_t k = 0; k < w->f.count && k < 8; k++)
        print_message("  %s\n", w->f.repairs[k].text);
}

static void check_nothing(const subject *w)
{
    assert_int_equal(w->f.count, 0);
    assert_null(w->f.structure);
    assert_null(w->f.certificates);
    assert_null(w->f.differentiate);
    assert_false(w->f.is_complete);
}

/* ---- linear problems with constant coefficients ------------------------------ */

/* Equations of a stage between two capacities: their sum is algebraic. */
static void test_pair(void **state)
{
    (void)state;
    linear_entry e[] = {{0, 0, 1, 1e-6}, {0, 1, 1, -1e-6}, {0, 0, 0, 1e-3},
        {1, 0, 1, -1e-6}, {1, 1, 1, 1e-6}, {1, 1, 0, 2e-3}};
    linear_problem p;
    subject w;
    linear_init(&p, 2, e, 6);
    subject_init(&w, &p.problem);
    check_complete(&w, 2, 1);
    assert_int_equal(w.f.count, 1);
    assert_string_equal(w.f.repairs[0].text,
        "equation 1 + equation 2 contains no derivative, so it replaces "
        "equation 2: degrees of freedom 2 become 1");
    assert_int_equal(w.f.differentiate[0], 1);
    assert_int_equal(w.f.differentiate[1], 1);
    subject_clear(&w);
    linear_clear(&p);
}

/* The weights are -3/2 and 5/4: 4 F1 - 6 F2 + 5 F3 = 0 in x', y', z'. */
static void test_whole_weights(void **state)
{
    (void)state;
    linear_entry e[] = {{0, 0, 1, 1}, {0, 1, 1, 2}, {0, 2, 1, -3},
        {1, 0, 1, -1}, {1, 1, 1, 3}, {1, 2, 1, 3}, {2, 0, 1, -2}, {2, 1, 1, 2},
        {2, 2, 1, 6}, {0, 0, 0, 1}, {1, 1, 0, 1}, {2, 2, 0, 1}};
    linear_problem p;
    subject w;
    linear_init(&p, 3, e, 12);
    subject_init(&w, &p.problem);
    check_complete(&w, 3, 2);
    assert_int_equal(w.f.count, 1);
    assert_int_equal(w.f.repairs[0].term_count, 3);
    assert_true(w.f.repairs[0].terms[0].weight == 4);
    assert_true(w.f.repairs[0].terms[1].weight == -6);
    assert_true(w.f.repairs[0].terms[2].weight == 5);
    subject_clear(&w);
    linear_clear(&p);
}

/* Three times 0.1 is not 0.3, and three times 0.2 not 0.6: what rounding leaves
 * of x' and y' is not left. */
static void test_rounding(void **state)
{
    (void)state;
    linear_entry e[] = {{0, 0, 1, 0.1}, {0, 1, 1, 0.2}, {0, 0, 0, 1},
        {1, 0, 1, 0.3}, {1, 1, 1, 0.6}, {1, 1, 0, 1}};
    linear_problem p;
    subject w;
    linear_init(&p, 2, e, 6);
    subject_init(&w, &p.problem);
    check_complete(&w, 2, 1);
    assert_int_equal(w.f.count, 1);
    const dae_repair *r = &w.f.repairs[0];
    assert_int_equal(r->term_count, 2);
    assert_true(r->terms[0].weight == 3 && r->terms[1].weight == -1);
    assert_int_equal(r->independent_count, 2);
    for (int32_t k = 0; k < 2; k++) {
        assert_int_equal(r->independent[k].unknown, k);
        assert_int_equal(r->independent[k].order, 1);
    }
    assert_non_null(strstr(r->text, "contains no derivative"));
    subject_clear(&w);
    linear_clear(&p);
}

/* x + y = 1 twice, as written by two people, and as two cannot have it: no
 * equation is left in the place of one. */
static void test_twice(void **state)
{
    (void)state;
    for (int other = 2; other <= 3; other++) {
        linear_entry e[] = {
            {0, 0, 0, 1}, {0, 1, 0, 1}, {1, 0, 0, -2}, {1, 1, 0, -2}};
        const double shift[] = {-1, other};
        linear_problem p;
        subject w;
        linear_init(&p, 2, e, 4);
        p.shift = shift;
        subject_init(&w, &p.problem);
        check_nothing(&w);
        subject_clear(&w);
        linear_clear(&p);
    }
}

/* x + y = t and x' + y' = 2: the derivative of one contradicts the other. */
static void test_contradictory_derivative(void **state)
{
    (void)state;
    linear_entry e[] = {{0, 0, 0, 1}, {0, 1, 0, 1}, {1, 0, 1, 1}, {1, 1, 1, 1}};
    const double shift[] = {0, -2}, slope[] = {-1, 0};
    linear_problem p;
    subject w;
    linear_init(&p, 2, e, 4);
    p.shift = shift;
    p.slope = slope;
    subject_init(&w, &p.problem);
    check_nothing(&w);
    subject_clear(&w);
    /* derivatives of equations are not to be had */
    p.problem.series = NULL;
    p.problem.series_jacobian = NULL;
    subject_init(&w, &p.problem);
    check_nothing(&w);
    subject_clear(&w);
    linear_clear(&p);
}

/* ---- equations that are not linear ------------------------------------------- */

static void check_at(
    subject *w, double x, double y, double rate, dae_certificate expected)
{
    const double values[] = {x, rate, y, rate};
    const size_t first[] = {0, 2, 4};
    CHECK_STATUS(repair_certify_at(0, values, first, &w->f), DAE_OK);
    assert_int_equal(w->f.structure->fine_count, 1);
    assert_int_equal(w->f.certificates[0], expected);
    assert_int_equal(w->f.is_complete, expected == DAE_CERTIFIED);
}

/* With x' + y' = y beside x y = sin(x) the determinant is x - y + cos(x). */
static void test_certificate_at_a_point(void **state)
{
    (void)state;
    dense_problem p;
    subject w;
    dense_init(&p, 2, sum_of_rates);
    subject_init(&w, &p.problem);
    check_at(&w, 1, sin(1), 0.3, DAE_CERTIFIED);
    check_at(&w, 1, sin(1), (double)NAN, DAE_CERTIFIED);
    check_at(&w, 0, 1, 0.3, DAE_SINGULAR_HERE);
    subject_clear(&w);
}

/* F2 = x F1 + (x y - sin x): weights that vary are not looked for. */
static void factor_of_state(
    double t, const double *x, const double *xp, double *res, double (*d)[8])
{
    (void)t;
    res[0] = xp[0] + x[0] * xp[1] - x[1];
    res[1] = x[0] * xp[0] + x[0] * x[0] * xp[1] - sin(x[0]);
    d[0][0] = xp[1], d[0][1] = -1, d[0][2] = 1, d[0][3] = x[0];
    d[1][0] = xp[0] + 2 * x[0] * xp[1] - cos(x[0]);
    d[1][2] = x[0], d[1][3] = x[0] * x[0];
}

static void test_varying_weights(void **state)
{
    (void)state;
    dense_problem p;
    subject w;
    dense_init(&p, 2, factor_of_state);
    subject_init(&w, &p.problem);
    check_nothing(&w);
    subject_clear(&w);
}

/* Without a Jacobian cancellation cannot be told from rounding. */
static void test_no_jacobian(void **state)
{
    (void)state;
    dense_problem p;
    subject w;
    dense_init(&p, 2, sum_of_rates);
    subject_open(&w, &p.problem);
    p.problem.jacobian = NULL;
    subject_repair(&w);
    check_nothing(&w);
    subject_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair),
        cmocka_unit_test(test_whole_weights),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_contradictory_derivative),
        cmocka_unit_test(test_certificate_at_a_point),
        cmocka_unit_test(test_varying_weights),
        cmocka_unit_test(test_no_jacobian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

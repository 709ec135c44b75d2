/* Arrays: every operation on them against numbers worked out from the values
 * of the fixture (x = 0.5 0.75 1 1.25 ..., x' = 10 11 12 ...). */
#include "lang/sema_support.h"

static void an_if_chooses_whole_arrays(void **state)
{
    (void)state;
    fixture f;
    /* x = .5 .75 1, y = 1.25 1.5 1.75, s = 2 */
    open_model(&f,
        "param k = 2\n"
        "var x[3], y[3], s\n"
        "y = if s > 1 then x else 2*x\n"
        "x' = if s > 3 then 0 else [1, 2, 3]\n"
        "s = if x[1] > 1 then 7 elseif s < 0 then 1 else sum(if k > 1 then x "
        "else y)\n");
    evaluate(&f, 0);
    for (int k = 0; k < 3; k++) CHECK_NEAR(f.res[k], 0.75, 0);
    for (int k = 3; k < 6; k++) CHECK_NEAR(f.res[k], 9, 0);
    CHECK_NEAR(f.res[6], 2 - 2.25, 1e-15);
    f.x[6] = 0.5; /* the other branch, and a number for every element */
    evaluate(&f, 0);
    for (int k = 0; k < 3; k++) CHECK_NEAR(f.res[k], 0.25 - 0.25 * k, 1e-15);
    f.x[6] = 4;
    evaluate(&f, 0);
    for (int k = 3; k < 6; k++) CHECK_NEAR(f.res[k], 7 + k, 0);
    close_model(&f);
}

static void matrices_are_made_and_multiplied(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param n = 2\n"
        "var M[2,3], v[2], w[3]\n"
        "M = outer(v, w) + ones(n, 3)\n"
        "v = identity(n)*w[1..2] + zeros(2)\n"
        "w = transpose(M)*v\n");
    evaluate(&f, 0);
    const double *m = f.x, *v = f.x + 6, *w = f.x + 8;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(f.res[3 * i + j], m[3 * i + j] - v[i] * w[j] - 1, 1e-14);
        CHECK_NEAR(f.res[6 + i], v[i] - w[i], 1e-15);
    }
    for (int j = 0; j < 3; j++)
        CHECK_NEAR(f.res[8 + j], w[j] - m[j] * v[0] - m[3 + j] * v[1], 1e-14);
    check_equation(&f, 5, "L3[2,3]");
    close_model(&f);
}

static void rows_and_columns_multiply_from_their_side(void **state)
{
    (void)state;
    fixture f;
    /* A = [.5 .75; 1 1.25], b = 1.5 1.75, s = 2 */
    open_model(&f,
        "var A[2,2], b[2], s\n"
        "A' = A*A\n"
        "b' = b*A\n"
        "s = norm(A) + norm(s) + norm(b)\n");
    evaluate(&f, 0);
    const double square[4] = {
        0.25 + 0.75, 0.375 + 0.9375, 0.5 + 1.25, 0.75 + 1.5625};
    for (int k = 0; k < 4; k++) CHECK_NEAR(f.res[k], 10 + k - square[k], 1e-14);
    CHECK_NEAR(f.res[4], 14 - (1.5 * 0.5 + 1.75 * 1), 1e-14);
    CHECK_NEAR(f.res[5], 15 - (1.5 * 0.75 + 1.75 * 1.25), 1e-14);
    double frobenius = sqrt(0.25 + 0.5625 + 1 + 1.5625);
    CHECK_NEAR(
        f.res[6], 2 - (frobenius + 2 + sqrt(1.5 * 1.5 + 1.75 * 1.75)), 1e-14);
    close_model(&f);
}

static void slices_of_computed_arrays_count_from_one(void **state)
{
    (void)state;
    fixture f;
    /* X = [.5 .75; 1 1.25], v = 1.5 1.75, p = 2 2.25 2.5 2.75 */
    open_model(&f,
        "var X[2,2], v[2], p[4]\n"
        "X' = [v, 2*v]\n"
        "v' = (2*X)[2] + [X[1], v][:,2]\n"
        "p[1..2]' = transpose(X)[2,1..2]\n"
        "p[3]' = (3*X)[2,1]\n"
        "p[4]' = (X + X)[1..2,2][2] + X[:,1][2] + sum(X[2])\n");
    evaluate(&f, 0);
    const double want[10] = {10 - 1.5, 11 - 1.75, 12 - 3, 13 - 3.5,
        14 - (2 + 0.75), 15 - (2.5 + 1.75), 16 - 0.75, 17 - 1.25, 18 - 3,
        19 - (2.5 + 1 + 2.25)};
    for (int k = 0; k < 10; k++) CHECK_NEAR(f.res[k], want[k], 1e-14);
    close_model(&f);
}

static void arrays_are_differentiated_element_by_element(void **state)
{
    (void)state;
    fixture f;
    /* x: orders 0 and 1 in x; X: likewise; s */
    open_model(&f,
        "input g[2] = [t^2, t^3]\n"
        "var x[2], s\n"
        "(2*x)' = [1, 2]*t' + pi'\n"
        "s' = sum(der(x)) + dot(g', g'') + der(s, 0) + sum((x*x)')\n");
    evaluate(&f, 2);
    CHECK_NEAR(f.res[0], 20 - 1, 0);
    CHECK_NEAR(f.res[1], 22 - 2, 0);
    double squares = 2 * 0.5 * 10 + 2 * 0.75 * 11;
    CHECK_NEAR(f.res[2], 12 - (21 + (4 * 2 + 12 * 12) + 1 + squares), 1e-12);
    close_model(&f);
    open_model(&f,
        "var X[2,2]\n"
        "X[1]'' = -X[2]\n"
        "der(X[2,:], 2) = X[1,:]'\n");
    evaluate(&f, 0);
    assert_int_equal(dae_problem_state_count(f.p), 8);
    const double *x = f.x, *xp = f.xp;
    for (size_t k = 0; k < 2; k++) {
        double below = dae_model_unknown_value(f.model, k + 2, 0, x, xp);
        double speed = dae_model_unknown_value(f.model, k, 1, x, xp);
        double first = dae_model_unknown_value(f.model, k, 2, x, xp);
        double second = dae_model_unknown_value(f.model, k + 2, 2, x, xp);
        CHECK_NEAR(f.res[k], first + below, 0);
        CHECK_NEAR(f.res[k + 2], second - speed, 0);
    }
    close_model(&f);
}

/* 30 rows of 2: more than stand in one expression. */
static void long_sums_of_vectors_add_by_component(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param n = 28\n"
        "fun shifted(Y, a) = sum(Y[j] + a for j in 1..n)\n"
        "var X[n, 2], s[2], p[2], q\n"
        "X' = 0*X + 1\n"
        "s = sum(if j < 3 then [j, 0] else X[j] for j in 1..n)\n"
        "p = shifted(X, s) + sum([X[j,1], j] for j in 1..n)\n"
        "q = sum(j for j in 1..n)\n");
    evaluate(&f, 0);
    double first = 0, second = 0, tail[2] = {3, 0};
    for (int j = 0; j < 28; j++) {
        first += f.x[2 * j], second += f.x[2 * j + 1];
        if (j > 1) tail[0] += f.x[2 * j], tail[1] += f.x[2 * j + 1];
    }
    const double *s = f.x + 56, *p = f.x + 58, q = f.x[60];
    CHECK_NEAR(f.res[56], s[0] - tail[0], 1e-11);
    CHECK_NEAR(f.res[57], s[1] - tail[1], 1e-11);
    CHECK_NEAR(f.res[58], p[0] - (first + 28 * s[0] + first), 1e-11);
    CHECK_NEAR(f.res[59], p[1] - (second + 28 * s[1] + 406), 1e-11);
    CHECK_NEAR(f.res[60], q - 406, 0);
    close_model(&f);
}

/* Terms "+x[1]" or "-x[2]" and so on of a sum written out by hand. */
static void write_terms(char *text, const char *form, int count)
{
    for (int k = 1; k <= count; k++)
        text += sprintf(text, form, k > 1 && k % 3 == 0 ? '-' : '+', k);
}

static void long_sums_by_hand_have_their_signs(void **state)
{
    (void)state;
    fixture f;
    char text[4000], *at = text;
    at += sprintf(at, "var x[30], v[2], s\nx' = 0*x\ns = 7 ");
    write_terms(at, "%c x[%d]", 30);
    at += strlen(at);
    at += sprintf(at, "\nv = [1, 2] ");
    write_terms(at, "%c v*x[%d]", 26);
    strcat(text, "\n");
    open_model(&f, text);
    evaluate(&f, 0);
    double sum = 0, part = 0;
    for (int k = 1; k <= 30; k++) {
        double term = k % 3 == 0 ? -f.x[k - 1] : f.x[k - 1];
        sum += term;
        if (k <= 26) part += term;
    }
    CHECK_NEAR(f.res[30], f.x[32] - (7 + sum), 1e-11);
    CHECK_NEAR(f.res[31], f.x[30] - (1 + f.x[30] * part), 1e-10);
    CHECK_NEAR(f.res[32], f.x[31] - (2 + f.x[31] * part), 1e-10);
    close_model(&f);
}

/* An array that a function was given, in items lowered on their own. */
static void long_sums_of_an_argument(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param w[30] = 2\n"
        "fun weighted(v, a) = sum(v[1]*w[k] + v[2] + a[2] for k in 1..30)\n"
        "fun hidden(k) = sum(k*v for k in 1..30)\n"
        "let v = 2*x[1]\n"
        "var x[2], s, p\n"
        "x' = -x\n"
        "s = weighted(2*x, x)\n"
        "p = hidden(s)\n");
    evaluate(&f, 0);
    CHECK_NEAR(f.res[2], 1 - 30 * (2 * 0.5 * 2 + 2 * 0.75 + 0.75), 1e-12);
    CHECK_NEAR(f.res[3], 1.25 - 465 * 2 * 0.5, 1e-12);
    close_model(&f);
}

/* Some copies of the equation are numbers, others vectors. */
static void copies_of_different_shapes(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var x[2], s, y[2]\n"
        "fun part(i) = if i == 2 then s else if i == 1 then x else y\n"
        "part(i)' = i for i in 1..3\n");
    evaluate(&f, 0);
    const double want[] = {10 - 1, 11 - 1, 12 - 2, 13 - 3, 14 - 3};
    for (int k = 0; k < 5; k++) CHECK_NEAR(f.res[k], want[k], 0);
    check_equation(&f, 0, "L3[1,1]");
    check_equation(&f, 1, "L3[1,2]");
    check_equation(&f, 2, "L3[2]");
    check_equation(&f, 4, "L3[3,2]");
    close_model(&f);
}

static void values_fill_their_dimensions(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var P[i in 1..2, j in 1..3] = [[1, 2, 3], [4, 5, 6]]\n"
        "var Q[i in 1..2, 3] = [i, 2*i, 0]\n"
        "var R[2, 2] = 7, v[3] = [1, 2, 3]\n"
        "P' = 0*P\nQ' = 0*Q\nR' = 0*R\nv' = 0*v\n");
    const double want[] = {
        1, 2, 3, 4, 5, 6, 1, 2, 0, 2, 4, 0, 7, 7, 7, 7, 1, 2, 3};
    for (int k = 0; k < 19; k++) CHECK_NEAR(f.p->start->x[k], want[k], 0);
    close_model(&f);
}

static void elements_built_on_later_ones(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param k[i in 1..3] = if i < 3 then 3*k[i+1] else 1\n"
        "let s[i in 1..3] = if i < 3 then 2*s[i+1] else x\n"
        "var x\n"
        "x' = s[1] + k[1]\n");
    evaluate(&f, 0);
    CHECK_NEAR(f.res[0], 10 - (4 * 0.5 + 9), 1e-15);
    close_model(&f);
}

static void long_products_and_extrema(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param n = 60\n"
        "var x[n], p, q, r\n"
        "x' = -x\n"
        "p = prod(x[i]/x[i+1] for i in 1..n-1)\n"
        "q = max(x) + min(2*x) + max(2*x[i] for i in 1..n where i != 60)\n"
        "r = min(x, p, 3)[2] + max(x[1..2], 0.6)[1] + max(q)\n");
    double *x = f.x;
    evaluate(&f, 0);
    CHECK_NEAR(f.res[60], x[60] - x[0] / x[59], 1e-12);
    CHECK_NEAR(f.res[61], x[61] - (x[59] + 2 * x[0] + 2 * x[58]), 1e-12);
    CHECK_NEAR(f.res[62], x[62] - (0.75 + 0.6 + x[61]), 1e-12);
    close_model(&f);
}

static void ranges_have_steps_and_run_down(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param d = 2, down = -1\n"
        "var x[7], s\n"
        "x[i]' = i for i in 1..7 step d\n"
        "for i in 6..2 step -2\n  x[i]' = -i\nend\n"
        "s = sum(i*x[i] for i in 3..1 step down where i != 2)\n");
    evaluate(&f, 0);
    /* in the order of the loops: 1 3 5 7, then 6 4 2 */
    const int order[] = {1, 3, 5, 7, 6, 4, 2};
    for (int k = 0; k < 7; k++) {
        int i = order[k];
        CHECK_NEAR(f.res[k], 9 + i - (i % 2 ? i : -i), 0);
    }
    CHECK_NEAR(f.res[7], 2.25 - (3 * 1 + 0.5), 0);
    check_equation(&f, 4, "L5[6]");
    close_model(&f);
}

static void listings_are_vectors(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param w[3] = [i^2 for i in 1..3]\n"
        "var x[3], y[2]\n"
        "x' = [w[i]*x[i] for i in 1..3]\n"
        "y = [x[i]/2 for i in 1..3 where i != 2]\n");
    evaluate(&f, 0);
    CHECK_NEAR(f.res[0], 10 - 0.5, 0);
    CHECK_NEAR(f.res[1], 11 - 4 * 0.75, 0);
    CHECK_NEAR(f.res[2], 12 - 9 * 1.0, 0);
    CHECK_NEAR(f.res[3], 1.25 - 0.25, 0);
    CHECK_NEAR(f.res[4], 1.5 - 0.5, 0);
    close_model(&f);
}

static void size_zero_makes_no_equations(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param n = 0, w[n] = 1\n"
        "var x[n], X[n, 3], s, p, y[3]\n"
        "let none = x + 1\n"
        "x' = -x\n"
        "X = 1\n"
        "s = sum(x) + sum(y[i] for i in 1..0) + sum(y[3..2]) + sum(none)\n"
        "p = prod(x) + sum([]) + sum(w)\n"
        "y' = y\n");
    assert_int_equal(dae_model_equation_count(f.model), 5);
    evaluate(&f, 0);
    CHECK_NEAR(f.res[0], 0.5, 0);
    CHECK_NEAR(f.res[1], 0.75 - 1, 0);
    close_model(&f);
}

static void arrays_of_three_dimensions(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param c[2,2,2] = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]\n"
        "var X[2,0..1,2]\n"
        "X[i,j]' = c[i,j+1] + X[i,0] for i in 1..2, j in 0..1\n");
    evaluate(&f, 0);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++) {
                int at = 4 * i + 2 * j + k;
                CHECK_NEAR(
                    f.res[at], 10 + at - (1 + at + f.x[4 * i + k]), 1e-15);
            }
    check_unknown(&f, 5, "X[2,0,2]");
    check_equation(&f, 5, "L3[2,0,2]");
    close_model(&f);
}

static void lets_take_the_shape_of_their_value(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "fun twice(a) = 2*a\n"
        "let d = twice(x) - y, m = [x, y], n = norm(x), first = m[1]\n"
        "let even = sum(abs(d)), e = identity(2), z = zeros(2)\n"
        "input u = [t, 2*t]\n"
        "output both = d + m[2]\n"
        "var x[2], y[2]\n"
        "x' = d + u + z\n"
        "y' = m[2]*n + first*even + e[1]\n");
    evaluate(&f, 3);
    double n = sqrt(0.25 + 0.5625), even = 0; /* d = 1 - 1, 1.5 - 1.25 */
    even += fabs(2 * 0.5 - 1) + fabs(2 * 0.75 - 1.25);
    CHECK_NEAR(f.res[0], 10 - (0 + 3), 1e-14);
    CHECK_NEAR(f.res[1], 11 - (0.25 + 6), 1e-14);
    CHECK_NEAR(f.res[2], 12 - (1 * n + 0.5 * even + 1), 1e-14);
    CHECK_NEAR(f.res[3], 13 - (1.25 * n + 0.75 * even), 1e-14);
    close_model(&f);
}

/* Beyond 24 elements each is lowered alone; what mixes shapes is not. */
static void large_arrays_with_parts_that_are_no_work_of_elements(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param n = 5, A[5,5] = 2\n"
        "fun id(a) = a\n"
        "var X[5,5], Y[5,5]\n"
        "X' = A*X + id(Y) + t\n"
        "Y' = hypot(X, Y)/2 - (-X)*pi^2 + (if t > 1 then X else Y)\n");
    evaluate(&f, 0.5);
    const double *x = f.x, *y = f.x + 25;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            int at = 5 * i + j;
            double column = 0;
            for (int k = 0; k < 5; k++) column += 2 * x[5 * k + j];
            CHECK_NEAR(f.res[at], 10 + at - (column + y[at] + 0.5), 1e-11);
            double pi = acos(-1);
            CHECK_NEAR(f.res[25 + at],
                35 + at - (hypot(x[at], y[at]) / 2 + x[at] * pi * pi + y[at]),
                1e-11);
        }
    close_model(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_if_chooses_whole_arrays),
        cmocka_unit_test(matrices_are_made_and_multiplied),
        cmocka_unit_test(rows_and_columns_multiply_from_their_side),
        cmocka_unit_test(slices_of_computed_arrays_count_from_one),
        cmocka_unit_test(arrays_are_differentiated_element_by_element),
        cmocka_unit_test(long_sums_of_vectors_add_by_component),
        cmocka_unit_test(long_sums_by_hand_have_their_signs),
        cmocka_unit_test(long_sums_of_an_argument),
        cmocka_unit_test(copies_of_different_shapes),
        cmocka_unit_test(values_fill_their_dimensions),
        cmocka_unit_test(elements_built_on_later_ones),
        cmocka_unit_test(long_products_and_extrema),
        cmocka_unit_test(ranges_have_steps_and_run_down),
        cmocka_unit_test(listings_are_vectors),
        cmocka_unit_test(size_zero_makes_no_equations),
        cmocka_unit_test(arrays_of_three_dimensions),
        cmocka_unit_test(lets_take_the_shape_of_their_value),
        cmocka_unit_test(large_arrays_with_parts_that_are_no_work_of_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

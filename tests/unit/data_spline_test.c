/* Splines through points, as measured signals: against their definition in
 * rational numbers (tests/data/signals), against polynomials that a spline is
 * itself, and against the order of its error. */
#include "check.h"
#include "data/spline.h"
#include "ir/shape.h"

#define POINTS 10
static const double X[POINTS] = {
    0, 0.5, 0.75, 1.5, 2.25, 2.5, 4, 4.125, 6, 7.5};
static const double Y[POINTS] = {
    1, -0.25, 0.375, 2, 1.5, -1, 0.5, 0.75, 3, -2.5};

/* The numbers of a signal through points; from the arena. */
static double *make(
    arena *a, unsigned degree, const double *x, const double *y, size_t count)
{
    const uint32_t size = signal_size(count - 1, degree);
    double *n = ARENA_ARRAY(a, double, size);
    assert_non_null(n);
    n[0] = (double)(count - 1);
    n[1] = degree;
    n[2] = x[0];
    n[3] = x[count - 1];
    memcpy(n + SIGNAL_HEADER, x, (count - 1) * sizeof *x);
    CHECK_STATUS(
        spline_make(degree, x, y, count, n + SIGNAL_HEADER + count - 1, a),
        DAE_OK);
    assert_true(signal_is_sound(n, size));
    assert_false(signal_is_sound(n, size - SIGNAL_ALIGN));
    return n;
}

static double at(const double *n, unsigned order, double a)
{
    return signal_value(n, order, a, signal_piece(n, a));
}

static void test_by_definition(void **state)
{
    (void)state;
    arena a;
    arena_init(&a, NULL, 0);
    const double *n[6] = {NULL};
    n[3] = make(&a, 3, X, Y, POINTS);
    n[5] = make(&a, 5, X, Y, POINTS);
    FILE *file = fopen(TEST_ROOT "/tests/data/signals/splines.txt", "r");
    assert_non_null(file);
    char line[200];
    size_t count = 0;
    while (fgets(line, sizeof line, file)) {
        unsigned degree, order;
        double arg, value;
        if (line[0] == '#') continue;
        assert_int_equal(
            sscanf(line, "%u %u %lf %lf", &degree, &order, &arg, &value), 4);
        /* the fourth derivative of the quintic comes to 2e5 */
        const double size = order < 4 ? 1e4 : 1e6;
        CHECK_NEAR(at(n[degree], order, arg), value, 1e-13 * size);
        count++;
    }
    (void)fclose(file);
    assert_int_equal(count, 120);
    arena_clear(&a);
}

static double polynomial(unsigned degree, unsigned order, double t)
{
    static const double c[] = {0.5, -1, 0.25, 2, -0.75, 0.125};
    double sum = 0;
    for (unsigned k = degree + 1; k-- > order;) {
        double f = c[k];
        for (unsigned m = 0; m < order; m++) f *= k - m;
        sum = sum * t + f;
    }
    return sum;
}

/* Not-a-knot: what is a polynomial of the degree stays one, ends included. */
static void test_polynomials_are_themselves(void **state)
{
    (void)state;
    for (unsigned degree = 3; degree <= 5; degree += 2) {
        arena a;
        double y[POINTS];
        arena_init(&a, NULL, 0);
        for (size_t i = 0; i < POINTS; i++)
            y[i] = polynomial(degree, 0, X[i] - 3);
        const double *n = make(&a, degree, X, y, POINTS);
        for (double t = 0; t <= 7.5; t += 0.0625)
            for (unsigned order = 0; order <= degree; order++)
                CHECK_NEAR(at(n, order, t), polynomial(degree, order, t - 3),
                    1e-9 * (1 + fabs(polynomial(degree, order, t - 3))));
        arena_clear(&a);
    }
}

/* The fewest points make one polynomial. */
static void test_fewest_points(void **state)
{
    (void)state;
    for (unsigned degree = 3; degree <= 5; degree += 2) {
        arena a;
        double y[POINTS], c[40];
        arena_init(&a, NULL, 0);
        for (size_t i = 0; i < POINTS; i++) y[i] = polynomial(degree, 0, X[i]);
        const double *n = make(&a, degree, X, y, degree + 1);
        CHECK_NEAR(at(n, 0, 0.3), polynomial(degree, 0, 0.3), 1e-12);
        CHECK_STATUS(spline_make(degree, X, y, degree, c, &a), DAE_ARGUMENT);
        arena_clear(&a);
    }
}

static double error_with(unsigned degree, size_t count)
{
    arena a;
    double x[129], y[129], worst = 0;
    arena_init(&a, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        x[i] = 3.0 * (double)i / (double)(count - 1);
        y[i] = sin(x[i] + 0.3);
    }
    const double *n = make(&a, degree, x, y, count);
    for (double t = 0; t <= 3; t += 1.0 / 512)
        worst = fmax(worst, fabs(at(n, 0, t) - sin(t + 0.3)));
    arena_clear(&a);
    return worst;
}

/* The error falls as h^(degree + 1), at the ends too. */
static void test_order(void **state)
{
    (void)state;
    const double three = log2(error_with(3, 33) / error_with(3, 65));
    const double five = log2(error_with(5, 33) / error_with(5, 65));
    CHECK_NEAR(three, 4, 0.35);
    CHECK_NEAR(five, 6, 0.5);
}

static void test_derivatives_are_continuous(void **state)
{
    (void)state;
    for (unsigned degree = 3; degree <= 5; degree += 2) {
        arena a;
        arena_init(&a, NULL, 0);
        const double *n = make(&a, degree, X, Y, POINTS);
        for (size_t i = 1; i + 1 < POINTS; i++) {
            double jump = 0;
            for (unsigned order = 0; order <= degree; order++) {
                const double left = signal_value(n, order, X[i], (double)i - 1);
                const double right = signal_value(n, order, X[i], (double)i);
                const double size = 1 + fabs(left);
                if (order < degree) CHECK_NEAR(right, left, 1e-10 * size);
                else jump = fabs(right - left) / size;
            }
            const bool is_inner = i > degree / 2 && i + 1 + degree / 2 < POINTS;
            assert_true(jump < 1e-8 || is_inner);
            assert_true(jump > 1e-2 || !is_inner);
        }
        arena_clear(&a);
    }
}

/* A level of 10^5 rows is made and read at once. */
static void test_many_rows(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    arena a;
    arena_init(&a, NULL, 0);
    double *x = ARENA_ARRAY(&a, double, MANY),
           *y = ARENA_ARRAY(&a, double, MANY);
    for (size_t i = 0; i < MANY; i++) {
        x[i] = (double)i * 0.01;
        y[i] = cos(x[i]);
    }
    const double *n = make(&a, 5, x, y, MANY);
    for (double t = 0; t < 999; t += 0.37)
        CHECK_NEAR(at(n, 0, t), cos(t), 1e-13);
    arena_clear(&a);
}

/* ---- pieces ---------------------------------------------------------------- */

static void test_pieces_rise(void **state)
{
    (void)state;
    arena a;
    arena_init(&a, NULL, 0);
    const double *n = make(&a, 3, X, Y, POINTS);
    double before = -1;
    for (double t = -1; t <= 9; t += 1.0 / 64) {
        const double p = signal_piece(n, t);
        assert_true(p > before && p > 0 && p < POINTS - 1);
        before = p;
    }
    for (size_t i = 1; i + 1 < POINTS; i++) {
        assert_true(signal_piece(n, X[i]) == (double)i);
        assert_true(
            floor(signal_piece(n, nextafter(X[i], -1))) == (double)i - 1);
        assert_true(
            floor((double)signal_piece_long(n, (dae_long)X[i])) == (double)i);
    }
    assert_true(isnan(signal_piece(n, (double)NAN)));
    arena_clear(&a);
}

static void test_knots_are_told(void **state)
{
    (void)state;
    arena a;
    arena_init(&a, NULL, 0);
    const double *n = make(&a, 3, X, Y, POINTS);
    assert_true(signal_next_knot(n, -5, 1) == 0.5);
    assert_true(signal_next_knot(n, 0.5, 1) == 0.75);
    assert_true(signal_next_knot(n, 0.6, 1) == 0.75);
    assert_true(signal_next_knot(n, 6, 1) == HUGE_VAL);
    assert_true(signal_next_knot(n, 7, 1) == HUGE_VAL);
    assert_true(signal_next_knot(n, 7, -1) == 6);
    assert_true(signal_next_knot(n, 6, -1) == 4.125);
    assert_true(signal_next_knot(n, 0.6, -1) == 0.5);
    assert_true(signal_next_knot(n, 0.5, -1) == -HUGE_VAL);
    assert_true(signal_next_knot(n, 0.1, -1) == -HUGE_VAL);
    arena_clear(&a);
}

/* Beyond the rows there is no value, whatever piece is held; rounding is not
 * beyond. */
static void test_beyond(void **state)
{
    (void)state;
    arena a;
    arena_init(&a, NULL, 0);
    double *n = make(&a, 3, X, Y, POINTS);
    assert_true(isnan(signal_value(n, 0, 7.6, 8)));
    assert_true(isnan(signal_value(n, 0, -0.1, 0)));
    assert_true(isnan(signal_value(n, 0, (double)NAN, 0)));
    assert_true(isnan(signal_value(n, 0, 1, (double)NAN)));
    CHECK_NEAR(signal_value(n, 0, nextafter(7.5, 8), 8), -2.5, 1e-12);
    n[3] = HUGE_VAL;
    assert_true(isfinite(signal_value(n, 0, 7.6, 8)));
    /* pieces that there are not */
    assert_true(signal_value(n, 0, 7.4, 99) == signal_value(n, 0, 7.4, 8));
    assert_true(signal_value(n, 0, 0.1, -3) == signal_value(n, 0, 0.1, 0));
    arena_clear(&a);
}

static void test_precisions_agree(void **state)
{
    (void)state;
    arena a;
    arena_init(&a, NULL, 0);
    const double *n = make(&a, 5, X, Y, POINTS);
    for (double t = 0; t <= 7.5; t += 0.1) {
        const dae_long k = signal_piece_long(n, (dae_long)t);
        CHECK_NEAR((double)signal_value_long(n, 0, (dae_long)t, k), at(n, 0, t),
            1e-11);
    }
    arena_clear(&a);
}

/* ---- as expressions ---------------------------------------------------------- */

static double time_leaf(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    (void)kind, (void)number, (void)order;
    return *(const double *)context;
}

static void test_expressions(void **state)
{
    (void)state;
    arena a;
    shape_pool p;
    arena_init(&a, NULL, 0);
    shape_pool_init(&p, NULL);
    measured s = {.numbers = make(&a, 3, X, Y, POINTS), .offset = 16};
    const node_id t = shape_hole(&p, LEAF_TIME, 0, 0);
    const node_id piece = shape_piece(&p, &s, t);
    const node_id value = shape_table(&p, &s, 0, t, piece);
    assert_true(value == shape_table(&p, &s, 0, t, shape_piece(&p, &s, t)));
    assert_true(value != shape_table(&p, &s, 1, t, piece));
    measured other = s;
    other.offset = 200;
    assert_true(value != shape_table(&p, &other, 0, t, piece));
    double zero, result, when = 1.7;
    assert_true(shape_is_const(&p, shape_table(&p, &s, 4, t, piece), &zero));
    assert_true(zero == 0);
    CHECK_STATUS(
        shape_eval(&p, value, time_leaf, &when, NULL, &result), DAE_OK);
    assert_true(result == at(s.numbers, 0, 1.7));
    const node_id number = shape_const(&p, 1.7);
    assert_true(shape_is_const(
        &p, shape_table(&p, &s, 2, number, shape_const(&p, 3)), &result));
    assert_true(result == signal_value(s.numbers, 2, 1.7, 3));
    shape_pool_clear(&p);
    arena_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_definition),
        cmocka_unit_test(test_polynomials_are_themselves),
        cmocka_unit_test(test_fewest_points),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_derivatives_are_continuous),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_pieces_rise),
        cmocka_unit_test(test_knots_are_told),
        cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_precisions_agree),
        cmocka_unit_test(test_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

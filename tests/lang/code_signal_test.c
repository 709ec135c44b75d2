/* Measured signals in a problem: values, derivatives, power series, extended
 * precision, smoothness, and the times at which they turn. The rows are of a cubic
 * polynomial, so splines through them are that polynomial. */
#include "ir/signal.h"
#include "lang/sema_support.h"

#include <dae/long.h>
#include <float.h>

#define CUBIC(more)                                                            \
    "table(\"" TEST_ROOT "/tests/data/signals/cubic.csv\", x = \"t\", y = "    \
    "\"p\", " more ")"

static double cubic(unsigned order, double t)
{
    switch (order) {
    case 0: return 1 + t - t * t / 2 + t * t * t / 8;
    case 1: return 1 - t + 3 * t * t / 8;
    case 2: return -1 + 0.75 * t;
    default: return order == 3 ? 0.75 : 0;
    }
}

static void splines_are_the_polynomial(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "input a = " CUBIC(
            "interp = \"spline3\"") "\n"
                                    "input b = " CUBIC(
                                        "interp = \"spline5\"") "\n"
                                                                "var x, y, z, "
                                                                "w\n"
                                                                "x' = a\ny' = "
                                                                "b'\nz' = "
                                                                "a''\nw = "
                                                                "b'''\n");
    for (double t = 0; t <= 8; t += 0.25) {
        evaluate(&f, t);
        for (unsigned k = 0; k < 3; k++)
            CHECK_NEAR(f.res[k], f.xp[k] - cubic(k, t), 1e-10);
        CHECK_NEAR(f.res[3], f.x[3] - 0.75, 1e-9);
    }
    close_model(&f);
}

/* From row to row, by hand: rows are (0, 1), (0.5, 1.390625), (1, 1.625),
 * (2, 2), (3, 2.875), (4, 5), (6, 16), (8, 41). */
static void lines_and_steps(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var x, y, z\n"
        "x' = " CUBIC(
            "interp = \"linear\"") "\n"
                                   "y' = " CUBIC(
                                       "interp = \"hold\"") "\n"
                                                            "let g = " CUBIC(
                                                                "interp = "
                                                                "\"linear\"") "\n"
                                                                              "z' = g'\n");
    static const struct {
        double t, line, step, slope;
    } rows[] = {{0, 1, 1, 0.78125}, {0.25, 1.1953125, 1, 0.78125},
        {1, 1.625, 1.625, 0.375}, {1.5, 1.8125, 1.625, 0.375}, {4, 5, 5, 5.5},
        {5, 10.5, 5, 5.5}, {7, 28.5, 16, 12.5}, {8, 41, 41, 12.5}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        evaluate(&f, rows[k].t);
        CHECK_NEAR(f.xp[0] - f.res[0], rows[k].line, 1e-13);
        CHECK_NEAR(f.xp[1] - f.res[1], rows[k].step, 1e-13);
        CHECK_NEAR(f.xp[2] - f.res[2], rows[k].slope, 1e-13);
    }
    close_model(&f);
}

/* The coefficients of a curve are those of Taylor's formula. */
static void series_are_taylors(void **state)
{
    (void)state;
    enum { TERMS = 6, STRIDE = 8 };
    fixture f;
    open_model(&f,
        "input a = " CUBIC("interp = \"spline3\"") "\n"
                                                   "input b = " CUBIC(
                                                       "interp = \"spline5\", "
                                                       "at = 2 + sin(t)") "\n"
                                                                          "var "
                                                                          "x, "
                                                                          "y\nx"
                                                                          " = "
                                                                          "a\ny"
                                                                          " = "
                                                                          "b"
                                                                          "\n");
    double curve[2 * STRIDE] = {0}, got[2 * TERMS];
    for (double t = 0.1; t < 8; t += 0.7) {
        CHECK_STATUS(
            f.p->series(f.p->self, TERMS, t, curve, STRIDE, got), DAE_OK);
        double factorial = 1;
        for (unsigned k = 0; k < TERMS; k++) {
            if (k > 1) factorial *= k;
            CHECK_NEAR(got[k], -cubic(k, t) / factorial, 1e-9);
        }
        /* of the second, by the chain rule */
        const double s = 2 + sin(t), c = cos(t);
        CHECK_NEAR(got[TERMS], -cubic(0, s), 1e-10);
        CHECK_NEAR(got[TERMS + 1], -cubic(1, s) * c, 1e-10);
        CHECK_NEAR(got[TERMS + 2],
            -(cubic(2, s) * c * c - cubic(1, s) * sin(t)) / 2, 1e-9);
        CHECK_NEAR(got[TERMS + 3],
            -(cubic(3, s) * c * c * c - 3 * cubic(2, s) * c * sin(t)
                - cubic(1, s) * c)
                / 6,
            1e-9);
    }
    close_model(&f);
}

/* At a row there is what both sides have in common. */
static void series_end_at_rows(void **state)
{
    (void)state;
    enum { TERMS = 8, STRIDE = 10 };
    fixture f;
    open_model(&f,
        "var x, y\nx = " CUBIC(
            "interp = \"spline3\"") "\n"
                                    "y = " CUBIC("interp = \"spline5\"") "\n");
    double curve[2 * STRIDE] = {0}, got[2 * TERMS];
    CHECK_STATUS(f.p->series(f.p->self, TERMS, 2, curve, STRIDE, got), DAE_OK);
    for (size_t k = 0; k < TERMS; k++) {
        assert_true(isnan(got[k]) == (k > 2));
        assert_true(isnan(got[TERMS + k]) == (k > 4));
    }
    close_model(&f);
}

static void extended_precision_is_the_same(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var x, y\nx' = " CUBIC(
            "interp = \"spline5\"") "\n"
                                    "y' = " CUBIC("interp = \"linear\"") "\n");
    dae_long x[64], xp[64], res[64];
    for (int k = 0; k < 64; k++) {
        x[k] = (dae_long)f.x[k];
        xp[k] = (dae_long)f.xp[k];
    }
    assert_non_null(f.p->residual_long);
    for (double t = 0; t <= 8; t += 0.3) {
        evaluate(&f, t);
        CHECK_STATUS(
            f.p->residual_long(f.p->self, (dae_long)t, x, xp, res), DAE_OK);
        for (int k = 0; k < 2; k++) CHECK_NEAR((double)res[k], f.res[k], 1e-11);
    }
    close_model(&f);
}

static void smoothness_is_of_the_reading(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "input h = " CUBIC(
            "interp = \"hold\"") "\n"
                                 "input l = " CUBIC(
                                     "interp = \"linear\"") "\n"
                                                            "input c = " CUBIC(
                                                                "interp = "
                                                                "\"spline3\"") "\n"
                                                                               "input q = " CUBIC(
                                                                                   "interp = \"spline5\"") "\n"
                                                                                                           "input e = " CUBIC(
                                                                                                               "interp = \"spline5\", extrapolate = \"hold\"") "\n"
                                                                                                                                                               "let both = c + 2*q\n"
                                                                                                                                                               "var x[9], z\n"
                                                                                                                                                               "x[1] = h\nx[2] = l\nx[3] = c\nx[4] = q\nx[5] = q'\nx[6] = both\n"
                                                                                                                                                               "x[7] = smooth(l)\nx[8] = e\nx[9] = sin(q)*z\nz' = c'' + q\n");
    static const int expected[] = {0, 0, 2, 4, 3, 2, DAE_SMOOTH, 0, 4, 0};
    assert_non_null(f.p->smoothness);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(f.p->smoothness[i], expected[i]);
    char text[200];
    (void)f.p->name(f.p->self, DAE_NAME_KINK, 2, text, sizeof text);
    assert_string_equal(text, "`c` has 2 continuous derivatives");
    (void)f.p->name(f.p->self, DAE_NAME_KINKED, 2, text, sizeof text);
    assert_string_equal(text, "c");
    close_model(&f);
}

/* Every row is told, of what turns there; splines ask for none. */
static void rows_end_steps(void **state)
{
    (void)state;
    static const double rows[] = {0.5, 1, 2, 3, 4, 6, 8};
    fixture f;
    open_model(&f,
        "var x, y\nx' = " CUBIC(
            "interp = \"hold\"") "\n"
                                 "y' = " CUBIC("interp = \"spline3\"") "\n");
    const dae_events *e = f.p->events;
    assert_non_null(e);
    assert_int_equal(e->switch_count, 1);
    assert_int_equal(e->switches[0].domain, DAE_DOMAIN_BREAK);
    assert_non_null(e->next_break);
    double t = 0, next = 0;
    for (size_t k = 0; k < 7; k++, t = next) {
        CHECK_STATUS(e->next_break(f.p->self, t, 1, &next), DAE_OK);
        assert_true(next == rows[k]);
    }
    CHECK_STATUS(e->next_break(f.p->self, t, 1, &next), DAE_OK);
    assert_true(next == HUGE_VAL);
    CHECK_STATUS(e->next_break(f.p->self, 3.5, -1, &next), DAE_OK);
    assert_true(next == 3);
    close_model(&f);
}

/* Held between rows, the value on the left of a row is the left one's. */
static void pieces_are_held(void **state)
{
    (void)state;
    fixture f;
    open_model(&f, "var x\nx' = " CUBIC("interp = \"hold\"") "\n");
    evaluate(&f, 2);
    CHECK_NEAR(f.xp[0] - f.res[0], 2, 1e-14);
    f.p->events->held[f.p->events->discrete_count] = 2; /* from 1 to 2 */
    evaluate(&f, 2);
    CHECK_NEAR(f.xp[0] - f.res[0], 1.625, 1e-14);
    close_model(&f);
}

/* Just before a row the number of the piece is below the row's, in either
 * precision: from 1 to 4 the part that has gone by rounds to all of it. */
static void a_piece_ends_at_its_row(void **state)
{
    (void)state;
    const double numbers[SIGNAL_HEADER + 8] = {
        [0] = 4, [2] = 0, [3] = 6, [SIGNAL_HEADER] = 0, 1, 4, 5};
    const double before = 4 - 2 * DBL_EPSILON;
    const dae_long long_before = 4 - 2 * (dae_long)DAE_LONG_EPSILON;
    assert_true(before < 4 && long_before < 4);
    assert_true(signal_piece(numbers, before) < 2);
    assert_true(signal_piece_long(numbers, long_before) < 2);
    assert_true(signal_piece(numbers, 4) == 2);
    assert_true(signal_piece_long(numbers, 4) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splines_are_the_polynomial),
        cmocka_unit_test(lines_and_steps),
        cmocka_unit_test(series_are_taylors),
        cmocka_unit_test(series_end_at_rows),
        cmocka_unit_test(extended_precision_is_the_same),
        cmocka_unit_test(smoothness_is_of_the_reading),
        cmocka_unit_test(rows_end_steps),
        cmocka_unit_test(pieces_are_held),
        cmocka_unit_test(a_piece_ends_at_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

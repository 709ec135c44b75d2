/* history.c, predict.c, interpolate.c: polynomials are reproduced on any
 * grid, from a start with a slope, in both directions; states enough for the
 * loops over eight of them and for what these leave. */
#include "check.h"
#include "step/history.h"
#include "step/interpolate.h"
#include "step/predict.h"

enum { N = 11 };

/* Polynomials of degree 1 to 6 in every state. */
static double value(int degree, double t, size_t i)
{
    double x = 1 + 0.1 * (double)i;
    for (int p = 1; p <= degree; p++)
        x += pow(t, p) / (p + (double)i + 1) * (p % 2 ? 1 : -1);
    return x;
}

static double slope(int degree, double t, size_t i)
{
    double x = 0;
    for (int p = 1; p <= degree; p++)
        x += p * pow(t, p - 1) / (p + (double)i + 1) * (p % 2 ? 1 : -1);
    return x;
}

static dae_status no_residual(
    void *self, double t, const double *y, const double *yp, double *res)
{
    (void)self, (void)t, (void)y, (void)yp, (void)res;
    return DAE_OK;
}

typedef struct fixture {
    arena memory;
    layout layout;
    history history;
    double x[N], xp[N], d[N];
    point point;
} fixture;

static void open_fixture(fixture *f, int degree, double t0, double h)
{
    const dae_problem p = {.unknown_count = N, .residual = no_residual};
    arena_init(&f->memory, dae_allocator_default(), 0);
    CHECK_STATUS(layout_init(&f->layout, &p, NULL), DAE_OK);
    CHECK_STATUS(
        history_init(&f->history, N, FORMULA_ORDER_MAX, &f->memory), DAE_OK);
    f->point = (point){.x = f->x, .xp = f->xp, .slope = f->xp, .d = f->d};
    for (size_t i = 0; i < N; i++) {
        f->x[i] = value(degree, t0, i);
        f->xp[i] = slope(degree, t0, i);
    }
    history_start(&f->history, t0, f->x, f->xp, h);
}

static void close_fixture(fixture *f)
{
    layout_clear(&f->layout);
    arena_clear(&f->memory);
}

/* Predicts by order k and pushes the polynomial's own value; returns the
 * largest miss of the prediction's value and slope. */
static double step_along(fixture *f, int degree, int k, double h, int further)
{
    grid g;
    double miss = 0, t = f->history.t + h;
    history_grid(&f->history, h, &g);
    predict(&f->history, &g, k, &f->layout, &f->point);
    for (size_t i = 0; i < N; i++) {
        double x = value(degree, t, i);
        miss = fmax(miss, fabs(f->x[i] - x));
        miss = fmax(miss, fabs(f->xp[i] - slope(degree, t, i)));
        f->d[i] = x - f->x[i];
        f->x[i] = x;
    }
    history_push(&f->history, &g, k, f->x, f->d, further);
    return miss;
}

static const double ratios[] = {1, 1.7, 0.3, 2, 1, 0.5, 3, 0.9, 1, 1.2, 0.1, 4};

static void polynomials_are_predicted_exactly(void **state)
{
    (void)state;
    for (int degree = 1; degree <= FORMULA_ORDER_MAX; degree++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            fixture f;
            double h = 0.05 * sign;
            open_fixture(&f, degree, 0.3, h);
            for (int s = 0; s < 12; s++) {
                int k = s + 1 < degree ? s + 1 : degree;
                h = 0.05 * sign * ratios[s];
                double miss = step_along(&f, degree, k, h, 0);
                /* a double node at the start: exact one step early */
                if (s + 1 >= degree) CHECK_NEAR(miss, 0, 1e-10);
            }
            close_fixture(&f);
        }
    }
}

static void a_start_predicts_with_any_step(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 1, 2, 1e-3);
    CHECK_NEAR(step_along(&f, 1, 1, 0.4, 0), 0, 1e-14);
    close_fixture(&f);
}

/* The error estimate of the first step: d is h^2 x''/2 for x of degree 2. */
static void the_first_difference_is_that_of_hermite(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 2, 0, 1);
    step_along(&f, 2, 1, 0.2, 0);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(f.history.phi[2][i], -0.04 / ((double)i + 3), 1e-15);
    close_fixture(&f);
}

static void rising_needs_the_further_row(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 5, 0, 0.1);
    step_along(&f, 5, 1, 0.1, 0);
    assert_int_equal(f.history.count, 3);
    step_along(&f, 5, 1, 0.1, 1);
    assert_int_equal(f.history.count, 4);
    step_along(&f, 5, 2, 0.1, 1);
    assert_int_equal(f.history.count, 5);
    step_along(&f, 5, 1, 0.1, 0);
    assert_int_equal(f.history.count, 3);
    close_fixture(&f);
}

/* Differences of a cubic: the third is its leading coefficient, scaled. */
static void the_further_row_is_the_next_difference(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 3, 0, 0.1);
    step_along(&f, 3, 1, 0.1, 0);
    step_along(&f, 3, 1, 0.17, 1);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(f.history.phi[3][i], f.history.scale[3] / (4 + (double)i),
            4e-15); /* 8 roundings of 2 */
    CHECK_NEAR(f.history.scale[3], 0.17 * 0.27 * 0.27, 1e-15);
    close_fixture(&f);
}

/* No row where the method's highest order leaves no room for one. */
static void the_highest_order_has_no_further_row(void **state)
{
    (void)state;
    arena a;
    history hi;
    grid g;
    double x[1] = {1}, xp[1] = {2}, d[1] = {0.5};
    arena_init(&a, dae_allocator_default(), 0);
    CHECK_STATUS(history_init(&hi, 1, 1, &a), DAE_OK);
    history_start(&hi, 0, x, xp, 0.5);
    history_grid(&hi, 0.5, &g);
    history_push(&hi, &g, 1, x, d, 1);
    assert_int_equal(hi.count, 3);
    history_grid(&hi, 0.5, &g);
    history_push(&hi, &g, 1, x, d, 1);
    assert_int_equal(hi.count, 3);
    arena_clear(&a);
}

static void dense_output_is_the_polynomial(void **state)
{
    (void)state;
    fixture f;
    double x[N], xp[N];
    open_fixture(&f, 4, 0, 0.1);
    for (int s = 0; s < 9; s++)
        step_along(&f, 4, s + 1 < 4 ? s + 1 : 4, 0.1 * ratios[s], 0);
    for (int q = 0; q <= 10; q++) {
        double t = f.history.t - 0.01 * q;
        interpolate(&f.history, &f.layout, 4, t, x, xp);
        for (size_t i = 0; i < N; i++) {
            CHECK_NEAR(x[i], value(4, t, i), 1e-12);
            CHECK_NEAR(xp[i], slope(4, t, i), 1e-11);
        }
    }
    close_fixture(&f);
}

static const uint8_t chained_orders[2] = {3, 1};
static const dae_problem chained = {
    .unknown_count = 2, .order = chained_orders, .residual = no_residual};

/* Between steps the highest derivatives are slopes of the highest states. */
static void chains_are_interpolated(void **state)
{
    (void)state;
    arena a;
    layout l;
    history hi;
    const double x0[4] = {1, 2, 3, 4}, slopes[4] = {2, 3, 5, 7};
    double x[4] = {0}, xp[2] = {0};
    arena_init(&a, dae_allocator_default(), 0);
    CHECK_STATUS(layout_init(&l, &chained, NULL), DAE_OK);
    CHECK_STATUS(history_init(&hi, 4, 5, &a), DAE_OK);
    history_start(&hi, 1, x0, slopes, 0.5);
    interpolate(&hi, &l, 1, 1.25, x, xp);
    for (size_t i = 0; i < 4; i++)
        CHECK_NEAR(x[i], x0[i] + 0.25 * slopes[i], 1e-15);
    CHECK_NEAR(xp[0], 5, 1e-15);
    CHECK_NEAR(xp[1], 7, 1e-15);
    xp[0] = x[0] = -1;
    interpolate(&hi, &l, 1, 1.5, x, NULL);
    CHECK_NEAR(x[0], 2, 1e-15);
    x[0] = -1;
    interpolate(&hi, &l, 1, 1.5, NULL, xp);
    CHECK_NEAR(xp[0], 5, 1e-15);
    assert_true(x[0] == -1);
    layout_clear(&l);
    arena_clear(&a);
}

/* y'' as one unknown of order 2: y follows from y' by the formula. */
static void lower_states_satisfy_their_rows(void **state)
{
    (void)state;
    arena a;
    layout l;
    history hi;
    grid g;
    double x[4] = {1, 2, 3, 4}, slopes[4] = {2, 3, 5, 7}, d[4], xp[2];
    arena_init(&a, dae_allocator_default(), 0);
    CHECK_STATUS(layout_init(&l, &chained, NULL), DAE_OK);
    CHECK_STATUS(history_init(&hi, 4, 5, &a), DAE_OK);
    history_start(&hi, 0, x, slopes, 0.5);
    history_grid(&hi, 0.25, &g);
    point at = {.alpha = 4, .x = x, .xp = xp, .slope = slopes, .d = d};
    predict(&hi, &g, 1, &l, &at);
    for (int s = 1; s >= 0; s--)
        CHECK_NEAR(slopes[s] + at.alpha * d[s], x[s + 1], 1e-15);
    assert_true(d[2] == 0 && d[3] == 0);
    CHECK_NEAR(xp[0], 5, 1e-15);
    CHECK_NEAR(xp[1], 7, 1e-15);
    layout_clear(&l);
    arena_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_are_predicted_exactly),
        cmocka_unit_test(a_start_predicts_with_any_step),
        cmocka_unit_test(the_first_difference_is_that_of_hermite),
        cmocka_unit_test(rising_needs_the_further_row),
        cmocka_unit_test(the_further_row_is_the_next_difference),
        cmocka_unit_test(the_highest_order_has_no_further_row),
        cmocka_unit_test(dense_output_is_the_polynomial),
        cmocka_unit_test(chains_are_interpolated),
        cmocka_unit_test(lower_states_satisfy_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

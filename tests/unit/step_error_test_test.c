/* error_test.c: estimates of all orders from one pass, exact where the
 * differences are known. */
#include "check.h"
#include "methods/bdf.h"
#include "methods/ndf.h"
#include "step/error_test.h"
#include "step/predict.h"
#include "step/regrid.h"

/* Differences of t^6 at constant step h have closed forms; here they are
 * made by repeated subtraction. `i`-th backward difference at t. */
static double difference(int i, double t, double h)
{
    if (i == 0) return pow(t, 6);
    return difference(i - 1, t, h) - difference(i - 1, t - h, h);
}

enum { LONG = 10000 };

/* A history of t^6 at constant step, in n equal states, by hand. */
static void fill(history *hi, double t, double h)
{
    hi->t = t;
    hi->count = hi->rows;
    double scale = 1;
    for (int i = 0; i < hi->rows; i++) {
        /* modified difference: product of psi times divided difference */
        double factorial = tgamma(i + 1.0), phi = difference(i, t, h);
        for (size_t s = 0; s < hi->states; s++) hi->phi[i][s] = phi;
        hi->scale[i] = scale * factorial;
        scale *= h;
    }
    for (int i = 0; i <= HISTORY_ROWS; i++) hi->back[i] = i * h;
}

static void check_orders(size_t n)
{
    const formula *f = bdf_formula();
    arena a;
    history hi;
    grid g;
    estimates e;
    double h = 0.125, t = 2;
    arena_init(&a, dae_allocator_default(), 0);
    CHECK_STATUS(history_init(&hi, n, 5, &a), DAE_OK);
    double *w = ARENA_ARRAY(&a, double, n), *d = ARENA_ARRAY(&a, double, n);
    assert_non_null(w);
    assert_non_null(d);
    fill(&hi, t, h);
    history_grid(&hi, h, &g);
    for (int k = 1; k <= 5; k++) {
        for (size_t s = 0; s < n; s++) {
            w[s] = 3;
            d[s] = difference(k + 1, t + h, h);
        }
        error_test_measure(&hi, &g, f, k, w, d, 1, &e);
        for (int i = 0; i < ESTIMATE_COUNT; i++) {
            int q = k + i - SAME;
            assert_int_equal(e.has[i], q >= 1 && q <= 5);
            if (!e.has[i]) continue;
            double norm = 3 * fabs(difference(q + 1, t + h, h));
            CHECK_NEAR(e.term[i], norm, 1e-9 * norm);
            CHECK_NEAR(e.error[i], norm / (q + 1), 1e-9 * norm);
        }
    }
    arena_clear(&a);
}

/* A past point ahead of the new one: what is estimated of it would be below 0. */
static void points_ahead_say_nothing(void **state)
{
    (void)state;
    enum { N = 3 };
    arena a;
    history hi;
    grid g;
    estimates e;
    const double w[N] = {1, 1, 1}, d[N] = {1e-3, 1e-3, 1e-3};
    arena_init(&a, dae_allocator_default(), 0);
    CHECK_STATUS(history_init(&hi, N, 5, &a), DAE_OK);
    fill(&hi, 2, 0.125);
    history_grid(&hi, 0.125, &g);
    g.psi[3] = -g.psi[3];
    error_test_measure(&hi, &g, bdf_formula(), 2, w, d, 0, &e);
    assert_true(e.error[SAME] > 1e300);
    error_test_measure(&hi, &g, bdf_formula(), 1, w, d, 0, &e);
    assert_true(e.error[SAME] < 1);
    arena_clear(&a);
}

static void every_order_is_estimated(void **state)
{
    (void)state;
    check_orders(1);
    check_orders(8);
    check_orders(21);
    check_orders(LONG);
}

/* The divided difference of t^p over `count` + 1 points. */
static double divided_power(const double *t, int count, int p)
{
    if (count == 0) return pow(t[0], p);
    return (divided_power(t, count - 1, p) - divided_power(t + 1, count - 1, p))
        / (t[0] - t[count]);
}

static double divided(const double *t, int count)
{
    return divided_power(t, count, 6);
}

static double spread(const grid *g, int count)
{
    double product = 1;
    for (int i = 1; i <= count; i++) product *= g->psi[i];
    return product;
}

/* Uneven points, newest first; the history stands at points[1]. */
static void every_order_is_estimated_on_an_uneven_grid(void **state)
{
    (void)state;
    const double points[] = {2.5, 2.2, 2.1, 1.7, 1.5, 1.1, 1.0, 0.4, 0.2};
    const formula *f = bdf_formula();
    double d, w = 0.5;
    arena a;
    history hi;
    grid g;
    estimates e;
    arena_init(&a, dae_allocator_default(), 0);
    CHECK_STATUS(history_init(&hi, 1, 5, &a), DAE_OK);
    hi.t = points[1];
    hi.count = hi.rows;
    for (int i = 0; i < HISTORY_ROWS; i++)
        hi.back[i] = points[1] - points[i + 1];
    double scale = 1;
    for (int i = 0; i < hi.rows; i++) {
        if (i > 0) scale *= hi.back[i];
        hi.scale[i] = scale;
        hi.phi[i][0] = scale * divided(points + 1, i);
    }
    history_grid(&hi, points[0] - points[1], &g);
    for (int k = 1; k <= 5; k++) {
        d = spread(&g, k + 1) * divided(points, k + 1);
        error_test_measure(&hi, &g, f, k, &w, &d, 1, &e);
        for (int i = 0; i < ESTIMATE_COUNT; i++) {
            int q = k + i - SAME;
            assert_int_equal(e.has[i], q >= 1 && q <= 5);
            if (!e.has[i]) continue;
            double next = w * fabs(divided(points, q + 1));
            double term = next * tgamma(q + 2.0) * pow(g.h, q + 1);
            double error = next * spread(&g, q + 1)
                * f->error_constant(g.psi, g.sums, q);
            CHECK_NEAR(e.term[i], term, 1e-9 * term);
            CHECK_NEAR(e.error[i], error, 1e-9 * error);
        }
    }
    arena_clear(&a);
}

/* t^(k+1) at 1, 0.9, 0.8, ..., and a step of h: what the formula leaves of it is
 * what its slope at the solution is off by, whatever was moved before. */
static void longer_steps_on_moved_points(void **state)
{
    (void)state;
    const formula *f = ndf_formula();
    const double factor[] = {1.3, 2.5, 4};
    for (int k = 2; k <= 5; k++)
        for (int c = 0; c < 3; c++) {
            const double h = 0.1 * factor[c], t = 1, w = 0.5;
            arena a;
            history hi;
            grid g;
            estimates e;
            double points[HISTORY_ROWS + 1], scale = 1, past, slope;
            arena_init(&a, dae_allocator_default(), 0);
            CHECK_STATUS(history_init(&hi, 1, 5, &a), DAE_OK);
            hi.t = t;
            hi.count = k + 2;
            for (int i = 0; i <= HISTORY_ROWS; i++) {
                hi.back[i] = hi.past[i] = 0.1 * i;
                points[i] = t - hi.back[i];
            }
            for (int i = 0; i < hi.count; i++) {
                if (i > 0) scale *= hi.back[i];
                hi.scale[i] = scale;
                hi.phi[i][0] = scale * divided_power(points, i, k + 1);
            }
            history_regrid(&hi, k, h);
            history_grid(&hi, h, &g);
            history_at(&hi, k, h, 0, 1, &past, &slope);
            const double d = pow(t + h, k + 1) - past;
            const double left = f->alpha(g.psi, g.sums, k) * d + slope
                - (k + 1) * pow(t + h, k);
            error_test_measure(&hi, &g, f, k, &w, &d, 0, &e);
            CHECK_NEAR(e.error[SAME], w * h * fabs(left), 1e-9 * h);
            arena_clear(&a);
        }
}

static void a_short_history_does_not_rise(void **state)
{
    (void)state;
    const formula *f = bdf_formula();
    history hi = {.states = 1, .rows = 7, .count = 3};
    assert_false(error_test_can_rise(&hi, f, 2));
    hi.count = 4;
    assert_true(error_test_can_rise(&hi, f, 2));
    hi.rows = 4; /* a highest order of 2 */
    assert_false(error_test_can_rise(&hi, f, 2));
    hi.rows = 7, hi.count = 7;
    assert_false(error_test_can_rise(&hi, f, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_is_estimated),
        cmocka_unit_test(points_ahead_say_nothing),
        cmocka_unit_test(every_order_is_estimated_on_an_uneven_grid),
        cmocka_unit_test(longer_steps_on_moved_points),
        cmocka_unit_test(a_short_history_does_not_rise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* regrid.c, and the cubic of history.c: what is moved to other points stays the
 * polynomial it is, forwards and backwards in time. */
#include "check.h"
#include "step/history.h"
#include "step/regrid.h"

enum { N = 3 };

static double power_sum(int degree, double t, size_t i)
{
    double x = 2 - (double)i;
    for (int p = 1; p <= degree; p++) x += pow(t, p) / (p + (double)i);
    return x;
}

static double slope_sum(int degree, double t, size_t i)
{
    double x = 0;
    for (int p = 1; p <= degree; p++) x += p * pow(t, p - 1) / (p + (double)i);
    return x;
}

typedef struct fixture {
    arena memory;
    history history;
} fixture;

/* A start at 0 and points of a polynomial of that degree, at uneven distances of
 * about h, each by the order that it raises. */
static void open_fixture(fixture *f, int degree, int points, double h)
{
    static const double lengths[] = {1, 0.6, 1.3, 1.1, 0.8, 1.4, 0.9};
    double x[N], xp[N], d[N];
    arena_init(&f->memory, dae_allocator_default(), 0);
    CHECK_STATUS(
        history_init(&f->history, N, FORMULA_ORDER_MAX, &f->memory), DAE_OK);
    for (size_t i = 0; i < N; i++) {
        x[i] = power_sum(degree, 0, i);
        xp[i] = slope_sum(degree, 0, i);
    }
    history *hi = &f->history;
    history_start(hi, 0, x, xp, h);
    for (int p = 0; p < points; p++) {
        const int k = p + 1 < FORMULA_ORDER_MAX ? p + 1 : FORMULA_ORDER_MAX;
        grid g;
        history_grid(hi, h * lengths[p], &g);
        for (size_t i = 0; i < N; i++) {
            double predicted = 0;
            for (int r = 0; r <= k; r++) predicted += g.beta[r] * hi->phi[r][i];
            x[i] = power_sum(degree, hi->t + g.h, i);
            d[i] = x[i] - predicted;
        }
        history_push(hi, &g, k, x, d, 0);
    }
}

static void the_polynomial_stays(void **state)
{
    (void)state;
    for (int direction = -1; direction <= 1; direction += 2)
        for (int k = 1; k <= FORMULA_ORDER_MAX; k++)
            for (double h = 0.02; h < 0.5; h *= 4) {
                fixture f;
                double x[N], xp[N];
                open_fixture(&f, k, k, 0.1 * direction);
                history *hi = &f.history;
                const double t = hi->t;
                history_regrid(hi, k, h * direction);
                for (int i = 1; i <= k; i++)
                    CHECK_NEAR(hi->back[i], i * h * direction, 1e-15);
                for (double s = -0.3; s < 0.3; s += 0.1) {
                    history_at(hi, k, s, 0, N, x, xp);
                    for (size_t i = 0; i < N; i++) {
                        CHECK_NEAR(x[i], power_sum(k, t + s, i), 1e-11);
                        CHECK_NEAR(xp[i], slope_sum(k, t + s, i), 1e-10);
                    }
                }
                arena_clear(&f.memory);
            }
}

/* Rows are then the backward differences of values at the new points. */
static void rows_are_differences(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 3, 4, 0.1);
    const double t = f.history.t, h = 0.07;
    history_regrid(&f.history, 4, h);
    for (size_t i = 0; i < N; i++) {
        double v[5];
        for (int m = 0; m < 5; m++) v[m] = power_sum(3, t - m * h, i);
        for (int q = 0; q < 5; q++) {
            CHECK_NEAR(f.history.phi[q][i], v[0], 1e-14);
            for (int m = 0; m < 4; m++) v[m] -= v[m + 1];
        }
    }
    arena_clear(&f.memory);
}

/* Where the points lie so already no bit changes, and there and back again
 * nothing but rounding. */
static void nothing_to_move(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 4, 4, 0.1);
    history_regrid(&f.history, 4, 0.05);
    double before[N];
    memcpy(before, f.history.phi[3], sizeof before);
    history_regrid(&f.history, 4, 0.05);
    assert_memory_equal(before, f.history.phi[3], sizeof before);
    history_regrid(&f.history, 4, 0.2);
    for (size_t i = 0; i < N; i++) /* the third difference goes with h^3 */
        assert_true(fabs(f.history.phi[3][i]) > 10 * fabs(before[i]));
    history_regrid(&f.history, 4, 0.05);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(f.history.phi[3][i], before[i], 1e-13);
    arena_clear(&f.memory);
}

/* t^2 at 0, -1, -3: f[0,-1] = -1, f[0,-1,-3] = 1; at 0, -2, -4: -2, 1. */
static void single_differences(void **state)
{
    (void)state;
    const double from[] = {0, 1, 3}, to[] = {0, 2, 4};
    double difference[] = {0, -1, 1};
    regrid_differences(difference, 3, from, to);
    CHECK_NEAR(difference[0], 0, 1e-15);
    CHECK_NEAR(difference[1], -2, 1e-15);
    CHECK_NEAR(difference[2], 1, 1e-15);
}

/* Values and slopes of both ends make the cubic, again and again. */
static void cubics_by_values_and_slopes(void **state)
{
    (void)state;
    fixture f;
    double x[N], xp[N];
    open_fixture(&f, 3, 0, 0.1);
    for (double h = 0.1; h < 0.5; h *= 1.7) {
        const double t = f.history.t;
        for (size_t i = 0; i < N; i++) {
            x[i] = power_sum(3, t + h, i);
            xp[i] = slope_sum(3, t + h, i);
        }
        history_hermite(&f.history, h, x, xp);
        CHECK_NEAR(f.history.t, t + h, 1e-15);
        for (double s = -h; s <= 0; s += h / 4) {
            history_at(&f.history, 3, s, 0, N, x, xp);
            for (size_t i = 0; i < N; i++) {
                CHECK_NEAR(x[i], power_sum(3, t + h + s, i), 1e-13);
                CHECK_NEAR(xp[i], slope_sum(3, t + h + s, i), 1e-12);
            }
        }
    }
    arena_clear(&f.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_polynomial_stays),
        cmocka_unit_test(rows_are_differences),
        cmocka_unit_test(nothing_to_move),
        cmocka_unit_test(single_differences),
        cmocka_unit_test(cubics_by_values_and_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

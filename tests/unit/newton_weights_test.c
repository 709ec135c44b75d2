/* weights.c: whose tolerance counts, index groups, noise. */
#include "check.h"
#include "newton/weights.h"

/* Unknowns: a of order 2 (two states), b, c algebraic, d. */
enum { N = 4, STATES = 5 };
static const uint8_t orders[N] = {2, 1, 0, 1};
static const double own_atol[N] = {(double)NAN, 1e-3, (double)NAN, (double)NAN};
static const double nominal[N] = {(double)NAN, 100, 50, 0};
static const uint8_t groups[N] = {1, 2, 3, 255};
static const double x[STATES] = {1, -2, 3, -4, 0};

static dae_status no_residual(
    void *self, double t, const double *y, const double *yp, double *res)
{
    (void)self, (void)t, (void)y, (void)yp, (void)res;
    return DAE_OK;
}

typedef struct fixture {
    arena memory;
    layout layout;
    weights weights;
} fixture;

static void open_fixture(fixture *f, const dae_problem *p)
{
    arena_init(&f->memory, dae_allocator_default(), 0);
    CHECK_STATUS(layout_init(&f->layout, p, NULL), DAE_OK);
    CHECK_STATUS(
        weights_init(&f->weights, p, &f->layout, 1e-4, 1e-6, &f->memory),
        DAE_OK);
}

static void close_fixture(fixture *f)
{
    layout_clear(&f->layout);
    arena_clear(&f->memory);
}

static void an_own_atol_wins_over_nominal_and_option(void **state)
{
    (void)state;
    const dae_scales scales = {.nominal = nominal, .atol = own_atol};
    const dae_problem p = {.unknown_count = N,
        .order = orders,
        .residual = no_residual,
        .scales = &scales};
    fixture f;
    open_fixture(&f, &p);
    weights_update(&f.weights, x, 0.5);
    const double *w = f.weights.plain;
    CHECK_NEAR(1 / w[0], 1e-4 + 1e-6, 1e-18);
    CHECK_NEAR(1 / w[1], 2e-4 + 1e-6, 1e-18);
    CHECK_NEAR(1 / w[2], 3e-4 + 1e-3, 1e-18);
    CHECK_NEAR(1 / w[3], 4e-4 + 5e-5, 1e-18);
    CHECK_NEAR(1 / w[4], 1e-6, 1e-20);
    assert_ptr_equal(f.weights.test, f.weights.plain);
    close_fixture(&f);
}

static void index_groups_are_weighted_by_the_step(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = N,
        .order = orders,
        .residual = no_residual,
        .index_group = groups};
    fixture f;
    open_fixture(&f, &p);
    weights_update(&f.weights, x, -0.1);
    const double *plain = f.weights.plain, *test = f.weights.test;
    assert_true(test[0] == plain[0] && test[1] == plain[1]);
    CHECK_NEAR(test[2] / plain[2], 0.1, 1e-15);
    CHECK_NEAR(test[3] / plain[3], 0.01, 1e-15);
    assert_true(test[4] == 0);
    weights_rescale(&f.weights, 7);
    assert_true(test[2] == plain[2] && test[3] == plain[3]);
    close_fixture(&f);
}

static void noise_is_added_and_taken_back(void **state)
{
    (void)state;
    const dae_problem p = {
        .unknown_count = N, .order = orders, .residual = no_residual};
    fixture f;
    open_fixture(&f, &p);
    const double noise[STATES] = {0, 0, 0, 0, 1e-5};
    weights_add_noise(&f.weights, noise);
    weights_update(&f.weights, x, 1);
    assert_true(1 / f.weights.plain[4] > 2e-5);
    CHECK_NEAR(1 / f.weights.plain[0], 1e-4 + 1e-6, 1e-18);
    const double none[STATES] = {0};
    weights_add_noise(&f.weights, none);
    weights_update(&f.weights, x, 1);
    CHECK_NEAR(1 / f.weights.plain[4], 1e-6, 1e-20);
    close_fixture(&f);
}

static void an_atol_of_zero_stays_finite(void **state)
{
    (void)state;
    const double zero[N] = {0, 0, 0, 0};
    const dae_scales scales = {.atol = zero};
    const dae_problem p = {.unknown_count = N,
        .order = orders,
        .residual = no_residual,
        .scales = &scales};
    fixture f;
    open_fixture(&f, &p);
    weights_update(&f.weights, x, 1);
    assert_true(isfinite(f.weights.plain[4]));
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_own_atol_wins_over_nominal_and_option),
        cmocka_unit_test(index_groups_are_weighted_by_the_step),
        cmocka_unit_test(noise_is_added_and_taken_back),
        cmocka_unit_test(an_atol_of_zero_stays_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

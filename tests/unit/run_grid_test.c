/* lang/run/grid.c: output times. */
#include "run/grid.h"
#include "support/check.h"

static grid prepared(grid g)
{
    const char *why = NULL;
    assert_true(grid_prepare(&g, &why));
    return g;
}

static void points_are_even_and_end_exactly(void **state)
{
    (void)state;
    grid g = prepared(
        (grid){.kind = GRID_POINTS, .t0 = 1, .t1 = 2.1, .count = 12});
    CHECK_NEAR(grid_time(&g, 0), 1, 0);
    CHECK_NEAR(grid_time(&g, 5), 1.5, 1e-15);
    CHECK_NEAR(grid_time(&g, 11), 2.1, 0);
    g = prepared((grid){.kind = GRID_POINTS, .t0 = 5, .t1 = 0, .count = 6});
    CHECK_NEAR(grid_time(&g, 1), 4, 1e-15);
    CHECK_NEAR(grid_time(&g, 5), 0, 0);
}

static void every_ends_with_the_interval(void **state)
{
    (void)state;
    grid g = prepared(
        (grid){.kind = GRID_EVERY, .t0 = 0, .t1 = 1, .every = 0.1});
    assert_int_equal(g.count, 11);
    CHECK_NEAR(grid_time(&g, 3), 0.3, 1e-15);
    CHECK_NEAR(grid_time(&g, 10), 1, 0);
    g = prepared((grid){.kind = GRID_EVERY, .t0 = 0, .t1 = 1, .every = 0.3});
    assert_int_equal(g.count, 5); /* 0 0.3 0.6 0.9 1 */
    CHECK_NEAR(grid_time(&g, 3), 0.9, 1e-15);
    CHECK_NEAR(grid_time(&g, 4), 1, 0);
    g = prepared((grid){.kind = GRID_EVERY, .t0 = 2, .t1 = 0, .every = 1});
    assert_int_equal(g.count, 3);
    CHECK_NEAR(grid_time(&g, 1), 1, 0);
    g = prepared((grid){.kind = GRID_EVERY, .t0 = 0, .t1 = 1, .every = 7});
    assert_int_equal(g.count, 2);
}

static void logarithmic_from_zero(void **state)
{
    (void)state;
    grid g = prepared((grid){
        .kind = GRID_LOG, .t0 = 0, .t1 = 1e3, .first = 1e-3, .count = 8});
    const double expected[] = {0, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
    for (int i = 0; i < 8; i++)
        CHECK_NEAR(grid_time(&g, i), expected[i], 1e-14 * expected[i]);
    g = prepared((grid){.kind = GRID_LOG, .t0 = 0, .t1 = 10, .count = 3});
    CHECK_NEAR(grid_time(&g, 1), 1e-8, 1e-22);
    g = prepared((grid){.kind = GRID_LOG, .t0 = 1, .t1 = 100, .count = 3});
    CHECK_NEAR(grid_time(&g, 1), 10, 1e-14);
    g = prepared((grid){.kind = GRID_LOG, .t0 = 0, .t1 = -10, .count = 3});
    CHECK_NEAR(grid_time(&g, 1), -1e-8, 1e-22);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    const grid wrong[] = {
        {.kind = GRID_POINTS, .t1 = 1, .count = 1},
        {.kind = GRID_EVERY, .t1 = 1, .every = 1e-12},
        {.kind = GRID_LOG, .t0 = -1, .t1 = 1, .count = 10},
        {.kind = GRID_LOG, .t0 = 1, .t1 = 0, .count = 10},
        {.kind = GRID_LOG, .t0 = 0, .t1 = 1, .first = 2, .count = 10},
        {.kind = GRID_LOG, .t0 = 0, .t1 = 1, .count = 2},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        grid g = wrong[i];
        const char *why = NULL;
        assert_false(grid_prepare(&g, &why));
        assert_non_null(why);
    }
}

static void long_steps_are_divided(void **state)
{
    (void)state;
    grid g = prepared((grid){.kind = GRID_DENSE, .t0 = 0, .t1 = 499});
    assert_false(grid_is_listed(&g));
    assert_int_equal(grid_parts(&g, 0, 0.5), 1);
    assert_int_equal(grid_parts(&g, 3, 4), 1);
    assert_int_equal(grid_parts(&g, 3, 4.5), 2);
    /* the whole interval in one step still has 500 points with its start */
    assert_int_equal(grid_parts(&g, 0, 499), 499);
    g.kind = GRID_STEPS;
    assert_int_equal(grid_parts(&g, 0, 499), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_even_and_end_exactly),
        cmocka_unit_test(every_ends_with_the_interval),
        cmocka_unit_test(logarithmic_from_zero),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(long_steps_are_divided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

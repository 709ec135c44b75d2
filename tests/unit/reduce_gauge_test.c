/* How far entries have turned and may turn: tangents of known angles. */
#include "check.h"
#include "reduce/gauge.h"

static const double LIMIT = 2;

static void look(gauge *g, const double *entries, size_t count)
{
    gauge_begin(g, LIMIT);
    for (size_t k = 0; k < count; k++) gauge_take(g, entries[k]);
}

/* tan(a + b) = (tan a + tan b)/(1 - tan a tan b): from 1/3 to 1/2 is an angle of
 * tangent 1/7, from 1/2 to 2 one of 3/4, from 1 to 2 one of 1/3. */
static void angles_by_their_tangents(void **state)
{
    arena a;
    gauge g;
    (void)state;
    arena_init(&a, NULL, 0);
    assert_true(gauge_init(&g, &a, 2));
    look(&g, (double[]){1.0 / 3, 1}, 2);
    assert_false(g.has_before);
    CHECK_NEAR(g.left, 1.0 / 3, 1e-15); /* nothing is known: of all */
    gauge_end(&g);
    look(&g, (double[]){0.5, 1}, 2);
    assert_true(g.has_before);
    CHECK_NEAR(g.turned, 1.0 / 7, 1e-15);
    CHECK_NEAR(g.left, 0.75, 1e-15); /* of the one that has turned */
    gauge_end(&g);
    look(&g, (double[]){2.5, 1}, 2);
    CHECK_NEAR(g.left, 0, 0);
    arena_clear(&a);
}

/* Through zero the angle goes on; past a right angle nothing is known. */
static void signs_count(void **state)
{
    arena a;
    gauge g;
    (void)state;
    arena_init(&a, NULL, 0);
    assert_true(gauge_init(&g, &a, 1));
    look(&g, (double[]){-0.5}, 1);
    gauge_end(&g);
    look(&g, (double[]){0.5}, 1);
    CHECK_NEAR(g.turned, 4.0 / 3, 1e-15);
    gauge_end(&g);
    look(&g, (double[]){-3}, 1);
    assert_true(isinf(g.turned));
    arena_clear(&a);
}

/* A look that is not ended, for memory ran out in it, is none. */
static void what_is_not_ended_leaves_no_trace(void **state)
{
    arena a;
    gauge g;
    (void)state;
    arena_init(&a, NULL, 0);
    assert_true(gauge_init(&g, &a, 1));
    look(&g, (double[]){1.0 / 3}, 1);
    gauge_end(&g);
    look(&g, (double[]){1.9}, 1);
    look(&g, (double[]){0.5}, 1);
    CHECK_NEAR(g.turned, 1.0 / 7, 1e-15);
    gauge_end(&g);
    gauge_clear(&g);
    look(&g, (double[]){0.6}, 1);
    assert_true(!g.has_before && g.turned == 0);
    look(&g, (double[]){0, 1.99}, 2); /* there is no room for the second */
    CHECK_NEAR(g.left, 1, 0);
    arena_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_by_their_tangents),
        cmocka_unit_test(signs_count),
        cmocka_unit_test(what_is_not_ended_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

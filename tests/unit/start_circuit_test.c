/* Rows that depend on one another while their right sides do not. */
#include "start/circuit.h"
#include "support/check.h"

/* Three rows in the plane: 0.6 times the first and 0.8 times the second are the
 * third. */
static const double plane[] = {1, 0, 0.6, /**/ 0, 1, 0.8};

static size_t count_of(const double left[3], const double allowed[3])
{
    double *coefficients;
    size_t count;
    arena a;
    arena_init(&a, NULL, 0);
    const circuit_rows r = {3, 2, plane, left, allowed, 1e-10};
    CHECK_STATUS(circuits_smallest(&r, &a, 3, &coefficients, &count), DAE_OK);
    if (count) {
        CHECK_NEAR(coefficients[0], -0.6, 1e-14);
        CHECK_NEAR(coefficients[1], -0.8, 1e-14);
        CHECK_NEAR(coefficients[2], 1, 0);
    }
    arena_clear(&a);
    return count;
}

static const double nothing[] = {0, 0, 0};

static void what_contradicts_is_a_circuit(void **state)
{
    (void)state;
    /* 0.6*1 + 0.8*2 = 2.2 */
    assert_int_equal(count_of((double[]){1, 2, 0}, nothing), 1);
    assert_int_equal(count_of((double[]){1, 2, 3}, nothing), 1);
    assert_int_equal(count_of((double[]){1, 2, 2.2}, nothing), 0);
}

/* Tolerances add up as the rows do. */
static void what_is_allowed_is_no_contradiction(void **state)
{
    (void)state;
    const double left[] = {1, 2, 0};
    assert_int_equal(count_of(left, (double[]){0, 0, 2.1}), 1);
    assert_int_equal(count_of(left, (double[]){0, 0, 2.3}), 0);
    assert_int_equal(count_of(left, (double[]){3, 0, 0}), 1);
    assert_int_equal(count_of(left, (double[]){4, 0, 0}), 0);
    assert_int_equal(count_of(left, (double[]){1, 1, 1}), 0);
}

/* Below a thousandth of the terms it is what tangents leave of curves. */
static void what_is_small_is_left_to_the_next_order(void **state)
{
    (void)state;
    assert_int_equal(count_of((double[]){1000, 0, 601}, nothing), 0);
    assert_int_equal(count_of((double[]){1000, 0, 602}, nothing), 1);
}

/* Rows at angles: the last is 1/2, -1/4 and 1/8 of those before it, but for one
 * that has no part in it. By columns. */
static void a_circuit_is_minimal(void **state)
{
    (void)state;
    const double m[] = {1, 0.6, 0, 0, 0.35, /**/ 0, 0.8, 0.6, 0, -0.125,
        /**/ 0, 0, 0.8, 0, 0.1, /**/ 0, 0, 0, 1, 0};
    const double left[] = {0, 0, 0, 5, 1}, allowed[5] = {0, 0, 0, 0, 0};
    const double wanted[] = {-0.5, 0.25, -0.125, 0, 1};
    double *coefficients;
    size_t count;
    arena a;
    arena_init(&a, NULL, 0);
    const circuit_rows r = {5, 4, m, left, allowed, 1e-10};
    CHECK_STATUS(circuits_smallest(&r, &a, 1, &coefficients, &count), DAE_OK);
    assert_int_equal(count, 1);
    for (size_t k = 0; k < 5; k++)
        CHECK_NEAR(coefficients[k], wanted[k], 1e-14);
    assert_true(coefficients[3] == 0);
    arena_clear(&a);
}

/* 0 = 1 needs no other row; and no more are found than asked for. */
static void rows_of_zeros_contradict_alone(void **state)
{
    (void)state;
    const double m[] = {0, 1, 0.8, /**/ 0, 0, 0};
    const double left[] = {1, 0, 1}, allowed[3] = {0, 0, 0};
    double *coefficients;
    size_t count;
    arena a;
    arena_init(&a, NULL, 0);
    const circuit_rows r = {3, 2, m, left, allowed, 1e-10};
    CHECK_STATUS(circuits_smallest(&r, &a, 1, &coefficients, &count), DAE_OK);
    assert_int_equal(count, 1);
    CHECK_STATUS(circuits_smallest(&r, &a, 2, &coefficients, &count), DAE_OK);
    assert_int_equal(count, 2);
    const double wanted[] = {1, 0, 0, /**/ 0, -0.8, 1};
    for (size_t k = 0; k < 6; k++)
        CHECK_NEAR(coefficients[k], wanted[k], 1e-15);
    arena_clear(&a);
}

static void memory_may_fail(void **state)
{
    (void)state;
    const double left[] = {1, 2, 0};
    const circuit_rows r = {3, 2, plane, left, nothing, 1e-10};
    dae_status st = DAE_MEMORY;
    for (size_t limit = 16; limit < 100000 && st; limit += 16) {
        double *coefficients;
        size_t count;
        arena a;
        arena_init(&a, NULL, limit);
        st = circuits_smallest(&r, &a, 3, &coefficients, &count);
        arena_clear(&a);
        assert_true(limit > 16 || st == DAE_MEMORY);
        if (st) CHECK_STATUS(st, DAE_MEMORY);
        else assert_int_equal(count, 1);
    }
    CHECK_STATUS(st, DAE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_contradicts_is_a_circuit),
        cmocka_unit_test(what_is_allowed_is_no_contradiction),
        cmocka_unit_test(what_is_small_is_left_to_the_next_order),
        cmocka_unit_test(a_circuit_is_minimal),
        cmocka_unit_test(rows_of_zeros_contradict_alone),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

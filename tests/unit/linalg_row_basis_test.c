/* Bases that grow: what they take, and what is left of a row. */
#include "linalg/rank_revealing_qr.h"
#include "support/check.h"

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

static void a_basis_takes_what_is_independent(void **state)
{
    (void)state;
    double one[] = {3, 0, 0}, two[] = {5, 1, 0}, both[] = {2, 3, 0},
           three[] = {1, 2, 1e-3}, more[] = {7, 8, 9};
    row_basis b;
    arena a;
    arena_init(&a, NULL, 0);
    assert_true(row_basis_init(&b, &a, 3, 3));
    assert_true(row_basis_add(&b, one, 1e-12));
    assert_true(row_basis_add(&b, two, 1e-12));
    assert_false(row_basis_add(&b, both, 1e-12));
    assert_int_equal(b.count, 2);
    assert_false(row_basis_add(&b, three, 1e-2));
    three[2] = 1e-3;
    assert_true(row_basis_add(&b, three, 1e-4));
    assert_false(row_basis_add(&b, more, 0)); /* there is no fourth */
    arena_clear(&a);
}

/* Laeuchli's rows: 1 + e^2 is 1, so that what is left of the second one after
 * one subtraction is no more than eight digits orthogonal to the first. */
static void nearly_equal_rows_stay_orthogonal(void **state)
{
    (void)state;
    const double e = 1e-8;
    row_basis b;
    arena a;
    arena_init(&a, NULL, 0);
    assert_true(row_basis_init(&b, &a, 4, 4));
    for (size_t i = 0; i < 3; i++) {
        double row[] = {1, 0, 0, 0};
        row[i + 1] = e;
        assert_true(row_basis_add(&b, row, 1e-12));
    }
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            CHECK_NEAR(dot(b.q + 4 * i, b.q + 4 * j, 4), i == j, 1e-14);
    arena_clear(&a);
}

/* A basis of two vectors in three dimensions takes no third. */
static void there_is_no_more_than_the_room(void **state)
{
    (void)state;
    double one[] = {1, 1, 0}, two[] = {0, 1, 1}, three[] = {1, 0, 1};
    row_basis b;
    arena a;
    arena_init(&a, NULL, 0);
    assert_true(row_basis_init(&b, &a, 3, 2));
    assert_true(row_basis_add(&b, one, 0));
    assert_true(row_basis_add(&b, two, 0));
    CHECK_NEAR(dot(two, two, 3), 1.5, 1e-14); /* (-1/2, 1/2, 1) */
    CHECK_NEAR(dot(b.q, b.q + 3, 3), 0, 1e-15);
    CHECK_NEAR(dot(b.q + 3, b.q + 3, 3), 1, 1e-15);
    assert_false(row_basis_add(&b, three, 0));
    arena_clear(&a);
}

static void memory_may_fail(void **state)
{
    (void)state;
    dae_status st = DAE_MEMORY;
    for (size_t limit = 16; limit < 100000 && st; limit += 16) {
        row_basis b;
        arena a;
        arena_init(&a, NULL, limit);
        st = row_basis_init(&b, &a, 100, 100) ? DAE_OK : DAE_MEMORY;
        arena_clear(&a);
        assert_true(limit > 16 || st == DAE_MEMORY);
        if (st) CHECK_STATUS(st, DAE_MEMORY);
    }
    CHECK_STATUS(st, DAE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_basis_takes_what_is_independent),
        cmocka_unit_test(nearly_equal_rows_stay_orthogonal),
        cmocka_unit_test(there_is_no_more_than_the_room),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

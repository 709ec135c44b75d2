/* Ranks, null spaces, least squares and dependencies of small matrices with
 * plain answers. Matrices are by columns. */
#include "linalg/ranks.h"
#include "support/check.h"

#define HEALTHY alloc_or_default(NULL)

static size_t rank_of(
    const double *m, size_t rows, size_t columns, double error, bool *is_sure)
{
    double spent[64];
    size_t rank = 99;
    *is_sure = true;
    if (rows > 0 && columns > 0) memcpy(spent, m, rows * columns * sizeof *m);
    CHECK_STATUS(
        ranks_count(spent, rows, columns, error, HEALTHY, &rank, is_sure),
        DAE_OK);
    return rank;
}

static void ranks_are_counted(void **state)
{
    (void)state;
    const double one[] = {1, 2, 3, 6}, two[] = {1, 0, 1, 0, 1, 1, 1, 1, 2};
    const double zeros[6] = {0, 0, 0, 0, 0, 0};
    bool is_sure;
    assert_int_equal(rank_of(one, 2, 2, 0, &is_sure), 1);
    assert_true(is_sure);
    assert_int_equal(rank_of(two, 3, 3, 0, &is_sure), 2);
    assert_true(is_sure);
    assert_int_equal(rank_of(two, 3, 1, 0, &is_sure), 1);
    assert_int_equal(rank_of(two, 1, 3, 0, &is_sure), 1);
    assert_int_equal(rank_of(zeros, 2, 3, 0, &is_sure), 0);
    assert_true(is_sure);
    assert_int_equal(rank_of(NULL, 0, 3, 0, &is_sure), 0);
    assert_int_equal(rank_of(NULL, 3, 0, 0, &is_sure), 0);
}

/* The diagonal's numbers are the singular values: with entries known to 1e-10
 * what is below 1e-8 can be an error, and what counts must be above 1e-6. */
static void what_is_neither_large_nor_an_error_is_not_sure(void **state)
{
    (void)state;
    double diagonal[] = {1, 0, 0, 1e-3};
    bool is_sure;
    assert_int_equal(rank_of(diagonal, 2, 2, 1e-10, &is_sure), 2);
    assert_true(is_sure);
    diagonal[3] = 1e-7;
    assert_int_equal(rank_of(diagonal, 2, 2, 1e-10, &is_sure), 2);
    assert_false(is_sure);
    diagonal[3] = 1e-9;
    assert_int_equal(rank_of(diagonal, 2, 2, 1e-10, &is_sure), 1);
    assert_true(is_sure);
    /* what was doubtful before stays so */
    size_t rank;
    is_sure = false;
    CHECK_STATUS(
        ranks_count(diagonal, 2, 2, 0, HEALTHY, &rank, &is_sure), DAE_OK);
    assert_false(is_sure);
}

/* x + y = 0 leaves z, and half of the squares of x and y. */
static void shares_of_the_null_space(void **state)
{
    (void)state;
    double m[] = {1, 1, 0}, regular[] = {1, 1, 1, -1}, share[3];
    CHECK_STATUS(ranks_null(m, 1, 3, 0, HEALTHY, share), DAE_OK);
    CHECK_NEAR(share[0], sqrt(0.5), 1e-15);
    CHECK_NEAR(share[1], sqrt(0.5), 1e-15);
    CHECK_NEAR(share[2], 1, 1e-15);
    CHECK_STATUS(ranks_null(regular, 2, 2, 0, HEALTHY, share), DAE_OK);
    CHECK_NEAR(share[0], 0, 1e-15);
    CHECK_NEAR(share[1], 0, 1e-15);
    CHECK_STATUS(ranks_null(m, 0, 3, 0, HEALTHY, share), DAE_OK);
    for (size_t j = 0; j < 3; j++) CHECK_NEAR(share[j], 1, 0);
}

static void least_squares_of_least_length(void **state)
{
    (void)state;
    double wide[] = {1, 1}, b[] = {2, 0}; /* x + y = 2 */
    CHECK_STATUS(ranks_solve(wide, 1, 2, 0, b, HEALTHY), DAE_OK);
    CHECK_NEAR(b[0], 1, 1e-15);
    CHECK_NEAR(b[1], 1, 1e-15);
    double tall[] = {1, 1}, c[] = {1, 3}; /* x = 1, x = 3 */
    CHECK_STATUS(ranks_solve(tall, 2, 1, 0, c, HEALTHY), DAE_OK);
    CHECK_NEAR(c[0], 2, 1e-15);
    double same[] = {1, 1, 1, 1}, d[] = {2, 4}; /* x + y = 2, x + y = 4 */
    CHECK_STATUS(ranks_solve(same, 2, 2, 0, d, HEALTHY), DAE_OK);
    CHECK_NEAR(d[0], 1.5, 1e-14);
    CHECK_NEAR(d[1], 1.5, 1e-14);
    double none[] = {5, 5};
    CHECK_STATUS(ranks_solve(same, 0, 2, 0, none, HEALTHY), DAE_OK);
    assert_true(none[0] == 0 && none[1] == 0);
}

static void the_first_row_that_depends(void **state)
{
    (void)state;
    /* (1, 0), (0, 1), (0.6, 0.8), (1, 0) */
    const double m[] = {1, 0, 0.6, 1, /**/ 0, 1, 0.8, 0};
    double factor[4] = {7, 7, 7, 7};
    size_t row;
    CHECK_STATUS(ranks_dependency(m, 4, 2, HEALTHY, &row, factor), DAE_OK);
    assert_int_equal(row, 2);
    const double wanted[] = {-0.6, -0.8, 1, 0};
    for (size_t i = 0; i < 4; i++) CHECK_NEAR(factor[i], wanted[i], 1e-15);
    /* twice the same row; one of zeros */
    const double twice[] = {0.6, 0.6, /**/ 0.8, 0.8, /**/ 0, 0};
    CHECK_STATUS(ranks_dependency(twice, 2, 3, HEALTHY, &row, factor), DAE_OK);
    assert_int_equal(row, 1);
    CHECK_NEAR(factor[0], -1, 1e-15);
    const double zero[] = {1, 0, /**/ 0, 0};
    CHECK_STATUS(ranks_dependency(zero, 2, 2, HEALTHY, &row, factor), DAE_OK);
    assert_int_equal(row, 1);
    CHECK_NEAR(factor[0], 0, 1e-15);
    const double regular[] = {1, 0, /**/ 0, 1};
    CHECK_STATUS(
        ranks_dependency(regular, 2, 2, HEALTHY, &row, factor), DAE_OK);
    assert_int_equal(row, 2);
}

static dae_status all_of_it(const dae_allocator *allocator)
{
    double m[] = {1, 0, 0.6, /**/ 0, 1, 0.8}, b[] = {1, 1, 1}, share[2];
    double factor[3];
    const double kept[] = {1, 0, 0.6, /**/ 0, 1, 0.8};
    size_t rank;
    bool is_sure = true;
    dae_status st = ranks_count(m, 3, 2, 0, allocator, &rank, &is_sure);
    memcpy(m, kept, sizeof kept);
    if (!st) st = ranks_null(m, 3, 2, 0, allocator, share);
    memcpy(m, kept, sizeof kept);
    if (!st) st = ranks_solve(m, 3, 2, 0, b, allocator);
    return st ? st : ranks_dependency(kept, 3, 2, allocator, &rank, factor);
}

static void memory_may_fail(void **state)
{
    (void)state;
    dae_status st = DAE_MEMORY;
    size_t n = 0;
    for (; n < 60 && st; n++) {
        failing_memory m;
        failing_init(&m, n);
        st = all_of_it(&m.allocator);
        assert_int_equal(m.live, 0);
        if (st) CHECK_STATUS(st, DAE_MEMORY);
    }
    CHECK_STATUS(st, DAE_OK);
    assert_true(n > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_counted),
        cmocka_unit_test(what_is_neither_large_nor_an_error_is_not_sure),
        cmocka_unit_test(shares_of_the_null_space),
        cmocka_unit_test(least_squares_of_least_length),
        cmocka_unit_test(the_first_row_that_depends),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Null spaces, against matrices whose answers are plain. */
#include "linalg/null_space.h"
#include "support/check.h"

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

/* `count` vectors of n are orthonormal, and A (rows x n, by columns) takes them
 * to 0. */
static void check_basis(
    const double *basis, size_t count, size_t n, const double *a, size_t rows)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t l = 0; l < count; l++)
            CHECK_NEAR(dot(basis + k * n, basis + l * n, n), k == l, 1e-14);
        for (size_t i = 0; i < rows; i++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += a[j * rows + i] * basis[k * n + j];
            CHECK_NEAR(sum, 0, 1e-14);
        }
    }
}

static void a_null_space_is_orthogonal_to_the_rows(void **state)
{
    (void)state;
    /* x + y + z = 0, and a third row that is the sum of two */
    const double plane[] = {1, 1, 1};
    const double sum[] = {1, 0, 1, 0, 1, 1, 1, 1, 2, 0, -1, -1};
    double spent[12], *basis;
    size_t dimension;
    arena a;
    arena_init(&a, NULL, 0);
    memcpy(spent, plane, sizeof plane);
    CHECK_STATUS(
        null_space(&a, spent, 1, 3, 1e-10, &basis, &dimension), DAE_OK);
    assert_int_equal(dimension, 2);
    check_basis(basis, 2, 3, plane, 1);
    memcpy(spent, sum, sizeof sum);
    CHECK_STATUS(
        null_space(&a, spent, 3, 4, 1e-10, &basis, &dimension), DAE_OK);
    assert_int_equal(dimension, 2);
    check_basis(basis, 2, 4, sum, 3);
    double regular[] = {1, 1, 1, -1};
    CHECK_STATUS(
        null_space(&a, regular, 2, 2, 1e-10, &basis, &dimension), DAE_OK);
    assert_int_equal(dimension, 0);
    arena_clear(&a);
}

static void zero_is_a_part_of_the_largest_pivot(void **state)
{
    (void)state;
    double clear[] = {100, 0, 0, 50}, small[] = {100, 0, 0, 5}, *basis;
    size_t dimension;
    arena a;
    arena_init(&a, NULL, 0);
    CHECK_STATUS(null_space(&a, clear, 2, 2, 0.1, &basis, &dimension), DAE_OK);
    assert_int_equal(dimension, 0);
    CHECK_STATUS(null_space(&a, small, 2, 2, 0.1, &basis, &dimension), DAE_OK);
    assert_int_equal(dimension, 1);
    CHECK_NEAR(basis[0], 0, 1e-15);
    CHECK_NEAR(fabs(basis[1]), 1, 1e-15);
    arena_clear(&a);
}

static void without_equations_all_is_free(void **state)
{
    (void)state;
    double zeros[4] = {0, 0, 0, 0}, *basis;
    size_t dimension;
    arena a;
    arena_init(&a, NULL, 0);
    CHECK_STATUS(null_space(&a, NULL, 0, 3, 1e-10, &basis, &dimension), DAE_OK);
    assert_int_equal(dimension, 3);
    check_basis(basis, 3, 3, NULL, 0);
    CHECK_STATUS(
        null_space(&a, zeros, 2, 2, 1e-10, &basis, &dimension), DAE_OK);
    assert_int_equal(dimension, 2);
    check_basis(basis, 2, 2, NULL, 0);
    CHECK_STATUS(null_space(&a, NULL, 2, 0, 1e-10, &basis, &dimension), DAE_OK);
    assert_int_equal(dimension, 0);
    arena_clear(&a);
}

static void matrices_beyond_lapack_are_refused(void **state)
{
    (void)state;
    double *basis;
    size_t dimension;
    arena a;
    arena_init(&a, NULL, 0);
    CHECK_STATUS(
        null_space(&a, NULL, 0, (size_t)1 << 40, 0, &basis, &dimension),
        DAE_LIMIT);
    CHECK_STATUS(
        null_space(&a, NULL, (size_t)1 << 40, 1, 0, &basis, &dimension),
        DAE_LIMIT);
    assert_null(basis);
    arena_clear(&a);
}

static void memory_may_fail(void **state)
{
    (void)state;
    dae_status st = DAE_MEMORY;
    for (size_t limit = 16; limit < 100000 && st; limit += 16) {
        double matrix[] = {1, 0, 1, 1, 0, 1}, *basis;
        size_t dimension;
        arena a;
        arena_init(&a, NULL, limit);
        st = null_space(&a, matrix, 2, 3, 1e-10, &basis, &dimension);
        arena_clear(&a);
        assert_true(limit > 16 || st == DAE_MEMORY);
        if (st) CHECK_STATUS(st, DAE_MEMORY);
    }
    CHECK_STATUS(st, DAE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_null_space_is_orthogonal_to_the_rows),
        cmocka_unit_test(zero_is_a_part_of_the_largest_pivot),
        cmocka_unit_test(without_equations_all_is_free),
        cmocka_unit_test(matrices_beyond_lapack_are_refused),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

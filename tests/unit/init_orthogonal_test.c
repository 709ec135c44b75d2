/* Null spaces, bases and scaling, against matrices whose answers are plain. */
#include "init/orthogonal.h"
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

static void a_basis_takes_what_is_independent(void **state)
{
    (void)state;
    double one[] = {3, 0, 0}, two[] = {5, 1, 0}, both[] = {2, 3, 0},
           three[] = {1, 2, 1e-3}, more[] = {7, 8, 9}, rest[] = {2, 5, 4};
    row_basis b;
    arena a;
    arena_init(&a, NULL, 0);
    assert_true(row_basis_init(&b, &a, 3));
    assert_true(row_basis_add(&b, one, 1e-12));
    assert_true(row_basis_add(&b, two, 1e-12));
    assert_false(row_basis_add(&b, both, 1e-12));
    assert_int_equal(b.count, 2);
    CHECK_NEAR(row_basis_rest(&b, rest), 4, 1e-14);
    CHECK_NEAR(rest[0], 0, 1e-14);
    CHECK_NEAR(rest[2], 4, 1e-14);
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
    assert_true(row_basis_init(&b, &a, 4));
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

static void equilibrated_entries_are_at_most_one(void **state)
{
    (void)state;
    double m[] = {4, 0, 0, /**/ 2, 10, 0, /**/ 0, -5, 0};
    const double wanted[] = {1, 0, 0, /**/ 0.5, 1, 0, /**/ 0, -1, 0};
    double row[3], column[3];
    equilibrate(m, 3, 3, row, column);
    for (size_t k = 0; k < 9; k++) CHECK_NEAR(m[k], wanted[k], 0);
    const double rows[] = {4, 10, 1}, columns[] = {1, 1, 0.5};
    for (size_t k = 0; k < 3; k++) {
        CHECK_NEAR(row[k], rows[k], 0);
        CHECK_NEAR(column[k], columns[k], 0);
    }
    double other[] = {8, 2, 0, 0};
    equilibrate(other, 2, 2, NULL, NULL);
    CHECK_NEAR(other[0], 1, 0);
    CHECK_NEAR(other[1], 1, 0);
}

/* Units of rows and columns are found, whatever they are: what is left of a
 * matrix of ones is ones. */
static void balancing_finds_the_units(void **state)
{
    (void)state;
    const double units[] = {1e-9, 4e6, 30}, others[] = {1e5, 1, 2e-8};
    double m[9], row[3], column[3];
    arena a;
    arena_init(&a, NULL, 0);
    for (size_t j = 0; j < 3; j++)
        for (size_t i = 0; i < 3; i++) m[3 * j + i] = units[i] * others[j];
    assert_true(balance(&a, m, 3, 3, row, column));
    for (size_t j = 0; j < 3; j++)
        for (size_t i = 0; i < 3; i++) {
            CHECK_NEAR(m[3 * j + i], 1, 1e-12);
            CHECK_NEAR(row[i] * column[j] / (units[i] * others[j]), 1, 1e-12);
        }
    /* what is 1e-12 beside 1 may be a zero, and stays small */
    double rounding[] = {1, 1e-12, 1, 1};
    assert_true(balance(&a, rounding, 2, 2, row, column));
    CHECK_NEAR(rounding[1], 1e-12, 1e-26);
    double zeros[] = {0, 0, 0, 1};
    assert_true(balance(&a, zeros, 2, 2, row, column));
    assert_true(row[0] == 1 && column[0] == 1);
    arena_clear(&a);
}

static void memory_may_fail(void **state)
{
    (void)state;
    dae_status st = DAE_MEMORY;
    for (size_t limit = 16; limit < 100000 && st; limit += 16) {
        double matrix[] = {1, 0, 1, 1, 0, 1}, row[2], column[3], *basis;
        size_t dimension;
        row_basis b;
        arena a;
        arena_init(&a, NULL, limit);
        st = null_space(&a, matrix, 2, 3, 1e-10, &basis, &dimension);
        if (!st && !row_basis_init(&b, &a, 100)) st = DAE_MEMORY;
        if (!st && !balance(&a, matrix, 2, 3, row, column)) st = DAE_MEMORY;
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
        cmocka_unit_test(a_basis_takes_what_is_independent),
        cmocka_unit_test(nearly_equal_rows_stay_orthogonal),
        cmocka_unit_test(equilibrated_entries_are_at_most_one),
        cmocka_unit_test(balancing_finds_the_units),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

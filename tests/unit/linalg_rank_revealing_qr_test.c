/* Rank-revealing QR: factors, solutions of least norm, null vectors,
 * dependencies and bounds of the forward error. */
#include "linalg/rank_revealing_qr.h"
#include "linalg/thresholds.h"
#include "support/check.h"
#include <float.h>

/* Numbers in (-1, 1), the same everywhere. */
static double next_number(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return ((double)(*seed >> 8) + 0.5) / 8388608.0 - 1;
}

/* rows x columns of the given rank, by columns. */
static void make_matrix(
    double *a, size_t rows, size_t columns, size_t rank, uint32_t seed)
{
    double u[40 * 40], v[40 * 40];
    for (size_t k = 0; k < rows * rank; k++) u[k] = next_number(&seed);
    for (size_t k = 0; k < columns * rank; k++) v[k] = next_number(&seed);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++) {
            a[j * rows + i] = 0;
            for (size_t k = 0; k < rank; k++)
                a[j * rows + i] += u[k * rows + i] * v[j * rank + k];
        }
}

static void multiply(
    const double *a, size_t rows, size_t columns, const double *x, double *b)
{
    for (size_t i = 0; i < rows; i++) {
        b[i] = 0;
        for (size_t j = 0; j < columns; j++) b[i] += a[j * rows + i] * x[j];
    }
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

static void check_null_spaces(
    rrqr *f, const double *a, size_t rows, size_t columns)
{
    double x[40], y[40], b[40];
    for (size_t k = 0; k < columns - f->rank; k++) {
        rrqr_null_vector(f, k, x);
        multiply(a, rows, columns, x, b);
        for (size_t i = 0; i < rows; i++) CHECK_NEAR(b[i], 0, 1e-12);
        CHECK_NEAR(dot(x, x, columns), 1, 1e-13);
        for (size_t l = 0; l < k; l++) {
            rrqr_null_vector(f, l, y);
            CHECK_NEAR(dot(x, y, columns), 0, 1e-13);
        }
    }
}

/* x solves, and is orthogonal to the null space: nothing shorter does. */
static void check_solution(
    rrqr *f, const double *a, size_t rows, size_t columns)
{
    double x[40], b[40], spent[40], null[40];
    for (size_t j = 0; j < columns; j++) null[j] = cos((double)j);
    multiply(a, rows, columns, null, b);
    memcpy(spent, b, sizeof spent);
    rrqr_solve(f, spent, x);
    for (size_t i = f->rank; i < rows; i++) CHECK_NEAR(spent[i], 0, 1e-11);
    multiply(a, rows, columns, x, spent);
    for (size_t i = 0; i < rows; i++) CHECK_NEAR(spent[i], b[i], 1e-11);
    for (size_t k = 0; k < columns - f->rank; k++) {
        rrqr_null_vector(f, k, null);
        CHECK_NEAR(dot(x, null, columns), 0, 1e-11);
    }
}

static void ranks_solutions_and_null_vectors(void **state)
{
    (void)state;
    static const size_t shapes[][3] = {{7, 7, 7}, {7, 7, 4}, {5, 9, 5},
        {5, 9, 3}, {11, 6, 6}, {11, 6, 2}, {1, 4, 1}, {4, 1, 1}, {3, 3, 0},
        {30, 36, 20}, {36, 30, 29}};
    for (size_t q = 0; q < sizeof shapes / sizeof shapes[0]; q++) {
        const size_t r = shapes[q][0], n = shapes[q][1];
        double a[40 * 40];
        rrqr f;
        arena memory;
        arena_init(&memory, NULL, 0);
        make_matrix(a, r, n, shapes[q][2], (uint32_t)q);
        assert_true(rrqr_init(&f, &memory, r, n));
        memcpy(f.a, a, r * n * sizeof *a);
        rrqr_factor(&f, rank_zero(r > n ? r : n));
        assert_int_equal(f.rank, shapes[q][2]);
        rrqr_complete(&f);
        check_null_spaces(&f, a, r, n);
        check_solution(&f, a, r, n);
        arena_clear(&memory);
    }
}

/* A column may be multiplied by anything: it is compared with itself. */
static void units_of_columns_do_not_matter(void **state)
{
    (void)state;
    double a[12 * 12];
    rrqr f;
    arena memory;
    arena_init(&memory, NULL, 0);
    make_matrix(a, 12, 12, 9, 3);
    assert_true(rrqr_init(&f, &memory, 12, 12));
    for (size_t j = 0; j < 12; j++)
        for (size_t i = 0; i < 12; i++)
            f.a[j * 12 + i] = ldexp(a[j * 12 + i], (int)(j * 53) % 200 - 100);
    rrqr_factor(&f, rank_zero(12));
    assert_int_equal(f.rank, 9);
    assert_true(f.least > 1e-4 && f.dropped < 1e-14);
    arena_clear(&memory);
}

/* x + 1e-6*y + z = 1: class 0 takes what it can, however weak its entry. */
static void classes_come_one_after_the_other(void **state)
{
    (void)state;
    double b[] = {1, 2}, x[4], moved[4];
    rrqr f;
    arena memory;
    arena_init(&memory, NULL, 0);
    assert_true(rrqr_init(&f, &memory, 2, 4));
    const double a[] = {1, 0, 1e-6, 0, 1, 1, 2, 2};
    memcpy(f.a, a, sizeof a);
    f.class[0] = 2;
    f.class[2] = f.class[3] = 1;
    rrqr_factor(&f, rank_zero(4));
    assert_int_equal(f.rank, 2);
    assert_int_equal(f.pivot[0], 1);
    assert_int_equal(f.pivot[1], 3);
    assert_int_equal(f.upto[1], 1);
    assert_int_equal(f.upto[2], 2);
    rrqr_complete(&f);
    rrqr_solve(&f, b, x);
    CHECK_NEAR(x[0], 0, 0);
    CHECK_NEAR(x[1], -1e6, 1e-6); /* 1 = 1e-6 x1 + x2 + 2 x3 */
    CHECK_NEAR(x[2], 0.4, 1e-12); /* 2 = x2 + 2 x3, shortest */
    CHECK_NEAR(x[3], 0.8, 1e-12);
    for (size_t k = 0; k < 2; k++) {
        rrqr_null_vector(&f, k, x);
        CHECK_NEAR(x[0] + 1e-6 * x[1] + x[2] + 2 * x[3], 0, 1e-12);
        CHECK_NEAR(x[2] + 2 * x[3], 0, 1e-12);
    }
    CHECK_STATUS(rrqr_null_shares(&f, &memory, moved), DAE_OK);
    assert_true(moved[0] > 0 && moved[1] > 0);
    arena_clear(&memory);
}

/* Rows 1 and 3 depend on those before: with which factors. */
static void dependencies_in_order(void **state)
{
    (void)state;
    const double rows[] = {1, 0, 2, 2, 0, 4, 0, 1, 1, 3, -1, 5};
    double c[4];
    rrqr f;
    arena memory;
    arena_init(&memory, NULL, 0);
    assert_true(rrqr_init(&f, &memory, 3, 4));
    memcpy(f.a, rows, sizeof rows);
    rrqr_factor_in_order(&f, rank_zero(4));
    assert_int_equal(f.rank, 2);
    assert_true(rrqr_is_pivot(&f, 0) && rrqr_is_pivot(&f, 2));
    assert_false(rrqr_is_pivot(&f, 1) || rrqr_is_pivot(&f, 3));
    rrqr_dependency(&f, 1, c);
    CHECK_NEAR(c[0], 2, 1e-15);
    CHECK_NEAR(c[2], 0, 0);
    rrqr_dependency(&f, 3, c);
    CHECK_NEAR(c[0], 3, 1e-14);
    CHECK_NEAR(c[1], 0, 0);
    CHECK_NEAR(c[2], -1, 1e-14);
    /* row 1 depends within the error of its entries; its remainder is dropped */
    memcpy(f.a, rows, sizeof rows);
    f.a[4] = 1e-10;
    rrqr_factor_in_order(&f, 1e-8);
    assert_int_equal(f.rank, 2);
    rrqr_dependency(&f, 1, c);
    CHECK_NEAR(c[0], 2, 1e-8);
    CHECK_NEAR(c[2], 0, 0);
    arena_clear(&memory);
}

/* x + y = 2, x + (1 + 1e-9) y = 2 + 1e-9: both are known to 1e-16 * 2e9 only. */
static void forward_errors_are_bounded(void **state)
{
    (void)state;
    double b[] = {2, 2 + 1e-9}, x[2], error[2];
    const double bound[] = {4 * DBL_EPSILON, 4 * DBL_EPSILON};
    rrqr f;
    arena memory;
    arena_init(&memory, NULL, 0);
    assert_true(rrqr_init(&f, &memory, 2, 2));
    f.a[0] = f.a[1] = f.a[2] = 1;
    f.a[3] = 1 + 1e-9;
    rrqr_factor(&f, rank_zero(2));
    rrqr_solve(&f, b, x);
    CHECK_STATUS(rrqr_forward_error(&f, &memory, bound, error), DAE_OK);
    CHECK_NEAR(error[0], 2e9 * bound[0], 1e-3 * error[0]);
    assert_true(fabs(x[0] - 1) <= error[0] && fabs(x[1] - 1) <= error[1]);
    arena_clear(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_solutions_and_null_vectors),
        cmocka_unit_test(units_of_columns_do_not_matter),
        cmocka_unit_test(classes_come_one_after_the_other),
        cmocka_unit_test(dependencies_in_order),
        cmocka_unit_test(forward_errors_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

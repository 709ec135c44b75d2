/* Scaling: units are found, and nothing is rounded. */
#include "linalg/scale.h"
#include "support/check.h"

static bool is_power_of_2(double x)
{
    int exponent;
    return frexp(x, &exponent) == 0.5;
}

/* A matrix of ones in any units: every entry becomes 1, up to a power of 2. */
static void units_are_found(void **state)
{
    (void)state;
    const double rows[] = {3e-12, 1, 5e7, 0.1}, columns[] = {1e20, 7, 1e-9, 2};
    double m[16], scaled[16], r[4], c[4], work[4];
    for (size_t j = 0; j < 4; j++)
        for (size_t i = 0; i < 4; i++) m[4 * j + i] = rows[i] * columns[j];
    const matrix_view a = {4, 4, NULL, NULL, m};
    scale_equilibrate(&a, r, c, work);
    scale_by(&a, r, c, scaled);
    for (size_t k = 0; k < 4; k++)
        assert_true(is_power_of_2(r[k]) && is_power_of_2(c[k]));
    for (size_t k = 0; k < 16; k++)
        assert_true(fabs(scaled[k]) <= 1 && fabs(scaled[k]) >= 1.0 / 16);
}

static void nothing_to_scale_is_left(void **state)
{
    (void)state;
    const double m[] = {0, 0, 0, /**/ 0, 0.5, 0, /**/ 0, 0, -64};
    double r[3], c[3], work[3], scaled[9];
    const matrix_view a = {3, 3, NULL, NULL, m};
    scale_equilibrate(&a, r, c, work);
    scale_by(&a, r, c, scaled);
    assert_true(r[0] == 1 && c[0] == 1);
    assert_true(fabs(scaled[8]) >= 0.5 && fabs(scaled[4]) >= 0.5);
}

/* One matrix, dense and compressed, in any units. */
static void dense_and_sparse_are_scaled_alike(void **state)
{
    (void)state;
    const double a[] = {4, 2, 0, 0, -4, 2, 8, 0, 2};
    const int64_t start[] = {0, 2, 4, 6};
    const int32_t row[] = {0, 1, 1, 2, 0, 2};
    double dense[9], sparse[6], r[3], c[3], other[9], work[3];
    size_t at = 0;
    for (size_t k = 0; k < 9; k++) {
        dense[k] = ldexp(a[k], (int)(40 * (k % 3)) - (int)(70 * (k / 3)));
        if (a[k] != 0) sparse[at++] = dense[k];
    }
    const matrix_view full = {3, 3, NULL, NULL, dense};
    const matrix_view packed = {3, 3, start, row, sparse};
    scale_equilibrate(&full, r, c, work);
    scale_by(&full, r, c, other);
    for (size_t k = 0; k < 9; k++) {
        assert_true(fabs(other[k]) <= 1);
        assert_true(a[k] == 0 || fabs(other[k]) >= 1.0 / 4);
    }
    scale_equilibrate(&packed, r, c, work);
    scale_by(&packed, r, c, sparse);
    at = 0;
    for (size_t k = 0; k < 9; k++)
        if (a[k] != 0) CHECK_NEAR(sparse[at++], other[k], 0);
}

/* Largest entries come to between 1/2 and 1; the factors undo it to the last
 * bit. */
static void powers_of_two_round_nothing(void **state)
{
    (void)state;
    const double m[] = {3, 0.1, 0, /**/ -1, 5e-3, 0};
    double a[6], row[3], column[2];
    const matrix_view v = {3, 2, NULL, NULL, m};
    scale_rows(&v, NULL, row);
    assert_true(row[0] == 0.25 && row[1] == 8 && row[2] == 1);
    scale_columns(&v, row, column);
    assert_true(column[0] == 1 && column[1] == 2);
    scale_by(&v, row, column, a);
    assert_true(a[0] == 0.75 && a[3] == -0.5 && a[1] == 0.8);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 2; j++)
            assert_true(a[3 * j + i] / row[i] / column[j] == m[3 * j + i]);
    const double weights[] = {1, 8};
    scale_rows(&v, weights, row);
    assert_true(row[0] == 1.0 / 16 && row[1] == 8);
    assert_true(power_under(0.75) == 1 && power_under(3) == 0.25);
    assert_true(power_under(0) == 1 && power_under((double)INFINITY) == 1);
    assert_true(isfinite(power_under(5e-324)) && power_under(5e-324) > 1e300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_found),
        cmocka_unit_test(nothing_to_scale_is_left),
        cmocka_unit_test(dense_and_sparse_are_scaled_alike),
        cmocka_unit_test(powers_of_two_round_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

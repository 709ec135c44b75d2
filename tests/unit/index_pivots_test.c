/* Scales and pivots of matrices whose answers are plain. */
#include "index/pivots.h"
#include "support/check.h"
#include "support/random.h"

enum { MOST = 40 };

/* Dense, by columns. */
typedef struct dense {
    int64_t start[MOST + 1];
    int32_t row[MOST * MOST];
    square a;
} dense;

static const square *dense_of(dense *d, size_t n, const double *values)
{
    for (size_t j = 0; j < n; j++) {
        d->start[j + 1] = d->start[j] + (int64_t)n;
        for (size_t i = 0; i < n; i++) d->row[j * n + i] = (int32_t)i;
    }
    d->a = (square){n, d->start, d->row, values};
    return &d->a;
}

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
    dense d = {.start = {0}};
    for (size_t j = 0; j < 4; j++)
        for (size_t i = 0; i < 4; i++) m[4 * j + i] = rows[i] * columns[j];
    const square *a = dense_of(&d, 4, m);
    scale_find(a, r, c, work);
    scale_apply(a, r, c, scaled);
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
    dense d = {.start = {0}};
    const square *a = dense_of(&d, 3, m);
    scale_find(a, r, c, work);
    scale_apply(a, r, c, scaled);
    assert_true(r[0] == 1 && c[0] == 1);
    for (size_t k = 0; k < 9; k++) assert_true(fabs(scaled[k]) <= 1);
    assert_true(fabs(scaled[8]) >= 0.5 && fabs(scaled[4]) >= 0.5);
}

/* By hand: the largest entry first, then what is left of the others. */
static void pivots_of_small_matrices(void **state)
{
    (void)state;
    double diagonal[] = {3, 0, 0, 0, -5, 0, 0, 0, 2}, pivot[3];
    CHECK_STATUS(pivots_find(diagonal, 3, NULL, pivot), DAE_OK);
    assert_true(pivot[0] == 5 && pivot[1] == 3 && pivot[2] == 2);
    double m[] = {1, 3, 2, 4}; /* 4, then 1 - 2*3/4 */
    CHECK_STATUS(pivots_find(m, 2, NULL, pivot), DAE_OK);
    assert_true(pivot[0] == 4 && pivot[1] == 0.5);
    double one[] = {1, 2, 4, -2, -4, -8, 8, 16, 32}; /* (1,2,4)' (1,-2,8) */
    CHECK_STATUS(pivots_find(one, 3, NULL, pivot), DAE_OK);
    assert_true(pivot[0] == 32 && pivot[1] == 0 && pivot[2] == 0);
}

/* A reflection is orthogonal: all pivots of its QR factors are 1. */
static void pivots_of_a_large_reflection(void **state)
{
    (void)state;
    static double m[MOST * MOST], work[4 * MOST + (MOST + 1) * 32];
    double pivot[MOST];
    assert_true(pivots_room(PIVOTS_SMALL) == 0);
    assert_true(pivots_room(MOST) <= sizeof work / sizeof *work);
    for (size_t j = 0; j < MOST; j++)
        for (size_t i = 0; i < MOST; i++)
            m[j * MOST + i] = (i == j) - 2.0 / MOST;
    CHECK_STATUS(pivots_find(m, MOST, work, pivot), DAE_OK);
    for (size_t k = 0; k < MOST; k++) CHECK_NEAR(pivot[k], 1, 1e-14);
}

/* Three random rows times three random columns, below and above the change of
 * methods. */
static void pivots_show_the_rank(void **state)
{
    (void)state;
    static double m[MOST * MOST], work[4 * MOST + (MOST + 1) * 32];
    const size_t sizes[] = {PIVOTS_SMALL, MOST};
    random_state r = {5};
    for (size_t s = 0; s < 2; s++) {
        const size_t n = sizes[s];
        double left[3][MOST], right[3][MOST], pivot[MOST];
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < n; i++) {
                left[k][i] = random_unit(&r);
                right[k][i] = random_unit(&r);
            }
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) {
                m[j * n + i] = 0;
                for (size_t k = 0; k < 3; k++)
                    m[j * n + i] += left[k][i] * right[k][j];
            }
        CHECK_STATUS(pivots_find(m, n, work, pivot), DAE_OK);
        for (size_t k = 1; k < n; k++) assert_true(pivot[k] <= pivot[k - 1]);
        assert_true(pivot[2] > 1e-2);
        assert_true(pivot[3] < 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_found),
        cmocka_unit_test(nothing_to_scale_is_left),
        cmocka_unit_test(pivots_of_small_matrices),
        cmocka_unit_test(pivots_of_a_large_reflection),
        cmocka_unit_test(pivots_show_the_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* norm.c: blocks of equal length, local failures seen, fixed sums. */
#include "check.h"
#include "newton/norm.h"

static void a_short_vector_has_the_plain_norm(void **state)
{
    (void)state;
    double w[3] = {1, 2, 0.5}, v[3] = {3, -2, 8};
    CHECK_NEAR(norm_weighted(w, v, 3), sqrt((9 + 16 + 16) / 3.0), 1e-15);
    assert_true(norm_weighted(w, v, 0) == 0);
}

static void blocks_cover_a_vector_once(void **state)
{
    (void)state;
    const size_t lengths[] = {1, 4096, 8191, 8192, 12287, 100000, 1000003};
    for (size_t c = 0; c < sizeof lengths / sizeof *lengths; c++) {
        size_t n = lengths[c], count = norm_block_count(n);
        assert_int_equal(norm_block_begin(n, 0), 0);
        assert_int_equal(norm_block_begin(n, count), n);
        for (size_t b = 0; b < count; b++) {
            size_t size = norm_block_begin(n, b + 1) - norm_block_begin(n, b);
            assert_true(count == 1 || size >= NORM_BLOCK);
            assert_true(size < 2 * (size_t)NORM_BLOCK);
        }
    }
}

/* One value off by 100 tolerances among 10^6: the mean would hide it. */
static void a_local_failure_is_seen(void **state)
{
    (void)state;
    enum { n = 1000000 };
    double *w = malloc(n * sizeof *w), *v = calloc(n, sizeof *v);
    assert_non_null(w);
    assert_non_null(v);
    for (size_t i = 0; i < n; i++) w[i] = 1;
    v[777777] = 100;
    assert_true(norm_weighted(w, v, n) > 1);
    assert_true(norm_weighted(w, v, n) < 100 / sqrt(4095.0));
    v[123456] = (double)NAN;
    assert_true(isnan(norm_weighted(w, v, n)));
    v[123456] = HUGE_VAL;
    assert_true(isinf(norm_weighted(w, v, n)));
    free(w);
    free(v);
}

static void the_sum_is_that_of_all_values(void **state)
{
    (void)state;
    double w[29], v[29], sum = 0;
    for (int i = 0; i < 29; i++) {
        w[i] = i + 1;
        v[i] = 1.0 / (i + 1) * (i % 2 ? 2 : -1);
        sum += w[i] * v[i] * w[i] * v[i];
    }
    for (size_t n = 0; n <= 29; n++) {
        double expected = 0;
        for (size_t i = 0; i < n; i++) expected += w[i] * v[i] * w[i] * v[i];
        CHECK_NEAR(norm_sum(w, v, n), expected, 1e-12 * (1 + sum));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_vector_has_the_plain_norm),
        cmocka_unit_test(blocks_cover_a_vector_once),
        cmocka_unit_test(a_local_failure_is_seen),
        cmocka_unit_test(the_sum_is_that_of_all_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

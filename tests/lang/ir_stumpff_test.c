/* Stumpff's functions against their defining series in long double, and their
 * derivatives against differences of it. */
#include "support/check.h"

#include "ir/diff.h"

static const double points[] = {
    0, 1e-9, 0.3, -0.7, 1.9, 2.1, 5.9, 6.1, 11, 13, 19.9, 20.1, 50, -3, -50};
enum { POINTS = sizeof points / sizeof points[0] };

/* Alternating terms up to 1e3 cost three of nineteen digits at most. */
static long double series(unsigned k, long double a)
{
    long double term = 1, sum = 0;
    for (unsigned j = 2; j <= k; j++) term /= j;
    for (unsigned j = k; j < k + 600; j += 2) {
        sum += term;
        term *= -a / ((j + 1.0L) * (j + 2.0L));
    }
    return sum;
}

static double largest(unsigned k)
{
    double f = 1;
    for (unsigned j = 2; j <= k; j++) f /= j;
    return f;
}

static void values_agree_with_the_series(void **state)
{
    (void)state;
    for (unsigned k = 0; k <= 12; k++) {
        for (int i = 0; i < POINTS; i++) {
            node n = {.op = NODE_STUMPFF, .order = (uint8_t)k};
            double got = node_apply(&n, points[i], 0, 0);
            double want = (double)series(k, points[i]);
            double scale = fmax(fabs(want), 1e-3 * largest(k));
            CHECK_NEAR(got, want, 4e-15 * scale);
        }
    }
}

static double leaf_value(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    (void)kind;
    (void)number;
    (void)order;
    return *(double *)context;
}

static void the_derivative_is_smooth_through_zero(void **state)
{
    (void)state;
    shape_pool p;
    shape_pool_init(&p, NULL);
    node_id x = shape_hole(&p, LEAF_UNKNOWN, 0, 0);
    for (unsigned k = 0; k <= 6; k++) {
        gradient_entry *g;
        size_t count;
        node_id root = shape_family(&p, NODE_STUMPFF, k, x);
        CHECK_STATUS(diff_gradient(&p, root, &g, &count), DAE_OK);
        assert_int_equal(count, 1);
        for (int i = 0; i < POINTS; i++) {
            double at = points[i], got;
            CHECK_STATUS(
                shape_eval(&p, g[0].value, leaf_value, &at, NULL, &got),
                DAE_OK);
            const long double h = 1e-4L;
            long double wide = series(k, at + 2 * h) - series(k, at - 2 * h);
            long double slope = (8 * (series(k, at + h) - series(k, at - h))
                                    - wide)
                / (12 * h);
            CHECK_NEAR(got, (double)slope,
                1e-12 * fmax(fabs((double)slope), largest(k)));
        }
        alloc_free(p.allocator, g, count, sizeof *g);
    }
    shape_pool_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_agree_with_the_series),
        cmocka_unit_test(the_derivative_is_smooth_through_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

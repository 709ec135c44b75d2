/* Sums of planes beside the full matrices of linalg/linear.h and
 * linalg/complex_linear.h, whose numbers they are: solutions, the sign of the
 * determinant, and what is refused. */
#include "check.h"
#include "faulty_memory.h"
#include "linalg/complex.h"
#include "linalg/complex_linear.h"
#include "linalg/linear.h"
#include "linalg/small.h"
#include "random.h"

#include <string.h>

enum { PLANES = 3, PLACES = SMALL_MOST * SMALL_MOST, PAIRS = 2 };

typedef struct example {
    size_t n;
    int planes;
    int64_t start[SMALL_MOST + 1];
    int32_t row[PLACES];
    double plane[PLANES * PLACES];
} example;

/* Half of the places are 0; rows and columns are of many sizes. */
static void make_example(example *e, random_state *r, size_t n, int planes)
{
    e->n = n;
    e->planes = planes;
    for (size_t k = 0; k < n * n; k++) e->row[k] = (int32_t)(k % n);
    for (size_t j = 0; j <= n; j++) e->start[j] = (int64_t)(j * n);
    for (size_t k = 0; k < (size_t)planes * n * n; k++) {
        const size_t i = k % n, j = k / n % n;
        const bool is_kept = i == j || random_below(r, 2) == 0;
        const double size = pow(10, (double)i - 3 * (double)j);
        e->plane[k] = is_kept ? size * random_unit(r) : 0;
    }
}

static void make_powers(const example *e, dae_complex alpha, dae_complex *power)
{
    power[e->planes - 1] = alpha;
    power[e->planes - 2] = complex_of(1, 0);
    if (e->planes > 2) power[0] = complex_over(power[1], alpha);
}

static void sum_planes(
    const example *e, const dae_complex *power, dae_complex *values)
{
    const size_t square = e->n * e->n;
    for (size_t k = 0; k < square; k++) {
        values[k] = complex_of(0, 0);
        for (int p = 0; p < e->planes; p++)
            values[k] = complex_add(values[k],
                complex_scaled(power[p], e->plane[(size_t)p * square + k]));
    }
}

static small *create(const example *e)
{
    small *s;
    CHECK_STATUS(small_create(e->n, e->planes, PAIRS, NULL, &s), DAE_OK);
    memcpy(small_planes(s), e->plane,
        (size_t)e->planes * e->n * e->n * sizeof *e->plane);
    return s;
}

static void check_values(size_t n, const double *a, const double *b)
{
    for (size_t i = 0; i < n; i++)
        CHECK_NEAR(a[i], b[i], 1e-9 * (1e-300 + fabs(b[i])));
}

static void check_real(const example *e, small *s, random_state *r)
{
    double values[PLACES], b[SMALL_MOST], c[SMALL_MOST];
    dae_complex power[PLANES], sum[PLACES];
    linear *l;
    make_powers(e, complex_of(3 + random_unit(r), 0), power);
    sum_planes(e, power, sum);
    for (size_t k = 0; k < e->n * e->n; k++) values[k] = sum[k].re;
    CHECK_STATUS(
        linear_create(e->n, e->start, e->row, DAE_LINEAR_DENSE, NULL, &l),
        DAE_OK);
    assert_true(small_factor(s, power));
    CHECK_STATUS(linear_factor(l, values), DAE_OK);
    assert_int_equal(small_sign(s), linear_sign(l));
    for (size_t i = 0; i < e->n; i++) b[i] = c[i] = random_unit(r);
    small_solve(s, b);
    CHECK_STATUS(linear_solve(l, c), DAE_OK);
    check_values(e->n, b, c);
    linear_free(l);
}

static void check_pair(const example *e, small *s, int k, random_state *r)
{
    double re[SMALL_MOST], im[SMALL_MOST], x[SMALL_MOST], y[SMALL_MOST];
    dae_complex power[PLANES], sum[PLACES];
    complex_linear *c;
    make_powers(e, complex_of(3 + random_unit(r), 2), power);
    sum_planes(e, power, sum);
    CHECK_STATUS(complex_linear_create(
                     e->n, e->start, e->row, DAE_LINEAR_DENSE, 1, NULL, &c),
        DAE_OK);
    assert_true(small_factor_pair(s, k, power));
    CHECK_STATUS(complex_linear_factor(c, 0, sum), DAE_OK);
    for (size_t i = 0; i < e->n; i++) {
        re[i] = x[i] = random_unit(r);
        im[i] = y[i] = random_unit(r);
    }
    small_solve_pair(s, k, re, im);
    CHECK_STATUS(complex_linear_solve(c, 0, x, y), DAE_OK);
    check_values(e->n, re, x);
    check_values(e->n, im, y);
    complex_linear_free(c);
}

static void solutions_are_those_of_others(void **state)
{
    (void)state;
    random_state r = {5};
    for (int trial = 0; trial < 200; trial++) {
        example e;
        const size_t n = 1 + random_below(&r, SMALL_MOST);
        make_example(&e, &r, n, 2 + (int)random_below(&r, PLANES - 1));
        small *s = create(&e);
        check_real(&e, s, &r);
        check_pair(&e, s, 1, &r);
        check_pair(&e, s, 0, &r);
        small_free(s);
    }
}

/* A row of 0, one that is another's, a number that is none, or one that is too large. */
static void what_has_no_factors_is_refused(void **state)
{
    (void)state;
    random_state r = {7};
    for (int kind = 0; kind < 5; kind++) {
        example e;
        dae_complex power[PLANES];
        make_example(&e, &r, 4, 2);
        for (size_t k = 1; k < 32; k += 4) {
            if (kind == 0) e.plane[k] = 0;
            else if (kind == 1) e.plane[k] = 3 * e.plane[k + 1];
        }
        if (kind == 2) e.plane[6] = (double)NAN;
        if (kind == 3) e.plane[6] = 1e200;
        /* where elimination does not meet it: behind its row are zeros */
        for (size_t k = 0; kind == 4 && k < 32; k++)
            e.plane[k] = k % 16 % 5 == 0 && k < 16 ? 1 : 0;
        if (kind == 4) e.plane[1] = (double)NAN;
        small *s = create(&e);
        make_powers(&e, complex_of(2, 0), power);
        assert_false(small_factor(s, power));
        make_powers(&e, complex_of(2, 1), power);
        assert_false(small_factor_pair(s, 0, power));
        small_free(s);
    }
}

static void memory_that_runs_out_is_given_back(void **state)
{
    (void)state;
    small *s = NULL;
    for (size_t at = 0; at < 2; at++) {
        faulty_memory m;
        memory_init(&m);
        memory_arm(&m, MEMORY_FAILS_ONCE, at);
        CHECK_STATUS(small_create(3, 2, PAIRS, &m.allocator, &s), DAE_MEMORY);
        assert_null(s);
        assert_int_equal(m.blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_those_of_others),
        cmocka_unit_test(what_has_no_factors_is_refused),
        cmocka_unit_test(memory_that_runs_out_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

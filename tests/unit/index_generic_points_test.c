/* Points with values: domains, sizes, exponentials; what has no values. */
#include "index/generic_points.h"

#include "check.h"
#include "faulty_memory.h"
#include <float.h>

enum { POINTS = 3, MOST = 8 };

typedef struct point {
    double t, x[MOST], xp[MOST];
} point;

static dae_status draw(const dae_problem *p, unsigned number, point *at)
{
    layout l;
    CHECK_STATUS(layout_init(&l, p, NULL), DAE_OK);
    const dae_status st = points_draw(
        p, &l, number, NULL, &at->t, at->x, at->xp);
    layout_clear(&l);
    return st;
}

/* ---- numbers ---------------------------------------------------------------------- */

static void test_numbers(void **state)
{
    (void)state;
    double sum = 0, square = 0;
    for (uint64_t k = 0; k < 10000; k++) {
        const double r = points_number(7, k);
        assert_true(r >= -1 && r < 1);
        assert_true(r == points_number(7, k));
        assert_true(r != points_number(8, k));
        assert_true(r != points_number(7, k + 1));
        sum += r;
        square += r * r;
    }
    /* of equally spread numbers: 0 and 1/3, to five standard deviations */
    CHECK_NEAR(sum / 10000, 0, 0.03);
    CHECK_NEAR(square / 10000, 1.0 / 3, 0.015);
}

/* ---- sizes and bounds --------------------------------------------------------------- */

/* x'' = -x, y = x */
static dae_status oscillator(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + x[0];
    res[1] = x[2] - x[0];
    return DAE_OK;
}

static const uint8_t oscillator_order[] = {2, 0};

static void test_all_slots_move(void **state)
{
    (void)state;
    const double x[] = {3, 0, 0}, xp[] = {-3, 0};
    const dae_start start = {.t0 = 5, .x = x, .xp = xp};
    const dae_problem p = {.unknown_count = 2,
        .order = oscillator_order,
        .residual = oscillator,
        .start = &start};
    point a, b;
    CHECK_STATUS(draw(&p, 0, &a), DAE_OK);
    CHECK_STATUS(draw(&p, 0, &b), DAE_OK);
    assert_true(a.t == b.t && memcmp(a.x, b.x, sizeof x) == 0);
    CHECK_STATUS(draw(&p, 1, &b), DAE_OK);
    for (size_t k = 0; k < 3; k++) {
        assert_true(a.x[k] != b.x[k]);
        assert_true(fabs(a.x[k] - x[k]) >= 0.2 && fabs(a.x[k] - x[k]) <= 3);
    }
    assert_true(a.xp[0] != -3 && a.xp[0] != b.xp[0]);
    assert_true(a.t > 5 && a.t < 10 && a.t != b.t);
}

static void test_sizes(void **state)
{
    (void)state;
    const double nominal[] = {1e-9, 1e9};
    const dae_scales scales = {.nominal = nominal};
    const dae_problem p = {.unknown_count = 2,
        .order = oscillator_order,
        .residual = oscillator,
        .scales = &scales};
    for (unsigned k = 0; k < POINTS; k++) {
        point at;
        CHECK_STATUS(draw(&p, k, &at), DAE_OK);
        assert_true(fabs(at.x[0]) > 1e-10 && fabs(at.x[0]) < 1e-9);
        assert_true(fabs(at.x[1]) > 1e-10 && fabs(at.x[1]) < 1e-9);
        assert_true(fabs(at.x[2]) > 1e8 && fabs(at.x[2]) < 1e9);
    }
}

static void test_bounds(void **state)
{
    (void)state;
    /* the guess of x stands outside, that of y on the edge */
    const double x[] = {9, 0, 0}, xp[] = {0, 0};
    const double low[] = {2, 0}, high[] = {2.5, (double)INFINITY};
    const dae_start start = {.x = x, .xp = xp};
    const dae_scales scales = {.minimum = low, .maximum = high};
    const dae_problem p = {.unknown_count = 2,
        .order = oscillator_order,
        .residual = oscillator,
        .start = &start,
        .scales = &scales};
    for (unsigned k = 0; k < 20; k++) {
        point at;
        CHECK_STATUS(draw(&p, k, &at), DAE_OK);
        assert_true(at.x[0] > 2 && at.x[0] < 2.5);
        assert_true(at.x[2] > 0 && at.x[2] < 1);
    }
}

/* ---- domains ------------------------------------------------------------------------ */

/* x' = log(x) + sqrt(y) + 1/z, y = x, z' = sqrt(-w), w' = z: nothing is known
 * of values but that w is about -4 */
static dae_status domains(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] - log(x[0]) - sqrt(x[1]) - 1 / x[2];
    res[1] = x[1] - x[0];
    res[2] = xp[2] - sqrt(-x[3]);
    res[3] = xp[3] - x[2];
    return DAE_OK;
}

static void test_domains(void **state)
{
    (void)state;
    const double x[] = {0, 0, 0, -4}, xp[4] = {0};
    const dae_start start = {.x = x, .xp = xp};
    const dae_problem p = {
        .unknown_count = 4, .residual = domains, .start = &start};
    for (unsigned k = 0; k < 20; k++) {
        point at;
        CHECK_STATUS(draw(&p, k, &at), DAE_OK);
        assert_true(at.x[0] > 0 && at.x[1] > 0 && at.x[2] != 0);
        assert_true(at.x[3] < 0);
    }
}

/* 40 roots, two of each unknown: signs at random have no chance. */
static dae_status roots(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)t;
    for (size_t k = 0; k < 40; k++)
        res[k] = xp[k] - sqrt(x[k]) - sqrt(x[(k + 1) % 40]);
    res[40] = xp[40] + x[40] * (*(int *)self ? log(x[40] - 1e9) : 1);
    return DAE_OK;
}

/* All are found positive together; a further equation without values anywhere
 * near leaves no point. */
static void test_many_roots(void **state)
{
    (void)state;
    double x[41], xp[41], t;
    int is_unkind = 0;
    const dae_problem p = {
        .self = &is_unkind, .unknown_count = 41, .residual = roots};
    layout l;
    CHECK_STATUS(layout_init(&l, &p, NULL), DAE_OK);
    CHECK_STATUS(points_draw(&p, &l, 0, NULL, &t, x, xp), DAE_OK);
    for (size_t k = 0; k < 40; k++) assert_true(x[k] > 0);
    is_unkind = 1;
    CHECK_STATUS(points_draw(&p, &l, 0, NULL, &t, x, xp), DAE_RETRY);
    layout_clear(&l);
}

/* x[0] has to be within 1e-3 of 2; x[1] is in an equation of its own. */
static dae_status narrow(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + sqrt(1e-6 - (x[0] - 2) * (x[0] - 2));
    res[1] = xp[1] + x[1];
    return DAE_OK;
}

static const int64_t pair_start[] = {0, 1, 2, 3, 4};
static const int32_t pair_row[] = {0, 1, 0, 1};
static const dae_pattern pair_pattern = {pair_start, pair_row, NULL};

static void test_others_stay(void **state)
{
    (void)state;
    const double x[] = {2, 2}, xp[] = {0, 0};
    const dae_start start = {.x = x, .xp = xp};
    const dae_problem p = {.unknown_count = 2,
        .residual = narrow,
        .pattern = &pair_pattern,
        .start = &start};
    for (unsigned k = 0; k < POINTS; k++) {
        point at;
        CHECK_STATUS(draw(&p, k, &at), DAE_OK);
        assert_true(fabs(at.x[0] - 2) < 1e-3 && at.x[0] != 2);
        assert_true(fabs(at.x[1] - 2) > 0.4);
    }
}

/* ---- exponentials -------------------------------------------------------------------- */

/* Five diodes in a row between 0 and 5*u: what flows into a node flows out. */
static double diode(double u)
{
    return 1e-14 * (exp(u / 0.025) - 1);
}

static dae_status diodes(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    for (size_t k = 0; k < 5; k++)
        res[k] = diode((k > 0 ? x[k - 1] : 3.5) - x[k])
            - (k < 4 ? diode(x[k] - x[k + 1]) : 1e-3 * x[k]);
    return DAE_OK;
}

static void test_exponentials(void **state)
{
    (void)state;
    static const uint8_t order[5] = {0};
    const double x[] = {2.8, 2.1, 1.4, 0.7, 0}, xp[5] = {0};
    const dae_start start = {.x = x, .xp = xp};
    const dae_problem p = {.unknown_count = 5,
        .order = order,
        .residual = diodes,
        .start = &start};
    for (unsigned k = 0; k < POINTS; k++) {
        point at;
        CHECK_STATUS(draw(&p, k, &at), DAE_OK);
        for (size_t j = 1; j < 5; j++) {
            const double drop = at.x[j - 1] - at.x[j];
            /* within a factor 1e3, and some for what near the guesses means */
            assert_true(fabs(drop - 0.7) < 0.025 * log(4e3));
            assert_true(drop != 0.7);
        }
    }
}

/* What has gone by a multiple of its time constant is as far from what it was
 * as what has grown. */
static dae_status decayed(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = exp(-50 * (x[0] - 1));
    return DAE_OK;
}

static void test_decay(void **state)
{
    (void)state;
    static const uint8_t order[] = {0};
    static const double one[] = {1}, none[] = {0};
    const double above[] = {(double)INFINITY};
    const dae_start start = {.x = one, .xp = none};
    const dae_scales scales = {
        .nominal = one, .minimum = one, .maximum = above};
    const dae_problem p = {.unknown_count = 1,
        .order = order,
        .residual = decayed,
        .start = &start,
        .scales = &scales};
    for (unsigned k = 0; k < POINTS; k++) {
        point at;
        CHECK_STATUS(draw(&p, k, &at), DAE_OK);
        /* its derivative there is a twentieth of that a quarter of the way off
         * at least: exp(-50*3/4*(x - 1)) */
        assert_true(at.x[0] > 1 && at.x[0] <= 1 + 1.001 * log(20) / 37.5);
    }
}

/* ---- what has no values ---------------------------------------------------------------- */

static dae_status refuse(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)t;
    (void)x;
    (void)xp;
    for (size_t k = 0; k < 2; k++) res[k] = (double)NAN;
    return *(const dae_status *)self;
}

static void test_no_values(void **state)
{
    (void)state;
    static const dae_status answers[][2] = {
        {DAE_OK, DAE_RETRY}, {DAE_RETRY, DAE_RETRY}, {DAE_IO, DAE_IO}};
    for (size_t k = 0; k < 3; k++) {
        dae_status answer = answers[k][0];
        const dae_problem p = {
            .self = &answer, .unknown_count = 2, .residual = refuse};
        point at = {.t = 77, .x = {77}};
        CHECK_STATUS(draw(&p, 0, &at), answers[k][1]);
        assert_true(at.t == 77 && at.x[0] == 77);
    }
}

static dae_status nothing(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)x;
    (void)xp;
    (void)res;
    return DAE_OK;
}

static void test_empty(void **state)
{
    (void)state;
    const dae_problem p = {.residual = nothing};
    point at;
    CHECK_STATUS(draw(&p, 0, &at), DAE_OK);
}

static void test_memory(void **state)
{
    (void)state;
    const double x[] = {2, 2}, xp[] = {0, 0};
    const dae_start start = {.x = x, .xp = xp};
    const dae_problem p = {.unknown_count = 2,
        .residual = narrow,
        .pattern = &pair_pattern,
        .start = &start};
    faulty_memory m;
    layout l;
    dae_status st = DAE_MEMORY;
    size_t k = 0;
    memory_init(&m);
    CHECK_STATUS(layout_init(&l, &p, &m.allocator), DAE_OK);
    const size_t before = m.blocks;
    for (; st == DAE_MEMORY; k++) {
        point at;
        memory_arm(&m, MEMORY_FAILS_ON, k);
        st = points_draw(&p, &l, 0, &m.allocator, &at.t, at.x, at.xp);
        assert_int_equal(m.blocks, before);
    }
    CHECK_STATUS(st, DAE_OK);
    assert_true(k > 10 && m.mistold == 0);
    layout_clear(&l);
    assert_int_equal(m.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_all_slots_move),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_domains),
        cmocka_unit_test(test_many_roots),
        cmocka_unit_test(test_others_stay),
        cmocka_unit_test(test_exponentials),
        cmocka_unit_test(test_decay),
        cmocka_unit_test(test_no_values),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

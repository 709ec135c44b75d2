/* Regions as polygons: what is inside of them is what the root condition says,
 * at thousands of points that are not at the edge, for every method and for
 * windows that hold all, a part or nothing of the locus. */
#include "support/check.h"
#include "support/faulty_memory.h"
#include <dae/stability.h>
#include <stdbool.h>

static bool is_inside(const dae_stability_region *r, double x, double y)
{
    bool is_odd = false;
    for (size_t k = 0; k < r->ring_count; k++)
        for (size_t i = 0; i < r->rings[k].count; i++) {
            const dae_complex *p = r->rings[k].points;
            const dae_complex a = p[i], b = p[(i + 1) % r->rings[k].count];
            if ((a.im > y) == (b.im > y)) continue;
            if (x < a.re + (b.re - a.re) * (y - a.im) / (b.im - a.im))
                is_odd = !is_odd;
        }
    return is_odd;
}

/* Nearer to an edge than a chord may miss it: the condition changes beside. */
static bool is_near_edge(const dae_method *m, double x, double y, double d)
{
    const bool here = dae_stability_root_modulus(m, (dae_complex){x, y}) <= 1;
    for (int k = 0; k < 6; k++) {
        const double angle = k * 1.0471975511965976;
        const dae_complex z = {x + d * cos(angle), y + d * sin(angle)};
        if ((dae_stability_root_modulus(m, z) <= 1) != here) return true;
    }
    return false;
}

enum { GRID = 41 };

/* How many points agree; others have to be near the edge. */
static size_t compare(const dae_method *m, dae_window w)
{
    dae_stability_region *r;
    CHECK_STATUS(dae_stability_region_create(m, w, NULL, &r), DAE_OK);
    const double width = w.right - w.left, height = w.top - w.bottom;
    const double near = 2e-3 * fmax(width, height);
    size_t judged = 0;
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++) {
            const double x = w.left + width * (i + 0.531) / GRID;
            const double y = w.bottom + height * (j + 0.531) / GRID;
            const bool is_stable = dae_stability_root_modulus(
                                       m, (dae_complex){x, y})
                <= 1;
            if (is_inside(r, x, y) == is_stable) judged++;
            else if (!is_near_edge(m, x, y, near))
                fail_msg("%s at %g%+gi", m->name, x, y);
        }
    for (size_t k = 0; k < r->ring_count; k++)
        for (size_t i = 0; i < r->rings[k].count; i++) {
            const dae_complex p = r->rings[k].points[i];
            assert_true(p.re >= w.left - 1e-9 && p.re <= w.right + 1e-9);
            assert_true(p.im >= w.bottom - 1e-9 && p.im <= w.top + 1e-9);
        }
    dae_stability_region_free(r, NULL);
    return judged;
}

static void polygons_are_the_root_condition(void **state)
{
    (void)state;
    static const dae_window windows[] = {
        {-10, 32, -20, 20}, /* all of every locus that is bounded */
        {-4, 4, -4, 4},
        {-0.5, 0.5, 0, 3},    /* beside the imaginary axis */
        {-40, -35, 3, 5},     /* nothing of any locus */
        {0.4, 0.6, 0.1, 0.2}, /* nothing, where implicit ones are unstable */
        {-3, 3, 0, 40},
    };
    for (size_t k = 0; dae_method_at(k); k++)
        for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
            assert_true(
                compare(dae_method_at(k), windows[i]) > GRID * GRID * 19 / 20);
}

/* The unit circle about 1, to the accuracy promised. */
static void backward_euler_is_a_circle(void **state)
{
    (void)state;
    dae_stability_region *r;
    const dae_window w = {-1, 3, -2, 2};
    CHECK_STATUS(
        dae_stability_region_create(dae_method_at(0), w, NULL, &r), DAE_OK);
    assert_int_equal(r->ring_count, 2);
    assert_int_equal(r->rings[0].count, 4);
    for (size_t i = 0; i < r->rings[1].count; i++) {
        const dae_complex p = r->rings[1].points[i];
        CHECK_NEAR(hypot(p.re - 1, p.im), 1, 1e-12);
    }
    dae_stability_region_free(r, NULL);
}

static void windows_that_are_none(void **state)
{
    (void)state;
    static const dae_window wrong[] = {
        {1, 1, 0, 1}, {0, 1, 2, 1}, {0, (double)INFINITY, 0, 1}};
    for (size_t k = 0; k < 3; k++) {
        dae_stability_region *r;
        CHECK_STATUS(
            dae_stability_region_create(dae_method_at(0), wrong[k], NULL, &r),
            DAE_ARGUMENT);
        assert_null(r);
    }
}

static void memory_that_fails(void **state)
{
    (void)state;
    faulty_memory m;
    memory_init(&m);
    for (size_t n = 0;; n++) {
        dae_stability_region *r;
        memory_arm(&m, MEMORY_FAILS_ON, n);
        const dae_status st = dae_stability_region_create(
            dae_method_at(3), (dae_window){-4, 12, -8, 8}, &m.allocator, &r);
        const bool is_met = m.failures > 0;
        memory_heal(&m);
        if (is_met) {
            CHECK_STATUS(st, DAE_MEMORY);
            assert_null(r);
        }
        dae_stability_region_free(r, &m.allocator);
        assert_int_equal(m.blocks, 0);
        assert_int_equal(m.mistold, 0);
        if (!is_met) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_are_the_root_condition),
        cmocka_unit_test(backward_euler_is_a_circle),
        cmocka_unit_test(windows_that_are_none),
        cmocka_unit_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

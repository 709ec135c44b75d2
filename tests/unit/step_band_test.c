/* band.c: against the root condition as solver/stability has it, whose roots are
 * eigenvalues of a companion matrix, and against published wedges of stability. */
#include "check.h"
#include "methods/bdf.h"
#include "methods/bdf_flc.h"
#include "methods/ndf.h"
#include "step/band.h"
#include <dae/stability.h>

static const double pi = 3.14159265358979323846;

static double roots(const dae_method *m, double re, double im)
{
    return dae_stability_root_modulus(m, (dae_complex){re, im});
}

/* What band_damps promises: a quarter of the rate, or 2 % a step. */
static double promised(double re)
{
    return fmax(exp(0.25 * re), 0.98);
}

static void check_points(const formula *f, const dae_method *methods, int k)
{
    int damped = 0, not_damped = 0;
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 24; j++) {
            const double size = 0.05 * pow(1.12, i);
            const double angle = pi / 2 * (1 + (j + 0.5) / 24);
            const double re = size * cos(angle), im = size * sin(angle);
            const double root = roots(methods + k - 1, re, im);
            if (fabs(root - promised(re)) < 1e-9) continue;
            assert_int_equal(band_damps(f, k, re, im), root < promised(re));
            if (root < promised(re)) damped++;
            else not_damped++;
        }
    assert_true(damped > 0);
    if (k >= 3) assert_true(not_damped > 0);
}

static void it_is_the_root_condition(void **state)
{
    (void)state;
    for (int k = 1; k <= 5; k++) {
        check_points(bdf_formula(), bdf_methods(), k);
        check_points(bdf_flc_formula(), bdf_methods(), k);
        check_points(ndf_formula(), ndf_methods(), k);
    }
}

/* A ray at `degrees` from the negative real axis, |lambda| = 7. */
static band on_ray(const formula *f, int k, double degrees)
{
    const double angle = degrees * pi / 180;
    return band_find(f, k, -7 * cos(angle), 7 * sin(angle));
}

/* Angles of A(alpha)-stability: [HW96 V.2] and [SR97]. Just outside of the wedge
 * there are lengths at which the motion grows, and the band holds them. */
static void check_wedge(
    const formula *f, const dae_method *methods, int k, double degrees)
{
    const band b = on_ray(f, k, degrees + 1);
    const double angle = (degrees + 1) * pi / 180;
    bool has_growth = false;
    assert_true(b.from > 0 && b.to > b.from);
    for (double h = 0.01; h < 5; h *= 1.01) {
        const double re = -7 * h * cos(angle), im = 7 * h * sin(angle);
        const double root = roots(methods + k - 1, re, im);
        if (root > 1) has_growth = true;
        if (root > promised(re)) assert_true(h > b.from && h < b.to);
    }
    assert_true(has_growth);
}

static void bands_are_outside_of_the_wedges(void **state)
{
    (void)state;
    const double bdf[] = {86.03, 73.35, 51.84}, ndf[] = {80, 66};
    for (int k = 3; k <= 5; k++)
        check_wedge(bdf_formula(), bdf_methods(), k, bdf[k - 3]);
    for (int k = 3; k <= 4; k++)
        check_wedge(ndf_formula(), ndf_methods(), k, ndf[k - 3]);
    /* what does not oscillate is damped by all */
    for (int k = 1; k <= 5; k++) {
        assert_true(on_ray(bdf_formula(), k, 0).to <= 0);
        assert_true(on_ray(ndf_formula(), k, 0).to <= 0);
    }
}

static void a_band_scales_with_the_rate(void **state)
{
    (void)state;
    const band a = band_find(bdf_formula(), 4, -10, 500);
    const band b = band_find(bdf_formula(), 4, -1e-3, 5e-2);
    assert_true(a.to > 0);
    CHECK_NEAR(b.from / a.from, 1e4, 1e-6);
    CHECK_NEAR(b.to / a.to, 1e4, 1e-6);
    /* no motion, no band */
    assert_true(band_find(bdf_formula(), 4, 0, 0).to <= 0);
    assert_true(band_find(bdf_formula(), 4, -(double)INFINITY, 1).to <= 0);
    assert_true(band_find(bdf_formula(), 4, (double)NAN, 1).to <= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_root_condition),
        cmocka_unit_test(bands_are_outside_of_the_wedges),
        cmocka_unit_test(a_band_scales_with_the_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

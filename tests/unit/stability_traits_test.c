/* Locus, wedge, leftmost point and root moduli of BDF 1 to 6 against the table
 * of tests/data/reference/bdf_stability.json (40 digits, printed with 14), the
 * wedge angles of the NDF as Shampine and Reichelt print them [SR97 table 1:
 * 90, 90, 80, 66, 51 degrees, cut off], and limits known in closed form. */
#include "support/check.h"
#include "support/json.h"
#include <dae/stability.h>

static const double DEGREE = 3.14159265358979323846 / 180;

static const dae_method *method_of(const char *name)
{
    for (size_t k = 0; dae_method_at(k); k++)
        if (strcmp(dae_method_at(k)->name, name) == 0) return dae_method_at(k);
    fail_msg("no method %s", name);
    return NULL;
}

static json_value *table(void)
{
    json_value *root = json_read("tests/data/reference/bdf_stability.json");
    assert_non_null(root);
    return root;
}

static double number_of(const json_value *v, const char *key)
{
    return strtod(json_text(v, key), NULL);
}

static const json_value *entry_of(const json_value *root, const char *name)
{
    const json_value *entry = json_member(root, name);
    assert_non_null(entry);
    return entry;
}

#define EACH_BDF(root, k, m, entry)                                            \
    for (int k = 1; k <= 6; k++)                                               \
        for (const dae_method *m = dae_method_at((size_t)k - 1); m; m = NULL)  \
            for (const json_value *entry = entry_of(root, m->name); entry;     \
                 entry = NULL)

static void wedges_and_leftmost_points_to_all_digits(void **state)
{
    (void)state;
    json_value *root = table();
    EACH_BDF(root, k, m, entry)
    {
        const dae_stability_traits t = dae_stability_traits_of(m);
        assert_int_equal(m->order, k);
        CHECK_NEAR(t.alpha, number_of(entry, "alpha_deg"), 6e-14 * t.alpha);
        CHECK_NEAR(t.leftmost, number_of(entry, "min_real_part_of_locus"),
            5e-15 * (1 + fabs(t.leftmost)));
        if (json_member(entry, "theta_at_alpha")->kind == JSON_TEXT)
            CHECK_NEAR(
                t.theta_alpha, number_of(entry, "theta_at_alpha"), 2e-14);
        else assert_true(isnan(t.theta_alpha));
        CHECK_NEAR(m->error_constant,
            number_of(entry,
                "error_constant_C (h^{k+1}y^{k+1} coefficient of sum "
                "alpha y - h y')"),
            1e-15);
        CHECK_NEAR(m->pi[0][0], number_of(entry, "alpha0"), 1e-14);
    }
    json_free(root);
}

static void points_of_the_locus(void **state)
{
    (void)state;
    json_value *root = table();
    size_t seen = 0;
    EACH_BDF(root, k, m, entry)
    {
        dae_complex z[DAE_METHOD_POWERS - 1];
        for (const json_value *v = json_member(entry, "locus")->first; v;
             v = v->next, seen++) {
            const double theta = strtod(v->key, NULL) * DEGREE;
            const double re = strtod(v->first->text, NULL);
            const double im = strtod(v->first->next->text, NULL);
            /* rounding of coefficients of the order's size; 14 digits */
            const double error = 4e-15 * k;
            assert_int_equal(dae_stability_locus(m, theta, z), 1);
            CHECK_NEAR(z[0].re, re, error + 6e-14 * fabs(re));
            CHECK_NEAR(z[0].im, im, error + 6e-14 * fabs(im));
        }
        assert_int_equal(dae_stability_locus(m, 180 * DEGREE, z), 1);
        CHECK_NEAR(z[0].re,
            number_of(entry, "locus_at_pi (right end on the real axis)"),
            1e-13);
    }
    assert_int_equal(seen, 30);
    json_free(root);
}

/* "3", "-1+5j", "0.1j" */
static dae_complex read_complex(const char *text)
{
    char *end;
    const double first = strtod(text, &end);
    if (*end == 'j') return (dae_complex){0, first};
    return (dae_complex){first, *end ? strtod(end, NULL) : 0};
}

static void root_moduli(void **state)
{
    (void)state;
    json_value *root = table();
    size_t seen = 0;
    EACH_BDF(root, k, m, entry)
    for (const json_value *v = json_member(entry, "max_abs_root_at_z")->first;
         v; v = v->next, seen++) {
        const double expected = strtod(v->text, NULL);
        CHECK_NEAR(dae_stability_root_modulus(m, read_complex(v->key)),
            expected, 2e-13 * expected);
    }
    assert_int_equal(seen, 48);
    json_free(root);
}

/* sum (1 - u)^j / j for j <= 7 as data. */
static void bdf7_is_not_zero_stable(void **state)
{
    (void)state;
    const dae_method bdf7 = {"bdf7", "bdf", "", 7, 7,
        {{363.0 / 140, -1}, {-7}, {21.0 / 2}, {-35.0 / 3}, {35.0 / 4},
            {-21.0 / 5}, {7.0 / 6}, {-1.0 / 7}},
        -1.0 / 8};
    json_value *root = table();
    const double expected = number_of(
        json_member(root, "bdf7"), "max_root_modulus_at_z0");
    json_free(root);
    CHECK_NEAR(dae_stability_root_modulus(&bdf7, (dae_complex){0, 0}), expected,
        1e-12);
}

static void ndf_as_printed(void **state)
{
    (void)state;
    static const double degrees[] = {90, 90, 80, 66, 51};
    /* the same formulas in 40 digits, written down before the first run */
    static const double exact[] = {
        90, 90, 80.4153675906823, 66.1817611078179, 51.83975583604991};
    static const double leftmost[] = {
        0, 0, -0.3204099578702428, -1.20327636841883, -2.32711873828114};
    /* [SR97 table 1]: what a step gains, in percent, by the error constants
     * (C_bdf/C_ndf)^(1/(k+1)) */
    static const double gain[] = {26, 26, 26, 12, 0};
    for (int k = 1; k <= 5; k++) {
        char name[8];
        (void)snprintf(name, sizeof name, "ndf%d", k);
        const dae_method *m = method_of(name);
        const dae_stability_traits t = dae_stability_traits_of(m);
        CHECK_NEAR(floor(t.alpha), degrees[k - 1], 0);
        CHECK_NEAR(t.alpha, exact[k - 1], 1e-12);
        CHECK_NEAR(t.leftmost, leftmost[k - 1], 1e-13);
        const double ratio = pow(
            1.0 / (k + 1) / -m->error_constant, 1.0 / (k + 1));
        CHECK_NEAR(floor(100 * (ratio - 1) + 1e-9), gain[k - 1], 1);
        CHECK_NEAR(t.at_infinity, 0, 0);
    }
}

static void one_step_methods(void **state)
{
    (void)state;
    const dae_stability_traits rk4 = dae_stability_traits_of(method_of("rk4"));
    CHECK_NEAR(rk4.real_limit, 2.785293563405282, 1e-14);
    CHECK_NEAR(rk4.imaginary_limit, 2 * sqrt(2), 1e-14);
    CHECK_NEAR(rk4.alpha, 0, 0);
    assert_true(isnan(rk4.leftmost) && isinf(rk4.at_infinity));
    const dae_stability_traits euler = dae_stability_traits_of(
        method_of("euler"));
    CHECK_NEAR(euler.real_limit, 2, 1e-12);
    CHECK_NEAR(euler.imaginary_limit, 0, 0);
    const dae_stability_traits trapezoid = dae_stability_traits_of(
        method_of("trapezoid"));
    CHECK_NEAR(trapezoid.alpha, 90, 0);
    CHECK_NEAR(trapezoid.leftmost, 0, 0);
    CHECK_NEAR(trapezoid.at_infinity, 1, 1e-15);
    assert_true(isinf(trapezoid.real_limit));
    assert_true(isinf(trapezoid.imaginary_limit));
    assert_int_equal(
        dae_stability_side_of(method_of("trapezoid"), (dae_complex){0, 0.7}),
        DAE_STABILITY_EDGE);
}

/* BDF 1 and 2 on the whole imaginary axis, 3 and 4 nowhere, 5 and 6 as far as
 * the locus stays to the right of it; where it comes back the root is 1. */
static void imaginary_limits(void **state)
{
    (void)state;
    static const char *const names[] = {"bdf1", "bdf2", "bdf3", "bdf4"};
    for (int k = 0; k < 4; k++) {
        const double y =
            dae_stability_traits_of(method_of(names[k])).imaginary_limit;
        assert_true(k < 2 ? isinf(y) : y <= 0);
    }
    static const char *const late[] = {"bdf5", "bdf6"};
    for (int k = 0; k < 2; k++) {
        const dae_method *m = method_of(late[k]);
        const double y = dae_stability_traits_of(m).imaginary_limit;
        assert_true(y > 0.2 && y < 2);
        CHECK_NEAR(
            dae_stability_root_modulus(m, (dae_complex){0, y}), 1, 1e-13);
        assert_int_equal(dae_stability_side_of(m, (dae_complex){0, y * 1.001}),
            DAE_STABILITY_OUTSIDE);
    }
}

static void poles_and_numbers_that_are_none(void **state)
{
    (void)state;
    const dae_method *bdf2 = method_of("bdf2");
    assert_true(isinf(dae_stability_root_modulus(bdf2, (dae_complex){1.5, 0})));
    assert_true(isnan(
        dae_stability_root_modulus(bdf2, (dae_complex){(double)INFINITY, 0})));
    CHECK_NEAR(
        dae_stability_root_modulus(bdf2, (dae_complex){-1e300, 0}), 0, 1e-100);
    assert_true(isinf(dae_stability_root_modulus(
        method_of("rk4"), (dae_complex){-1e300, 0})));
    assert_null(dae_method_at(14));
    assert_null(dae_method_at(SIZE_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wedges_and_leftmost_points_to_all_digits),
        cmocka_unit_test(points_of_the_locus),
        cmocka_unit_test(root_moduli),
        cmocka_unit_test(bdf7_is_not_zero_stable),
        cmocka_unit_test(ndf_as_printed),
        cmocka_unit_test(one_step_methods),
        cmocka_unit_test(imaginary_limits),
        cmocka_unit_test(poles_and_numbers_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

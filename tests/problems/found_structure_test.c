/* Small systems that the analysis once judged wrong, most of them found at
 * random (random_structure_test.c), each named after what was said of it. What
 * is expected follows by hand, as the comments say. */
#include "check.h"
#include <dae/analysis.h>
#include <dae/model.h>

typedef struct expected {
    int64_t index, degrees_of_freedom;
    dae_start_verdict start;
    size_t missing, redundant;
} expected;

static void check_text(const char *text, expected e)
{
    dae_diagnostics *ds = NULL;
    dae_model *model = NULL;
    dae_analysis *a = NULL;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_model_parse(
                     "found.dae", text, strlen(text), NULL, NULL, ds, &model),
        DAE_OK);
    CHECK_STATUS(
        dae_analyse(dae_model_problem(model), NULL, NULL, ds, &a), DAE_OK);
    assert_int_equal(a->verdict, DAE_INDEX_FOUND);
    assert_int_equal(a->certificate, DAE_CERTIFIED);
    assert_int_equal(a->index, e.index);
    assert_int_equal(a->degrees_of_freedom, e.degrees_of_freedom);
    assert_int_equal(a->start.verdict, e.start);
    assert_int_equal(a->start.missing, e.missing);
    assert_int_equal(a->start.redundant_count, e.redundant);
    dae_analysis_free(a);
    dae_model_free(model);
    dae_diagnostics_free(ds);
}

/* e2 says x1 = x3', so e1 says x3 = t: x3, x1 = 1 and then x2 = x1' = 0. The
 * Jacobian has an entry x1' - 0 of e1 by x2 that is zero on solutions alone:
 * such a system was certified with index 1. */
static void test_a_factor_that_vanishes_on_solutions(void **state)
{
    (void)state;
    check_text("var x1 ~ 1, x2 ~ 0.1, x3 ~ 0.1\n"
               "e1: x3 + x2*(x1 - x3') = t\n"
               "e2: x1 = x3'\n"
               "e3: x2 = x1'\n"
               "solve t in 0..1\n",
        (expected){3, 0, DAE_START_CONSISTENT, 0, 0});
}

/* x2 = 2, x3 = x2' - 1 = -1, x1 = x3' + sin(t) + x2 - 2 = sin(t), which is 0 at
 * the start; x4 = x1' + sin(t). Found there up to rounding, x1 was taken for
 * something of the size of rounding, and the index was not certified. */
static void test_a_value_that_is_rounding(void **state)
{
    (void)state;
    check_text("var x1 ~ 0.00112, x2 ~ 2, x3 ~ -1, x4 ~ 0.994\n"
               "e1: x4 = x1' + sin(t)\n"
               "e2: x1 - x2 = x3' + sin(t) - 2\n"
               "e3: x2 = 2\n"
               "e4: x3 = x2' - 1\n"
               "solve t in 0..1\n",
        (expected){4, 0, DAE_START_CONSISTENT, 0, 0});
}

/* x1 = cos(2 t), and e1 gives 2 x2 + 2 x3 = x1': so 2 x3 + x2 is free. It was
 * said to follow from the equations, and x2 to be missing. */
static void test_a_general_condition_counts(void **state)
{
    (void)state;
    check_text("var x1 = 1, x2 ~ 1.13, x3 ~ -1.12\n"
               "e1: x2 - 2*x1 = x1' - (2*x3 + x2) - 2*cos(2*t)\n"
               "e2: x1 = cos(2*t)\n"
               "e3: 2*x3' + x2' = -2*x2 + 1 - (2*x3 + x2)\n"
               "init 2*x3 + x2 = -1.125\n"
               "solve t in 0..1\n",
        (expected){2, 1, DAE_START_CONSISTENT, 0, 1});
}

/* With z1 = 2 x3 + 2 x2, z2 = x4, z3 = 2 x1 - z1, z4 = x2 the equations are
 * combinations of z1' = -z3 - 1 - 2 z1, z2 = -3, z3 = z2' - 2 + 2 z1 and
 * z4 = z1 - 3 z2: one degree of freedom, and z3 = z2' - ... makes the index 2.
 * Derivatives that begin from 0 were too weak beside x2 = 9.6 to be found: "e1
 * contradicts x3". */
static void test_derivatives_that_begin_from_zero(void **state)
{
    (void)state;
    check_text("var x1 ~ -0.0713, x2 ~ 9.62, x3 = -9.3125, x4 ~ -2.99\n"
               "let z1 = 2*x3 + 2*x2, z3 = 2*x1 - (2*x3 + 2*x2)\n"
               "e1: x2 - z1' + 3*z3 = z1 - 3*x4 + z3 + 1 + 2*z1"
               " + 3*(x4' - 2 + 2*z1)\n"
               "e2: z3 = x4' - 2 + 2*z1\n"
               "e3: z1' - 3*(x2 - z1' + 3*z3) = -z3 - 1 - 2*z1"
               " - 3*(z1 - 3*x4 + z3 + 1 + 2*z1 + 3*(x4' - 2 + 2*z1))\n"
               "e4: x4 = -3\n"
               "solve t in 0..1\n",
        (expected){2, 1, DAE_START_CONSISTENT, 0, 0});
}

/* x2 = 2, x3 = t from e3 - 2 (e2), so x1 = x3' + t = 1 + t and x4 = x1' + t.
 * That nothing new came for some levels was taken for the end: "not uniquely
 * solvable". */
static void test_a_chain_that_takes_its_time(void **state)
{
    (void)state;
    check_text("var x1 ~ 0.996, x2 ~ 2.01, x3 ~ 0.00411, x4 ~ 0.993\n"
               "e1: x2 = 2\n"
               "e2: (1 + x1^2)*(x4 + 2*x3'*(x3 - 2*x4))"
               " = (1 + x1^2)*(x1' + t + 2*x3'*(x2' + t - 2*(x1' + t)))\n"
               "e3: x3 - 2*x4 = x2' + t - 2*(x1' + t)\n"
               "e4: x1 = x3' + t\n"
               "solve t in 0..1\n",
        (expected){4, 0, DAE_START_CONSISTENT, 0, 0});
}

/* A repair by derivatives of equations: index 3 of what is written, though the
 * repaired structure says 2 of itself. */
static void test_repairs_differentiate_too(void **state)
{
    (void)state;
    check_text("var x1 = -10.375, x2 ~ 3, x3 ~ 3\n"
               "let z3 = x1 + 2*x2 + x3\n"
               "e1: x2 = 3\n"
               "e2: z3' - 3*x2 = -3 - x2 - x3 - z3 - 9\n"
               "e3: x3 - 2*z3'' + 2*z3'"
               " = 3 - 2*(-3 - x2 - x3 - z3)' + 2*(-3 - x2 - x3 - z3)\n"
               "solve t in 0..1\n",
        (expected){3, 1, DAE_START_CONSISTENT, 0, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_factor_that_vanishes_on_solutions),
        cmocka_unit_test(test_a_value_that_is_rounding),
        cmocka_unit_test(test_a_general_condition_counts),
        cmocka_unit_test(test_derivatives_that_begin_from_zero),
        cmocka_unit_test(test_a_chain_that_takes_its_time),
        cmocka_unit_test(test_repairs_differentiate_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

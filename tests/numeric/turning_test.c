/* What a run of higher index keeps over changes of its states, and that it makes
 * them in time: notes about bounds and rounding from before a change, and a
 * pendulum that turns so fast that a few steps lie between two changes. */
#include "text_run.h"

/* A pendulum that turns over: its states change for the first time when it has
 * turned by 45 degrees at least, after a tenth of a second. */
#define TURNING                                                                \
    "var x ~ 1, y = 0, lam ~ 0\n"                                              \
    "x'' = -lam*x\n"                                                           \
    "y'' = -lam*y - 9.81\n"                                                    \
    "rod: x^2 + y^2 = 1\n"                                                     \
    "init y' = 7\n"

static void run_at(text_run *r, const char *text, double tolerance)
{
    dae_options o = dae_options_default();
    o.rtol = o.atol = tolerance;
    text_run_make(r, text, &o);
}

/* The one note of a run, of the code, about the unknown. */
static const dae_diagnostic *check_note(
    const text_run *r, const char *code, const char *unknown)
{
    CHECK_STATUS(r->status, DAE_OK);
    assert_true(r->stats.state_changes >= 4);
    assert_int_equal(dae_diagnostics_count(r->ds), 1);
    const dae_diagnostic *d = dae_diagnostics_at(r->ds, 0);
    assert_string_equal(d->code, code);
    assert_non_null(strstr(d->message, unknown));
    return d;
}

/* c has decayed to nothing long before the first change. */
static void a_bound_met_before_a_change_is_noted(void **state)
{
    text_run r;
    double t = 1;
    (void)state;
    run_at(&r, TURNING "var c = 1 {min = 0}\nc' = -1e3*c\nsolve t in 0..2\n",
        1e-6);
    const dae_diagnostic *d = check_note(&r, "N0506", "`c`");
    const char *at = strstr(d->message, "t = ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "t = %lf", &t), 1);
    assert_true(t < 0.1);
    text_run_clear(&r);
}

/* The balance leaves C uncertain by 1e-16 from the first steps on. */
static void rounding_met_before_a_change_is_noted(void **state)
{
    text_run r;
    (void)state;
    run_at(&r,
        TURNING
        "var A = 1 {atol = 1e-18}, B = 0 {atol = 1e-18}, C ~ 0 {atol = 1e-18}\n"
        "A' = -0.04*A + 1e4*B*C\n"
        "B' = 0.04*A - 1e4*B*C - 3e7*B^2\n"
        "A + B + C = 1\n"
        "solve t in 0..1\n",
        1e-10);
    check_note(&r, "N0507", "`C`");
    text_run_clear(&r);
}

/* 30 radians in a second, 18 steps in a turn at this tolerance, whose error
 * makes it faster still: three changes at least in each turn. */
static void a_fast_turn_is_followed(void **state)
{
    static const char *const texts[] = {
        "var x ~ 1, y = 0, u ~ 0, v = 30, lam ~ 0\n"
        "x' = u\ny' = v\nu' = -lam*x\nv' = -lam*y - 9.81\n"
        "rod: x^2 + y^2 = 1\nsolve t in 0..60\n",
        "var x ~ 1, y = 0, lam ~ 0\n"
        "x'' = -lam*x\ny'' = -lam*y - 9.81\nrod: x^2 + y^2 = 1\n"
        "init y' = 30\nsolve t in 0..60\n"};
    const double tolerances[] = {1e-3, 3e-4, 1e-4};
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        text_run r;
        run_at(&r, texts[i / 3], tolerances[i % 3]);
        const double off = r.x[0] * r.x[0] + pow(r.x[i / 3 ? 2 : 1], 2) - 1;
        CHECK_STATUS(r.status, DAE_OK);
        assert_true(fabs(off) < 10 * 2 * tolerances[i % 3]);
        assert_true((double)r.stats.state_changes > 3 * 60 * 30 / 6.3);
        text_run_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_met_before_a_change_is_noted),
        cmocka_unit_test(rounding_met_before_a_change_is_noted),
        cmocka_unit_test(a_fast_turn_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* `{state = 1}` from the text to the run: a preferred state is kept where the
 * constraints allow it, also where numbers alone tell what is hidden, and what
 * could not be kept is told once, with the time. */
#include "check.h"
#include <dae/model.h>
#include <dae/solver.h>

/* A pendulum of length 1 that begins at rest at height y. */
static const char swing[] = "param g = 9.81\n"
                            "var x = %s\n"
                            "var y ~ %s\n"
                            "var lam ~ 0\n"
                            "x'' = -lam*x\n"
                            "y'' = -lam*y - g\n"
                            "rod: x^2 + y^2 = 1\n"
                            "init x' = 0\n";

typedef struct trip {
    dae_diagnostics *ds;
    int64_t changes;
    size_t notes;
    const dae_diagnostic *note; /* the last one */
} trip;

static void ride(trip *r, const char *text, double t_end)
{
    dae_model *model;
    dae_solver *s;
    dae_options o = dae_options_default();
    o.t_end = t_end;
    o.rtol = 1e-8;
    *r = (trip){.notes = 0};
    CHECK_STATUS(dae_diagnostics_create(NULL, &r->ds), DAE_OK);
    CHECK_STATUS(dae_model_parse("example.dae", text, strlen(text), NULL, NULL,
                     r->ds, &model),
        DAE_OK);
    CHECK_STATUS(
        dae_solver_create(dae_model_problem(model), &o, NULL, r->ds, &s),
        DAE_OK);
    CHECK_STATUS(dae_solver_initialize(s), DAE_OK);
    while (dae_solver_time(s) < t_end) CHECK_STATUS(dae_solver_step(s), DAE_OK);
    r->changes = dae_solver_stats(s)->state_changes;
    for (size_t k = 0; k < dae_diagnostics_count(r->ds); k++) {
        const dae_diagnostic *d = dae_diagnostics_at(r->ds, k);
        if (strcmp(d->code, "N0509") != 0) continue;
        r->notes++;
        r->note = d;
    }
    dae_solver_free(s);
    dae_model_free(model);
}

static void swing_from(trip *r, const char *x, const char *y)
{
    char text[400];
    (void)snprintf(text, sizeof text, swing, x, y);
    ride(r, text, 2);
}

static void the_problem_knows_what_is_preferred(void **state)
{
    (void)state;
    static const char text[] = "var x[2] = 1 {state = 1}\n"
                               "var y = 1 {state = 0}\n"
                               "var z = 1\n"
                               "x[i]' = 1 for i in 1..2\n"
                               "y' = 1\nz' = 1\n";
    dae_model *model;
    CHECK_STATUS(dae_model_parse("example.dae", text, strlen(text), NULL, NULL,
                     NULL, &model),
        DAE_OK);
    const uint8_t *p = dae_model_problem(model)->scales->prefer_state;
    assert_true(p && p[0] && p[1] && !p[2] && !p[3]);
    dae_model_free(model);
}

/* From x = 0.9 it swings through, and by sizes alone x and y take turns; as
 * long as |y| is above 0.436, x can stay. */
static void it_is_kept_where_it_can(void **state)
{
    (void)state;
    trip r;
    swing_from(&r, "0.9", "-0.43");
    assert_true(r.changes >= 2 && r.notes == 0);
    dae_diagnostics_free(r.ds);
    swing_from(&r, "0.9 {state = 1}", "-0.43");
    assert_true(r.changes == 0 && r.notes == 0);
    dae_diagnostics_free(r.ds);
}

/* The height cannot be the state at the lowest point, which a swing from
 * 37 degrees passes first after a quarter of its time, 2*pi/sqrt(9.81) and a
 * little more: 0.52. It is told before, once for the four passages. */
static void it_is_told_where_it_cannot(void **state)
{
    (void)state;
    trip r;
    swing_from(&r, "0.6", "-0.8 {state = 1}");
    assert_true(r.notes == 1 && r.changes >= 1);
    assert_non_null(strstr(r.note->message, "`y` could not be kept"));
    const char *t = strstr(r.note->message, "t = ");
    assert_non_null(t);
    const double at = strtod(t + 4, NULL);
    assert_true(at > 0.3 && at < 0.56);
    dae_diagnostics_free(r.ds);
}

/* At (1, 0) the rod says nothing of y. */
static void it_is_told_at_the_start(void **state)
{
    (void)state;
    trip r;
    ride(&r,
        "var x ~ 1 {state = 1}\nvar y = 0, lam ~ 0\n"
        "x'' = -lam*x\ny'' = -lam*y - 9.81\nrod: x^2 + y^2 = 1\n"
        "init y' = 1\n",
        0.1);
    assert_int_equal(r.notes, 1);
    assert_non_null(strstr(r.note->message, "`x` cannot be a state at t = 0"));
    dae_diagnostics_free(r.ds);
}

/* Of index 2 behind a structure that says 1, so that numbers choose: x - y is
 * given, x and y can both be the state. */
static void numbers_know_it_too(void **state)
{
    (void)state;
    static const char text[] = "var x = 1 %s\nvar y ~ 1 %s\nvar z ~ 0\n"
                               "x' + y' = z - x\n"
                               "x' + y' = -2*z + sin(t)\n"
                               "x - y = cos(t)\n";
    trip r;
    char own[300];
    for (int k = 0; k < 2; k++) {
        (void)snprintf(own, sizeof own, text, k ? "" : "{state = 1}",
            k ? "{state = 1}" : "");
        ride(&r, own, 0.1);
        assert_int_equal(r.notes, 0);
        dae_diagnostics_free(r.ds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_problem_knows_what_is_preferred),
        cmocka_unit_test(it_is_kept_where_it_can),
        cmocka_unit_test(it_is_told_where_it_cannot),
        cmocka_unit_test(it_is_told_at_the_start),
        cmocka_unit_test(numbers_know_it_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

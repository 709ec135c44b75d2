/* Times at which conditions of t alone turn, told exactly: each one is the number
 * at which the condition as the text has it turns, none is left out and none
 * comes twice. */
#include "lang/sema_support.h"
#include <float.h>

static const dae_events *events_of(fixture *f, const char *text)
{
    open_model(f, text);
    assert_non_null(f->p->events);
    assert_non_null(f->p->events->next_break);
    return f->p->events;
}

static double next_of(const fixture *f, double t, int direction)
{
    double next = 0;
    CHECK_STATUS(
        f->p->events->next_break(f->p->self, t, direction, &next), DAE_OK);
    return next;
}

/* Whether the k-th whole number of t/0.1 begins at t. */
static void check_multiple(double t, double k)
{
    assert_true(floor(t / 0.1) == k);
    assert_true(floor(nextafter(t, -HUGE_VAL) / 0.1) == k - 1);
    assert_true(fabs(t - k * 0.1) <= 2 * DBL_EPSILON * fabs(t));
}

static void multiples_come_one_after_the_other(void **state)
{
    fixture f;
    static const double starts[] = {
        0, 0.05, 123.4, 54321.0, 999999.95, -7.35, -1e6};
    (void)state;
    (void)events_of(&f, "var x = 0\nx' = mod(t, 0.1)\n");
    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
        double t = starts[s], k = floor(t / 0.1);
        for (int n = 0; n < 2000; n++) {
            t = next_of(&f, t, 1);
            check_multiple(t, ++k);
        }
        for (int n = 0; n < 2000; n++) { /* t itself is not told again */
            t = next_of(&f, t, -1);
            check_multiple(t, --k);
        }
    }
    close_model(&f);
}

/* `t > 3` turns at 3 in either direction and never again. */
static void comparisons_turn_once(void **state)
{
    static const char *const conditions[] = {
        "t > 3", "t >= 3", "t < 3", "t <= 3", "3 - t < 0", "2*t - 6 > 0"};
    (void)state;
    for (size_t k = 0; k < sizeof conditions / sizeof *conditions; k++) {
        fixture f;
        char text[100];
        (void)snprintf(text, sizeof text,
            "var x = 0\nx' = if %s then 1 else 0\n", conditions[k]);
        const dae_events *e = events_of(&f, text);
        assert_int_equal(e->switch_count, 1);
        assert_int_equal(e->switches[0].domain, DAE_DOMAIN_BREAK);
        assert_true(next_of(&f, 0, 1) == 3);
        assert_true(next_of(&f, -1e9, 1) == 3);
        assert_true(next_of(&f, nextafter(3, 0), 1) == 3);
        assert_true(next_of(&f, 3, 1) == HUGE_VAL);
        assert_true(next_of(&f, 4, 1) == HUGE_VAL);
        assert_true(next_of(&f, 1e12, -1) == 3);
        assert_true(next_of(&f, nextafter(3, 4), -1) == 3);
        assert_true(next_of(&f, 3, -1) == -HUGE_VAL);
        assert_true(next_of(&f, 0, -1) == -HUGE_VAL);
        close_model(&f);
    }
}

static void rounding_up_and_down(void **state)
{
    fixture f;
    (void)state;
    (void)events_of(&f, "var x = 0\nx' = floor((t - 1)/2) + ceil(t/3)\n");
    /* 1, 3, 5, ... and 0, 3, 6, ...; ceil turns behind its whole numbers */
    static const double up[] = {0, 1, 3, 5, 6, 7, 9, 11, 12};
    double t = -0.5;
    for (size_t k = 0; k < sizeof up / sizeof *up; k++) {
        t = next_of(&f, t, 1);
        assert_true(t == up[k]);
    }
    for (size_t k = sizeof up / sizeof *up; k-- > 1;)
        assert_true((t = next_of(&f, t, -1)) == up[k - 1]);
    close_model(&f);
}

static void falling_functions(void **state)
{
    fixture f;
    (void)state;
    (void)events_of(&f, "var x = 0\nx' = floor(1 - t)\n");
    double t = 0;
    for (int k = 1; k < 50; k++) assert_true((t = next_of(&f, t, 1)) == k);
    for (int k = 48; k > 0; k--) assert_true((t = next_of(&f, t, -1)) == k);
    close_model(&f);
}

/* Between 0 and 0.3: 0.1, 0.2, then 3*0.1 and 0.3, which rounding sets apart, at
 * once; a definition and params in the condition. */
static void several_conditions(void **state)
{
    fixture f;
    (void)state;
    (void)events_of(&f,
        "param T = 0.1, at = 0.15\nvar x = 0\nlet since = t - at\n"
        "x' = mod(t, T) + (if t >= 0.3 then 1 else 0) + "
        "(if since > 0 then 1 else x)\n");
    double t = 0;
    assert_true((t = next_of(&f, t, 1)) == 0.1);
    assert_true((t = next_of(&f, t, 1)) == 0.15);
    assert_true((t = next_of(&f, t, 1)) == 0.2);
    t = next_of(&f, t, 1);
    assert_true(t == 0.30000000000000004 && t == 3 * 0.1);
    CHECK_NEAR(next_of(&f, t, 1), 0.4, 1e-15);
    close_model(&f);
}

/* A pulse: the comparison looks at mod, whose whole part is held. */
static void conditions_that_look_through_others(void **state)
{
    fixture f;
    (void)state;
    const dae_events *e = events_of(
        &f, "var x = 0\nx' = if mod(t, 2) < 0.5 then 1 else 0\n");
    assert_int_equal(e->switch_count, 2);
    double t = 0;
    for (int k = 0; k < 20; k++) {
        for (size_t s = 0; s < 2; s++)
            if (e->switches[s].kind == DAE_SWITCH_FLOOR) e->held[s] = k;
        assert_true((t = next_of(&f, t, 1)) == 2 * k + 0.5);
        assert_true((t = next_of(&f, t, 1)) == 2 * k + 2);
    }
    close_model(&f);
}

static void other_domains(void **state)
{
    fixture f;
    (void)state;
    open_model(&f,
        "param p = 2\ndiscrete n = 1\nvar x = 0\n"
        "x' = (if sin(t) < 0 then 1 else 0) + (if x*t > 1 then 1 else 0) "
        "+ (if n > p then 1 else 0) + abs(t^2 - 2)\n"
        "when x > 5\n  n := n + 1\nend\n");
    const dae_events *e = f.p->events;
    assert_int_equal(e->switch_count, 4); /* n > p turns with n alone */
    static const dae_switch_domain domains[] = {
        DAE_DOMAIN_TIME, DAE_DOMAIN_POINT, DAE_DOMAIN_TIME, DAE_DOMAIN_POINT};
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(e->switches[k].domain, domains[k]);
    assert_true(e->switches[2].is_kink && !e->switches[0].is_kink);
    assert_null(e->next_break);
    close_model(&f);
}

/* Many thresholds: none is left out. */
static void loops_of_conditions(void **state)
{
    enum { COUNT = 500 };
    fixture f;
    (void)state;
    (void)events_of(&f,
        "param n = 50\nvar x[i in 1..n] = 0\nfor i in 1..n\n"
        "  x[i]' = if t > 7*i/3 then floor(t/(10 + i)) else 0\nend\n");
    double t = 0;
    bool has_all = true;
    for (int i = 1; i <= 50; i++) { /* thresholds, merged in any order */
        double last = 0, at = 7.0 * i / 3;
        while (last < at * (1 - 4e-16)) last = next_of(&f, last, 1);
        has_all = has_all && fabs(last - at) <= 4e-16 * at;
    }
    assert_true(has_all);
    t = 200; /* beyond the thresholds: multiples of 11, ..., 60 */
    for (int k = 201; k < 200 + COUNT; k++) {
        bool is_multiple = false;
        for (int i = 1; i <= 50; i++)
            is_multiple = is_multiple || k % (10 + i) == 0;
        if (is_multiple) assert_true((t = next_of(&f, t, 1)) == k);
    }
    close_model(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiples_come_one_after_the_other),
        cmocka_unit_test(comparisons_turn_once),
        cmocka_unit_test(rounding_up_and_down),
        cmocka_unit_test(falling_functions),
        cmocka_unit_test(several_conditions),
        cmocka_unit_test(conditions_that_look_through_others),
        cmocka_unit_test(other_domains),
        cmocka_unit_test(loops_of_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

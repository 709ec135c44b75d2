/* Values at several places of a step: bit for bit those of one place each; where they
 * take more than a polynomial that is said. What the analysis of a start has told. */
#include "ride.h"

enum { PLACES = 7 };

static dae_options options_to(double t_end)
{
    dae_options o = dae_options_default();
    o.t_end = t_end;
    return o;
}

/* Of one slot, and the others are left. */
static void compare_first(
    const ride *r, size_t count, const double *t, const double *all)
{
    const size_t n = dae_problem_state_count(r->p), first = 0;
    double x[PLACES * RIDE_ROOM];
    for (size_t i = 0; i < count * n; i++) x[i] = 7;
    CHECK_STATUS(dae_solver_values(r->s, &first, 1, count, t, x), DAE_OK);
    for (size_t i = 0; i < count * n; i++)
        assert_true(x[i] == (i % n == 0 ? all[i] : 7));
}

/* Whether they were told, which are then right. */
static bool compare(const ride *r, size_t count)
{
    const size_t n = dae_problem_state_count(r->p);
    const double end = dae_solver_time(r->s), h = dae_solver_last_step(r->s);
    double t[PLACES], x[PLACES * RIDE_ROOM], alone[RIDE_ROOM];
    for (size_t k = 0; k < count; k++)
        t[k] = k + 1 == count
            ? end
            : end - h * (double)(count - 1 - k) / (double)count;
    const dae_status st = dae_solver_values(r->s, NULL, 0, count, t, x);
    if (st == DAE_UNSUPPORTED) return false;
    CHECK_STATUS(st, DAE_OK);
    for (size_t k = 0; k < count; k++) {
        CHECK_STATUS(dae_solver_interpolate(r->s, t[k], alone, NULL), DAE_OK);
        assert_memory_equal(x + k * n, alone, n * sizeof *x);
    }
    compare_first(r, count, t, x);
    return true;
}

static size_t count_told(const char *text, dae_options o, size_t *steps)
{
    ride r;
    size_t told = 0;
    ride_start(&r, text, o);
    for (*steps = 0; dae_solver_time(r.s) < o.t_end; ++*steps) {
        CHECK_STATUS(dae_solver_step(r.s), DAE_OK);
        told += compare(&r, 1 + *steps % PLACES);
    }
    ride_close(&r);
    return told;
}

static const char stiff[] = "var a = 1, b = 0, c ~ 0 {min = 0}\n"
                            "a' = -0.04*a + 1e4*b*c\n"
                            "b' = 0.04*a - 1e4*b*c - 3e7*b^2\n"
                            "a + b + c = 1\n";

static void several_places_are_as_one_by_one(void **state)
{
    (void)state;
    size_t steps;
    dae_options o = options_to(40);
    o.method = "bdf";
    /* the first steps show a line for what has no derivative */
    assert_true(count_told(stiff, o, &steps) + 4 >= steps && steps > 20);
    o.step = 0.5;
    assert_true(count_told("var x = 1\nx' = -x\n", o, &steps) > 0);
}

static void curves_and_reduced_systems_are_asked_singly(void **state)
{
    (void)state;
    size_t steps;
    dae_options o = options_to(3);
    assert_int_equal(count_told("var x = 1, y ~ 0, vx = 0, vy = 0, l\n"
                                "x' = vx\ny' = vy\nvx' = -l*x\n"
                                "vy' = -l*y - 1\nx^2 + y^2 = 1\n",
                         o, &steps),
        0);
    ride r;
    ride_start(&r, stiff, o);
    double t[] = {-1}, x[RIDE_ROOM];
    assert_int_equal(dae_solver_values(r.s, NULL, 0, 1, t, x), DAE_ARGUMENT);
    assert_int_equal(dae_solver_values(r.s, NULL, 0, 0, t, x), DAE_ARGUMENT);
    assert_int_equal(dae_solver_values(NULL, NULL, 0, 1, t, x), DAE_ARGUMENT);
    ride_close(&r);
}

static dae_index_report report_of(const char *text)
{
    ride r;
    ride_start(&r, text, options_to(1));
    const dae_index_report report = *dae_solver_index_report(r.s);
    ride_close(&r);
    return report;
}

static void a_start_tells_the_index(void **state)
{
    (void)state;
    dae_index_report k = report_of(stiff);
    assert_true(k.is_known && k.is_certified);
    assert_int_equal(k.index, 1);
    assert_int_equal(k.degrees_of_freedom, 2);
    /* sides of switches are those of the moment */
    k = report_of("var x = 1\nx' = if x > 0.5 then -1 else -x\n");
    assert_false(k.is_known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_places_are_as_one_by_one),
        cmocka_unit_test(curves_and_reduced_systems_are_asked_singly),
        cmocka_unit_test(a_start_tells_the_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

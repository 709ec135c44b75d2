/* The ways to deal with an index above 1, side by side: a pendulum that turns
 * over, a chain and a tank against exact solutions; what each way promises of
 * the constraints at every accepted step; what it says of itself; what it
 * refuses; again, backwards, with failing memory. */
#include "memory_sweep.h"
#include "ride.h"

enum { ROOM = RIDE_ROOM, WAYS = 4 };
static const double TOL = 1e-6, G = 9.81;

static const char turning[] = "var x ~ 1, y = 0, u ~ 0, v = 7, lam ~ 0\n"
                              "x' = u\n"
                              "y' = v\n"
                              "u' = -lam*x\n"
                              "v' = -lam*y - 9.81\n"
                              "rod: x^2 + y^2 = 1\n";
static const char chain[] = "var a, b, c\n"
                            "a = sin(t)\n"
                            "b = a'\n"
                            "c = b'\n";

static dae_options options_of(dae_reduce way, double t_end)
{
    dae_options o = dae_options_default();
    o.rtol = o.atol = TOL;
    o.reduce = way;
    o.t_end = t_end;
    return o;
}

static void ride_open(ride *r, const char *text, dae_reduce way, double t_end)
{
    ride_start(r, text, options_of(way, t_end));
}

/* ---- constraints ------------------------------------------------------------------ */

/* In tolerances of the states in them: |G_j| (rtol |x_j| + atol), summed. */
static double rod_off(const double *x)
{
    const double unit = 2 * fabs(x[0]) * TOL * (fabs(x[0]) + 1)
        + 2 * fabs(x[1]) * TOL * (fabs(x[1]) + 1);
    return fabs(x[0] * x[0] + x[1] * x[1] - 1) / unit;
}

static double slip_off(const double *x)
{
    double unit = 0;
    for (int i = 0; i < 4; i++)
        unit += fabs(x[(i + 2) % 4]) * TOL * (fabs(x[i]) + 1);
    return fabs(x[0] * x[2] + x[1] * x[3]) / unit;
}

/* The worst over all steps, from which the start is left out. */
static void worst_of(dae_reduce way, double *rod, double *slip)
{
    ride r;
    *rod = *slip = 0;
    ride_open(&r, turning, way, 5);
    while (dae_solver_time(r.s) != 5) {
        CHECK_STATUS(dae_solver_step(r.s), DAE_OK);
        *rod = fmax(*rod, rod_off(dae_solver_x(r.s)));
        *slip = fmax(*slip, slip_off(dae_solver_x(r.s)));
    }
    assert_int_equal(dae_solver_stats(r.s)->restarts, 0);
    ride_close(&r);
}

/* Dummy derivatives and multipliers solve the constraints as all equations,
 * the projection to a hundredth of a tolerance; an index left as it stands
 * leaves the hidden one to the order of the formula: within the tolerance
 * divided by the step at best. */
static void constraints_hold_as_promised(void **state)
{
    (void)state;
    static const double most[WAYS][2] = {
        {1, 1}, {0.01, 0.01}, {1, 1}, {1, 1e3}};
    double rod, slip;
    for (int way = 0; way < WAYS; way++) {
        worst_of((dae_reduce)way, &rod, &slip);
        if (rod > most[way][0] || slip > most[way][1])
            print_error("way %d: rod %g, slip %g\n", way, rod, slip);
        assert_true(rod <= most[way][0]);
        assert_true(slip <= most[way][1]);
        if (way == DAE_REDUCE_NEVER) assert_true(slip > 1);
    }
}

/* ---- solutions -------------------------------------------------------------------- */

/* The angle at t = 3 with an index of 0, to 1e-12. */
static void follow_angle(double speed, double *place)
{
    char text[96];
    ride r;
    double x[ROOM];
    dae_options o = options_of(DAE_REDUCE_AUTO, 3);
    o.rtol = o.atol = 1e-12;
    snprintf(text, sizeof text,
        "var a = 0\na'' = -9.81*cos(a)\ninit a' = %.17g\n", speed);
    ride_parse(&r, text);
    CHECK_STATUS(dae_solver_create(r.p, &o, NULL, r.ds, &r.s), DAE_OK);
    CHECK_STATUS(dae_solver_initialize(r.s), DAE_OK);
    CHECK_STATUS(dae_solver_advance(r.s, 3, x, NULL), DAE_OK);
    assert_int_equal(dae_solver_reduction(r.s).index, 0);
    assert_int_equal(dae_solver_state_name(r.s, 0, text, sizeof text), 0);
    place[0] = cos(x[0]), place[1] = sin(x[0]);
    place[2] = -x[1] * place[1], place[3] = x[1] * place[0];
    place[4] = x[1] * x[1] - G * place[1];
    ride_close(&r);
}

/* Errors in units of what an error of one tolerance in the speed at the start
 * makes of itself until t = 3. */
static void a_turning_pendulum_goes_where_it_must(void **state)
{
    (void)state;
    static const double most[WAYS] = {100, 100, 100, 5000};
    double exact[5], off[5], x[ROOM];
    follow_angle(7, exact);
    follow_angle(7 + 8 * TOL, off);
    double growth = 1;
    for (int i = 0; i < 4; i++)
        growth = fmax(
            growth, fabs(off[i] - exact[i]) / (TOL * (fabs(exact[i]) + 1)));
    assert_true(growth < 50);
    for (int way = 0; way < WAYS; way++) {
        ride r;
        double worst = 0;
        ride_open(&r, turning, (dae_reduce)way, 3);
        CHECK_STATUS(dae_solver_advance(r.s, 3, x, NULL), DAE_OK);
        for (int i = 0; i < 5; i++)
            worst = fmax(
                worst, fabs(x[i] - exact[i]) / (TOL * (fabs(exact[i]) + 1)));
        if (!(worst < most[way] * growth))
            print_error("way %d: %g, growth %g\n", way, worst, growth);
        assert_true(worst < most[way] * growth);
        ride_close(&r);
    }
}

/* a = sin t, b = cos t, c = -sin t. As it stands a is exact, and each
 * derivative loses as much as a step is short. */
static void a_chain_of_derivatives(void **state)
{
    (void)state;
    static const double most[WAYS][3] = {
        {1, 10, 10}, {1, 10, 100}, {1, 10, 10}, {1, 1e3, 1e6}};
    double x[ROOM];
    for (int way = 0; way < WAYS; way++) {
        ride r;
        ride_open(&r, chain, (dae_reduce)way, 4);
        for (int k = 1; k <= 8; k++) {
            const double t = 0.5 * k;
            CHECK_STATUS(dae_solver_advance(r.s, t, x, NULL), DAE_OK);
            CHECK_NEAR(x[0], sin(t), most[way][0] * 2 * TOL);
            CHECK_NEAR(x[1], cos(t), most[way][1] * TOL);
            CHECK_NEAR(x[2], -sin(t), most[way][2] * TOL);
        }
        ride_close(&r);
    }
}

/* A pump that keeps a tank's concentration: index 2, with a state beside. */
static void a_controlled_tank(void **state)
{
    (void)state;
    static const double most[WAYS] = {10, 10, 10, 1e3};
    double x[ROOM];
    for (int way = 0; way < WAYS; way++) {
        ride r;
        ride_open(&r, "var c, z, m = 1\nc' = z - c\nm' = -m*c\nc = sin(t)\n",
            (dae_reduce)way, 3);
        CHECK_STATUS(dae_solver_advance(r.s, 3, x, NULL), DAE_OK);
        CHECK_NEAR(x[0], sin(3), 2 * TOL);
        CHECK_NEAR(x[1], sin(3) + cos(3), most[way] * TOL);
        CHECK_NEAR(x[2], exp(cos(3) - 1), 10 * TOL);
        ride_close(&r);
    }
}

/* ---- what is said ----------------------------------------------------------------- */

static void each_way_says_what_it_is(void **state)
{
    (void)state;
    static const struct {
        const char *method, *states;
        size_t count;
        int64_t constraints;
    } expected[WAYS] = {{"dummy derivatives", "y v ", 2, 0},
        {"projection", "x u y v ", 4, 2}, {"stabilization", "x u y v ", 4, 2},
        {"none", "", 0, 0}};
    for (int way = 0; way < WAYS; way++) {
        ride r;
        char name[32], all[80] = "";
        ride_open(&r, turning, (dae_reduce)way, 1);
        const dae_reduction_report t = dae_solver_reduction(r.s);
        assert_int_equal(t.index, 3);
        assert_string_equal(t.method, expected[way].method);
        assert_int_equal(t.state_count, expected[way].count);
        assert_int_equal(t.constraints, expected[way].constraints);
        for (size_t k = 0; k < t.state_count; k++) {
            dae_solver_state_name(r.s, k, name, sizeof name);
            strcat(strcat(all, name), " ");
        }
        assert_string_equal(all, expected[way].states);
        assert_int_equal(
            dae_solver_state_name(r.s, t.state_count, name, sizeof name), 0);
        assert_int_equal(
            dae_diagnostics_count(r.ds), way == DAE_REDUCE_NEVER ? 1 : 0);
        if (way == DAE_REDUCE_NEVER)
            assert_string_equal(dae_diagnostics_at(r.ds, 0)->code, "N0510");
        ride_close(&r);
    }
}

static void check_refused(const char *text, dae_reduce way, const char *words)
{
    ride r;
    const dae_options o = options_of(way, 1);
    ride_parse(&r, text);
    dae_status st = dae_solver_create(r.p, &o, NULL, r.ds, &r.s);
    if (!st) st = dae_solver_initialize(r.s);
    CHECK_STATUS(st, DAE_ARGUMENT);
    assert_int_equal(dae_diagnostics_count(r.ds), 1);
    const dae_diagnostic *d = dae_diagnostics_at(r.ds, 0);
    assert_string_equal(d->code, "E0505");
    assert_non_null(strstr(d->message, words));
    ride_close(&r);
}

static void what_is_not_possible_is_refused(void **state)
{
    (void)state;
    check_refused("var a, b, c, d\na = sin(t)\nb = a'\nc = b'\nd = c'\n",
        DAE_REDUCE_NEVER, "the index is 4");
    /* x = sin t is the difference of two equations */
    static const char hidden[] = "var x, y, z\n"
                                 "x' + y' = z\n"
                                 "x' + y' = z + x - sin(t)\n"
                                 "y = cos(t)\n";
    for (int way = 1; way < WAYS; way++)
        check_refused(hidden, (dae_reduce)way, "structure does not tell");
    /* the help of that says what to write, and each way then does */
    static const char written[] = "var x, y, z\n"
                                  "x' + y' = z\n"
                                  "x = sin(t)\n"
                                  "y = cos(t)\n";
    for (int way = 0; way < WAYS; way++) {
        ride r;
        double x[3];
        ride_open(&r, written, (dae_reduce)way, 1);
        CHECK_STATUS(dae_solver_advance(r.s, 1, x, NULL), DAE_OK);
        CHECK_NEAR(x[0], sin(1), 1e-5);
        CHECK_NEAR(x[2], cos(1) - sin(1), 1e-3);
        ride_close(&r);
    }
    check_refused(turning, (dae_reduce)7, "`reduce` cannot be 7");
}

/* An index of 1 needs no reduction, whatever is requested: the same bits. */
static void an_index_of_one_is_left_alone(void **state)
{
    (void)state;
    double x[WAYS][2];
    for (int way = 0; way < WAYS; way++) {
        ride r;
        ride_open(
            &r, "var x = 1, y\nx' = -y\ny^3 + y = x\n", (dae_reduce)way, 3);
        CHECK_STATUS(dae_solver_advance(r.s, 3, x[way], NULL), DAE_OK);
        assert_int_equal(dae_solver_reduction(r.s).index, 0);
        assert_int_equal(dae_diagnostics_count(r.ds), 0);
        assert_memory_equal(x[0], x[way], sizeof x[0]);
        ride_close(&r);
    }
}

/* ---- again, backwards, memory ----------------------------------------------------- */

static void a_second_run_is_the_first_one(void **state)
{
    (void)state;
    double first[ROOM] = {0}, second[ROOM] = {0};
    for (int way = 0; way < WAYS; way++) {
        ride r;
        ride_open(&r, turning, (dae_reduce)way, 1);
        CHECK_STATUS(dae_solver_advance(r.s, 1, first, NULL), DAE_OK);
        CHECK_STATUS(dae_solver_initialize(r.s), DAE_OK);
        CHECK_STATUS(dae_solver_advance(r.s, 1, second, NULL), DAE_OK);
        assert_memory_equal(first, second, sizeof first);
        ride_close(&r);
    }
}

static void backwards_is_the_mirror(void **state)
{
    (void)state;
    double there[ROOM], back[ROOM];
    for (int way = 0; way < WAYS; way++) {
        ride r, q;
        ride_open(&r, turning, (dae_reduce)way, 1);
        ride_open(&q,
            "var x ~ 1, y = 0, u ~ 0, v = -7, lam ~ 0\nx' = u\ny' = v\n"
            "u' = -lam*x\nv' = -lam*y - 9.81\nrod: x^2 + y^2 = 1\n",
            (dae_reduce)way, -1);
        CHECK_STATUS(dae_solver_advance(r.s, 1, there, NULL), DAE_OK);
        CHECK_STATUS(dae_solver_advance(q.s, -1, back, NULL), DAE_OK);
        for (int i = 0; i < 5; i++)
            CHECK_NEAR(there[i], back[i] * (i == 2 || i == 3 ? -1 : 1),
                1e-8 * (1 + fabs(there[i])));
        ride_close(&r);
        ride_close(&q);
    }
}

/* Steps take no memory, so a few are enough. */
static void turn(trial *t, const void *what)
{
    const dae_reduce *way = what;
    ride r;
    dae_status st;
    double x[ROOM] = {0};
    dae_options o = options_of(*way, 0.01);
    o.rtol = o.atol = 1e-3;
    ride_parse(&r, "var x = 0, z\nx' = z\nx = sin(t)\n");
    trial_open(t);
    trial_arm(t);
    dae_solver *s = NULL;
    TRIAL(t, st, dae_solver_create(r.p, &o, &t->memory.allocator, t->ds, &s));
    trial_note(t, "create", st);
    TRIAL(t, st, dae_solver_initialize(s));
    trial_note(t, "initialize", st);
    for (int k = 1; k <= 4; k++) {
        TRIAL(t, st, dae_solver_advance(s, 0.0025 * k, x, NULL));
        trial_note(t, "advance", st);
        trial_values(t, x, dae_problem_state_count(r.p));
    }
    dae_solver_free(s);
    ride_close(&r);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    for (int way = 1; way < WAYS; way++) {
        const dae_reduce mode = (dae_reduce)way;
        assert_true(memory_sweep("a tank", turn, &mode) > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_hold_as_promised),
        cmocka_unit_test(a_turning_pendulum_goes_where_it_must),
        cmocka_unit_test(a_chain_of_derivatives),
        cmocka_unit_test(a_controlled_tank),
        cmocka_unit_test(each_way_says_what_it_is),
        cmocka_unit_test(what_is_not_possible_is_refused),
        cmocka_unit_test(an_index_of_one_is_left_alone),
        cmocka_unit_test(a_second_run_is_the_first_one),
        cmocka_unit_test(backwards_is_the_mirror),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

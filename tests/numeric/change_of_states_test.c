/* Runs of higher index whose states change on the way: a pendulum that turns
 * over, written in several ways. Constraints and energy, dense output across a
 * change, both directions of time, interrupts, memory that fails in the middle
 * of a change, a solver that starts again. */
#include "memory_sweep.h"
#include "ride.h"

enum { ROOM = RIDE_ROOM };
static const double RTOL = 1e-8, ATOL = 1e-8, G = 9.81;

static const char turning[] = "var x ~ 1, y = 0, lam ~ 0\n"
                              "x'' = -lam*x\n"
                              "y'' = -lam*y - 9.81\n"
                              "rod: x^2 + y^2 = 1\n"
                              "init y' = 7\n";

/* ---- a run ----------------------------------------------------------------------- */

static dae_options options_to(double t_end)
{
    dae_options o = dae_options_default();
    o.rtol = RTOL;
    o.atol = ATOL;
    o.t_end = t_end;
    return o;
}

static void ride_open(ride *r, const char *text, double t_end)
{
    ride_start(r, text, options_to(t_end));
}

/* Where an unknown begins in x. */
static size_t place_of(const ride *r, const char *name)
{
    char text[64];
    size_t at = 0;
    for (size_t j = 0; j < r->p->unknown_count; j++) {
        const size_t q = r->p->order ? r->p->order[j] : 1;
        r->p->name(r->p->self, DAE_NAME_UNKNOWN, j, text, sizeof text);
        if (strcmp(text, name) == 0) return at;
        at += q > 1 ? q : 1;
    }
    fail_msg("there is no unknown %s", name);
    return 0;
}

/* ---- constraints and energy ------------------------------------------------------- */

/* The rod, its speed and, from both accelerations, its force at an accepted
 * point, in tolerances of their largest term. */
static double worst_constraint(const double *x, const double *xp)
{
    const double a = x[0], u = x[1], b = x[2], v = x[3];
    const double place = (a * a + b * b - 1) / (RTOL + ATOL);
    const double speed = (a * u + b * v)
        / (RTOL * fmax(fabs(a * u), fabs(b * v)) + ATOL);
    const double push = (u * u + v * v + a * xp[0] + b * xp[1])
        / (RTOL * (u * u + v * v) + ATOL);
    return fmax(fabs(place), fmax(fabs(speed), fabs(push)));
}

static double energy(const double *x)
{
    return (x[1] * x[1] + x[3] * x[3]) / 2 + G * x[2];
}

static void a_turning_pendulum_keeps_to_its_rod(void **state)
{
    (void)state;
    ride r;
    double off = 0, drift = 0, high = -1;
    ride_open(&r, turning, 10);
    while (dae_solver_time(r.s) != 10) {
        CHECK_STATUS(dae_solver_step(r.s), DAE_OK);
        const double *x = dae_solver_x(r.s);
        off = fmax(off, worst_constraint(x, dae_solver_xp(r.s)));
        drift = fmax(drift, fabs(energy(x) - 24.5));
        high = fmax(high, x[2]);
    }
    assert_true(off < 10);
    /* kinetic energy is at most 24.5 + g; a thousandth of it at 1e-9 */
    assert_true(drift < 1e-3 * (24.5 + G));
    assert_true(high > 0.99);
    /* nine turns, two changes at least in each */
    assert_true(dae_solver_stats(r.s)->state_changes >= 18);
    assert_true(dae_solver_stats(r.s)->state_changes < 100);
    assert_int_equal(dae_solver_stats(r.s)->restarts, 0);
    assert_int_equal(dae_diagnostics_count(r.ds), 0);
    ride_close(&r);
}

/* A change costs no order: from the first one on none is below 3. */
static void a_change_keeps_order_and_step(void **state)
{
    (void)state;
    ride r;
    ride_open(&r, turning, 5);
    double last = 0;
    int64_t changes = 0;
    while (dae_solver_time(r.s) != 5) {
        CHECK_STATUS(dae_solver_step(r.s), DAE_OK);
        const double h = dae_solver_last_step(r.s);
        if (changes > 0 && dae_solver_time(r.s) != 5) {
            assert_true(dae_solver_last_order(r.s) >= 3);
            assert_true(h > 0.1 * last);
        }
        last = h;
        changes = dae_solver_stats(r.s)->state_changes;
    }
    assert_true(changes > 5);
    ride_close(&r);
}

/* Gravity points halfway between the axes, the swing is 5 degrees to either
 * side: neither coordinate ever becomes bad, though the better one is now
 * this, now that. */
static void small_swings_change_nothing(void **state)
{
    (void)state;
    ride r;
    ride_open(&r,
        "param a = sqrt(0.5)\n"
        "var x = a, y ~ a, lam ~ 0\n"
        "x'' = -lam*x + 7\n"
        "y'' = -lam*y + 7\n"
        "x^2 + y^2 = 1\n"
        "init x' = 0.2\n",
        10);
    double low = 1, high = 0;
    while (dae_solver_time(r.s) != 10) {
        CHECK_STATUS(dae_solver_step(r.s), DAE_OK);
        low = fmin(low, dae_solver_x(r.s)[0]);
        high = fmax(high, dae_solver_x(r.s)[0]);
    }
    assert_true(low < sqrt(0.5) - 0.04 && high > sqrt(0.5) + 0.04);
    assert_int_equal(dae_solver_stats(r.s)->state_changes, 0);
    ride_close(&r);
}

static int64_t steps_of(const char *text, double tolerance, int64_t *changes)
{
    ride r;
    dae_options o = options_to(5);
    o.rtol = o.atol = tolerance;
    ride_parse(&r, text);
    CHECK_STATUS(dae_solver_create(r.p, &o, NULL, r.ds, &r.s), DAE_OK);
    CHECK_STATUS(dae_solver_initialize(r.s), DAE_OK);
    while (dae_solver_time(r.s) != 5)
        CHECK_STATUS(dae_solver_step(r.s), DAE_OK);
    const int64_t steps = dae_solver_stats(r.s)->steps;
    *changes = dae_solver_stats(r.s)->state_changes;
    ride_close(&r);
    return steps;
}

/* A state that is preferred is given up before steps leap over the place where
 * it cannot be one, or creep towards it. */
static void a_preferred_state_is_given_up_in_time(void **state)
{
    (void)state;
    static const char preferring[] = "var x ~ 1 {state = 1}, y = 0, lam ~ 0\n"
                                     "x'' = -lam*x\n"
                                     "y'' = -lam*y - 9.81\n"
                                     "rod: x^2 + y^2 = 1\n"
                                     "init y' = 7\n";
    for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-2) {
        int64_t changes, free_changes;
        const int64_t without = steps_of(turning, tolerance, &free_changes);
        const int64_t steps = steps_of(preferring, tolerance, &changes);
        /* both sides of either axis, five times */
        assert_in_range(changes, 15, 2 * free_changes);
        assert_true(steps < without + without / 2);
    }
}

/* ---- the same motion written in other ways ---------------------------------------- */

static const char first_order[] = "var x ~ 1, y = 0, u ~ 0, v = 7, lam ~ 0\n"
                                  "x' = u\n"
                                  "y' = v\n"
                                  "u' = -lam*x\n"
                                  "v' = -lam*y - 9.81\n"
                                  "x^2 + y^2 = 1\n";
static const char with_root[] = "var x ~ 1, y = 0, u ~ 0, v = 7, s ~ 0\n"
                                "x' = u\n"
                                "y' = v\n"
                                "let r = sqrt(x^2 + y^2)\n"
                                "u' = -s*x/r\n"
                                "v' = -s*y/r - 9.81\n"
                                "r = 1\n";
static const char two_constraints[] =
    "var x ~ 1, y = 0, u ~ 0, v = 7, lam ~ 0, mu ~ 0\n"
    "x' = u - mu*x\n"
    "y' = v - mu*y\n"
    "u' = -lam*x\n"
    "v' = -lam*y - 9.81\n"
    "x^2 + y^2 = 1\n"
    "x*u + y*v = 0\n";
static const char by_speed[] = "var x = 1, y = 0, u ~ 0, v = 7, lam ~ 0\n"
                               "x' = u\n"
                               "y' = v\n"
                               "u' = -lam*x\n"
                               "v' = -lam*y - 9.81\n"
                               "x*u + y*v = 0\n";
/* other order, other signs, names for what has none, a definition */
static const char turned[] = "var lam ~ 0, ay ~ 0, y = 0, ax ~ 0, x ~ 1\n"
                             "let c = x*x + y*y - 1\n"
                             "0 = 2*c\n"
                             "ay + 9.81 = -y*lam\n"
                             "y'' = ay\n"
                             "-ax = lam*x\n"
                             "ax = x''\n"
                             "init y' = 7\n";
enum { TIMES = 12 };

static void follow(const char *text, double *places)
{
    ride r;
    double x[ROOM];
    ride_open(&r, text, 3);
    const size_t a = place_of(&r, "x"), b = place_of(&r, "y");
    for (int k = 0; k < TIMES; k++) {
        CHECK_STATUS(dae_solver_advance(r.s, 0.25 * (k + 1), x, NULL), DAE_OK);
        places[2 * k] = x[a];
        places[2 * k + 1] = x[b];
    }
    assert_true(dae_solver_stats(r.s)->state_changes > 3);
    ride_close(&r);
}

/* By the angle, which needs no reduction, much sharper; from another speed. */
static void follow_angle(double speed, double *places)
{
    char text[96];
    ride r;
    double x[ROOM];
    dae_options o = options_to(3);
    o.rtol = o.atol = 1e-12;
    snprintf(text, sizeof text,
        "var a = 0\na'' = -9.81*cos(a)\ninit a' = %.17g\n", speed);
    ride_parse(&r, text);
    CHECK_STATUS(dae_solver_create(r.p, &o, NULL, r.ds, &r.s), DAE_OK);
    CHECK_STATUS(dae_solver_initialize(r.s), DAE_OK);
    for (int k = 0; k < TIMES; k++) {
        CHECK_STATUS(dae_solver_advance(r.s, 0.25 * (k + 1), x, NULL), DAE_OK);
        places[2 * k] = cos(x[0]);
        places[2 * k + 1] = sin(x[0]);
    }
    ride_close(&r);
}

/* The largest difference in tolerances. */
static double distance(const double *found, const double *exact)
{
    double worst = 0;
    for (int i = 0; i < 2 * TIMES; i++)
        worst = fmax(
            worst, fabs(found[i] - exact[i]) / (RTOL * fabs(exact[i]) + ATOL));
    return worst;
}

/* An error of one tolerance in the speed at the start turns the pendulum by so
 * much: what the problem makes of an error. */
static void forms_of_one_motion_agree(void **state)
{
    (void)state;
    static const char *const texts[] = {
        turning, first_order, with_root, two_constraints, by_speed, turned};
    double exact[2 * TIMES], off[2 * TIMES], found[2 * TIMES];
    follow_angle(7, exact);
    follow_angle(7 + 7 * RTOL + ATOL, off);
    const double growth = distance(off, exact);
    assert_true(growth > 1 && growth < 50);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        follow(texts[k], found);
        const double worst = distance(found, exact);
        if (!(worst < 100 * growth))
            print_error("text %zu is %g off\n", k, worst);
        assert_true(worst < 100 * growth);
    }
}

/* One rod written twice, the second time doubled: their forces per length have
 * the sum that one rod's has, and of all that do the least is (1, 2)/5 of it. */
static void a_rod_too_many_shares_by_least_size(void **state)
{
    (void)state;
    ride r, one;
    double x[ROOM], single[ROOM];
    ride_open(&one, turning, 3);
    ride_open(&r,
        "var x ~ 1, y = 0, l1 ~ 0, l2 ~ 0\n"
        "x'' = -l1*x - 2*l2*x\n"
        "y'' = -l1*y - 2*l2*y - 9.81\n"
        "rod: x^2 + y^2 = 1\n"
        "again: 2*x^2 + 2*y^2 = 2\n"
        "init y' = 7\n",
        3);
    for (double t = 0.25; t <= 3; t += 0.25) {
        CHECK_STATUS(dae_solver_advance(one.s, t, single, NULL), DAE_OK);
        CHECK_STATUS(dae_solver_advance(r.s, t, x, NULL), DAE_OK);
        /* both as far off as forms of one motion may be */
        for (int i = 0; i < 4; i++)
            CHECK_NEAR(x[i], single[i], 2e-5 * (1 + fabs(x[i])));
        CHECK_NEAR(x[5], 2 * x[4], 1e-6 * (1 + fabs(x[5])));
        CHECK_NEAR(x[4] + 2 * x[5], single[4], 1e-4 * (1 + single[4]));
    }
    assert_true(dae_solver_stats(r.s)->state_changes > 3);
    ride_close(&r);
    ride_close(&one);
}

/* ---- dense output ----------------------------------------------------------------- */

/* The last step's polynomial begins where the step before ended and ends where
 * the step has ended, also where states changed in between: to rounding, but for
 * the force, which is solved for wherever it is requested. */
static void dense_output_goes_through_changes(void **state)
{
    (void)state;
    ride r;
    double before[ROOM], x[ROOM], middle[ROOM], first[ROOM];
    int64_t changes = 0, seen = 0;
    ride_open(&r, turning, 3);
    const size_t n = dae_problem_state_count(r.p);
    memcpy(before, dae_solver_x(r.s), n * sizeof *x);
    while (dae_solver_time(r.s) != 3) {
        const double t = dae_solver_time(r.s);
        CHECK_STATUS(dae_solver_step(r.s), DAE_OK);
        const double now = dae_solver_time(r.s);
        CHECK_STATUS(dae_solver_interpolate(r.s, t, first, NULL), DAE_OK);
        CHECK_STATUS(
            dae_solver_interpolate(r.s, t + (now - t) / 2, middle, NULL),
            DAE_OK);
        CHECK_STATUS(dae_solver_interpolate(r.s, now, x, NULL), DAE_OK);
        for (size_t i = 0; i < n; i++) {
            const double size = 1 + fabs(x[i]);
            const double left = i < 4 ? 1e-11 : 100 * RTOL;
            CHECK_NEAR(x[i], dae_solver_x(r.s)[i], left * size);
            if (dae_solver_last_order(r.s) > 1)
                CHECK_NEAR(first[i], before[i], fmin(left, RTOL) * size);
        }
        /* in between as near the rod as a step may be off */
        CHECK_NEAR(middle[0] * middle[0] + middle[2] * middle[2], 1,
            100 * (RTOL + ATOL));
        seen += dae_solver_stats(r.s)->state_changes != changes;
        changes = dae_solver_stats(r.s)->state_changes;
        memcpy(before, x, n * sizeof *x);
    }
    assert_true(seen > 3);
    ride_close(&r);
}

/* Of the first pendulum also the last derivative of the rod holds wherever it is
 * requested, in a step and at its end; the other one, of which nothing is asked
 * before, takes the same steps and shows the same at their end. */
static void what_is_asked_for_holds(void **state)
{
    (void)state;
    ride r, quiet;
    double x[ROOM], xp[ROOM], same[ROOM], slopes[ROOM], off = 0;
    ride_open(&r, turning, 3);
    ride_open(&quiet, turning, 3);
    const size_t n = dae_problem_state_count(r.p), m = r.p->unknown_count;
    while (dae_solver_time(r.s) != 3) {
        const double t = dae_solver_time(r.s);
        CHECK_STATUS(dae_solver_step(r.s), DAE_OK);
        CHECK_STATUS(dae_solver_step(quiet.s), DAE_OK);
        const double step = dae_solver_time(r.s) - t;
        for (int k = 0; k <= 4; k++) {
            const double at = k < 4 ? t + k * step / 4 : dae_solver_time(r.s);
            CHECK_STATUS(dae_solver_interpolate(r.s, at, x, xp), DAE_OK);
            off = fmax(off, worst_constraint(x, xp));
        }
    }
    assert_true(off < 10);
    assert_true(dae_solver_stats(r.s)->state_changes > 3);
    CHECK_STATUS(dae_solver_interpolate(quiet.s, 3, same, slopes), DAE_OK);
    assert_memory_equal(x, same, n * sizeof *x);
    assert_memory_equal(xp, slopes, m * sizeof *xp);
    assert_int_equal(dae_solver_stats(r.s)->residual_evals,
        dae_solver_stats(quiet.s)->residual_evals);
    ride_close(&quiet);
    ride_close(&r);
}

/* ---- backwards -------------------------------------------------------------------- */

/* The motion is the same backwards with the other speed. */
static void backwards_is_the_mirror(void **state)
{
    (void)state;
    static const char mirrored[] = "var x ~ 1, y = 0, lam ~ 0\n"
                                   "x'' = -lam*x\n"
                                   "y'' = -lam*y - 9.81\n"
                                   "rod: x^2 + y^2 = 1\n"
                                   "init y' = -7\n";
    ride there, back;
    double x[ROOM], z[ROOM];
    ride_open(&there, turning, 3);
    ride_open(&back, mirrored, -3);
    for (double t = 0.25; t <= 3; t += 0.25) {
        CHECK_STATUS(dae_solver_advance(there.s, t, x, NULL), DAE_OK);
        CHECK_STATUS(dae_solver_advance(back.s, -t, z, NULL), DAE_OK);
        for (int i = 0; i < 5; i++)
            CHECK_NEAR(x[i], z[i] * (i == 1 || i == 3 ? -1 : 1),
                1e-9 * (1 + fabs(x[i])));
    }
    assert_true(dae_solver_stats(back.s)->state_changes > 3);
    assert_int_equal(
        dae_solver_stats(back.s)->steps, dae_solver_stats(there.s)->steps);
    ride_close(&there);
    ride_close(&back);
}

/* ---- interrupts ------------------------------------------------------------------- */

typedef struct patience {
    int64_t asked, ends_at;
} patience;

static int is_out_of_patience(void *context)
{
    patience *p = context;
    return p->asked++ == p->ends_at;
}

/* All values at t = 1; how often it was interrupted: in the start after `first`
 * questions, then twice, four times as many, and in the run at every `then`. */
static size_t run_interrupted(int64_t first, int64_t then, double *x)
{
    ride r;
    patience p = {0, first};
    size_t interrupts = 0;
    dae_status st;
    dae_options o = options_to(1);
    o.interrupt = is_out_of_patience;
    o.interrupt_context = &p;
    ride_parse(&r, turning);
    CHECK_STATUS(dae_solver_create(r.p, &o, NULL, r.ds, &r.s), DAE_OK);
    while ((st = dae_solver_initialize(r.s)) == DAE_INTERRUPTED) {
        interrupts++;
        p = (patience){0, 2 * p.ends_at + 1};
    }
    CHECK_STATUS(st, DAE_OK);
    p = (patience){0, then};
    while ((st = dae_solver_advance(r.s, 1, x, NULL)) == DAE_INTERRUPTED) {
        interrupts++;
        p.asked = 0;
    }
    CHECK_STATUS(st, DAE_OK);
    assert_true(dae_solver_stats(r.s)->state_changes > 2);
    ride_close(&r);
    return interrupts;
}

static void an_interrupted_run_goes_on(void **state)
{
    (void)state;
    double whole[ROOM] = {0}, x[ROOM] = {0};
    assert_int_equal(run_interrupted(INT64_MAX, INT64_MAX, whole), 0);
    assert_true(run_interrupted(0, INT64_MAX, x) >= 3);
    assert_memory_equal(whole, x, sizeof x);
    assert_true(run_interrupted(INT64_MAX, 3, x) > 20);
    assert_memory_equal(whole, x, sizeof x);
}

/* ---- again ------------------------------------------------------------------------ */

static void a_second_run_is_the_first_one(void **state)
{
    (void)state;
    ride r;
    double first[ROOM], second[ROOM], xp[ROOM], again[ROOM];
    ride_open(&r, turning, 2);
    const size_t n = dae_problem_state_count(r.p);
    CHECK_STATUS(dae_solver_advance(r.s, 2, first, xp), DAE_OK);
    const int64_t steps = dae_solver_stats(r.s)->steps;
    CHECK_STATUS(dae_solver_initialize(r.s), DAE_OK);
    assert_true(dae_solver_time(r.s) == 0);
    CHECK_NEAR(dae_solver_x(r.s)[0], 1, 0);
    CHECK_NEAR(dae_solver_x(r.s)[3], 7, 0);
    CHECK_STATUS(dae_solver_advance(r.s, 2, second, again), DAE_OK);
    assert_int_equal(dae_solver_stats(r.s)->steps, 2 * steps);
    assert_memory_equal(first, second, n * sizeof *first);
    assert_memory_equal(xp, again, r.p->unknown_count * sizeof *xp);
    ride_close(&r);
}

/* The caller's values are taken as they are, and such a start is refused as
 * one of index 3; the solver is none the worse for it. */
static void values_of_the_caller_after_a_run(void **state)
{
    (void)state;
    ride r;
    double first[ROOM], x[ROOM], xp[ROOM], second[ROOM];
    ride_open(&r, turning, 2);
    const size_t n = dae_problem_state_count(r.p);
    memcpy(x, dae_solver_x(r.s), n * sizeof *x);
    memcpy(xp, dae_solver_xp(r.s), r.p->unknown_count * sizeof *xp);
    CHECK_STATUS(dae_solver_advance(r.s, 2, first, NULL), DAE_OK);
    CHECK_STATUS(dae_solver_start(r.s, 0, x, xp, 0), DAE_NUMERIC);
    assert_int_equal(dae_diagnostics_count(r.ds), 1);
    CHECK_STATUS(dae_solver_step(r.s), DAE_ARGUMENT);
    CHECK_STATUS(dae_solver_initialize(r.s), DAE_OK);
    CHECK_STATUS(dae_solver_advance(r.s, 2, second, NULL), DAE_OK);
    assert_memory_equal(first, second, n * sizeof *first);
    ride_close(&r);
}

/* ---- memory ----------------------------------------------------------------------- */

static void advance_to(trial *t, dae_solver *s, double to)
{
    double x[ROOM] = {0}, xp[ROOM] = {0};
    dae_status st;
    TRIAL(t, st, dae_solver_advance(s, to, x, xp));
    trial_note(t, "advance", st);
    trial_values(t, x, 5);
    trial_values(t, xp, 2);
}

static void step_once(trial *t, dae_solver *s)
{
    dae_status st;
    TRIAL(t, st, dae_solver_step(s));
    trial_note(t, "step", st);
    trial_values(t, (double[]){dae_solver_time(s)}, 1);
    trial_values(t, dae_solver_x(s), 5);
    trial_values(t, dae_solver_xp(s), 2);
}

/* Everything but the start, which robust/solver_memory looks at: memory runs
 * short while states change. */
static void turn_over(trial *t, const void *what)
{
    const bool *by_steps = what;
    ride r;
    dae_solver *s;
    dae_options o = options_to(1);
    o.rtol = o.atol = 1e-4;
    ride_parse(&r, turning);
    trial_open(t);
    CHECK_STATUS(
        dae_solver_create(r.p, &o, &t->memory.allocator, t->ds, &s), DAE_OK);
    CHECK_STATUS(dae_solver_initialize(s), DAE_OK);
    trial_arm(t);
    if (*by_steps)
        while (dae_solver_time(s) < 0.4) step_once(t, s);
    else
        for (int k = 1; k <= 80; k++) advance_to(t, s, 0.005 * k);
    assert_true(dae_solver_stats(s)->state_changes > 0);
    trial_values(t, (double[]){(double)dae_solver_stats(s)->state_changes}, 1);
    dae_solver_free(s);
    ride_close(&r);
}

static void memory_may_fail_in_a_change(void **state)
{
    (void)state;
    static const bool advancing = false, stepping = true;
    assert_true(memory_sweep("advance", turn_over, &advancing) > 10);
    assert_true(memory_sweep("step", turn_over, &stepping) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turning_pendulum_keeps_to_its_rod),
        cmocka_unit_test(a_change_keeps_order_and_step),
        cmocka_unit_test(small_swings_change_nothing),
        cmocka_unit_test(a_preferred_state_is_given_up_in_time),
        cmocka_unit_test(forms_of_one_motion_agree),
        cmocka_unit_test(a_rod_too_many_shares_by_least_size),
        cmocka_unit_test(dense_output_goes_through_changes),
        cmocka_unit_test(what_is_asked_for_holds),
        cmocka_unit_test(backwards_is_the_mirror),
        cmocka_unit_test(an_interrupted_run_goes_on),
        cmocka_unit_test(a_second_run_is_the_first_one),
        cmocka_unit_test(values_of_the_caller_after_a_run),
        cmocka_unit_test(memory_may_fail_in_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

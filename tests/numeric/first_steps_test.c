/* Between the points of the first two steps, where what has no derivative has no
 * past yet: its error is that of the tolerance, by every method, against exact
 * solutions and a pendulum's angle by small steps of Runge and Kutta. Behind a
 * jump, where all begins again. What is shown at the ends of a step is its point;
 * no step knows of it; failing memory. */
#include "memory_sweep.h"
#include "ride.h"

enum { PLACES = 100, METHODS = 3, TOLERANCES = 3 };
static const char *const methods[METHODS] = {"bdf", "bdf-flc", "ndf"};
static const double tolerances[TOLERANCES] = {1e-4, 1e-6, 1e-8};
/* In tolerances. */
static const double MOST = 10;

typedef void exact_fn(double t, double *x);

static dae_options options_of(const char *method, double tolerance)
{
    dae_options o = dae_options_default();
    o.method = method;
    o.rtol = o.atol = tolerance;
    o.t_end = 10;
    return o;
}

/* ---- models and their solutions --------------------------------------------------- */

/* Their states begin at rest, so that the first step is as long as the interval lets
 * it be, whatever the others do. */

static const char tank_1[] = "var c1, c2 = 1\n"
                             "(2*c2)' = c1 - c2\n"
                             "c1 = 1 + sin(t)/2\n";

static void tank_1_at(double t, double *x)
{
    const double a = 0.5, share = (a / 2) / (a * a + 1);
    x[0] = 1 + sin(t) / 2;
    x[1] = 1 + share * (a * sin(t) - cos(t) + exp(-a * t));
}

static const char tank_2[] = "var c1, c2\n"
                             "c2' = 0.5*(c1 - c2)\n"
                             "c2 = 1 + sin(t)/2\n";

static void tank_2_at(double t, double *x)
{
    x[0] = 1 + sin(t) / 2 + cos(t);
    x[1] = 1 + sin(t) / 2;
}

/* One unknown that turns fast beside another that does not, and one that two
 * equations give; a^3 + a is that of a = 2 sin(50 t). */
static const char fast[] = "var x = 1, a ~ 0, b ~ 0\n"
                           "x' = -t*x\n"
                           "a^3 + a = 8*sin(50*t)^3 + 2*sin(50*t)\n"
                           "b + a*x = cos(30*t)\n";

static void fast_at(double t, double *x)
{
    x[0] = exp(-t * t / 2);
    x[1] = 2 * sin(50 * t);
    x[2] = cos(30 * t) - x[1] * x[0];
}

/* One is a derivative, which the slope of a line is not. */
static const char accelerated[] = "var q = 0, v = 0, a, w\n"
                                  "q' = v\n"
                                  "v' = sin(t)\n"
                                  "a = v'\n"
                                  "w = a*v + cos(40*t)\n";

static void accelerated_at(double t, double *x)
{
    x[0] = t - sin(t);
    x[1] = 1 - cos(t);
    x[2] = sin(t);
    x[3] = x[2] * x[1] + cos(40 * t);
}

static const char pendulum[] =
    "var x = cos(0.5), y ~ 0.5, u ~ 0, v = 0, lam ~ 0\n"
    "x' = u\n"
    "y' = v\n"
    "u' = -2*lam*x\n"
    "v' = 9.81 - 2*lam*y\n"
    "x^2 + y^2 = 1\n";

/* angle'' = g cos(angle), y points down. */
static void pendulum_at(double t, double *x)
{
    enum { STEPS = 1000 };
    const double g = 9.81, h = t / STEPS;
    double angle = 0.5, speed = 0;
    for (int i = 0; i < STEPS; i++) {
        const double a1 = g * cos(angle), s2 = speed + h / 2 * a1;
        const double a2 = g * cos(angle + h / 2 * speed);
        const double s3 = speed + h / 2 * a2;
        const double a3 = g * cos(angle + h / 2 * s2), s4 = speed + h * a3;
        const double a4 = g * cos(angle + h * s3);
        angle += h / 6 * (speed + 2 * s2 + 2 * s3 + s4);
        speed += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    x[0] = cos(angle);
    x[1] = sin(angle);
    x[2] = -speed * sin(angle);
    x[3] = speed * cos(angle);
    x[4] = (speed * speed + g * sin(angle)) / 2;
}

/* a jumps at t = 1, where x comes to rest and goes on. */
static const char jumping[] = "var x = -1/3, a\n"
                              "x' = (t - 1)^2\n"
                              "a = if t < 1 then x else 3 + sin(50*t)\n";

static void jumping_at(double t, double *x)
{
    x[0] = (t - 1) * (t - 1) * (t - 1) / 3;
    x[1] = t < 1 ? x[0] : 3 + sin(50 * t);
}

/* ---- errors ------------------------------------------------------------------------ */

/* The worst inside the last step, in tolerances. */
static double worst_inside(
    const ride *r, exact_fn *exact, double tolerance, size_t *worst)
{
    const double t = dae_solver_time(r->s), h = dae_solver_last_step(r->s);
    const size_t count = dae_problem_state_count(r->p);
    double most = 0, x[RIDE_ROOM], known[RIDE_ROOM] = {0};
    for (int i = 1; i < PLACES; i++) {
        const double at = t - h * (1 - (double)i / PLACES);
        CHECK_STATUS(dae_solver_interpolate(r->s, at, x, NULL), DAE_OK);
        exact(at, known);
        for (size_t k = 0; k < count; k++) {
            const double off = fabs(x[k] - known[k])
                / (tolerance * (fabs(known[k]) + 1));
            if (off <= most) continue;
            most = off;
            *worst = k;
        }
    }
    return most;
}

static void check_inside(const ride *r, exact_fn *exact, double tolerance)
{
    size_t which = 0;
    const double worst = worst_inside(r, exact, tolerance, &which);
    if (worst <= MOST) return;
    fail_msg("%s at %g: up to t = %.6g unknown %zu is off by %.3g tolerances",
        dae_solver_stats(r->s)->method, tolerance, dae_solver_time(r->s), which,
        worst);
}

static void check_two_steps(const char *text, exact_fn *exact)
{
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < TOLERANCES; k++) {
            ride r;
            ride_start(&r, text, options_of(methods[m], tolerances[k]));
            for (int step = 0; step < 2; step++) {
                CHECK_STATUS(dae_solver_step(r.s), DAE_OK);
                check_inside(&r, exact, tolerances[k]);
            }
            ride_close(&r);
        }
}

static void index_1(void **state)
{
    (void)state;
    check_two_steps(tank_1, tank_1_at);
    check_two_steps(fast, fast_at);
    check_two_steps(accelerated, accelerated_at);
}

static void index_reduced(void **state)
{
    (void)state;
    check_two_steps(tank_2, tank_2_at);
    check_two_steps(pendulum, pendulum_at);
}

/* The steps that begin after the jump. */
static void behind_a_jump(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < TOLERANCES; k++) {
            ride r;
            int seen = 0;
            bool is_behind = false;
            ride_start(&r, jumping, options_of(methods[m], tolerances[k]));
            while (seen < 2) {
                CHECK_STATUS(dae_solver_step(r.s), DAE_OK);
                const double before = dae_solver_time(r.s)
                    - dae_solver_last_step(r.s);
                if (before < 1 - 1e-9) continue;
                /* the first step is a starter's, which goes by its stages alone: 50 t
                   turns one and a half times in it, and they may not see it */
                if (!is_behind) {
                    is_behind = true;
                    continue;
                }
                check_inside(&r, jumping_at, tolerances[k]);
                seen++;
            }
            assert_int_equal(dae_solver_stats(r.s)->restarts, 1);
            ride_close(&r);
        }
}

/* ---- what stays as it was ------------------------------------------------------------ */

static void show(const ride *r, double t, double *x)
{
    CHECK_STATUS(dae_solver_interpolate(r->s, t, x, NULL), DAE_OK);
}

/* What was asked before changes nothing, neither what is shown elsewhere nor a
 * step. */
static void check_asking(const char *text)
{
    ride asked, quiet;
    double a[RIDE_ROOM], b[RIDE_ROOM];
    ride_start(&asked, text, options_of("bdf", 1e-6));
    ride_start(&quiet, text, options_of("bdf", 1e-6));
    const size_t size = dae_problem_state_count(asked.p) * sizeof *a;
    for (int k = 0; k < 20; k++) {
        CHECK_STATUS(dae_solver_step(asked.s), DAE_OK);
        CHECK_STATUS(dae_solver_step(quiet.s), DAE_OK);
        const double t = dae_solver_time(asked.s);
        const double h = dae_solver_last_step(asked.s);
        assert_true(t == dae_solver_time(quiet.s));
        assert_memory_equal(dae_solver_x(asked.s), dae_solver_x(quiet.s), size);
        for (int i = 0; i < PLACES; i++) show(&asked, t - h * i / PLACES, a);
        show(&asked, t - 0.37 * h, a);
        show(&quiet, t - 0.37 * h, b);
        assert_memory_equal(a, b, size);
    }
    ride_close(&asked);
    ride_close(&quiet);
}

static void asking_changes_nothing(void **state)
{
    (void)state;
    check_asking(fast);
    check_asking(tank_2);
    check_asking(pendulum);
}

/* The ends of the first step are its points to the last bit, and what lies beside
 * them is beside them. */
static void ends_are_points(void **state)
{
    (void)state;
    ride r;
    double start[RIDE_ROOM], x[RIDE_ROOM];
    ride_start(&r, fast, options_of("bdf", 1e-6));
    memcpy(start, dae_solver_x(r.s), 3 * sizeof *x);
    CHECK_STATUS(dae_solver_step(r.s), DAE_OK);
    const double t = dae_solver_time(r.s);
    show(&r, 0, x);
    for (int i = 0; i < 3; i++) assert_true(fabs(x[i] - start[i]) < 1e-15);
    show(&r, t, x);
    assert_memory_equal(x, dae_solver_x(r.s), 3 * sizeof *x);
    show(&r, t * (1 - 1e-9), x);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(x[i] - dae_solver_x(r.s)[i]) < 1e-6);
    ride_close(&r);
}

/* Where an index of 2 is left as it stands, the equations at one time do not say
 * what c1 is: it stays on its line. */
static void what_is_not_determined_stays(void **state)
{
    (void)state;
    ride r;
    dae_options o = options_of("bdf", 1e-4);
    double x[3][2];
    o.reduce = DAE_REDUCE_NEVER;
    ride_start(&r, tank_2, o);
    CHECK_STATUS(dae_solver_step(r.s), DAE_OK);
    const double t = dae_solver_time(r.s);
    for (int k = 0; k < 3; k++)
        CHECK_STATUS(
            dae_solver_interpolate(r.s, t * k / 2, x[k], NULL), DAE_OK);
    assert_true(fabs(x[1][0] - (x[0][0] + x[2][0]) / 2) < 1e-14);
    ride_close(&r);
}

static void ask_first_step(trial *t, const void *what)
{
    ride r = {.ds = NULL};
    dae_status st;
    double x[RIDE_ROOM];
    trial_open(t);
    const dae_options o = options_of("bdf", 1e-6);
    ride_parse(&r, what);
    CHECK_STATUS(
        dae_solver_create(r.p, &o, &t->memory.allocator, t->ds, &r.s), DAE_OK);
    CHECK_STATUS(dae_solver_initialize(r.s), DAE_OK);
    CHECK_STATUS(dae_solver_step(r.s), DAE_OK);
    trial_arm(t);
    for (int k = 1; k < 4; k++) {
        TRIAL(t, st,
            dae_solver_interpolate(r.s, dae_solver_time(r.s) * k / 4, x, NULL));
        trial_note(t, "shown", st);
        trial_values(t, x, dae_problem_state_count(r.p));
    }
    ride_close(&r);
}

static void memory_fails(void **state)
{
    (void)state;
    assert_true(memory_sweep("index 1", ask_first_step, fast) > 0);
    assert_true(memory_sweep("reduced", ask_first_step, tank_2) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_1),
        cmocka_unit_test(index_reduced),
        cmocka_unit_test(behind_a_jump),
        cmocka_unit_test(asking_changes_nothing),
        cmocka_unit_test(ends_are_points),
        cmocka_unit_test(what_is_not_determined_stays),
        cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

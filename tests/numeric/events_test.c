/* What a run does where something turns: hand-written problems with closed forms. */
#include "check.h"
#include <dae/solver.h>

typedef struct ride {
    dae_problem problem;
    dae_events events;
    dae_options options;
    dae_diagnostics *ds;
    dae_solver *solver;
    double held[4];
    int told[2]; /* of each phase */
    double t_last, before[4], after[4];
    double times[64];
    size_t whens, switches;
} ride;

static dae_status note(void *context, const dae_event *e)
{
    ride *r = context;
    const size_t n = dae_problem_state_count(&r->problem);
    r->told[e->phase]++;
    r->t_last = e->t;
    memcpy(e->phase == DAE_EVENT_BEFORE ? r->before : r->after, e->x,
        n * sizeof(double));
    if (e->phase == DAE_EVENT_BEFORE) return DAE_OK;
    if (r->told[1] <= 64) r->times[r->told[1] - 1] = e->t;
    r->whens = e->when_count;
    r->switches = e->switch_count;
    return DAE_OK;
}

static void open_ride(ride *r, size_t n, dae_residual_fn *f)
{
    memset(r, 0, sizeof *r);
    r->problem = (dae_problem){
        .self = r, .unknown_count = n, .residual = f, .events = &r->events};
    r->events.held = r->held;
    r->options = dae_options_default();
    r->options.rtol = r->options.atol = 1e-9;
    r->options.t_end = 2;
    r->options.on_event = note;
    r->options.event_context = r;
    CHECK_STATUS(dae_diagnostics_create(NULL, &r->ds), DAE_OK);
}

static void start(ride *r, const double *x, const double *xp)
{
    CHECK_STATUS(
        dae_solver_create(&r->problem, &r->options, NULL, r->ds, &r->solver),
        DAE_OK);
    CHECK_STATUS(dae_solver_start(r->solver, 0, x, xp, 1), DAE_OK);
}

static void close_ride(ride *r)
{
    dae_solver_free(r->solver);
    dae_diagnostics_free(r->ds);
}

/* --- a ball: h'' = -10, h' := -h'/2 where h < 0 --- */

static const uint8_t second_order[] = {2};

static dae_status fall(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)x;
    res[0] = xp[0] + 10;
    return DAE_OK;
}

static dae_status height(
    void *self, double t, const double *x, const double *xp, double *g)
{
    (void)self, (void)t, (void)xp;
    g[0] = x[0];
    return DAE_OK;
}

static dae_status first_held(
    void *self, double t, const double *x, const double *xp, double *c)
{
    ride *r = self;
    (void)t, (void)x, (void)xp;
    c[0] = isnan(r->held[0]) ? x[0] < 0 : r->held[0];
    return DAE_OK;
}

static dae_status half_back(
    void *self, double t, const double *x, const double *xp, double *v)
{
    (void)self, (void)t, (void)xp;
    v[0] = -x[1] / 2;
    return DAE_OK;
}

static const dae_switch below = {DAE_SWITCH_BELOW, DAE_DOMAIN_POINT, 0, 0, 0};
static const dae_assignment speed = {.order = 1};
static const dae_when bounce = {.assignment_count = 1};

static void open_ball(ride *r)
{
    open_ride(r, 1, fall);
    r->problem.order = second_order;
    r->events.switch_count = r->events.when_count = 1;
    r->events.assignment_count = 1;
    r->events.switches = &below;
    r->events.whens = &bounce;
    r->events.assignments = &speed;
    r->events.roots = height;
    r->events.conditions = first_held;
    r->events.assigned = half_back;
}

/* Falls from 5 with no speed: on the ground at 1 with speed -10, then 5 up, back
 * at 2, 2.5 up, back at 2.5, and so on. */
static void test_ball(void **state)
{
    (void)state;
    ride r;
    const double x[] = {5, 0}, xp[] = {-10};
    double y[2];
    open_ball(&r);
    r.options.t_end = 2.6;
    start(&r, x, xp);
    CHECK_STATUS(dae_solver_advance(r.solver, 0.5, y, NULL), DAE_OK);
    CHECK_NEAR(y[0], 5 - 1.25, 1e-8);
    CHECK_STATUS(dae_solver_advance(r.solver, 2.6, y, NULL), DAE_OK);
    assert_int_equal(r.told[0], 3);
    assert_int_equal(r.told[1], 3);
    CHECK_NEAR(r.times[0], 1, 1e-9);
    CHECK_NEAR(r.times[1], 2, 1e-8);
    CHECK_NEAR(r.times[2], 2.5, 1e-8);
    CHECK_NEAR(r.before[1], -2.5, 1e-8);
    CHECK_NEAR(r.after[1], 1.25, 1e-8);
    CHECK_NEAR(y[1], 1.25 - 1, 1e-8);
    assert_int_equal(dae_solver_stats(r.solver)->events, 3);
    close_ride(&r);
}

/* On the ground and falling: it bounces at once, before any time goes by. */
static void test_ball_on_the_ground(void **state)
{
    (void)state;
    ride r;
    const double x[] = {0, -10}, xp[] = {-10};
    double y[2];
    open_ball(&r);
    r.options.t_end = 0.5;
    start(&r, x, xp);
    assert_int_equal(dae_solver_stands_at_event(r.solver), 1);
    CHECK_STATUS(dae_solver_advance(r.solver, 0.5, y, NULL), DAE_OK);
    assert_int_equal(r.told[1], 1);
    assert_true(r.times[0] == 0);
    CHECK_NEAR(y[1], 0, 1e-8);
    CHECK_NEAR(y[0], 1.25, 1e-8);
    close_ride(&r);
}

/* On the ground and rising: nothing happens before it comes back. */
static void test_ball_rises(void **state)
{
    (void)state;
    ride r;
    const double x[] = {0, 5}, xp[] = {-10};
    double y[2];
    open_ball(&r);
    start(&r, x, xp);
    CHECK_STATUS(dae_solver_advance(r.solver, 1, y, NULL), DAE_OK);
    assert_int_equal(dae_solver_stands_at_event(r.solver), 0);
    CHECK_STATUS(dae_solver_advance(r.solver, 1.2, y, NULL), DAE_OK);
    assert_int_equal(r.told[1], 1);
    CHECK_NEAR(r.times[0], 1, 1e-8);
    close_ride(&r);
}

/* --- a kink: x' = 1 + abs(x - 1) --- */

static double sign_of(const ride *r, double g)
{
    return isnan(r->held[0]) ? (g > 0) - (g < 0) : r->held[0];
}

static dae_status with_abs(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)t;
    res[0] = xp[0] - 1 - sign_of(self, x[0] - 1) * (x[0] - 1);
    return DAE_OK;
}

static dae_status above_one(
    void *self, double t, const double *x, const double *xp, double *g)
{
    (void)self, (void)t, (void)xp;
    g[0] = x[0] - 1;
    return DAE_OK;
}

static const dae_switch kink = {DAE_SWITCH_SIGN, DAE_DOMAIN_POINT, 1, 0, 0};

/* From 0: x = 2 - 2 exp(-t) up to 1 at log 2, then exp(t)/2. */
static void test_kink(void **state)
{
    (void)state;
    ride r;
    const double x[] = {0}, xp[] = {2};
    double y[1];
    open_ride(&r, 1, with_abs);
    r.events.switch_count = 1;
    r.events.switches = &kink;
    r.events.roots = above_one;
    start(&r, x, xp);
    CHECK_STATUS(dae_solver_advance(r.solver, 2, y, NULL), DAE_OK);
    assert_int_equal(r.told[1], 1);
    CHECK_NEAR(r.times[0], log(2), 1e-8);
    CHECK_NEAR(y[0], exp(2) / 2, 1e-7);
    close_ride(&r);
}

/* --- a relay: x' = -1 above 0, 1 below --- */

static dae_status relay(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const ride *r = self;
    const double is_below = isnan(r->held[0]) ? x[0] < 0 : r->held[0];
    (void)t;
    res[0] = xp[0] + (is_below != 0 ? -1 : 1);
    return DAE_OK;
}

static void test_relay(void **state)
{
    (void)state;
    ride r;
    const double x[] = {1}, xp[] = {-1};
    open_ride(&r, 1, relay);
    r.events.switch_count = 1;
    r.events.switches = &below;
    r.events.roots = height;
    start(&r, x, xp);
    CHECK_STATUS(dae_solver_advance(r.solver, 2, NULL, NULL), DAE_NUMERIC);
    CHECK_DIAG(r.ds, "E0521", 0, 0);
    close_ride(&r);
}

/* --- clocks: n counts the turns of two of them, of 0.25 and of 0.5 --- */

static dae_status counting(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const ride *r = self;
    (void)t, (void)x;
    res[0] = xp[0] - r->held[0];
    return DAE_OK;
}

static dae_status clocks(
    void *self, double t, const double *x, const double *xp, double *g)
{
    (void)self, (void)x, (void)xp;
    g[0] = t / 0.25;
    g[1] = t / 0.5;
    return DAE_OK;
}

static dae_status ticks(
    void *self, double t, const double *x, const double *xp, double *c)
{
    const ride *r = self;
    (void)t, (void)x, (void)xp;
    c[0] = fmod(isnan(r->held[1]) ? floor(t / 0.25) : r->held[1], 2) == 1;
    return DAE_OK;
}

static dae_status count_up(
    void *self, double t, const double *x, const double *xp, double *v)
{
    const ride *r = self;
    (void)t, (void)x, (void)xp;
    v[0] = r->held[0] + r->held[2];
    return DAE_OK;
}

static dae_status next_tick(void *self, double t, int direction, double *next)
{
    (void)self, (void)direction;
    *next = (floor(t / 0.25) + 1) * 0.25;
    return DAE_OK;
}

static const dae_switch two_clocks[] = {
    {DAE_SWITCH_FLOOR, DAE_DOMAIN_BREAK, 0, 0, 0},
    {DAE_SWITCH_FLOOR, DAE_DOMAIN_BREAK, 0, 0, 0}};
static const dae_assignment count = {.is_discrete = 1};

/* At 0.25, 0.75, 1.25, 1.75 the number of halves gone by is added: 0, 1, 2, 3. So
 * n is 0, 1 from 0.75, 3 from 1.25, 6 from 1.75, and x(2) 0.5 + 1.5 + 1.5. */
static void test_clocks(void **state)
{
    (void)state;
    ride r;
    const double x[] = {0}, xp[] = {0}, zero[] = {0};
    double y[1];
    open_ride(&r, 1, counting);
    r.events.discrete_count = 1;
    r.events.discrete_start = zero;
    r.events.switch_count = 2;
    r.events.switches = two_clocks;
    r.events.roots = clocks;
    r.events.when_count = r.events.assignment_count = 1;
    r.events.whens = &bounce;
    r.events.assignments = &count;
    r.events.conditions = ticks;
    r.events.assigned = count_up;
    r.events.next_break = next_tick;
    start(&r, x, xp);
    CHECK_STATUS(dae_solver_advance(r.solver, 2, y, NULL), DAE_OK);
    CHECK_NEAR(y[0], 3.5, 1e-12);
    assert_int_equal(r.told[1], 8);
    for (int k = 0; k < 8; k++) assert_true(r.times[k] == 0.25 * (k + 1));
    close_ride(&r);
}

/* --- to and fro in time, stops, calls that are made again --- */

/* Back from the apex at 0, it was on the ground at -1 with speed 10, and 20 before
 * that: h' := -h'/2 in that direction, too. */
static void test_ball_back_in_time(void **state)
{
    (void)state;
    ride r;
    const double x[] = {5, 0}, xp[] = {-10};
    double y[2];
    open_ball(&r);
    r.options.t_end = -1.5;
    start(&r, x, xp);
    CHECK_STATUS(dae_solver_advance(r.solver, -1.5, y, NULL), DAE_OK);
    assert_int_equal(r.told[1], 1);
    CHECK_NEAR(r.times[0], -1, 1e-9);
    CHECK_NEAR(r.before[1], 10, 1e-8);
    CHECK_NEAR(r.after[1], -5, 1e-8);
    CHECK_NEAR(y[1], -5 + 5, 1e-7);
    close_ride(&r);
}

static void test_stop(void **state)
{
    (void)state;
    static const dae_when stops = {
        .assignment_count = 1, .stop = "on the ground"};
    ride r;
    const double x[] = {5, 0}, xp[] = {-10};
    open_ball(&r);
    r.events.whens = &stops;
    start(&r, x, xp);
    CHECK_STATUS(dae_solver_advance(r.solver, 2, NULL, NULL), DAE_STOPPED);
    CHECK_NEAR(dae_solver_time(r.solver), 1, 1e-9);
    CHECK_NEAR(dae_solver_x(r.solver)[1], 5, 1e-8);
    CHECK_STATUS(dae_solver_step(r.solver), DAE_STOPPED);
    assert_int_equal(r.told[1], 1);
    close_ride(&r);
}

/* Steps one by one: it stands at the event with what was before; the next step
 * begins with what happens there. */
static void test_standing(void **state)
{
    (void)state;
    ride r;
    const double x[] = {5, 0}, xp[] = {-10};
    double y[2];
    open_ball(&r);
    start(&r, x, xp);
    while (!dae_solver_stands_at_event(r.solver))
        CHECK_STATUS(dae_solver_step(r.solver), DAE_OK);
    const double te = dae_solver_time(r.solver);
    CHECK_NEAR(te, 1, 1e-9);
    assert_int_equal(r.told[0], 0);
    CHECK_NEAR(dae_solver_x(r.solver)[1], -10, 1e-8);
    CHECK_STATUS(dae_solver_advance(r.solver, te, y, NULL), DAE_OK);
    CHECK_NEAR(y[1], -10, 1e-8);
    assert_int_equal(r.told[0], 0);
    assert_true(r.held[0] == 0);
    CHECK_STATUS(dae_solver_step(r.solver), DAE_OK);
    assert_int_equal(r.told[1], 1);
    CHECK_STATUS(dae_solver_interpolate(r.solver, te, y, NULL), DAE_OK);
    CHECK_NEAR(y[1], 5, 1e-8);
    close_ride(&r);
}

/* At the end of the interval an advance ends with what happens there. */
static void test_event_at_the_end(void **state)
{
    (void)state;
    ride r;
    const double x[] = {0}, xp[] = {0}, zero[] = {0};
    open_ride(&r, 1, counting);
    r.events.discrete_count = 1;
    r.events.discrete_start = zero;
    r.events.switch_count = 2;
    r.events.switches = two_clocks;
    r.events.roots = clocks;
    r.events.when_count = r.events.assignment_count = 1;
    r.events.whens = &bounce;
    r.events.assignments = &count;
    r.events.conditions = ticks;
    r.events.assigned = count_up;
    r.events.next_break = next_tick;
    r.options.t_end = 0.75;
    start(&r, x, xp);
    CHECK_STATUS(dae_solver_advance(r.solver, 0.75, NULL, NULL), DAE_OK);
    assert_int_equal(r.told[1], 3);
    assert_int_equal(dae_solver_stands_at_event(r.solver), 0);
    assert_true(r.held[0] == 1);
    CHECK_STATUS(dae_solver_step(r.solver), DAE_ARGUMENT);
    close_ride(&r);
}

/* Begun again from other values, nothing is left of the run before. */
static void test_begun_again(void **state)
{
    (void)state;
    ride r;
    const double x[] = {5, 0}, xp[] = {-10};
    double y[2], z[2];
    open_ball(&r);
    start(&r, x, xp);
    CHECK_STATUS(dae_solver_advance(r.solver, 1.5, y, NULL), DAE_OK);
    CHECK_STATUS(dae_solver_start(r.solver, 0, x, xp, 1), DAE_OK);
    CHECK_STATUS(dae_solver_advance(r.solver, 1.5, z, NULL), DAE_OK);
    assert_memory_equal(y, z, sizeof y);
    close_ride(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball),
        cmocka_unit_test(test_ball_on_the_ground),
        cmocka_unit_test(test_ball_rises),
        cmocka_unit_test(test_kink),
        cmocka_unit_test(test_relay),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_ball_back_in_time),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_standing),
        cmocka_unit_test(test_event_at_the_end),
        cmocka_unit_test(test_begun_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

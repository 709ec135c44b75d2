/* damping.c: what is kept off which lengths, on runs; what oscillates undamped is
 * left alone. */
#include "check.h"
#include "methods/bdf.h"
#include "methods/ndf.h"
#include "run/engine.h"
#include "step/damping.h"

/* x + i y, rate -a + i w, forced by c sin t. */
typedef struct oscillator {
    double a, w, force;
} oscillator;

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const oscillator *o = self;
    res[0] = xp[0] + o->a * x[0] + o->w * x[1] - o->force * sin(t);
    res[1] = xp[1] - o->w * x[0] + o->a * x[1];
    return DAE_OK;
}

/* theta'' = -sin theta, large. */
static dae_status pendulum(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] - x[1];
    res[1] = xp[1] + sin(x[0]);
    return DAE_OK;
}

typedef struct outcome {
    int64_t steps, banned; /* after how many of them something was kept off */
    band first[FORMULA_ORDER_MAX + 1];
    double size; /* at the end */
} outcome;

static outcome run(const formula *f, dae_residual_fn *equations, void *self,
    double rtol, double t_end)
{
    const dae_problem problem = {
        .self = self, .unknown_count = 2, .residual = equations};
    dae_options o = dae_options_default();
    dae_stats stats = {0};
    outcome out = {0};
    engine *e;
    o.rtol = o.atol = rtol;
    CHECK_STATUS(engine_create(&problem, &o, f, NULL, &stats,
                     dae_allocator_default(), NULL, &e),
        DAE_OK);
    double x[2] = {1, 0}, xp[2] = {0, 0}, res[2];
    CHECK_STATUS(equations(self, 0, x, xp, res), DAE_OK);
    for (int i = 0; i < 2; i++) xp[i] = -res[i];
    stepper *s = &e->stepper;
    stepper_start(s, 0, x, xp, copysign(1, t_end), 0, fabs(t_end));
    s->t_end = t_end;
    while (fabs(s->history.t) < fabs(t_end)) {
        assert_int_equal(stepper_step(s), STEP_FINE);
        out.steps++;
        if (s->selector.banned == 0) continue;
        if (out.banned++ == 0)
            memcpy(out.first, s->selector.bands, sizeof out.first);
    }
    out.size = hypot(s->point.x[0], s->point.x[1]);
    engine_free(e);
    return out;
}

/* The bands are those of the rate, whichever way time runs. */
static void a_damped_oscillation_is_seen(void **state)
{
    (void)state;
    oscillator o = {10, 500, 0};
    outcome out[2];
    for (int i = 0; i < 2; i++, o.a = -o.a)
        out[i] = run(ndf_formula(), residual, &o, 0.1, i ? -20 : 20);
    for (int i = 0; i < 2; i++) {
        assert_true(out[i].banned > 0);
        for (int q = 3; q <= 5; q++) {
            const band b = band_find(ndf_formula(), q, -10, 500);
            CHECK_NEAR(out[i].first[q].from / b.from, 1, 1e-3);
            CHECK_NEAR(out[i].first[q].to / b.to, 1, 1e-3);
        }
        /* exp(-200) is left, a tolerance is 0.1 */
        assert_true(out[i].size < 0.1);
    }
    assert_int_equal(out[0].steps, out[1].steps);
}

static void an_undamped_one_is_left_alone(void **state)
{
    (void)state;
    const formula *formulas[] = {bdf_formula(), ndf_formula()};
    for (int i = 0; i < 2; i++)
        for (double rtol = 1e-1; rtol > 0.9e-6; rtol /= 10) {
            oscillator o = {0, 1, 0}, forced = {0, 3, 1};
            const formula *f = formulas[i];
            assert_int_equal(run(f, residual, &o, rtol, 100).banned, 0);
            assert_int_equal(run(f, residual, &forced, rtol, 100).banned, 0);
            assert_int_equal(run(f, pendulum, NULL, rtol, 100).banned, 0);
        }
}

/* It dies out at once, and what is left is slow: no mode is seen. */
static void a_smooth_solution_is_left_alone(void **state)
{
    (void)state;
    oscillator o = {1, 0, 1};
    assert_int_equal(run(bdf_formula(), residual, &o, 1e-4, 100).banned, 0);
}

/* An engine at (1, 0), after an event where `is_behind`. */
static engine *begin(oscillator *o, double rtol, bool is_behind)
{
    static dae_problem problem;
    static dae_stats stats;
    problem = (dae_problem){
        .self = o, .unknown_count = 2, .residual = residual};
    stats = (dae_stats){0};
    dae_options options = dae_options_default();
    options.rtol = options.atol = rtol;
    engine *e;
    CHECK_STATUS(engine_create(&problem, &options, bdf_formula(), NULL, &stats,
                     dae_allocator_default(), NULL, &e),
        DAE_OK);
    const double x[2] = {1, 0}, xp[2] = {-o->a, o->w};
    stepper_start(&e->stepper, 0, x, xp, 1, 0, 1);
    e->stepper.watch.is_sought = true;
    if (is_behind) damping_pass(&e->stepper, 1);
    return e;
}

static void steps_until(engine *e, double t_end)
{
    e->stepper.t_end = t_end;
    while (e->stepper.history.t < t_end)
        assert_int_equal(stepper_step(&e->stepper), STEP_FINE);
}

/* What an event began is seen, and loses less; what was there before is not, nor is
 * what dies out. */
static void an_oscillation_that_an_event_began_keeps_its_amplitude(void **state)
{
    (void)state;
    for (double rtol = 1e-4; rtol > 0.9e-9; rtol /= 10) {
        oscillator o = {0, 30, 0}, damped = {12, 30, 0};
        double lost[2];
        for (int i = 0; i < 2; i++) {
            engine *e = begin(&o, rtol, i);
            steps_until(e, 1);
            const stepper *s = &e->stepper;
            assert_int_equal(s->selector.turns > 0, i);
            if (i) CHECK_NEAR(s->selector.turning, 30, 1e-6);
            lost[i] = fabs(1 - hypot(s->point.x[0], s->point.x[1]));
            engine_free(e);
        }
        assert_true(3 * lost[1] < lost[0]);
        engine *e = begin(&damped, rtol, true);
        steps_until(e, 0.2);
        assert_int_equal(e->stepper.selector.turns, 0);
        engine_free(e);
    }
}

/* Of its rate. */
static void an_oscillation_from_before_is_not_kept(void **state)
{
    (void)state;
    oscillator o = {0, 30, 0};
    engine *e = begin(&o, 1e-6, false);
    steps_until(e, 1);
    CHECK_NEAR(e->stepper.watch.rate, 30, 1e-6);
    damping_pass(&e->stepper, 0.01);
    steps_until(e, 2);
    assert_int_equal(e->stepper.selector.turns, 0);
    /* nor is it where the equations become a little stiffer */
    o.w = 40;
    damping_pass(&e->stepper, 0.01);
    steps_until(e, 3);
    assert_int_equal(e->stepper.selector.turns, 0);
    o.w = 80;
    damping_pass(&e->stepper, 0.01);
    steps_until(e, 4);
    assert_true(e->stepper.selector.turns > 0);
    CHECK_NEAR(e->stepper.selector.turning, 80, 1e-6);
    /* seen by steps that are too long for it, it is another */
    damping_pass(&e->stepper, 0.1);
    steps_until(e, 5);
    assert_true(e->stepper.selector.turns > 0);
    engine_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damped_oscillation_is_seen),
        cmocka_unit_test(an_undamped_one_is_left_alone),
        cmocka_unit_test(a_smooth_solution_is_left_alone),
        cmocka_unit_test(
            an_oscillation_that_an_event_began_keeps_its_amplitude),
        cmocka_unit_test(an_oscillation_from_before_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

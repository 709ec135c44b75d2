/* resume.c, starter.c: going on behind events that are made by hand. Oscillations of
 * known period whose right side has a kink, or jumps, where x goes through 0, and one
 * that is thrown back there. What 100 of them may cost beside a run without them is
 * what is asked of the solver: half as many steps again where no value jumps, five
 * times as many where one does. */
#include "methods/bdf.h"
#include "methods/bdf_flc.h"
#include "methods/ndf.h"
#include "methods/sdirk4.h"
#include "step/cut.h"
#include "step/resume.h"
#include "step/starter.h"
#include "stepping.h"

/* x'' = -f, f = x or what is behind the events; mode: the sign of x. All are
 * homogeneous, so that periods do not depend on how far x goes, and errors add up
 * as they do without events. */
typedef enum kind {
    PLAIN, /* f = x */
    KINK,  /* (1 + 0.3 mode) x */
    STEP,  /* x + 2 d mode x' */
    FORCE, /* the same, f being an unknown */
    BOUNCE /* x, and x' changes its sign where x = 0 */
} kind;

typedef struct swing {
    kind kind;
    double mode;
} swing;

static const double d = 0.2;

static double force(const swing *s, const double *x)
{
    switch (s->kind) {
    case KINK: return (1 + 0.3 * s->mode) * x[0];
    case STEP:
    case FORCE: return x[0] + 2 * d * s->mode * x[1];
    case PLAIN:
    case BOUNCE: break;
    }
    return x[0];
}

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const swing *s = self;
    (void)t;
    res[0] = xp[0] - x[1];
    res[1] = xp[1] + force(s, x);
    return DAE_OK;
}

static dae_status residual_with_force(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const swing *s = self;
    (void)t;
    res[0] = xp[0] - x[1];
    res[1] = xp[1] + x[2];
    res[2] = x[2] - force(s, x);
    return DAE_OK;
}

static void slopes(const swing *s, const double *x, double *xp)
{
    xp[0] = x[1];
    xp[1] = -force(s, x);
    xp[2] = 0;
}

/* f' as long as no mode changes */
static dae_status slope_of_force(
    void *self, double t, double delta, const double *x, double *xp)
{
    const swing *s = self;
    (void)t, (void)delta;
    xp[2] = x[1] - 2 * d * s->mode * x[2];
    return DAE_OK;
}

/* From x = 0 upwards with x' = 1 on. How long a mode lasts, and x since. */
static double half_period(const swing *s)
{
    const double pi = acos(-1);
    switch (s->kind) {
    case KINK: return pi / sqrt(1 + 0.3 * s->mode);
    case STEP:
    case FORCE: return pi / sqrt(1 - d * d);
    case PLAIN:
    case BOUNCE: break;
    }
    return pi;
}

static double since(const swing *s, double t)
{
    const double w = sqrt(1 + 0.3 * s->mode), v = sqrt(1 - d * d);
    const double speed = s->mode > 0 ? 1 : exp(-d * acos(-1) / v);
    switch (s->kind) {
    case KINK: return s->mode * sin(w * t) / w;
    case STEP:
    case FORCE: return s->mode * speed * exp(-d * s->mode * t) * sin(v * t) / v;
    case PLAIN: return s->mode * sin(t);
    case BOUNCE: break;
    }
    return sin(t);
}

typedef struct outcome {
    double error, steps, off; /* off: the largest of the events' times */
    int events, kept;
} outcome;

/* The time of x = 0 in the last step, by halving. */
static double find(const stepper *s, double from, double way)
{
    double low = from, high = s->history.t, x[STATES_MAX];
    for (int i = 0; i < 100; i++) {
        const double t = low + (high - low) / 2;
        stepper_at(s, t, x, NULL);
        if (x[0] * way > 0) high = t;
        else low = t;
    }
    return high;
}

static void turn(stepping *p, swing *s, double te)
{
    double x[STATES_MAX], xp[STATES_MAX];
    if (te != p->s->history.t) stepper_cut(p->s, te);
    memcpy(x, p->s->point.x, sizeof(double) * p->known->states);
    if (s->kind == BOUNCE) {
        x[0] = 0;
        x[1] = -x[1];
    } else {
        s->mode = -s->mode;
    }
    x[2] = force(s, x);
    slopes(s, x, xp);
    if (s->kind == BOUNCE) stepper_restart(p->s, te, x, xp, fabs(p->s->h));
    else stepper_resume(p->s, x, xp);
}

static const uint8_t force_orders[] = {1, 1, 0};

static void open(
    stepping *p, known_problem *k, const formula *f, double rtol, swing *s)
{
    const bool has_force = s->kind == FORCE;
    *k = (known_problem){.unknowns = has_force ? 3 : 2,
        .states = has_force ? 3 : 2,
        .order = has_force ? force_orders : NULL,
        .residual = has_force ? residual_with_force : residual};
    k->t_end = HUGE_VAL;
    stepping_open(p, k, f, rtol, 0, 0, s);
    const double x[STATES_MAX] = {0, 1, 2 * d};
    double xp[STATES_MAX];
    slopes(s, x, xp);
    stepper_start(p->s, 0, x, xp, 1, 0, 300);
}

/* `count` of its modes; 0 of them turn where it is plain. */
static outcome run(
    kind what, const formula *f, double rtol, int count, bool has_starter)
{
    swing s = {what, 1};
    outcome o = {0};
    stepping p;
    known_problem k;
    double began = 0;
    open(&p, &k, f, rtol, &s);
    p.s->starter.slopes = slope_of_force;
    p.s->starter.self = &s;
    if (has_starter)
        CHECK_STATUS(
            stepper_take_starter(p.s, sdirk4_formula(), &p.e->memory), DAE_OK);
    while (o.events < count) {
        const double t0 = p.s->history.t, way = what == BOUNCE ? -1 : -s.mode;
        assert_int_equal(stepper_step(p.s), STEP_FINE);
        const double t = p.s->history.t;
        const bool is_over = t > began + 0.5 && p.s->point.x[0] * way > 0;
        const double te = is_over ? find(p.s, fmax(t0, began + 0.5), way) : t;
        o.error = fmax(o.error,
            is_over ? 0 : fabs(p.s->point.x[0] - since(&s, t - began)));
        if (!is_over) continue;
        const int64_t restarts = p.stats.restarts;
        o.off = fmax(o.off, fabs(te - began - half_period(&s)));
        began += half_period(&s);
        o.events++;
        if (what == PLAIN) s.mode = -s.mode;
        else turn(&p, &s, te);
        if (p.stats.restarts == restarts) o.kept++;
    }
    o.steps = (double)p.stats.steps;
    stepping_close(&p);
    return o;
}

static const formula *formulas(int i)
{
    return i == 0 ? bdf_formula() : i == 1 ? bdf_flc_formula() : ndf_formula();
}

/* Errors come together as they do without events: from step to step. */
static void check(kind what, double most, bool has_starter)
{
    for (int m = 0; m < 3; m++)
        for (double rtol = 1e-4; rtol > 1e-10; rtol /= 100) {
            const outcome plain = run(
                PLAIN, formulas(m), rtol, 100, has_starter);
            const outcome o = run(what, formulas(m), rtol, 100, has_starter);
            assert_true(o.steps <= most * plain.steps);
            assert_true(o.error <= 4 * plain.error);
            assert_true(o.off <= 4 * fmax(plain.off, plain.error));
        }
}

static void kinks(void **state)
{
    (void)state;
    check(KINK, 1.5, true);
}

static void slopes_that_jump(void **state)
{
    (void)state;
    check(STEP, 1.5, true);
    check(FORCE, 1.5, true);
}

static void values_that_jump(void **state)
{
    (void)state;
    check(BOUNCE, 5, true);
    check(BOUNCE, 5, false);
}

/* Where nothing changes, nothing is begun anew, and a cut costs less than a step. */
static void what_is_smooth_is_kept(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        swing s = {PLAIN, 1};
        stepping p;
        known_problem k;
        double x[STATES_MAX], xp[STATES_MAX];
        open(&p, &k, formulas(m), 1e-6, &s);
        while (p.s->history.t < 60) {
            assert_int_equal(stepper_step(p.s), STEP_FINE);
            if (p.stats.steps % 10 != 0) continue;
            const double t = p.s->history.t;
            stepper_cut(p.s, t - 0.3 * p.s->last_h);
            memcpy(x, p.s->point.x, 2 * sizeof *x);
            slopes(&s, x, xp);
            stepper_resume(p.s, x, xp);
        }
        assert_int_equal(p.stats.restarts, 0);
        CHECK_NEAR(p.s->point.x[0], sin(p.s->history.t), 1e-3);
        stepping_close(&p);
    }
}

/* The starter's own steps are cut: two points lie at their ends. So are steps that
 * follow, before the point that is still ahead, and the next ones are short. */
static void starts_are_cut(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int step = 1; step <= 2; step++) {
            swing s = {FORCE, 1};
            stepping p;
            known_problem k;
            double x[STATES_MAX], xp[STATES_MAX], now[STATES_MAX];
            open(&p, &k, formulas(m), 1e-6, &s);
            p.s->starter.slopes = slope_of_force;
            p.s->starter.self = &s;
            CHECK_STATUS(
                stepper_take_starter(p.s, sdirk4_formula(), &p.e->memory),
                DAE_OK);
            while (p.s->history.t < 0.5)
                assert_int_equal(stepper_step(p.s), STEP_FINE);
            memcpy(x, p.s->point.x, 3 * sizeof *x);
            slopes(&s, x, xp);
            stepper_restart(p.s, p.s->history.t, x, xp, 0.05);
            assert_true(starter_works(p.s));
            for (int i = 0; i < step; i++)
                assert_int_equal(stepper_step(p.s), STEP_FINE);
            const double t = p.s->history.t, h = p.s->last_h;
            stepper_at(p.s, t - 0.9 * h, x, xp);
            stepper_cut(p.s, t - 0.4 * h);
            stepper_at(p.s, t - 0.9 * h, now, NULL);
            for (int i = 0; i < 3; i++) CHECK_NEAR(now[i], x[i], 1e-14);
            stepper_at(p.s, t - 0.4 * h, now, NULL);
            for (int i = 0; i < 3; i++) assert_true(now[i] == p.s->point.x[i]);
            for (int i = 0; i < 2; i++) {
                p.s->h = h;
                assert_int_equal(stepper_step(p.s), STEP_FINE);
                stepper_cut(p.s, p.s->history.t - 0.999 * p.s->last_h);
            }
            p.s->h = 0.1 * h;
            if (p.s->selector.order > 3) p.s->selector.order = 3;
            while (p.s->history.t < 1.5)
                assert_int_equal(stepper_step(p.s), STEP_FINE);
            CHECK_NEAR(p.s->point.x[0], since(&s, p.s->history.t), 1e-5);
            assert_int_equal(p.stats.nonfinite_failures, 0);
            stepping_close(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinks),
        cmocka_unit_test(slopes_that_jump),
        cmocka_unit_test(values_that_jump),
        cmocka_unit_test(what_is_smooth_is_kept),
        cmocka_unit_test(starts_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* mode.c: what is found in differences of motions that are known by hand. Three
 * unknowns: x + i y oscillates with -10 + 50i, z decays with -1; s is forced on all
 * of them where it is on. */
#include "check.h"
#include "methods/bdf.h"
#include "run/engine.h"
#include "step/mode.h"

enum { N = 3, ORDER = 4 };
static const double a = 10, w = 50;

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + a * x[0] + w * x[1];
    res[1] = xp[1] - w * x[0] + a * x[1];
    res[2] = xp[2] + x[2];
    return DAE_OK;
}

static const dae_problem problem = {.unknown_count = N, .residual = residual};

typedef void curve_fn(double t, double *x);

/* The motion itself, with a tenth of the slow one. */
static void free_motion(double t, double *x)
{
    x[0] = exp(-a * t) * cos(w * t);
    x[1] = exp(-a * t) * sin(w * t);
    x[2] = 0.1 * exp(-t);
}

/* As fast an oscillation, undamped and across the plane of the motion. */
static void forced_motion(double t, double *x)
{
    x[0] = cos(w * t);
    x[1] = 0.3 * cos(w * t + 1);
    x[2] = sin(w * t);
}

static void slow_motion(double t, double *x)
{
    x[0] = cos(t);
    x[1] = sin(t);
    x[2] = exp(-t);
}

typedef struct fixture {
    engine *e;
    dae_stats stats;
    grid grid;
    double d[N], weights[N];
} fixture;

/* An engine with a Jacobian, and a history of the curve on steps h[0], ..., the
 * last of which is not in the history yet. */
static mode_point open_fixture(
    fixture *f, curve_fn *curve, const double *h, int steps)
{
    const dae_options o = dae_options_default();
    double x[N] = {1, 0, 1}, xp[N] = {-a, w, -1}, t = 0;
    memset(f, 0, sizeof *f);
    CHECK_STATUS(engine_create(&problem, &o, bdf_formula(), NULL, &f->stats,
                     dae_allocator_default(), NULL, &f->e),
        DAE_OK);
    stepper *s = &f->e->stepper;
    stepper_start(s, 0, x, xp, h[0] > 0 ? 1 : -1, 1e-4, 1);
    s->t_end = copysign(HUGE_VAL, h[0]);
    for (int i = 0; i < 5; i++) assert_int_equal(stepper_step(s), STEP_FINE);
    curve(0, x);
    history_start(&s->history, 0, x, xp, h[0]);
    for (int i = 0; i < steps; i++) {
        const int k = i < ORDER ? i + 1 : ORDER;
        curve(t += h[i], x);
        history_grid(&s->history, h[i], &f->grid);
        for (int j = 0; j < N; j++) {
            f->d[j] = x[j];
            for (int r = 0; r <= k; r++)
                f->d[j] -= f->grid.beta[r] * s->history.phi[r][j];
        }
        if (i + 1 < steps) history_push(&s->history, &f->grid, k, x, f->d, 0);
    }
    for (int j = 0; j < N; j++) f->weights[j] = 1;
    return (mode_point){&s->history, &f->grid, ORDER, f->weights, f->d, NULL};
}

static mode_rate find(fixture *f, const mode_point *p)
{
    mode_rate r;
    stepper *s = &f->e->stepper;
    CHECK_STATUS(mode_find(&s->watch, s->newton, p, &r), DAE_OK);
    return r;
}

enum { STEPS = 9 };
static const double equal[STEPS] = {
    0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01};
static const double unequal[STEPS] = {
    0.01, 0.01, 0.012, 0.012, 0.009, 0.009, 0.011, 0.011, 0.008};

static void check_free(const double *h, double sign)
{
    fixture f;
    const mode_point p = open_fixture(&f, free_motion, h, STEPS);
    const mode_rate r = find(&f, &p), other = {-1, 5};
    assert_true(mode_lasts(&p));
    /* differences of order 5 and 4 of the slow motion are 1e-10 and 1e-8 */
    CHECK_NEAR(r.re, -a, 1e-4);
    CHECK_NEAR(fabs(r.im), w, 1e-4);
    assert_true(mode_rest(&p, &r) < 1e-4);
    /* a motion ten times slower would not have these differences */
    assert_true(mode_rest(&p, &other) > 0.5);
    assert_true(sign * f.grid.h > 0);
    engine_free(f.e);
}

static void a_motion_is_found_on_any_grid(void **state)
{
    (void)state;
    double back[STEPS];
    for (int i = 0; i < STEPS; i++) back[i] = -unequal[i];
    check_free(equal, 1);
    check_free(unequal, 1);
    check_free(back, -1);
}

static void what_is_forced_is_no_motion(void **state)
{
    (void)state;
    fixture f;
    const mode_point p = open_fixture(&f, forced_motion, equal, STEPS);
    assert_true(mode_lasts(&p));
    assert_true(find(&f, &p).re >= 0); /* nothing */
    engine_free(f.e);
}

static void what_is_slow_does_not_last(void **state)
{
    (void)state;
    fixture f;
    const mode_point p = open_fixture(&f, slow_motion, equal, STEPS);
    const mode_rate fast = {-a, w};
    assert_false(mode_lasts(&p));
    assert_true(mode_rest(&p, &fast) > 10);
    engine_free(f.e);
}

/* Points that coincide are no grid to judge on. */
static void a_start_says_nothing(void **state)
{
    (void)state;
    fixture f;
    const mode_point p = open_fixture(&f, free_motion, equal, ORDER);
    const mode_rate fast = {-a, w};
    assert_true(isinf(mode_rest(&p, &fast)));
    engine_free(f.e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motion_is_found_on_any_grid),
        cmocka_unit_test(what_is_forced_is_no_motion),
        cmocka_unit_test(what_is_slow_does_not_last),
        cmocka_unit_test(a_start_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

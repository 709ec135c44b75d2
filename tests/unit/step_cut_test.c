/* cut.c: a step that ends at an earlier time has the values there that it had, and
 * what comes behind it is a run of the same accuracy; stops, which are met to the
 * bit; the grid of fixed steps, which stays what it is. */
#include "methods/bdf.h"
#include "methods/bdf_flc.h"
#include "methods/euler.h"
#include "methods/leapfrog.h"
#include "methods/ndf.h"
#include "methods/radau.h"
#include "methods/rk4.h"
#include "methods/trapezoid.h"
#include "random.h"
#include "step/cut.h"
#include "stepping.h"

/* ---- problems -------------------------------------------------------------------- */

/* Latest and earliest time that was requested. */
static double latest, earliest;

static void note(double t)
{
    latest = fmax(latest, t);
    earliest = fmin(earliest, t);
}

static dae_status wave(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    note(t);
    res[0] = xp[0] - x[1];
    res[1] = xp[1] + x[0];
    return DAE_OK;
}

static void wave_exact(double t, double *x, double *xp)
{
    x[0] = sin(t), x[1] = cos(t);
    xp[0] = cos(t), xp[1] = -sin(t);
}

/* The same as one unknown of order 2. */
static const uint8_t second_order[] = {2};

static dae_status swing(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    note(t);
    res[0] = xp[0] + x[0];
    return DAE_OK;
}

static void swing_exact(double t, double *x, double *xp)
{
    x[0] = sin(t), x[1] = cos(t);
    xp[0] = -sin(t);
}

static const known_problem problems[] = {
    {2, 2, NULL, wave, wave_exact, 60},
    {1, 2, second_order, swing, swing_exact, 60},
    {2, 2, index_1_orders, square_residual, square_exact, 30},
};
enum { PROBLEMS = 3, MULTISTEP = 3 };

static const formula *multistep(int i)
{
    return i == 0 ? bdf_formula() : i == 1 ? bdf_flc_formula() : ndf_formula();
}

/* ---- cutting --------------------------------------------------------------------- */

static double share_of(random_state *r)
{
    return 0.5 + 0.5 * random_unit(r);
}

/* A third of the cuts is right behind the beginning of the step. */
static double place(random_state *r)
{
    const double u = share_of(r);
    return share_of(r) < 1.0 / 3 ? pow(10, -8 * u) : u;
}

/* Cuts the last step and looks at what is left of it; the values were found by the
 * same polynomial, so rounding is all that may differ. */
static void cut_and_look(stepping *p, double share)
{
    enum { LOOKS = 5 };
    stepper *s = p->s;
    const double t = s->history.t, h = s->last_h, te = t - h + share * h;
    double x[LOOKS][STATES_MAX], xp[LOOKS][STATES_MAX], now[STATES_MAX],
        slope[STATES_MAX];
    if (!((te - (t - h)) * h > 0) || te == t) return;
    for (int i = 0; i < LOOKS; i++)
        stepper_at(s, te - share * h * i / LOOKS, x[i], xp[i]);
    stepper_cut(s, te);
    assert_true(s->history.t == te && s->point.t == te);
    CHECK_NEAR(s->last_h, share * h, 4e-16 * (fabs(t) + fabs(h)));
    for (int i = 0; i < LOOKS; i++) {
        stepper_at(s, te - share * h * i / LOOKS, now, slope);
        for (size_t k = 0; k < p->known->states; k++)
            CHECK_NEAR(now[k], x[i][k], 1e-14);
        for (size_t k = 0; k < p->known->unknowns; k++)
            CHECK_NEAR(slope[k], xp[i][k], 1e-13 / fmin(fabs(h), 1));
    }
    stepper_at(s, te, now, NULL);
    for (size_t k = 0; k < p->known->states; k++) {
        assert_true(now[k] == x[0][k]);
        assert_true(now[k] == s->point.x[k]);
    }
}

typedef struct outcome {
    double error, steps;
    int cuts;
} outcome;

/* With a cut behind every `every` steps (0: none), in the direction given. */
static outcome run(const known_problem *k, const formula *f, double rtol,
    int every, double direction, random_state *r)
{
    outcome o = {0};
    stepping p;
    double x[STATES_MAX], xp[STATES_MAX];
    const double end = direction * k->t_end;
    stepping_open(&p, k, f, rtol, 0, 0, NULL);
    p.s->t_end = end;
    k->exact(0, x, xp);
    stepper_start(p.s, 0, x, xp, direction, 0, k->t_end);
    while (p.s->history.t != end) {
        assert_int_equal(stepper_step(p.s), STEP_FINE);
        if (every > 0 && p.stats.steps % every == 0) {
            cut_and_look(&p, place(r));
            o.cuts++;
        }
        k->exact(p.s->history.t, x, xp);
        for (size_t i = 0; i < k->states; i++)
            o.error = fmax(o.error, fabs(p.s->point.x[i] - x[i]));
    }
    o.steps = (double)p.stats.steps;
    stepping_close(&p);
    return o;
}

/* More than 1000 places in all. Values at a cut have an error as at a point, so
 * errors stay what they are but for luck with it, which the mean has less of. */
static void cuts_cost_no_accuracy(void **state)
{
    random_state r = {7};
    int cuts = 0, runs = 0;
    double logarithms = 0;
    (void)state;
    for (int m = 0; m < MULTISTEP; m++)
        for (int i = 0; i < PROBLEMS; i++)
            for (double rtol = 1e-4; rtol > 1e-10; rtol /= 100) {
                const double direction = i == 2 || cuts % 2 ? 1 : -1;
                const outcome plain = run(
                    &problems[i], multistep(m), rtol, 0, direction, &r);
                const outcome cut = run(
                    &problems[i], multistep(m), rtol, 7, direction, &r);
                assert_true(cut.error <= 6 * plain.error);
                logarithms += log(cut.error / plain.error);
                cuts += cut.cuts;
                runs++;
            }
    assert_true(logarithms / runs <= log(1.5));
    assert_true(cuts >= 1000);
}

/* With one in ten steps cut, half of one is lost by each. */
static void cuts_cost_few_steps(void **state)
{
    random_state r = {11};
    (void)state;
    for (int m = 0; m < MULTISTEP; m++)
        for (int i = 0; i < 2; i++) {
            const outcome plain = run(
                &problems[i], multistep(m), 1e-6, 0, 1, &r);
            const outcome cut = run(
                &problems[i], multistep(m), 1e-6, 10, 1, &r);
            assert_true(cut.steps <= 1.2 * plain.steps);
        }
}

/* Every step, and the same one again. */
static void a_step_is_cut_again(void **state)
{
    stepping p;
    random_state r = {3};
    double x[STATES_MAX], xp[STATES_MAX];
    (void)state;
    for (int m = 0; m < MULTISTEP; m++) {
        stepping_open(&p, &problems[0], multistep(m), 1e-6, 0, 0, NULL);
        stepping_start(&p);
        for (int n = 0; n < 300 && p.s->history.t < 50; n++) {
            assert_int_equal(stepper_step(p.s), STEP_FINE);
            for (int i = 0; i < 3; i++) cut_and_look(&p, share_of(&r));
        }
        wave_exact(p.s->history.t, x, xp);
        for (int i = 0; i < 2; i++) CHECK_NEAR(p.s->point.x[i], x[i], 3e-4);
        stepping_close(&p);
    }
}

/* Where the cube of what is left of a cubic is no number any more. */
static void a_cubic_cut_at_its_beginning_is_a_start(void **state)
{
    stepping p;
    double x[STATES_MAX], xp[STATES_MAX];
    (void)state;
    stepping_open(&p, &problems[0], radau_formula(), 1e-6, 0, 0, NULL);
    stepping_start(&p);
    assert_int_equal(stepper_step(p.s), STEP_FINE);
    stepper_cut(p.s, 1e-120);
    assert_int_equal(p.s->last_order, p.s->history.count - 1);
    while (p.s->history.t < 1) assert_int_equal(stepper_step(p.s), STEP_FINE);
    wave_exact(p.s->history.t, x, xp);
    for (int i = 0; i < 2; i++) CHECK_NEAR(p.s->point.x[i], x[i], 1e-5);
    stepping_close(&p);
}

/* ---- stops ----------------------------------------------------------------------- */

/* Ends of steps at 0.37 n, to the bit; nothing is requested behind them before. */
static void stops_are_met(void **state)
{
    stepping p;
    double x[STATES_MAX], xp[STATES_MAX];
    (void)state;
    for (int m = 0; m < MULTISTEP; m++) {
        int n = 1;
        double error = 0;
        stepping_open(&p, &problems[0], multistep(m), 1e-6, 0, 0, NULL);
        stepping_start(&p);
        latest = 0;
        while (p.s->history.t < 60) {
            p.s->t_stop = 0.37 * n;
            assert_int_equal(stepper_step(p.s), STEP_FINE);
            assert_true(latest <= fmin(p.s->t_stop, 60));
            if (p.s->history.t == p.s->t_stop) n++;
            wave_exact(p.s->history.t, x, xp);
            for (int i = 0; i < 2; i++)
                error = fmax(error, fabs(p.s->point.x[i] - x[i]));
        }
        assert_int_equal(n, 163);
        const outcome plain = run(&problems[0], multistep(m), 1e-6, 0, 1, NULL);
        assert_true(error <= 4 * plain.error);
        assert_true((double)p.stats.steps <= plain.steps + 162);
        stepping_close(&p);
    }
}

/* ---- fixed steps ----------------------------------------------------------------- */

/* Cuts leave the grid as it is, and as many cuts the order: errors fall with h^q. */
static double fixed_error(const formula *f, int order, double h, bool has_stops)
{
    const known_problem *k = &problems[1];
    stepping p;
    random_state r = {5};
    double x[STATES_MAX], xp[STATES_MAX], error = 0;
    int64_t n = 0;
    stepping_open(&p, k, f, 1e-6, h, order, NULL);
    p.s->t_end = 4;
    stepping_start(&p);
    for (int i = 0; p.s->history.t < 4; i++) {
        if (has_stops) p.s->t_stop = 1.7;
        assert_int_equal(stepper_step(p.s), STEP_FINE);
        if (p.s->history.t != 1.7) {
            n++;
            assert_true(p.s->history.t == fmin((double)n * h, 4));
        }
        if (i % (int)(0.9 / h) == 7) { /* four of them */
            if (p.s->history.t != 1.7) n--;
            cut_and_look(&p, 0.1 + 0.8 * share_of(&r));
        }
        k->exact(p.s->history.t, x, xp);
        error = fmax(error, fabs(p.s->point.x[0] - x[0]));
    }
    stepping_close(&p);
    return error;
}

static void fixed_steps_keep_their_grid(void **state)
{
    const struct {
        const formula *f;
        int order;
    } of[] = {{bdf_formula(), 2}, {bdf_flc_formula(), 2}, {ndf_formula(), 2},
        {trapezoid_formula(), 2}, {rk4_formula(), 4}, {verlet_formula(), 2},
        {symplectic_euler_formula(), 1}, {euler_formula(), 1}};
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int stops = 0; stops < 2; stops++) {
            const double coarse = fixed_error(
                of[i].f, of[i].order, 1.0 / 32, stops);
            const double fine = fixed_error(
                of[i].f, of[i].order, 1.0 / 128, stops);
            const double order = log(coarse / fine) / log(4);
            assert_true(order > of[i].order - 0.35);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_cost_no_accuracy),
        cmocka_unit_test(cuts_cost_few_steps),
        cmocka_unit_test(a_step_is_cut_again),
        cmocka_unit_test(a_cubic_cut_at_its_beginning_is_a_start),
        cmocka_unit_test(stops_are_met),
        cmocka_unit_test(fixed_steps_keep_their_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

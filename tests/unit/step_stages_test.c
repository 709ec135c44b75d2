/* parts.h: a one-step method of two stages that brings an estimate of its error and a
 * curve of its own. The SDIRK method of order 2 with gamma = 1 - 1/sqrt(2) [HW96 IV.6];
 * its first stage's slope alone makes a formula of order 1, from which the
 * estimate is. What is expected follows from these orders. */
#include "stepping.h"

enum { BEGIN, FIRST, SECOND, KEPT }; /* x at the beginning, stages' slopes */

static double gamma_of(void)
{
    return 1 - 1 / sqrt(2);
}

static newton_outcome make(transition *s)
{
    const double g = gamma_of(), h = s->task.h;
    double *base = s->work[0], *k1 = s->made[FIRST], *k2 = s->made[SECOND];
    const size_t n = s->layout->states;
    memcpy(s->made[BEGIN], s->x, n * sizeof *base);
    memcpy(base, s->x, n * sizeof *base);
    memcpy(k1, s->slope, n * sizeof *k1);
    const double t_new = s->task.t;
    s->task.t = s->t + g * h;
    newton_outcome out = transition_stage(s, 1 / (g * h), base, k1);
    if (out != NEWTON_CONVERGED) return out;
    for (size_t i = 0; i < n; i++) base[i] = s->x[i] + (1 - g) * h * k1[i];
    memcpy(k2, k1, n * sizeof *k2);
    s->task.t = t_new;
    out = transition_stage(s, 1 / (g * h), base, k2);
    for (size_t i = 0; i < n; i++) s->error[i] = g * h * (k2[i] - k1[i]);
    return out;
}

/* Weights of order 2 at every point of the step; they meet its end. */
static void curve(const curve_step *s, double share, size_t begin, size_t end,
    double *x, double *slope)
{
    const double g = gamma_of();
    const double b = (share * share / 2 - g * share) / (1 - g);
    const double db = (share - g) / (1 - g);
    for (size_t i = begin; i < end; i++) {
        const double k1 = s->kept[FIRST][i], k2 = s->kept[SECOND][i];
        if (x)
            x[i - begin] = s->kept[BEGIN][i]
                + s->h * ((share - b) * k1 + b * k2);
        if (slope) slope[i - begin] = (1 - db) * k1 + db * k2;
    }
}

static const one_step two_stages = {.order = 2, .make = make};
/* Errors are of h^3 where the estimate is of h^2, so steps are many for their error;
 * what the corrector leaves in 10^5 of them is to be small beside a tolerance. */
static const method_parts sdirk_parts = {.work = 1,
    .kept = KEPT,
    .error_order = 1,
    .remainder = 1e-6,
    .curve = curve};
static const formula sdirk = {.name = "sdirk",
    .max_order_fixed = 2,
    .one_step = &two_stages,
    .parts = &sdirk_parts};

static void it_is_of_its_order(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        check_fixed_order(&index_1_problems[i], &sdirk, 2, 0.02, 2);
}

/* Steps go with tol^(1/2), as the estimate is of h^2, and errors, of h^2, with
 * tol; so errors go with steps^-2. Which of them are tested is the norm's. */
static void the_error_chooses_its_steps(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        check_chosen_steps(&index_1_problems[i], &sdirk, 1e-4, 2);
}

/* A method that says nothing of its error is told from one that does. */
static void without_an_estimate_steps_are_fixed(void **state)
{
    static const formula plain = {.one_step = &two_stages};
    (void)state;
    assert_true(method_estimates(&sdirk));
    assert_false(method_estimates(&plain));
}

/* It meets both ends, where the machine answers, and is of order 2 between: far
 * from the cubic's rounding and within a few times the error at the points. */
static void its_curve_is_given_out(void **state)
{
    stepping p;
    double x[2], xp[2], near[2], exact[2], slope[2];
    (void)state;
    stepping_open(&p, &index_1_problems[0], &sdirk, 1e-5, 0, 0, NULL);
    stepping_start(&p);
    while (p.s->history.t < p.known->t_end) {
        assert_int_equal(stepper_step(p.s), STEP_FINE);
        const double t = p.s->history.t, h = p.s->last_h;
        stepper_at(p.s, t - h / 2, x, xp);
        const method_memory *m = &p.s->memory;
        const double g = gamma_of(), b = (0.125 - g / 2) / (1 - g);
        for (int i = 0; i < 2; i++)
            CHECK_NEAR(x[i],
                m->kept[BEGIN][i]
                    + h
                        * ((0.5 - b) * m->kept[FIRST][i]
                            + b * m->kept[SECOND][i]),
                1e-15);
        square_exact(t - h / 2, exact, slope);
        for (int i = 0; i < 2; i++) CHECK_NEAR(x[i], exact[i], 1e-4);
        CHECK_NEAR(xp[0], slope[0], 1e-2);
        for (int end = 0; end < 2; end++) {
            stepper_at(p.s, end ? t : t - h, x, NULL);
            stepper_at(p.s, end ? t - 1e-9 * h : t - h + 1e-9 * h, near, NULL);
            for (int i = 0; i < 2; i++) CHECK_NEAR(near[i], x[i], 1e-9 * h * 3);
        }
    }
    stepping_close(&p);
}

/* y' = z - y, z jumps from 0 to 1 at t = 1. */
static dae_status jump_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    res[0] = xp[0] + x[0] - x[1];
    res[1] = x[1] - (t < 1 ? 0 : 1);
    return DAE_OK;
}

static void jump_exact(double t, double *x, double *xp)
{
    const double one = exp(-1);
    x[0] = t < 1 ? exp(-t) : 1 + (one - 1) * exp(1 - t);
    x[1] = t < 1 ? 0 : 1;
    xp[0] = x[1] - x[0], xp[1] = 0;
}

static void it_crosses_a_jump(void **state)
{
    static const known_problem jump = {
        2, 2, index_1_orders, jump_residual, jump_exact, 2};
    stepping p;
    double x[2], exact[2], slope[2];
    (void)state;
    stepping_open(&p, &jump, &sdirk, 1e-5, 0, 0, NULL);
    stepping_start(&p);
    while (p.s->history.t < jump.t_end) {
        assert_int_equal(stepper_step(p.s), STEP_FINE);
        for (int part = 0; part < 2; part++) {
            const double t = p.s->history.t - part * p.s->last_h / 2;
            stepper_at(p.s, t, x, NULL);
            jump_exact(t, exact, slope);
            CHECK_NEAR(x[0], exact[0], 1e-4);
            if (part == 0) CHECK_NEAR(x[1], exact[1], 1e-5);
        }
    }
    assert_int_equal(p.stats.restarts, 1);
    stepping_close(&p);
}

/* The n-th evaluation, 1, 2, ..., says that there is no memory. */
typedef struct stop {
    int at, count;
} stop;

static dae_status stopping_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    stop *s = self;
    if (++s->count == s->at) return DAE_MEMORY;
    return root_residual(NULL, t, x, xp, res);
}

/* A stopped step that is gone on with comes out as one that was not. */
static void a_stopped_step_goes_on(void **state)
{
    static const known_problem stopping = {
        2, 2, index_1_orders, stopping_residual, root_exact, 0.05};
    double first[2] = {0, 0};
    int evaluations = 1;
    (void)state;
    for (int at = 0; at <= evaluations; at++) {
        stop stops = {.at = at};
        stepping p;
        stepping_open(&p, &stopping, &sdirk, 1e-5, 0, 0, &stops);
        stepping_start(&p);
        int stopped = 0;
        while (p.s->history.t < stopping.t_end) {
            const step_failure why = stepper_step(p.s);
            if (why == STEP_STOPPED) stopped++;
            else assert_int_equal(why, STEP_FINE);
        }
        if (at == 0) {
            memcpy(first, p.s->point.x, sizeof first);
            evaluations = stops.count;
        }
        assert_int_equal(stopped, at > 0);
        assert_memory_equal(first, p.s->point.x, sizeof first);
        stepping_close(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_of_its_order),
        cmocka_unit_test(the_error_chooses_its_steps),
        cmocka_unit_test(without_an_estimate_steps_are_fixed),
        cmocka_unit_test(its_curve_is_given_out),
        cmocka_unit_test(it_crosses_a_jump),
        cmocka_unit_test(a_stopped_step_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

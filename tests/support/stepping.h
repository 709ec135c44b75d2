/* Steps of a method that is handed to the machine itself, with problems whose
 * solutions are known. */
#ifndef SUPPORT_STEPPING_H
#define SUPPORT_STEPPING_H

#include "check.h"
#include "run/engine.h"

enum { STATES_MAX = 4 };

/* Values of all states and highest derivatives at t. */
typedef void exact_fn(double t, double *x, double *xp);

typedef struct known_problem {
    size_t unknowns, states;
    const uint8_t *order; /* NULL: all 1 */
    dae_residual_fn *residual;
    exact_fn *exact;
    double t_end;
} known_problem;

typedef struct stepping {
    engine *e;
    stepper *s;
    dae_problem problem;
    dae_stats stats;
    const known_problem *known;
} stepping;

/* Before its start; `self` for the residual. h > 0: fixed steps. */
static inline void stepping_open(stepping *p, const known_problem *k,
    const formula *f, double rtol, double h, int order, void *self)
{
    dae_options o = dae_options_default();
    *p = (stepping){.known = k};
    p->problem = (dae_problem){.self = self,
        .unknown_count = k->unknowns,
        .order = k->order,
        .residual = k->residual};
    o.rtol = o.atol = rtol;
    o.step = h;
    CHECK_STATUS(engine_create(&p->problem, &o, f, NULL, &p->stats,
                     dae_allocator_default(), NULL, &p->e),
        DAE_OK);
    p->s = &p->e->stepper;
    p->s->t_end = k->t_end;
    p->s->fixed.length = h;
    p->s->fixed.order = order;
    if (h > 0) newton_tighten(&p->e->newton);
}

static inline void stepping_start(stepping *p)
{
    double x[STATES_MAX], xp[STATES_MAX];
    p->known->exact(0, x, xp);
    stepper_start(p->s, 0, x, xp, 1, 0, p->known->t_end);
}

/* To the end; the largest error of each state at the end of a step. */
static inline void stepping_run(stepping *p, double *error)
{
    double x[STATES_MAX], xp[STATES_MAX];
    for (size_t i = 0; i < p->known->states; i++) error[i] = 0;
    while (p->s->history.t < p->known->t_end) {
        assert_int_equal(stepper_step(p->s), STEP_FINE);
        p->known->exact(p->s->history.t, x, xp);
        for (size_t i = 0; i < p->known->states; i++)
            error[i] = fmax(error[i], fabs(p->s->point.x[i] - x[i]));
    }
    assert_true(p->s->history.t == p->known->t_end);
}

static inline void stepping_close(stepping *p)
{
    engine_free(p->e);
}

/* The steps it took; errors as above. */
static inline double stepping_take(const known_problem *k, const formula *f,
    double rtol, double h, int order, double *error)
{
    stepping p;
    stepping_open(&p, k, f, rtol, h, order, NULL);
    stepping_start(&p);
    stepping_run(&p, error);
    stepping_close(&p);
    return (double)p.stats.steps;
}

/* Errors of all states fall with h as h^order. */
static inline void check_fixed_order(const known_problem *k, const formula *f,
    int formula_order, double h, double order)
{
    double coarse[STATES_MAX], fine[STATES_MAX];
    stepping_take(k, f, 1e-6, h, formula_order, coarse);
    stepping_take(k, f, 1e-6, h / 4, formula_order, fine);
    for (size_t i = 0; i < k->states; i++)
        CHECK_NEAR(log(coarse[i] / fine[i]) / log(4), order, 0.15);
}

/* Steps that the error chooses: from `loose` to 1e-8 errors of all states go with the
 * tolerance and stay below it, the number of steps goes with its power -1/order. */
static inline void check_chosen_steps(
    const known_problem *k, const formula *f, double loose, double order)
{
    const double tight = 1e-8, decades = log10(loose / tight);
    double coarse[STATES_MAX], fine[STATES_MAX];
    const double few = stepping_take(k, f, loose, 0, 0, coarse);
    const double many = stepping_take(k, f, tight, 0, 0, fine);
    CHECK_NEAR(log10(many / few) / decades, 1 / order, 0.05);
    for (size_t i = 0; i < k->states; i++) {
        const double fall = log10(coarse[i] / fine[i]);
        CHECK_NEAR(fall / decades, 1, 0.15);
        CHECK_NEAR(fall / log10(many / few), order, 0.1 * order);
        assert_true(coarse[i] < loose && fine[i] < tight);
    }
}

/* y' = cos t + sin(t)^2 - z, z = y^2: sin t and its square. */
static inline dae_status square_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    res[0] = xp[0] - cos(t) - sin(t) * sin(t) + x[1];
    res[1] = x[1] - x[0] * x[0];
    return DAE_OK;
}

static inline void square_exact(double t, double *x, double *xp)
{
    x[0] = sin(t), x[1] = sin(t) * sin(t);
    xp[0] = cos(t), xp[1] = sin(2 * t);
}

/* y' = -y (z^3 + z), z^3 + z = y: 1/(1 + t) and a cubic root of it. */
static inline dae_status root_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    const double cubic = x[1] * x[1] * x[1] + x[1];
    res[0] = xp[0] + x[0] * cubic;
    res[1] = cubic - x[0];
    return DAE_OK;
}

static inline void root_exact(double t, double *x, double *xp)
{
    x[0] = 1 / (1 + t), xp[0] = -x[0] * x[0];
    x[1] = 2 / sqrt(3) * sinh(asinh(1.5 * sqrt(3) * x[0]) / 3);
    xp[1] = xp[0] / (3 * x[1] * x[1] + 1);
}

static const uint8_t index_1_orders[] = {1, 0};
static const known_problem index_1_problems[] = {
    {2, 2, index_1_orders, square_residual, square_exact, 3},
    {2, 2, index_1_orders, root_residual, root_exact, 3},
};

#endif

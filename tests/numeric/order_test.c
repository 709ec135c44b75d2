/* The order of the formula itself: fixed step, fixed order, exact history, no
 * control; and of the integrator as a whole where the order is limited. */
#include "check.h"
#include "methods/bdf.h"
#include "newton/newton.h"
#include "step/predict.h"
#include <dae/solver.h>

/* x0' = -x0^2, 0 = x1 - x0^3 - 1: x0 = 1/(1 + t). */
static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + x[0] * x[0];
    res[1] = x[1] - x[0] * x[0] * x[0] - 1;
    return DAE_OK;
}

static void exact(double t, double *x)
{
    x[0] = 1 / (1 + t);
    x[1] = x[0] * x[0] * x[0] + 1;
}

typedef struct machine {
    arena memory;
    layout layout;
    weights weights;
    iteration *matrix;
    dae_stats stats;
    newton newton;
    history history;
    grid grid;
    point point;
    double x[2], xp[2], d[2];
} machine;

static const uint8_t orders[2] = {1, 0};
static const dae_problem problem = {
    .unknown_count = 2, .order = orders, .residual = residual};

static void open_machine(machine *m)
{
    const dae_problem *p = &problem;
    arena_init(&m->memory, dae_allocator_default(), 0);
    CHECK_STATUS(layout_init(&m->layout, p, NULL), DAE_OK);
    /* Newton to far below the errors looked at */
    CHECK_STATUS(
        weights_init(&m->weights, p, &m->layout, 1e-13, 1e-13, &m->memory),
        DAE_OK);
    CHECK_STATUS(iteration_create(p, &m->layout, DAE_LINEAR_DENSE, NULL, NULL,
                     NULL, &m->matrix),
        DAE_OK);
    CHECK_STATUS(newton_init(&m->newton, p, &m->layout, m->matrix, &m->stats,
                     &m->memory),
        DAE_OK);
    CHECK_STATUS(history_init(&m->history, 2, 5, &m->memory), DAE_OK);
    m->point = (point){.x = m->x, .xp = m->xp, .slope = m->xp, .d = m->d};
}

static void close_machine(machine *m)
{
    iteration_free(m->matrix);
    layout_clear(&m->layout);
    arena_clear(&m->memory);
}

static void prepare(machine *m, int k, double h)
{
    history_grid(&m->history, h, &m->grid);
    m->point.alpha = bdf_formula()->alpha(m->grid.psi, m->grid.sums, k);
    m->point.t = m->history.t + h;
    predict(&m->history, &m->grid, k, &m->layout, &m->point);
}

/* A point of the exact solution. */
static void push_exact(machine *m, int k, double h)
{
    double x[2];
    prepare(m, k, h);
    exact(m->point.t, x);
    for (int i = 0; i < 2; i++) {
        m->d[i] = x[i] - m->x[i];
        m->x[i] = x[i];
    }
    history_push(&m->history, &m->grid, k, m->x, m->d, 0);
}

static void push_solved(machine *m, int k, double h)
{
    prepare(m, k, h);
    weights_update(&m->weights, m->x, h);
    newton_task task = {.t = m->point.t,
        .alpha = m->point.alpha,
        .h = h,
        .x = m->x,
        .xp = m->xp,
        .d = m->d,
        .weights = &m->weights,
        .error_constant = 0};
    m->newton.wants_jacobian = true;
    assert_int_equal(newton_solve(&m->newton, &task), NEWTON_CONVERGED);
    history_push(&m->history, &m->grid, k, m->x, m->d, 0);
}

/* Errors of both unknowns at t = 1 with steps alternating h, ratio h. */
static void errors_at_end(int k, int pairs, double ratio, double error[2])
{
    machine m = {.stats = {0}};
    double end = 1, h = end / (pairs * (1 + ratio)), x[2], xp[2];
    open_machine(&m);
    exact(-6 * h, x);
    xp[0] = -x[0] * x[0], xp[1] = 3 * x[0] * x[0] * xp[0];
    history_start(&m.history, -6 * h, x, xp, h);
    for (int s = 0; s < 6; s++) push_exact(&m, s + 1 < k ? s + 1 : k, h);
    for (int s = 0; s < 2 * pairs; s++)
        push_solved(&m, k, s % 2 ? ratio * h : h);
    CHECK_NEAR(m.history.t, end, 1e-12);
    exact(m.history.t, x);
    for (int i = 0; i < 2; i++) error[i] = fabs(m.x[i] - x[i]);
    close_machine(&m);
}

static void check_order(int k, double ratio, double slack)
{
    double coarse[2], fine[2];
    int pairs = k == 5 ? 20 : 40;
    errors_at_end(k, pairs, ratio, coarse);
    errors_at_end(k, 2 * pairs, ratio, fine);
    for (int i = 0; i < 2; i++) {
        double order = log2(coarse[i] / fine[i]);
        CHECK_NEAR(order, k, slack);
    }
}

static void every_order_is_observed_at_equal_steps(void **state)
{
    (void)state;
    for (int k = 1; k <= 5; k++) check_order(k, 1, 0.25);
}

/* On a grid of alternating steps only exact variable coefficients keep their
 * order. */
static void every_order_is_observed_at_changing_steps(void **state)
{
    (void)state;
    for (int k = 1; k <= 5; k++) check_order(k, 1.25, 0.35);
}

/* The integrator limited to order k: steps ~ error^(-1/(k+1)) per unit of
 * tolerance, errors fall with it. */
static void a_limited_order_is_kept(void **state)
{
    (void)state;
    for (int k = 1; k <= 5; k++) {
        dae_options o = dae_options_default();
        dae_solver *solver;
        double x[2], xp[2] = {-1, -3}, y[2];
        o.max_order = k, o.rtol = 1e-6, o.atol = 1e-8, o.t_end = 1;
        CHECK_STATUS(
            dae_solver_create(&problem, &o, NULL, NULL, &solver), DAE_OK);
        exact(0, x);
        CHECK_STATUS(dae_solver_start(solver, 0, x, xp, 0), DAE_OK);
        CHECK_STATUS(dae_solver_advance(solver, 1, x, NULL), DAE_OK);
        const dae_stats *st = dae_solver_stats(solver);
        int64_t sum = 0;
        for (int q = 0; q < 8; q++) sum += st->steps_at_order[q];
        assert_true(sum == st->steps);
        assert_int_equal(st->max_order, k);
        exact(1, y);
        CHECK_NEAR(x[0], y[0], 2e-4);
        dae_solver_free(solver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_is_observed_at_equal_steps),
        cmocka_unit_test(every_order_is_observed_at_changing_steps),
        cmocka_unit_test(a_limited_order_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* parts.h: correctors after the first. Modified extended backward differentiation
 * [Cas83]: the formula of order k gives the new point and, from there, the one after
 * it; what both slopes say of the formula's error corrects the new point, of order
 * k + 1. Orders 1 and 2, on the grid as it is. The slope at the last point is
 * kept. */
#include "methods/bdf.h"
#include "stepping.h"

/* Rows of work: the history of the point after, its d and slopes, and the first
 * corrector's point. */
enum { AHEAD_D = HISTORY_ROWS, AHEAD_SLOPE, FIRST, WORK };
enum { SLOPE, KEPT };

/* The point after the new one by the same formula; its slopes, of a first-order
 * layout, into work. */
static newton_outcome look_ahead(transition *s)
{
    const size_t n = s->layout->states;
    const newton_task at = s->task;
    history ahead = *s->history;
    grid g;
    for (int i = 0; i < ahead.rows; i++) {
        ahead.phi[i] = s->work[i];
        memcpy(ahead.phi[i], s->history->phi[i], n * sizeof(double));
    }
    history_push(&ahead, s->grid, s->k, at.x, at.d, 0);
    history_grid(&ahead, at.h, &g);
    point p = {.t = at.t + at.h, .x = s->work[FIRST]};
    p.d = s->work[AHEAD_D];
    p.xp = p.slope = s->work[AHEAD_SLOPE];
    p.alpha = bdf_formula()->alpha(g.psi, g.sums, s->k);
    predict(&ahead, &g, s->k, s->layout, &p);
    s->task.t = p.t, s->task.alpha = p.alpha;
    s->task.x = p.x, s->task.xp = p.xp, s->task.d = p.d;
    const newton_outcome out = transition_solve(s);
    s->task = at;
    return out;
}

/* The slope of the polynomial through k points and the new one misses that of the
 * solution by x^(k+1)/(k+1)! psi_1 ... psi_k; x^(k+1) is the k-th divided
 * difference of the slopes times k!. */
static double missed(const transition *s, size_t i)
{
    const double h = s->task.h;
    const double now = s->task.xp[i], next = s->work[AHEAD_SLOPE][i];
    const double ahead = (next - now) / h;
    if (s->k == 1) return ahead / 2 * s->grid->psi[1];
    const double behind = (now - s->kept[SLOPE][i]) / h;
    const double second = (ahead - behind) / (2 * h);
    return second / 3 * s->grid->psi[1] * s->grid->psi[2];
}

static newton_outcome correct(transition *s)
{
    const size_t n = s->layout->states;
    newton_outcome out = look_ahead(s);
    if (out != NEWTON_CONVERGED) return out;
    memcpy(s->work[FIRST], s->task.x, n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        if (s->layout->order[i] > 0) s->task.xp[i] += missed(s, i);
    out = transition_solve(s);
    for (size_t i = 0; i < n; i++) {
        s->error[i] = formula_gamma(s->k) * (s->task.x[i] - s->work[FIRST][i]);
        s->made[SLOPE][i] = s->task.xp[i];
    }
    return out;
}

static void begin(const transition *s)
{
    memcpy(s->made[SLOPE], s->slope, s->layout->states * sizeof *s->slope);
}

static double alpha(const double *psi, const double *sums, int k)
{
    return bdf_formula()->alpha(psi, sums, k);
}

static double error_constant(const double *psi, const double *sums, int k)
{
    return bdf_formula()->error_constant(psi, sums, k);
}

static const method_parts parts = {.work = WORK,
    .kept = KEPT,
    .begin = begin,
    .correct = correct,
    .error_order = 1,
    .remainder = 1e-6};
static const formula extended = {.name = "mebdf",
    .max_order = 2,
    .max_order_fixed = 2,
    .alpha = alpha,
    .error_constant = error_constant,
    .parts = &parts};

static void each_order_gains_one(void **state)
{
    (void)state;
    for (int k = 1; k <= 2; k++)
        for (int i = 0; i < 2; i++)
            check_fixed_order(&index_1_problems[i], &extended, k, 0.02, k + 1);
}

/* Steps of order 2 go with tol^(1/3); errors are of order 3 in them. */
static void the_machine_chooses_order_and_step(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        check_chosen_steps(&index_1_problems[i], &extended, 1e-5, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_order_gains_one),
        cmocka_unit_test(the_machine_chooses_order_and_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

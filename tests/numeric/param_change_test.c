/* A param that changes between two steps of a run: an algebraic unknown then
 * jumps by more than any error, and the run goes on from there, be the jump of
 * a few tolerances or of any size. */
#include "check.h"
#include <dae/model.h>
#include <dae/solver.h>

typedef struct trial {
    dae_diagnostics *ds;
    dae_model *model;
    dae_solver *solver;
} trial;

static void open_trial(trial *w, const char *text)
{
    dae_options o = dae_options_default();
    CHECK_STATUS(dae_diagnostics_create(NULL, &w->ds), DAE_OK);
    CHECK_STATUS(dae_model_parse(
                     "m.dae", text, strlen(text), NULL, NULL, w->ds, &w->model),
        DAE_OK);
    o.t_end = 2;
    CHECK_STATUS(dae_solver_create(
                     dae_model_problem(w->model), &o, NULL, w->ds, &w->solver),
        DAE_OK);
    CHECK_STATUS(dae_solver_initialize(w->solver), DAE_OK);
}

static void close_trial(trial *w)
{
    dae_solver_free(w->solver);
    dae_model_free(w->model);
    dae_diagnostics_free(w->ds);
}

/* z = u + c, where u is the first state and z the last one. */
static void check_z(const trial *w, double c, double tolerance)
{
    const dae_problem *p = dae_model_problem(w->model);
    const double *x = dae_solver_x(w->solver);
    CHECK_NEAR(x[dae_problem_state_count(p) - 1], x[0] + c, tolerance);
}

/* Changes c by `by` after 15 steps; the step after it stands on the new
 * equations. */
static void check_change(
    const char *text, double by, int64_t rejections, double end)
{
    trial w;
    open_trial(&w, text);
    for (int k = 0; k < 15; k++)
        CHECK_STATUS(dae_solver_step(w.solver), DAE_OK);
    check_z(&w, 0, 1e-6);
    const dae_stats before = *dae_solver_stats(w.solver);
    CHECK_STATUS(dae_model_set_param(w.model, "c", by), DAE_OK);
    CHECK_STATUS(dae_solver_step(w.solver), DAE_OK);
    check_z(&w, by, 1e-6 * (1 + fabs(by)));
    const dae_stats *after = dae_solver_stats(w.solver);
    assert_int_equal(after->restarts, before.restarts + 1);
    assert_true(after->rejected_steps - before.rejected_steps <= rejections);
    while (dae_solver_time(w.solver) != 2)
        CHECK_STATUS(dae_solver_step(w.solver), DAE_OK);
    check_z(&w, by, 1e-6 * (1 + fabs(by)));
    CHECK_NEAR(dae_solver_x(w.solver)[0], end, 1e-4);
    assert_int_equal(dae_diagnostics_count(w.ds), 0);
    close_trial(&w);
}

static const char decay[] = "param c = 0\n"
                            "var x = 1, z ~ 1\n"
                            "x' = -x\n"
                            "z = x + c\n";

static const char swing[] = "param c = 0\n"
                            "var y = 1, z ~ 1\n"
                            "y'' = -y\n"
                            "init y' = 0\n"
                            "z = y + c\n";

/* No error that shrinks with the step: a few attempts show that. */
static void a_small_jump_is_taken_as_it_is(void **state)
{
    (void)state;
    check_change(decay, 2e-5, 8, exp(-2));
    check_change(decay, -2e-5, 8, exp(-2));
    check_change(swing, 2e-5, 8, cos(2));
}

static void a_large_jump_is_crossed(void **state)
{
    (void)state;
    check_change(decay, 10, 60, exp(-2));
    check_change(swing, -1e4, 60, cos(2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_jump_is_taken_as_it_is),
        cmocka_unit_test(a_large_jump_is_crossed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

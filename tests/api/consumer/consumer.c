/* Uses the installed package from C: x' = -x by hand, y' = -2 y as a model. */
#include <dae/dae.h>
#include <stdio.h>
#include <string.h>

static dae_status decay(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + x[0];
    return DAE_OK;
}

static dae_status run(
    const dae_problem *problem, dae_diagnostics *ds, double *x, double *xp)
{
    dae_options options = dae_options_default();
    dae_solver *solver = NULL;
    options.rtol = 1e-9;
    options.atol = 1e-12;
    options.t_end = 1;
    dae_status st = dae_solver_create(problem, &options, NULL, ds, &solver);
    if (!st)
        st = problem->start ? dae_solver_initialize(solver)
                            : dae_solver_start(solver, 0, x, xp, 1);
    if (!st) st = dae_solver_advance(solver, 1, x, xp);
    dae_solver_free(solver);
    return st;
}

int main(void)
{
    static const char text[] = "var y = 1\ny' = -2*y\nsolve t in 0..1\n";
    dae_problem problem = {.unknown_count = 1, .residual = decay};
    double x[1] = {1}, xp[1] = {0};
    dae_diagnostics *ds = NULL;
    dae_model *model = NULL;
    dae_status st = dae_diagnostics_create(NULL, &ds);
    if (!st) st = run(&problem, ds, x, xp);
    if (!st) printf("x(1) = %.6f\n", x[0]);
    if (!st)
        st = dae_model_parse(
            "decay.dae", text, strlen(text), NULL, NULL, ds, &model);
    if (!st) st = run(dae_model_problem(model), ds, x, xp);
    if (!st) printf("y(1) = %.6f\n", x[0]);
    if (st) printf("%s\n", dae_status_text(st));
    dae_model_free(model);
    dae_diagnostics_free(ds);
    return st ? 1 : 0;
}

/* Loads a .dae model, starts it consistently, and integrates it:
 *
 *     cc load_model.c $(pkg-config --cflags --libs dae)
 *     ./a.out pendulum_swing.dae */
#include <dae/dae.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int print_text(void *context, const char *text, size_t length)
{
    return fwrite(text, 1, length, context) != length;
}

static void print_diagnostics(const dae_diagnostics *ds)
{
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++)
        if (dae_diagnostic_render(
                dae_diagnostics_at(ds, i), 0, print_text, stderr))
            return;
}

/* One line for every unknown: its name and its value. */
static void print_values(
    const dae_model *model, const double *x, const double *xp)
{
    for (size_t j = 0; j < dae_model_unknown_count(model); j++) {
        char name[64];
        dae_model_unknown_name(model, j, name, sizeof name);
        printf("  %-10s %.9g %s\n", name,
            dae_model_unknown_value(model, j, 0, x, xp),
            dae_model_unknown_unit(model, j));
    }
}

static dae_status integrate(dae_model *model, dae_diagnostics *ds)
{
    const dae_problem *problem = dae_model_problem(model);
    const dae_settings *settings = dae_model_settings(model);
    dae_solver *solver = NULL;
    double *x = calloc(dae_problem_state_count(problem) + 1, sizeof *x);
    double *xp = calloc(problem->unknown_count + 1, sizeof *xp);
    dae_status st = x && xp ? DAE_OK : DAE_MEMORY;

    dae_options options = dae_options_default();
    if (settings->rtol >= 0) options.rtol = settings->rtol;
    if (settings->atol > 0) options.atol = settings->atol;
    options.t_end = settings->t1;
    if (!st) st = dae_solver_create(problem, &options, NULL, ds, &solver);
    if (!st) st = dae_solver_initialize(solver);
    for (int k = 1; !st && k <= 4; k++) {
        double t = settings->t0 + k * (settings->t1 - settings->t0) / 4;
        st = dae_solver_advance(solver, t, x, xp);
        if (!st) printf("t = %g\n", t);
        if (!st) print_values(model, x, xp);
    }
    dae_solver_free(solver);
    free(xp);
    free(x);
    return st;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "pendulum_swing.dae";
    dae_diagnostics *ds = NULL;
    dae_model *model = NULL;
    dae_status st = dae_diagnostics_create(NULL, &ds);
    if (!st) st = dae_model_load(path, NULL, NULL, ds, &model);
    if (!st) printf("%s\n", dae_model_title(model));
    if (!st) st = integrate(model, ds);
    print_diagnostics(ds);
    dae_model_free(model);
    dae_diagnostics_free(ds);
    return st ? 1 : 0;
}

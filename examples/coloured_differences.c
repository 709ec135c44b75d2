/* A larger problem written by hand, without a Jacobian: heat in a rod of 200
 * points whose ends are algebraic. Only the pattern is told; the solver
 * makes the Jacobian by differences, three columns at a time (as many as
 * the pattern's colouring needs), not two hundred.
 *
 *     cc coloured_differences.c $(pkg-config --cflags --libs dae-solver) -lm
 *
 * u_i' = (u_{i-1} - 2 u_i + u_{i+1})/h^2 inside, u_0 = u_{n-1} = 0, and
 * u = sin(pi s) at t = 0. The grid's own solution decays with the rate
 * lambda = (2 - 2 cos(pi h))/h^2, so the error shown is that in time alone. */
#include <dae/solver.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define POINTS 200

static const double pi = 3.14159265358979323846;

static double spacing(void)
{
    return 1.0 / (POINTS - 1);
}

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    double scale = 1 / (spacing() * spacing());
    res[0] = x[0];
    for (int i = 1; i < POINTS - 1; i++)
        res[i] = xp[i] - scale * (x[i - 1] - 2 * x[i] + x[i + 1]);
    res[POINTS - 1] = x[POINTS - 1];
    return DAE_OK;
}

/* Columns of x: point j stands in the inner equations j - 1, j, j + 1 and,
 * at an end, in its own one. Columns of x': the inner ones, on the diagonal. */
static void fill_pattern(int64_t *column_start, int32_t *row)
{
    int64_t p = 0;
    for (int j = 0; j < POINTS; j++) {
        column_start[j] = p;
        for (int i = j - 1; i <= j + 1; i++) {
            int is_inner = i > 0 && i < POINTS - 1;
            if (is_inner || (i == j)) row[p++] = i;
        }
    }
    for (int j = 0; j < POINTS; j++) {
        column_start[POINTS + j] = p;
        if (j > 0 && j < POINTS - 1) row[p++] = j;
    }
    column_start[2 * POINTS] = p;
}

int main(void)
{
    static int64_t column_start[2 * POINTS + 1];
    static int32_t row[4 * POINTS];
    static uint8_t order[POINTS];
    static double x[POINTS], xp[POINTS];
    fill_pattern(column_start, row);
    for (int j = 0; j < POINTS; j++) {
        order[j] = j > 0 && j < POINTS - 1;
        x[j] = order[j] ? sin(pi * j * spacing()) : 0;
    }
    const dae_pattern pattern = {column_start, row, NULL};
    const dae_problem problem = {.unknown_count = POINTS,
        .order = order,
        .residual = residual,
        .pattern = &pattern};
    dae_options options = dae_options_default();
    options.rtol = 1e-7;
    options.atol = 1e-10;
    options.t_end = 0.2;

    dae_diagnostics *ds = NULL;
    dae_solver *solver = NULL;
    dae_status st = dae_diagnostics_create(NULL, &ds);
    if (!st) st = dae_solver_create(&problem, &options, NULL, ds, &solver);
    if (!st) st = dae_solver_start(solver, 0, x, xp, 1);
    if (!st) st = dae_solver_advance(solver, 0.2, x, xp);
    if (!st) {
        double h = spacing(), lambda = (2 - 2 * cos(pi * h)) / (h * h);
        const int middle = POINTS / 2;
        double exact = exp(-0.2 * lambda) * sin(pi * middle * h);
        double error = fabs(x[middle] - exact);
        const dae_stats *stats = dae_solver_stats(solver);
        printf("u = %.9f, error %.1e\n", x[middle], error);
        printf("%lld steps, %lld residuals, %lld Jacobians, linear solver %s\n",
            (long long)stats->steps, (long long)stats->residual_evals,
            (long long)stats->jacobian_evals, stats->linear);
        if (!(error < 1e-5)) st = DAE_NUMERIC;
        /* the colouring: far fewer residuals than 200 for each Jacobian */
        if (stats->residual_evals
            > 20 * stats->jacobian_evals + 4 * stats->steps)
            st = DAE_NUMERIC;
    }
    if (st) fprintf(stderr, "%s\n", dae_status_text(st));
    dae_solver_free(solver);
    dae_diagnostics_free(ds);
    return st ? 1 : 0;
}

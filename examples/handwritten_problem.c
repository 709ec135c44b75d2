/* A problem written by hand: Robertson's kinetics with the mass balance as an
 * algebraic equation, with its own Jacobian on a sparse pattern. Needs the
 * solver alone:
 *
 *     cc handwritten_problem.c $(pkg-config --cflags --libs dae-solver)
 *
 * F(t, x, x') = 0 with x = (A, B, C):
 *     A' + k1 A - k3 B C = 0
 *     B' - k1 A + k3 B C + k2 B^2 = 0
 *     A + B + C - 1 = 0 */
#include <dae/solver.h>
#include <math.h>
#include <stdio.h>

static const double k1 = 0.04, k2 = 3e7, k3 = 1e4;

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    double slow = k1 * x[0], fast = k2 * x[1] * x[1], back = k3 * x[1] * x[2];
    res[0] = xp[0] + slow - back;
    res[1] = xp[1] - slow + back + fast;
    res[2] = x[0] + x[1] + x[2] - 1;
    return DAE_OK;
}

/* The pattern by columns: those of x first, then those of x'. Column 2 of x'
 * is empty, because C' occurs nowhere. */
static const int64_t column_start[] = {0, 3, 6, 9, 10, 11, 11};
static const int32_t row[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1};
static const dae_pattern pattern = {column_start, row, NULL};

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    (void)self;
    (void)scope;
    (void)t;
    (void)xp;
    const double v[] = {
        k1, -k1, 1,                               /* by A */
        -k3 * x[2], k3 * x[2] + 2 * k2 * x[1], 1, /* by B */
        -k3 * x[1], k3 * x[1], 1,                 /* by C */
        1, 1,                                     /* by A', B' */
    };
    for (size_t p = 0; p < sizeof v / sizeof v[0]; p++) values[p] = v[p];
    return DAE_OK;
}

/* Prints what the solver has to say; the library itself never prints. */
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

int main(void)
{
    static const uint8_t order[] = {1, 1, 0}; /* C is algebraic */
    const dae_problem problem = {.unknown_count = 3,
        .order = order,
        .residual = residual,
        .jacobian = jacobian,
        .pattern = &pattern};
    double x[] = {1, 0, 0}, xp[] = {0, 0, 0};
    dae_diagnostics *ds = NULL;
    dae_solver *solver = NULL;
    dae_options options = dae_options_default();
    options.rtol = 1e-8;
    options.atol = 1e-12;
    options.t_end = 40;

    dae_status st = dae_diagnostics_create(NULL, &ds);
    if (!st) st = dae_solver_create(&problem, &options, NULL, ds, &solver);
    /* x' is found from the equations: make_consistent is 1 */
    if (!st) st = dae_solver_start(solver, 0, x, xp, 1);
    for (double t = 0.4; !st && t <= 40; t *= 10) {
        st = dae_solver_advance(solver, t, x, xp);
        if (!st) printf("t = %-4g A = %.9f B = %.3e\n", t, x[0], x[1]);
    }
    if (!st) {
        const dae_stats *stats = dae_solver_stats(solver);
        printf("%lld steps, %lld residuals, %lld Jacobians\n",
            (long long)stats->steps, (long long)stats->residual_evals,
            (long long)stats->jacobian_evals);
        /* A(40) = 0.71582706871 (Test Set for IVP Solvers, ROBER) */
        if (fabs(x[0] - 0.71582706871) > 1e-6) st = DAE_NUMERIC;
    }
    print_diagnostics(ds);
    dae_solver_free(solver);
    dae_diagnostics_free(ds);
    return st ? 1 : 0;
}

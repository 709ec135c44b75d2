/* A parameter scan: how much a tank overflows by the size of its outlet. The model is a
 * text of this program; each run has another value of the param `k`.
 *
 *     cc parameter_scan.c $(pkg-config --cflags --libs dae) */
#include <dae/run.h>
#include <math.h>
#include <stdio.h>

static const char model[] = "\"A tank with an outlet\"\n"
                            "param k = 0.3\n"
                            "param inflow = 1\n"
                            "var h = 0.1\n"
                            "h' = inflow - k*sqrt(h)\n"
                            "output out = k*sqrt(h)\n"
                            "expect h > 0 always\n"
                            "solve t in 0..100\n";

static int print_text(void *context, const char *text, size_t length)
{
    return fwrite(text, 1, length, context) != length;
}

/* What went wrong, with its place in the model. */
static void print_diagnostics(const dae_diagnostics *ds)
{
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++)
        if (dae_diagnostic_render(
                dae_diagnostics_at(ds, i), 0, print_text, stderr))
            return;
}

/* Runs for k = 0.2, 0.4, ... 1; the level that each leads to is (inflow/k)^2. */
static dae_status scan(dae_run *run, double *worst)
{
    dae_status st = DAE_OK;
    printf("     k   level  outflow\n");
    for (int i = 1; !st && i <= 5; i++) {
        const double k = 0.2 * i;
        double level = 0, out = 0;
        st = dae_run_set(run, "k", k);
        if (!st) st = dae_run_solve(run);
        if (!st) st = dae_run_final(run, "h", &level);
        if (!st) st = dae_run_final(run, "out", &out);
        if (!st) printf("%6.2f %7.4f %8.5f\n", k, level, out);
        if (k > 0.5) *worst = fmax(*worst, fabs(level - 1 / (k * k)));
    }
    return st;
}

int main(void)
{
    dae_diagnostics *ds;
    dae_run *run = NULL;
    double worst = 0;
    dae_status st = dae_diagnostics_create(NULL, &ds);
    if (st) return 1;
    st = dae_run_parse(
        "tank.dae", model, sizeof model - 1, NULL, NULL, ds, &run);
    if (!st) st = dae_run_set_number(run, "rtol", 1e-8);
    if (!st) st = scan(run, &worst);
    print_diagnostics(ds);
    if (st) fprintf(stderr, "failed: %s\n", dae_status_text(st));
    dae_run_free(run);
    dae_diagnostics_free(ds);
    return st || worst > 1e-4;
}

/* A convergence study: by which order the errors of two methods fall with the step, as a
 * table. The model is a text of this program, and its `expect` line the exact solution.
 *
 *     cc convergence.c $(pkg-config --cflags --libs dae) */
#include <dae/orders.h>
#include <math.h>
#include <stdio.h>

static const char model[] =
    "\"Newton's law of cooling\"\n"
    "var T = 90\n"
    "T' = -0.5*(T - 20)\n"
    "expect T ~ 20 + 70*exp(-0.5*t) within 1e-3 always\n"
    "solve t in 0..4\n";

/* A row for each step: the largest error of each method. The last one has the orders, of
 * which the worst is how far one is from what its formula says. */
static double print_table(const dae_orders_steps *f)
{
    const size_t formulas = dae_orders_formula_count(f);
    double worst = 0;
    printf("%10s", "step");
    for (size_t o = 0; o < formulas; o++)
        printf(" %12s", dae_orders_formula_at(f, o)->name);
    for (size_t s = 0; s < dae_orders_step_count(f); s++) {
        printf("\n%10g", dae_orders_row_at(f, 0, s)->step);
        for (size_t o = 0; o < formulas; o++)
            printf(" %12.3e",
                dae_orders_row_at(f, o, s)->errors[DAE_ORDERS_LARGEST][0]);
    }
    printf("\n%10s", "order");
    for (size_t o = 0; o < formulas; o++) {
        const double order = dae_orders_observed(f, o, DAE_ORDERS_LARGEST, 0);
        printf(" %12.2f", order);
        worst = fmax(worst, fabs(order - dae_orders_formula_at(f, o)->order));
    }
    printf("\n");
    return worst;
}

static dae_status study(
    dae_run *run, dae_diagnostics *ds, dae_orders **o, double *worst)
{
    dae_status st = dae_orders_create(NULL, ds, o);
    if (!st) st = dae_orders_set(*o, "study", "steps");
    if (!st) st = dae_orders_set(*o, "methods", "bdf,trapezoid");
    if (!st) st = dae_orders_set(*o, "orders", "1..3");
    if (!st) st = dae_orders_set(*o, "steps", "0.1..0.0125");
    if (!st) st = dae_orders_solve(*o, run);
    if (!st) *worst = print_table(dae_orders_steps_of(*o, DAE_ORDERS_PLAN));
    return st;
}

int main(void)
{
    dae_diagnostics *ds;
    dae_run *run = NULL;
    dae_orders *o = NULL;
    double worst = 1;
    dae_status st = dae_diagnostics_create(NULL, &ds);
    if (st) return 1;
    st = dae_run_parse(
        "cooling.dae", model, sizeof model - 1, NULL, NULL, ds, &run);
    if (!st) st = study(run, ds, &o, &worst);
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++)
        fprintf(stderr, "%s\n", dae_diagnostics_at(ds, i)->message);
    if (st) fprintf(stderr, "failed: %s\n", dae_status_text(st));
    dae_orders_free(o);
    dae_run_free(run);
    dae_diagnostics_free(ds);
    return st || worst > 0.1;
}

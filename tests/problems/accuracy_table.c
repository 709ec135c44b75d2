/* Every model of the library against its reference at four tolerances, as a
 * table in Markdown for docs/problems.md (tools/dev/problems.sh). Counts and
 * errors only, no times: the same program prints the same table.
 *
 *     accuracy_table [PART]    only models whose path contains PART */
#include "accuracy.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* One line; false where the run has a fault. */
static bool print_run(const accuracy_case *c, size_t k, double *last)
{
    double rtol = accuracy_rtols[k];
    accuracy_result r;
    accuracy_run(c, rtol, &r);
    const char *name = base_name(c->model);
    printf("| %.*s | %.0e | %.0e | ", (int)(strlen(name) - strlen(".dae")),
        name, rtol, c->atol_factor * rtol);
    const char *mark = accuracy_fault(c, k, &r, *last) ? "**" : "";
    if (r.status) {
        printf("%s: %s |\n", dae_status_text(r.status), r.message);
        return false;
    }
    *last = r.error * rtol;
    printf("%s%.2g%s | %.1e | %.2g `%s`", mark, r.error, mark, *last, r.worst,
        r.worst_name);
    const dae_stats *s = &r.stats;
    printf(" | %lld | %lld | %lld | %lld | %lld | %lld | %d |\n",
        (long long)s->steps, (long long)s->rejected_steps,
        (long long)s->residual_evals, (long long)s->newton_iterations,
        (long long)s->jacobian_evals, (long long)s->factorizations,
        s->max_order);
    return !*mark;
}

int main(int argc, char **argv)
{
    size_t missed = 0;
    puts("| model | rtol | atol | error | scaled | worst | steps "
         "| rejected | residuals | iterations | Jacobians | factorizations "
         "| order |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < ACCURACY_CASES; i++) {
        const accuracy_case *c = &accuracy_cases[i];
        if (argc > 1 && !strstr(c->model, argv[1])) continue;
        double last = 1e300;
        for (size_t k = 0; k < ACCURACY_RTOLS; k++) {
            missed += !print_run(c, k, &last);
            fflush(stdout);
        }
    }
    printf("\n%zu of these runs failed, left their band or did not fall "
           "with the tolerance.\n",
        missed);
    return missed > 0;
}

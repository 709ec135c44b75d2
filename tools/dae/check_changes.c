#include "changes.h"
#include "check_parts.h"
#include "memory.h"

/* False: nothing changes, or it cannot be looked at. */
static bool look(const check *k, changes *c)
{
    const dae_problem *p = k->model ? dae_model_problem(k->model) : NULL;
    if (!p || !changes_any(p)) return false;
    double *x = memory_take(dae_problem_state_count(p) + 1, sizeof *x);
    double *xp = memory_take(p->unknown_count + 1, sizeof *xp);
    const bool has_start = x && xp && k->report
        && !dae_report_start(k->report, x, xp);
    return x && xp
        && memory_sufficed(
            changes_init(c, k->model, k->t0, has_start ? x : NULL, xp));
}

void check_print_changes(const check *k, int width, FILE *file)
{
    changes c;
    if (look(k, &c)) changes_print(&c, width, false, file);
}

void check_json_changes(const check *k, json *j)
{
    changes c;
    if (look(k, &c)) changes_json(&c, j);
}

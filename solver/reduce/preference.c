/* A preference holds as long as the constraints can determine something else;
 * where they cannot, the run goes on without it and says so once. */
#include "reduce/preference.h"
#include "base/report.h"
#include "linalg/naming.h"

/* Also where it is one with a state of another name. */
static bool is_state(const reduced *r, size_t unknown)
{
    const int32_t first = r->merge.first[r->e->column_first[unknown]];
    return r->merge.next[first] >= 0;
}

static void tell(const dae_problem *problem, size_t unknown, double t,
    bool is_start, dae_diagnostics *ds)
{
    char name[NAMING_SIZE];
    const dae_source *source = NULL;
    text_span span = {0, 0};
    naming_place(problem, DAE_NAME_UNKNOWN, unknown, &source, &span);
    naming_text(problem, DAE_NAME_UNKNOWN, unknown, name, sizeof name);
    report(ds, DIAG_N0509, source, span,
        is_start ? "`%s` cannot be a state at t = %.10g, although it is "
                   "preferred"
                 : "`%s` could not be kept as a state at t = %.10g",
        name, t);
    report_label(ds,
        "the constraints hardly depend on what they would have to determine "
        "in its place");
    report_help(ds,
        "nothing has to be done: other states are used where it cannot be "
        "one; `dae show --equations --reduced` lists them");
}

void preference_tell(const dae_problem *problem, const reduced *now, double t,
    bool is_start, uint8_t *told, dae_diagnostics *ds)
{
    const uint8_t *wanted = problem->scales ? problem->scales->prefer_state
                                            : NULL;
    for (size_t j = 0; wanted && j < problem->unknown_count; j++) {
        if (!wanted[j] || told[j] || is_state(now, j)) continue;
        told[j] = 1;
        tell(problem, j, t, is_start, ds);
    }
}

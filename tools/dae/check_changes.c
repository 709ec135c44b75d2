#include "changes.h"
#include "check_parts.h"
#include "memory.h"
#include <math.h>

/* The start that was found, as the problem lays it out. */
typedef struct found_start {
    double *x, *xp; /* NULL: there is none */
} found_start;

static void fill_start(
    const dae_problem *p, const dae_start_findings *s, found_start *f)
{
    size_t at = 0;
    for (size_t j = 0; j < p->unknown_count; j++) {
        const size_t highest = p->order ? p->order[j] : 1;
        const double *values = s->values + s->value_first[j];
        const size_t known = s->value_first[j + 1] - s->value_first[j];
        for (size_t k = 0; k < highest || k == 0; k++)
            f->x[at++] = k < known ? values[k] : (double)NAN;
        if (highest) f->xp[j] = highest < known ? values[highest] : (double)NAN;
    }
}

static bool take_start(const check *k, const dae_problem *p, found_start *f)
{
    const dae_start_findings *s = k->analysis ? &k->analysis->start : NULL;
    *f = (found_start){NULL, NULL};
    if (!s || !s->values || s->verdict == DAE_START_UNKNOWN
        || s->verdict == DAE_START_UNSOLVED)
        return true;
    f->x = memory_take(dae_problem_state_count(p) + 1, sizeof *f->x);
    f->xp = memory_take(p->unknown_count + 1, sizeof *f->xp);
    if (!f->x || !f->xp) return false;
    fill_start(p, s, f);
    return true;
}

/* False: nothing changes, or it cannot be looked at. */
static bool look(const check *k, changes *c)
{
    const dae_problem *p = k->model ? dae_model_problem(k->model) : NULL;
    found_start f;
    return p && changes_any(p) && take_start(k, p, &f)
        && memory_sufficed(changes_init(c, k->model, k->t0, f.x, f.xp));
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

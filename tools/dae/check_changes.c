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

static bool look(const check *k, changes *c)
{
    const dae_problem *p = dae_model_problem(k->model);
    found_start f;
    bool is_fine = take_start(k, p, &f);
    *c = (changes){.model = NULL};
    if (is_fine)
        is_fine = changes_init(c, k->model, k->t0, f.x, f.xp) == DAE_OK;
    memory_drop(f.x);
    memory_drop(f.xp);
    return is_fine;
}

static bool has_any(const check *k)
{
    return k->model && changes_any(dae_model_problem(k->model));
}

bool check_print_changes(const check *k, int width, FILE *file)
{
    changes c;
    if (!has_any(k)) return true;
    bool is_fine = look(k, &c);
    if (is_fine) is_fine = changes_print(&c, width, false, file);
    changes_clear(&c);
    return is_fine;
}

bool check_json_changes(const check *k, json *j)
{
    changes c;
    if (!has_any(k)) return true;
    bool is_fine = look(k, &c);
    if (is_fine) is_fine = changes_json(&c, j);
    changes_clear(&c);
    return is_fine;
}

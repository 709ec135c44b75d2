/* Members of a loop are consecutive and have one position in the text. */
#include "start/initial_whens.h"
#include "base/arena.h"
#include "base/report.h"
#include "start/report_names.h"
#include <assert.h>
#include <dae/events.h>
#include <math.h>

static place place_of(const dae_problem *p, size_t w)
{
    place at = {NULL, {0, 0}};
    naming_place(p, DAE_NAME_WHEN, w, &at.source, &at.span);
    return at;
}

/* When w, and `others` of its loop. */
static void report_one(
    const dae_problem *p, size_t w, size_t others, dae_diagnostics *ds)
{
    char name[NAMING_SIZE];
    const place at = place_of(p, w);
    naming_text(p, DAE_NAME_WHEN, w, name, sizeof name);
    if (others == 0)
        report(ds, DIAG_N0529, at.source, at.span,
            "the condition of `%s` is true at the start: it fires when it "
            "becomes true again",
            name);
    else
        report(ds, DIAG_N0529, at.source, at.span,
            "the conditions of `%s` and %zu more of its loop are true at the "
            "start: they fire when these become true again",
            name, others);
    report_help(ds,
        "set initial values in `var x = ...`, `discrete n = ...`, or let it "
        "fire at the start, too: `when start or ...`");
}

/* ---- those whose firing has an effect ------------------------------------------ */

typedef struct looking {
    const dae_problem *problem;
    const dae_events *of;
    const double *x;
    double *conditions, *right_sides;
    size_t *first; /* slot of x, per unknown */
    uint8_t *reported;
} looking;

static double value_before(const looking *k, const dae_assignment *a)
{
    const size_t index = (size_t)a->index;
    if (a->is_discrete) return k->of->held[index];
    return k->x[k->first[index] + a->order];
}

static bool would_change(const looking *k, size_t w)
{
    const dae_when *when = &k->of->whens[w];
    if (when->stop || when->print_count > 0) return true;
    for (size_t i = 0; i < when->assignment_count; i++) {
        const size_t a = when->assignment + i;
        assert(a < k->of->assignment_count);
        const double gap = k->right_sides[a]
            - value_before(k, &k->of->assignments[a]);
        if (!(fabs(gap) <= 0)) return true;
    }
    return false;
}

static dae_status look(looking *k, const uint8_t *wanted, double t,
    const double *x, const double *xp)
{
    const dae_events *of = k->of;
    void *self = k->problem->self;
    k->x = x;
    for (size_t j = 0, at = 0; j < k->problem->unknown_count; j++) {
        const uint8_t order = k->problem->order ? k->problem->order[j] : 1;
        k->first[j] = at;
        at += order ? order : 1;
    }
    dae_status st = of->conditions(self, t, x, xp, k->conditions);
    if (!st && of->assignment_count > 0)
        st = of->assigned(self, t, x, xp, k->right_sides);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    for (size_t w = 0; w < of->when_count; w++)
        k->reported[w] = (!wanted || wanted[w]) && !of->whens[w].at_start
            && fabs(k->conditions[w]) > 0 && would_change(k, w);
    return DAE_OK;
}

/* ---- all ---------------------------------------------------------------------- */

static void report_all(
    const dae_problem *problem, const uint8_t *reported, dae_diagnostics *ds)
{
    const size_t count = problem->events->when_count;
    for (size_t w = 0; w < count;) {
        if (!reported[w]) {
            w++;
            continue;
        }
        const size_t first = w;
        const place at = place_of(problem, w);
        size_t others = 0;
        while (++w < count && is_same_place(at, place_of(problem, w)))
            others += reported[w] != 0;
        report_one(problem, first, others, ds);
    }
}

dae_status true_at_start_report(const dae_problem *problem,
    const uint8_t *wanted, double t, const double *x, const double *xp,
    const dae_allocator *allocator, dae_diagnostics *ds)
{
    const dae_events *of = problem->events;
    if (!of || of->when_count == 0 || of->truth_start) return DAE_OK;
    const size_t whens = of->when_count, rights = of->assignment_count + 1;
    const size_t n = problem->unknown_count;
    arena a;
    arena_init(&a, allocator, 0);
    looking k = {.problem = problem,
        .of = of,
        .conditions = ARENA_ARRAY(&a, double, whens),
        .right_sides = ARENA_ARRAY(&a, double, rights),
        .first = ARENA_ARRAY(&a, size_t, n),
        .reported = ARENA_ARRAY(&a, uint8_t, whens)};
    const bool has_room = k.conditions && k.right_sides && k.first
        && k.reported;
    const dae_status st = has_room ? look(&k, wanted, t, x, xp) : DAE_MEMORY;
    if (!st) report_all(problem, k.reported, ds);
    arena_clear(&a);
    return st;
}

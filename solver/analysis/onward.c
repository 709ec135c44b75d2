/* At (0, 0) the equations x*x' = -y, y' = 1 hold whatever x' is; differentiated
 * once more they say x'^2 = -1. What is regular is left as it is: there the
 * derivatives follow one after the other [Pry01]. */
#include "analysis/onward.h"
#include "analysis/components.h"
#include "analysis/examination.h"
#include <string.h>

/* Unknowns of a model that is asked. */
enum { LARGEST = 60 };

static bool is_singular_here(const analysis *a)
{
    const dae_structure *s = best_structure(a);
    for (size_t b = 0; b < s->fine_count; b++)
        if (a->found.blocks[b] == DAE_SINGULAR_HERE) return true;
    return false;
}

/* One more differentiation of components that are singular at the start; false:
 * not all of them allow it. */
static bool plan_more(analysis *a)
{
    const uint8_t *smoothness = a->problem->smoothness;
    for (size_t q = 0; q < a->component_count; q++) {
        const component *k = &a->components[q];
        if (k->blocks != DAE_SINGULAR_HERE) continue;
        for (size_t p = 0; p < k->count; p++) {
            const int32_t i = k->equations[p];
            const int32_t times = ++a->differentiate[i];
            a->highest[k->unknowns[p]]++;
            if (smoothness && smoothness[i] != DAE_SMOOTH
                && times > smoothness[i])
                return false;
        }
    }
    return a->problem->series != NULL;
}

/* By the plan as it is, from the seed where there is one. */
static dae_status solve(analysis *a, bool is_brief, bool *is_solved)
{
    examination x;
    init_findings g = {.z = NULL};
    dae_status st = examination_init(&x, a);
    *is_solved = true;
    if (!st) {
        init_request q = examination_request(&x);
        q.findings = &g;
        q.is_brief = is_brief;
        st = init_consistent(&q, x.x, x.xp, NULL, NULL);
        if (st == DAE_INCONSISTENT || st == DAE_NUMERIC) st = DAE_OK;
        /* a search that fails and cannot say why shows nothing */
        *is_solved = st || g.outcome == INIT_CONSISTENT
            || (!is_brief && !g.conflict_count);
    }
    init_findings_clear(&g);
    examination_clear(&x);
    return st == DAE_LIMIT || st == DAE_UNSUPPORTED ? DAE_OK : st;
}

/* The values found, with derivatives of 0: a standstill. */
static dae_status find_standstill(analysis *a, const double **out)
{
    const dae_start_findings *f = &a->found.start;
    const size_t n = a->problem->unknown_count;
    double *still = ARENA_ARRAY(&a->memory, double, f->value_first[n]);
    if (!still) return DAE_MEMORY;
    for (size_t j = 0; j < n; j++)
        if (f->value_first[j] < f->value_first[j + 1])
            still[f->value_first[j]] = f->values[f->value_first[j]];
    *out = still;
    return DAE_OK;
}

/* From the values found, from a standstill there, from the guesses. */
static dae_status ask(analysis *a, bool *is_solved)
{
    const double *still = NULL;
    *is_solved = true;
    if (!plan_more(a)) return DAE_OK;
    dae_status st = find_standstill(a, &still);
    if (st) return st;
    a->seed = a->found.start.values;
    a->seed_first = a->found.start.value_first;
    st = solve(a, true, is_solved);
    a->seed = still;
    if (!st && !*is_solved) st = solve(a, true, is_solved);
    a->seed = NULL;
    if (!st && !*is_solved) st = solve(a, false, is_solved);
    return st;
}

dae_status onward_find(analysis *a)
{
    const size_t n = a->problem->unknown_count;
    bool is_solved = true;
    if (!a->is_consistent || a->found.verdict != DAE_INDEX_FOUND
        || !is_singular_here(a))
        return DAE_OK;
    a->found.start.onward = DAE_ONWARD_OPEN;
    if (a->found.start.verdict != DAE_START_CONSISTENT) return DAE_OK;
    if (n > LARGEST || a->repair.structure || a->is_even) return DAE_OK;
    const arena_position mark = arena_mark(&a->memory);
    int32_t *own = ARENA_ARRAY(&a->memory, int32_t, 2 * n);
    if (!own) return DAE_MEMORY;
    memcpy(own, a->differentiate, n * sizeof *own);
    memcpy(own + n, a->highest, n * sizeof *own);
    const dae_status st = ask(a, &is_solved);
    memcpy(a->differentiate, own, n * sizeof *own);
    memcpy(a->highest, own + n, n * sizeof *own);
    arena_release(&a->memory, mark);
    if (!is_solved) a->found.start.onward = DAE_ONWARD_ROUGH;
    return st;
}

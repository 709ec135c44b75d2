/* How often each equation is differentiated for the start: by the offsets of the
 * structure, raised to the orders as written; by the repairs; or, in components where
 * ranks replace the structure, as often as the index. */
#include "analysis/components.h"
#include "analysis/raise_offsets.h"
#include <assert.h>

/* A bound on offsets that numbers of this size can hold. */
static int32_t clip(int64_t order)
{
    return order < INT32_MAX ? (int32_t)order : INT32_MAX;
}

/* Of the structure as it stands. */
dae_status plan_init(analysis *a)
{
    differentiation *plan = &a->plan;
    const size_t n = a->problem->unknown_count;
    const arena_position mark = arena_mark(&a->memory);
    bool is_raised;
    int64_t *c = ARENA_ARRAY(&a->memory, int64_t, n);
    int64_t *d = ARENA_ARRAY(&a->memory, int64_t, n);
    if (!c || !d) return DAE_MEMORY;
    const dae_status st = raise_offsets(a->structure, &a->signature->table,
        &a->layout, a->problem->smoothness, a->allocator, c, d, &is_raised);
    if (st) return st;
    /* beyond the limit of differentiations the offsets are not raised */
    for (size_t i = 0; i < n && is_raised; i++)
        if (c[i] >= DAE_SERIES_TERMS_MAX) is_raised = false;
    plan->raised_c = is_raised ? c : a->structure->c;
    plan->raised_d = is_raised ? d : a->structure->d;
    if (!is_raised) arena_release(&a->memory, mark);
    return DAE_OK;
}

/* The largest difference between the order of an unknown in the equations as
 * written and the order up to which a repaired structure determines it (x'
 * occurs, x is determined). All equations are differentiated as many times
 * more. */
static int32_t find_deficit(const analysis *a)
{
    const dae_structure *s = best_structure(a);
    int32_t most = 0;
    if (!a->repair.structure) return 0;
    for (size_t j = 0; j < a->problem->unknown_count; j++) {
        const int32_t q = a->layout.order[j];
        if (q - s->d[j] > most) most = (int32_t)(q - s->d[j]);
    }
    return most;
}

void plan_by_structure(analysis *a)
{
    differentiation *plan = &a->plan;
    const dae_structure *s = best_structure(a);
    const int32_t deficit = find_deficit(a);
    const bool is_repaired = a->repair.structure != NULL;
    for (size_t i = 0; i < a->problem->unknown_count; i++) {
        plan->times[i] = a->repair.differentiate
            ? a->repair.differentiate[i] + deficit
            : clip(is_repaired ? s->c[i] : plan->raised_c[i]);
        plan->highest[i] = clip(is_repaired ? s->d[i] : plan->raised_d[i]);
        if (deficit && a->layout.order[i] > plan->highest[i])
            plan->highest[i] = a->layout.order[i];
        plan->times[i] += a->further;
        plan->highest[i] += a->further;
    }
}

/* Ranks of the component's array replace its structure: this misses constraints (the
 * degrees of freedom differ), or is not to be trusted. */
static bool knows_better(const component *k)
{
    return k->array.outcome == ARRAY_FOUND
        && (!k->is_trusted || k->found_freedom != k->freedom);
}

/* Differentiates all equations of such a component as often as its index; false: there
 * is none. */
bool plan_by_ranks(analysis *a)
{
    differentiation *plan = &a->plan;
    for (size_t q = 0; q < a->component_count; q++) {
        const component *k = &a->components[q];
        if (!knows_better(k)) continue;
        plan->is_even = true;
        assert(k->found_index >= 0);
        for (size_t p = 0; p < k->count; p++) {
            const int32_t j = k->unknowns[p], order = a->layout.order[j];
            plan->times[k->equations[p]] = clip(k->found_index);
            plan->highest[j] = order > 0 ? order : 1;
        }
    }
    return plan->is_even;
}

/* Equations that cannot be differentiated as often as planned. */
size_t plan_kinks(const analysis *a)
{
    const uint8_t *smoothness = a->problem->smoothness;
    size_t count = 0;
    for (size_t i = 0; i < a->problem->unknown_count; i++)
        assert(a->plan.times[i] >= 0 && a->plan.highest[i] >= 0);
    for (size_t i = 0; smoothness && i < a->problem->unknown_count; i++)
        count += smoothness[i] != DAE_SMOOTH
            && a->plan.times[i] > smoothness[i];
    return count;
}

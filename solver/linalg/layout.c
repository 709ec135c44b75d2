#include "linalg/layout.h"
#include <assert.h>

static size_t width_of(const dae_problem *problem, size_t j)
{
    const uint8_t q = problem->order ? problem->order[j] : 1;
    return q > 1 ? q : 1;
}

size_t dae_problem_state_count(const dae_problem *problem)
{
    if (!problem) return 0;
    size_t count = 0;
    if (!problem->order) return problem->unknown_count;
    for (size_t j = 0; j < problem->unknown_count; j++)
        count += width_of(problem, j);
    return count;
}

dae_status layout_init(
    layout *l, const dae_problem *problem, const dae_allocator *allocator)
{
    const size_t n = problem->unknown_count;
    *l = (layout){.allocator = alloc_or_default(allocator),
        .unknowns = n,
        .is_first_order = true};
    /* slots (at most 256 an unknown) are counted in int32 by the patterns */
    if (n >= INT32_MAX) return DAE_LIMIT;
    size_t *first = alloc_zeroed(l->allocator, n + 1, sizeof *first);
    uint8_t *order = alloc_zeroed(l->allocator, n, sizeof *order);
    l->first = first;
    l->order = order;
    if (!first || !order) {
        layout_clear(l);
        return DAE_MEMORY;
    }
    bool is_algebraic = true;
    for (size_t j = 0; j < n; j++) {
        order[j] = problem->order ? problem->order[j] : 1;
        first[j + 1] = first[j] + width_of(problem, j);
        if (order[j] > 1) l->is_first_order = false;
        if (order[j] > 0) is_algebraic = false;
    }
    l->states = first[n];
    l->slots = is_algebraic ? l->states : l->states + n;
    assert(l->states >= n);
    if (l->states + n >= INT32_MAX) {
        layout_clear(l);
        return DAE_LIMIT;
    }
    return DAE_OK;
}

void layout_clear(layout *l)
{
    if (!l->allocator) return;
    /* allocated here as writable arrays; const only for readers */
    alloc_free(l->allocator, (void *)(uintptr_t)l->first, l->unknowns + 1,
        sizeof *l->first);
    alloc_free(l->allocator, (void *)(uintptr_t)l->order, l->unknowns,
        sizeof *l->order);
    *l = (layout){0};
}

size_t layout_column(const layout *l, size_t j, size_t order)
{
    assert(j < l->unknowns && order <= l->order[j]);
    const bool is_top = order == l->order[j] && order > 0;
    return is_top ? l->states + j : l->first[j] + order;
}

size_t layout_highest(const layout *l, size_t j)
{
    return layout_column(l, j, l->order[j]);
}

bool layout_has_algebraic(const layout *l)
{
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] == 0) return true;
    return false;
}

void layout_move(const layout *l, double s, double *x, const double *xp)
{
    for (size_t j = 0; j < l->unknowns; j++) {
        if (l->order[j] == 0) continue;
        for (size_t o = l->first[j]; o < l->first[j + 1]; o++) {
            double factor = s;
            size_t k = o + 1;
            for (; k < l->first[j + 1]; k++) {
                x[o] += factor * x[k];
                factor *= s / (double)(k - o + 1);
            }
            x[o] += factor * xp[j];
        }
    }
}

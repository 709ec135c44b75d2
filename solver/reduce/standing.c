/* Multistep formulas applied to the equations themselves [HLR89], [BCP96 3.2]. */
#include "reduce/standing.h"
#include "base/report.h"
#include "reduce/depth.h"
#include <string.h>

enum { INDEX_MOST = 3 };

void standing_free(standing *s)
{
    if (!s) return;
    const dae_allocator *a = s->allocator;
    alloc_free(a, s->group, s->states, 1);
    alloc_free(a, s->unknown_group, s->unknowns, 1);
    alloc_free(a, s, 1, sizeof *s);
}

/* Of every state, and of every unknown that of its states that is deepest. */
static dae_status find_groups(standing *s, const reduction *r)
{
    const extended *e = r->extended;
    const layout *l = &r->layout;
    int32_t *depth = alloc_zeroed(s->allocator, e->columns, sizeof *depth);
    dae_status st = depth ? depth_find(e, &r->structure, s->allocator, depth)
                          : DAE_MEMORY;
    for (size_t j = 0; j < l->unknowns && !st; j++) {
        const uint8_t *own = r->problem->index_group;
        const bool is_internal = own && own[j] == 255;
        for (size_t k = l->first[j]; k < l->first[j + 1]; k++) {
            const int32_t d = depth[e->column_first[j] + k - l->first[j]];
            const int32_t group = d + 1 < INDEX_MOST ? d + 1 : INDEX_MOST;
            s->group[k] = is_internal ? 255 : (uint8_t)group;
            if (s->group[k] > s->unknown_group[j])
                s->unknown_group[j] = s->group[k];
        }
    }
    alloc_free(s->allocator, depth, e->columns, sizeof *depth);
    return st;
}

static dae_status refuse(int64_t index, dae_diagnostics *ds)
{
    report(ds, DIAG_E0505, NULL, (text_span){0, 0},
        "`reduce` cannot be `never`: the index is %lld", (long long)index);
    report_help(ds,
        "equations of index %d at most can be integrated as they stand; the "
        "default, `auto`, reduces any index",
        INDEX_MOST);
    return DAE_ARGUMENT;
}

static void note(int64_t index, dae_diagnostics *ds)
{
    report(ds, DIAG_N0510, NULL, (text_span){0, 0},
        "the equations are integrated as they stand, with index %lld",
        (long long)index);
    report_help(ds,
        "hidden constraints hold to the order of the formula only; what "
        "follows from them is not tested for error, and is off in the first "
        "steps and after each change of the step");
}

dae_status standing_create(const reduction *r, const dae_allocator *allocator,
    dae_diagnostics *ds, standing **out)
{
    *out = NULL;
    if (r->analysis->index > INDEX_MOST) return refuse(r->analysis->index, ds);
    standing *s = alloc_zeroed(allocator, 1, sizeof *s);
    if (!s) return DAE_MEMORY;
    *s = (standing){.problem = *r->problem,
        .index = r->analysis->index,
        .allocator = allocator,
        .states = r->layout.states,
        .unknowns = r->layout.unknowns,
        .group = alloc_zeroed(allocator, r->layout.states, 1),
        .unknown_group = alloc_zeroed(allocator, r->layout.unknowns, 1)};
    dae_status st = s->group && s->unknown_group ? find_groups(s, r)
                                                 : DAE_MEMORY;
    if (st) {
        standing_free(s);
        return st;
    }
    s->problem.index_group = s->unknown_group;
    note(s->index, ds);
    *out = s;
    return DAE_OK;
}

void standing_attach(const standing *s, stepper *to)
{
    memcpy(to->weights->group, s->group, s->states);
    newton_follow_alpha(to->newton);
    to->selector.is_steady = true;
}

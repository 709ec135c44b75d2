/* What a run tells of how it deals with a higher index, and of its start. */
#include "run/run.h"
#include "start/report.h"

static size_t count_states(const reduced *now)
{
    size_t count = 0;
    for (size_t s = 0; s < now->layout.states; s++)
        count += now->state_name[s] >= 0;
    return count;
}

static const char *name_of(dae_reduce mode)
{
    switch (mode) {
    case DAE_REDUCE_AUTO: return "dummy derivatives";
    case DAE_REDUCE_PROJECT: return "projection";
    case DAE_REDUCE_STABILIZE: return "stabilization";
    case DAE_REDUCE_NEVER: break;
    }
    return "none";
}

dae_reduction_report run_reduction(const run *r)
{
    const reduction *d = r->reduction;
    if (r->unreduced)
        return (dae_reduction_report){
            .index = r->unreduced->index, .method = "none"};
    if (!d)
        return (dae_reduction_report){.index = r->index_left,
            .method = r->index_left > 0 ? "none" : NULL};
    return (dae_reduction_report){.index = d->analysis->index,
        .method = name_of(d->mode),
        .state_count = count_states(d->now),
        .constraints = (int64_t)reduction_constraints(d)};
}

size_t run_state_name(const run *r, size_t state, char *text, size_t size)
{
    const reduction *d = r->reduction;
    if (size > 0) text[0] = '\0';
    for (size_t s = 0; d && s < d->now->layout.states; s++) {
        const int32_t column = d->now->state_name[s];
        if (column < 0 || state-- > 0) continue;
        const dae_problem *e = &d->extended->problem;
        return e->name(e->self, DAE_NAME_UNKNOWN, (size_t)column, text, size);
    }
    return 0;
}

void run_tell_below(const run *r, bool is_started)
{
    const reduction *d = r->reduction;
    const double *found = d ? d->x : r->engine->stepper.point.x;
    start_report_below_atol(r->problem, d ? &d->layout : &r->engine->layout,
        r->options.atol, is_started ? found : NULL, r->ds);
}

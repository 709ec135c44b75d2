#include "code/events.h"
#include "code/breaks.h"
#include "code/explain.h"
#include "code/levels.h"
#include "code/rows.h"
#include "code/run.h"
#include "code/series.h"
#include "code/slots.h"
#include <float.h>
#include <math.h>

dae_status events_read(compiled *c)
{
    const system_tables *s = c->s;
    dae_status st = rows_init(c, &s->groups[GROUP_WHEN], &c->whens);
    return st ? st : rows_init(c, &s->groups[GROUP_ASSIGN], &c->assigned);
}

dae_status events_room(compiled *c)
{
    const system_tables *s = c->s;
    c->held_count = s->discrete_count + c->switch_count;
    c->held = ARENA_ARRAY(&c->memory, double, c->held_count + 1);
    c->discrete_start = ARENA_ARRAY(&c->memory, double, s->discrete_count + 1);
    if (!c->held || !c->discrete_start) return DAE_MEMORY;
    events_start(c);
    return DAE_OK;
}

dae_status events_mark(compiled *c, dae_diagnostics *ds)
{
    dae_status st = levels_mark(c, &c->whens, NEED_WHEN, true);
    if (!st) st = levels_mark(c, &c->assigned, NEED_ASSIGN, true);
    if (!st) st = levels_mark(c, &c->roots, NEED_SWITCH, true);
    if (!st) st = levels_mark(c, &c->breaks, NEED_BREAK, true);
    if (st) return st;
    const dae_status whens = slots_check(c, &c->whens, NEED_WHEN, NULL, ds);
    const dae_status sides = slots_check(
        c, &c->assigned, NEED_ASSIGN, NULL, ds);
    return whens ? whens : sides;
}

void events_start(compiled *c)
{
    const system_tables *s = c->s;
    for (size_t d = 0; d < s->discrete_starts.count; d++) {
        const node_id value = s->discrete_starts.items[d];
        c->discrete_start[d] = s->param_values.items[value];
        c->held[d] = c->discrete_start[d];
    }
    for (size_t k = s->discrete_count; k <= c->held_count; k++)
        c->held[k] = (double)NAN;
}

/* ---- callbacks ------------------------------------------------------------- */

/* An overflow has a side. */
static dae_status roots(
    void *self, double t, const double *x, const double *xp, double *g)
{
    compiled *c = self;
    run_task(c, &c->root_task, t, x, xp, g);
    for (size_t k = 0; k < c->switch_count; k++)
        if (isinf(g[k])) g[k] = copysign(DBL_MAX, g[k]);
    return DAE_OK;
}

static dae_status conditions(
    void *self, double t, const double *x, const double *xp, double *values)
{
    compiled *c = self;
    run_task(c, &c->when_task, t, x, xp, values);
    return DAE_OK;
}

static dae_status right_sides(
    void *self, double t, const double *x, const double *xp, double *values)
{
    compiled *c = self;
    run_task(c, &c->assign_task, t, x, xp, values);
    return DAE_OK;
}

/* ---- tables ---------------------------------------------------------------- */

static dae_status fill_whens(compiled *c)
{
    const system_tables *s = c->s;
    dae_when *whens = ARENA_ARRAY(&c->memory, dae_when, s->whens.count + 1);
    dae_assignment *assignments = ARENA_ARRAY(
        &c->memory, dae_assignment, s->assignments.count + 1);
    if (!whens || !assignments) return DAE_MEMORY;
    for (size_t w = 0; w < s->whens.count; w++) {
        const when_block *from = &s->whens.items[w];
        whens[w] = (dae_when){.assignment = from->assignment,
            .assignment_count = from->assignment_count,
            .stop = from->stop,
            .prints = from->prints,
            .print_count = from->print_count,
            .at_start = from->at_start};
    }
    for (size_t a = 0; a < s->assignments.count; a++) {
        const assignment *from = &s->assignments.items[a];
        assignments[a] = (dae_assignment){.is_discrete = from->is_discrete,
            .order = from->order,
            .reads_itself = from->reads_itself,
            .index = (int32_t)from->index};
    }
    c->events.whens = whens;
    c->events.assignments = assignments;
    return DAE_OK;
}

dae_status events_fill(compiled *c)
{
    const system_tables *s = c->s;
    if (c->held_count == 0 && s->whens.count == 0) return DAE_OK;
    c->events = (dae_events){.discrete_count = s->discrete_count,
        .switch_count = c->switch_count,
        .when_count = s->whens.count,
        .assignment_count = s->assignments.count,
        .held = c->held,
        .discrete_start = c->discrete_start,
        .switches = c->switches,
        .next_break = c->break_count ? breaks_next : NULL,
        .roots = roots,
        .root_series = series_roots,
        .conditions = conditions,
        .assigned = right_sides};
    const dae_status st = fill_whens(c);
    if (!st) c->problem.events = &c->events;
    return st;
}

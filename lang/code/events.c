#include "code/events.h"
#include "code/breaks.h"
#include "code/explain.h"
#include "code/guards.h"
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

/* ---- what root functions look at --------------------------------------------- */

static uint8_t leaf_reads(const compiled *c, const leaf *l, const uint32_t *row,
    const uint8_t *of_definition)
{
    program_space space;
    const uint32_t at = slots_resolve(c, l, row, true, &space);
    switch (space) {
    case SPACE_X:
        return l->kind == LEAF_UNKNOWN && c->slots.order[row[1 + l->hole]] > 0
            ? DAE_READS_STATES
            : DAE_READS_REST;
    case SPACE_XP: return DAE_READS_REST;
    case SPACE_DEF: return of_definition[at];
    case SPACE_TIME: return DAE_READS_TIME;
    case SPACE_HELD:
        return at >= c->s->discrete_count ? DAE_READS_SWITCHES : DAE_READS_HELD;
    default: return 0; /* a param */
    }
}

/* Of every row's target, in `to`; whether any is new. */
static bool add_reads(const compiled *c, const row_sets *sets,
    const uint8_t *of_definition, uint8_t *to)
{
    bool has_new = false;
    for (size_t k = 0; k < sets->count; k++) {
        const row_set *set = &sets->items[k];
        for (size_t r = 0; r < set->count; r++) {
            const uint32_t *row = set_row(set, r);
            uint8_t reads = to[row[0]];
            for (uint32_t l = 0; l < set->leaf_count; l++)
                reads |= leaf_reads(c, &set->leaves[l], row, of_definition);
            has_new = has_new || reads != to[row[0]];
            to[row[0]] = reads;
        }
    }
    return has_new;
}

/* Definitions use others: until nothing is new, mostly once and to see that. */
static dae_status find_reads(compiled *c)
{
    const arena_position mark = arena_mark(&c->scratch);
    uint8_t *of = ARENA_ARRAY(&c->scratch, uint8_t, c->defs.count + 1);
    uint8_t *of_switch = ARENA_ARRAY(&c->scratch, uint8_t, c->switch_count + 1);
    const dae_status st = of && of_switch ? DAE_OK : DAE_MEMORY;
    bool has_new = c->switch_count > 0;
    while (has_new && !st) has_new = add_reads(c, &c->definitions, of, of);
    if (!st) (void)add_reads(c, &c->roots, of, of_switch);
    for (size_t k = 0; k < c->switch_count && !st; k++)
        c->switches[k].reads = of_switch[k] ? of_switch[k] : DAE_READS_HELD;
    arena_release(&c->scratch, mark);
    return st;
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
        .slides = c->s->slides,
        .needed = guards_needed,
        .conditions = conditions,
        .assigned = right_sides};
    dae_status st = fill_whens(c);
    if (!st) st = find_reads(c);
    if (!st) c->problem.events = &c->events;
    return st;
}

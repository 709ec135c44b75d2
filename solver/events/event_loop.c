#include "events/event_loop.h"
#include "events/flow.h"
#include "events/recurrence.h"
#include "linalg/layout.h"
#include <math.h>
#include <string.h>

static bool take_lists(event_loop *e)
{
    arena *a = &e->memory;
    const size_t switches = e->of->switch_count + 1;
    const size_t whens = e->of->when_count + 1;
    e->whens.truth = ARENA_ARRAY(a, uint8_t, whens);
    e->whens.truth_before = ARENA_ARRAY(a, uint8_t, whens);
    e->whens.has_fired = ARENA_ARRAY(a, uint8_t, whens);
    e->whens.fires = ARENA_ARRAY(a, uint8_t, whens);
    e->turn.has_turned = ARENA_ARRAY(a, uint8_t, switches);
    e->stop.crossing_to = ARENA_ARRAY(a, double, switches);
    e->whens.fired = ARENA_ARRAY(a, size_t, whens);
    e->whens.conditions = ARENA_ARRAY(a, double, whens);
    e->stop.crossing = ARENA_ARRAY(a, size_t, switches);
    e->whens.turned = ARENA_ARRAY(a, size_t, switches);
    e->stop.crossed = ARENA_ARRAY(a, search_crossing, switches);
    e->stop.from = ARENA_ARRAY(a, uint8_t, switches);
    e->turn.is_near = ARENA_ARRAY(a, bool, switches);
    e->room.needed = ARENA_ARRAY(a, uint8_t, 2 * e->held_count + 1);
    e->always = ARENA_ARRAY(a, uint8_t, e->held_count + 1);
    e->turn.along = ARENA_ARRAY(a, flow_root, switches);
    e->room.along = ARENA_ARRAY(a, flow_root, switches);
    e->turn.turns = ARENA_ARRAY(a, int32_t, switches);
    e->turn.pushes = ARENA_ARRAY(a, int32_t, switches);
    e->stop.jumps = ARENA_ARRAY(a, uint8_t, switches);
    e->locked.is = ARENA_ARRAY(a, uint8_t, switches);
    e->locked.is_next = ARENA_ARRAY(a, uint8_t, switches);
    e->locked.leaves = ARENA_ARRAY(a, uint8_t, switches);
    e->inactive.how = ARENA_ARRAY(a, uint8_t, switches);
    e->inactive.how_before = ARENA_ARRAY(a, uint8_t, switches);
    return e->whens.truth && e->whens.truth_before && e->whens.has_fired
        && e->whens.fires && e->turn.has_turned && e->stop.from
        && e->stop.crossed && e->stop.crossing_to && e->whens.fired
        && e->whens.conditions && e->stop.crossing && e->whens.turned
        && e->turn.is_near && e->turn.turns && e->turn.pushes && e->stop.jumps
        && e->locked.is && e->locked.is_next && e->room.needed && e->always
        && e->turn.along && e->room.along && e->locked.leaves && e->inactive.how
        && e->inactive.how_before;
}

static bool take_vectors(event_loop *e)
{
    arena *a = &e->memory;
    const size_t assignments = e->of->assignment_count + 1;
    double **const of_states[] = {&e->point.x_before, &e->point.x, &e->room.x};
    double **const of_unknowns[] = {
        &e->point.xp_before, &e->point.xp, &e->room.xp};
    double **const of_held[] = {&e->point.held_before, &e->point.held_last};
    double **const of_switches[] = {&e->point.g, &e->point.g_last,
        &e->point.noise, &e->point.rounding, &e->turn.rate, &e->turn.rate_other,
        &e->room.g, &e->free.sides, &e->room.sides, &e->inactive.width,
        &e->inactive.side, &e->instant.sides_settling, &e->point.g_unset,
        &e->locked.threshold, &e->locked.width, &e->locked.leave_size};
    bool has_all = true;
    for (size_t k = 0; k < 3; k++) {
        *of_states[k] = ARENA_ARRAY(a, double, e->states);
        *of_unknowns[k] = ARENA_ARRAY(a, double, e->unknowns);
        has_all = has_all && *of_states[k] && *of_unknowns[k];
    }
    for (size_t k = 0; k < 2; k++) {
        *of_held[k] = ARENA_ARRAY(a, double, e->held_count + 1);
        has_all = has_all && *of_held[k];
    }
    for (size_t k = 0; k < sizeof of_switches / sizeof *of_switches; k++) {
        *of_switches[k] = ARENA_ARRAY(a, double, e->of->switch_count + 1);
        has_all = has_all && *of_switches[k];
    }
    e->turn.blow = ARENA_ARRAY(a, double, e->unknowns + 1);
    e->whens.right_sides = ARENA_ARRAY(a, double, assignments);
    e->whens.made = ARENA_ARRAY(a, made_assignment, assignments);
    return has_all && e->turn.blow && e->whens.right_sides && e->whens.made;
}

dae_status event_loop_create(const dae_problem *problem,
    const dae_allocator *allocator, event_loop **out)
{
    *out = NULL;
    if (!problem->events) return DAE_OK;
    event_loop *e = alloc_zeroed(allocator, 1, sizeof *e);
    if (!e) return DAE_MEMORY;
    e->of = problem->events;
    arena_init(&e->memory, allocator, 0);
    e->held = e->of->held;
    e->sides = e->held ? e->held + e->of->discrete_count : NULL;
    e->held_count = e->of->discrete_count + e->of->switch_count;
    e->states = dae_problem_state_count(problem);
    e->unknowns = problem->unknown_count;
    if (take_lists(e) && take_vectors(e)
        && !search_init(
            &e->search, e->of->switches, e->of->switch_count, &e->memory)
        && (!e->of->needed || !e->of->needed(problem->self, true, e->always))
        && !recurrence_init(&e->recurrence, e->of->switch_count, &e->memory)) {
        *out = e;
        return DAE_OK;
    }
    event_loop_free(e);
    return DAE_MEMORY;
}

void event_loop_free(event_loop *e)
{
    if (!e) return;
    const dae_allocator *a = e->memory.allocator;
    arena_clear(&e->memory);
    alloc_free(a, e, 1, sizeof *e);
}

void event_loop_begin(event_loop *e)
{
    if (!e) return;
    const dae_events *of = e->of;
    for (size_t d = 0; d < of->discrete_count; d++)
        e->held[d] = of->discrete_start[d];
    for (size_t k = 0; k < of->switch_count; k++) e->sides[k] = (double)NAN;
    memset(e->locked.is, 0, of->switch_count);
    memset(e->locked.leaves, 0, of->switch_count);
    memset(e->stop.jumps, 0, of->switch_count);
    memset(e->inactive.how, 0, of->switch_count);
    e->locked.count = e->locked.leaving_count = 0;
    e->free.is_on = false;
    e->stop.has_event = e->stop.is_break = e->stop.is_passed =
        e->stop.has_from = false;
    e->instant.is_start = false;
    e->instant.is_open = e->instant.is_reported = e->instant.is_settled =
        e->instant.is_noted = false;
    e->break_at = e->instant.jumped_at = (double)NAN;
    e->stop.crossing_count = 0;
    e->instant.cycles = 0;
    search_forget(e->search);
}

void event_loop_take(event_loop *e, const double *sides)
{
    if (e && sides)
        memcpy(e->sides, sides, e->of->switch_count * sizeof *sides);
}

const search_crossing *event_loop_crossing(const event_loop *e, size_t k)
{
    for (size_t c = 0; c < e->stop.crossing_count; c++)
        if (e->stop.crossing[c] == k) return &e->stop.crossed[c];
    return NULL;
}

dae_status event_loop_needed(const event_loop *e, void *self, uint8_t *needed)
{
    if (e->of->needed) return e->of->needed(self, false, needed);
    memset(needed, DAE_NEEDED_EQUATIONS | DAE_NEEDED_EVENTS, e->held_count);
    return DAE_OK;
}

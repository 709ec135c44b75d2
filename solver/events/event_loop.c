#include "events/event_loop.h"
#include "events/recurrence.h"
#include "events/search.h"
#include "events/threshold.h"
#include <math.h>
#include <string.h>

static bool take_bytes(event_loop *e)
{
    arena *a = &e->memory;
    uint8_t **const of_whens[] = {&e->whens.truth, &e->whens.truth_before,
        &e->whens.has_fired, &e->whens.fires};
    uint8_t **const of_switches[] = {&e->turn.has_turned, &e->stop.from,
        &e->stop.jumps, &e->locked.is, &e->locked.is_next, &e->locked.leaves,
        &e->inactive.how, &e->inactive.how_before};
    bool has_all = true;
    for (size_t k = 0; k < sizeof of_whens / sizeof *of_whens; k++)
        has_all &= TAKE(a, *of_whens[k], e->of->when_count);
    for (size_t k = 0; k < sizeof of_switches / sizeof *of_switches; k++)
        has_all &= TAKE(a, *of_switches[k], e->of->switch_count);
    return has_all && TAKE(a, e->room.needed, 2 * e->held_count)
        && TAKE(a, e->always, e->held_count);
}

static bool take_lists(event_loop *e)
{
    arena *a = &e->memory;
    const size_t switches = e->of->switch_count, whens = e->of->when_count;
    const size_t assignments = e->of->assignment_count;
    return TAKE(a, e->whens.fired, whens) && TAKE(a, e->whens.conditions, whens)
        && TAKE(a, e->whens.right_sides, assignments)
        && TAKE(a, e->whens.made, assignments)
        && TAKE(a, e->whens.turned, switches)
        && TAKE(a, e->stop.crossing, switches)
        && TAKE(a, e->stop.crossed, switches)
        && TAKE(a, e->turn.is_near, switches)
        && TAKE(a, e->turn.along, switches) && TAKE(a, e->room.along, switches)
        && TAKE(a, e->turn.turns, switches)
        && TAKE(a, e->turn.pushes, switches);
}

static bool take_vectors(event_loop *e)
{
    arena *a = &e->memory;
    double **const of_states[] = {&e->point.x_before, &e->point.x, &e->room.x};
    double **const of_unknowns[] = {
        &e->point.xp_before, &e->point.xp, &e->room.xp};
    double **const of_switches[] = {&e->point.g, &e->point.g_last,
        &e->point.noise, &e->point.rounding, &e->turn.rate, &e->turn.rate_other,
        &e->room.g, &e->free.sides, &e->room.sides, &e->inactive.width,
        &e->inactive.side, &e->instant.sides_settling, &e->point.g_unset,
        &e->locked.threshold, &e->locked.width, &e->locked.leave_size,
        &e->stop.crossing_to};
    bool has_all = TAKE(a, e->point.held_before, e->held_count)
        && TAKE(a, e->turn.blow, e->unknowns)
        && TAKE(a, e->turn.is_pressed, e->of->switch_count)
        && TAKE(a, e->point.held_last, e->held_count);
    for (size_t k = 0; k < sizeof of_states / sizeof *of_states; k++)
        has_all &= TAKE(a, *of_states[k], e->states)
            && TAKE(a, *of_unknowns[k], e->unknowns);
    for (size_t k = 0; k < sizeof of_switches / sizeof *of_switches; k++)
        has_all &= TAKE(a, *of_switches[k], e->of->switch_count);
    return has_all;
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
    const dae_status st = layout_init(&e->layout, problem, allocator);
    e->states = e->layout.states;
    e->unknowns = problem->unknown_count;
    if (!st && take_bytes(e) && take_lists(e) && take_vectors(e)
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
    layout_clear(&e->layout);
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

void event_loop_go_back(event_loop *e)
{
    memcpy(e->point.x, e->point.x_before, e->states * sizeof *e->point.x);
    memcpy(e->point.xp, e->point.xp_before, e->unknowns * sizeof *e->point.xp);
}

void event_loop_swap(double *a, double *b, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const double now = a[k];
        a[k] = b[k];
        b[k] = now;
    }
}

dae_status event_loop_needed(const event_loop *e, void *self, uint8_t *needed)
{
    if (e->of->needed) return e->of->needed(self, false, needed);
    memset(needed,
        DAE_NEEDED_EQUATIONS | DAE_NEEDED_EVENTS | DAE_NEEDED_DIRECTLY,
        e->held_count);
    return DAE_OK;
}

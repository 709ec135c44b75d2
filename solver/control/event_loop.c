#include "control/event_loop.h"
#include "control/flow.h"
#include "events/recurrence.h"
#include "linalg/layout.h"
#include <math.h>
#include <string.h>

static bool take_lists(event_loop *e)
{
    arena *a = &e->memory;
    const size_t switches = e->of->switch_count + 1;
    const size_t whens = e->of->when_count + 1;
    e->truth = ARENA_ARRAY(a, uint8_t, whens);
    e->truth_before = ARENA_ARRAY(a, uint8_t, whens);
    e->has_fired = ARENA_ARRAY(a, uint8_t, whens);
    e->fires = ARENA_ARRAY(a, uint8_t, whens);
    e->has_turned = ARENA_ARRAY(a, uint8_t, switches);
    e->crossing_to = ARENA_ARRAY(a, double, switches);
    e->fired = ARENA_ARRAY(a, size_t, whens);
    e->conditions = ARENA_ARRAY(a, double, whens);
    e->crossing = ARENA_ARRAY(a, size_t, switches);
    e->turned = ARENA_ARRAY(a, size_t, switches);
    e->crossed = ARENA_ARRAY(a, search_crossing, switches);
    e->from_edge = ARENA_ARRAY(a, uint8_t, switches);
    e->at_edge = ARENA_ARRAY(a, bool, switches);
    e->needed = ARENA_ARRAY(a, uint8_t, 2 * e->held_count + 1);
    e->always = ARENA_ARRAY(a, uint8_t, e->held_count + 1);
    e->along = ARENA_ARRAY(a, flow_root, switches);
    e->room_along = ARENA_ARRAY(a, flow_root, switches);
    e->turns = ARENA_ARRAY(a, int32_t, switches);
    e->pushes = ARENA_ARRAY(a, int32_t, switches);
    e->jumps = ARENA_ARRAY(a, uint8_t, switches);
    e->rests = ARENA_ARRAY(a, uint8_t, switches);
    e->rests_next = ARENA_ARRAY(a, uint8_t, switches);
    e->leaves = ARENA_ARRAY(a, uint8_t, switches);
    e->asleep = ARENA_ARRAY(a, uint8_t, switches);
    e->asleep_before = ARENA_ARRAY(a, uint8_t, switches);
    return e->truth && e->truth_before && e->has_fired && e->fires
        && e->has_turned && e->from_edge && e->crossed && e->crossing_to
        && e->fired && e->conditions && e->crossing && e->turned && e->at_edge
        && e->turns && e->pushes && e->jumps && e->rests && e->rests_next
        && e->needed && e->always && e->along && e->room_along && e->leaves
        && e->asleep && e->asleep_before;
}

static bool take_vectors(event_loop *e)
{
    arena *a = &e->memory;
    const size_t assignments = e->of->assignment_count + 1;
    double **const of_states[] = {&e->x_before, &e->x, &e->room_x};
    double **const of_unknowns[] = {&e->xp_before, &e->xp, &e->room_xp};
    double **const of_held[] = {&e->held_before, &e->held_last};
    double **const of_switches[] = {&e->g, &e->g_last, &e->noise, &e->rounding,
        &e->rate, &e->rate_other, &e->room_g, &e->side_before, &e->room_sides,
        &e->still_size, &e->still_side, &e->sides_settling, &e->g_unset,
        &e->rest_edge, &e->rest_width, &e->leave_size};
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
    e->right_sides = ARENA_ARRAY(a, double, assignments);
    e->made = ARENA_ARRAY(a, made_assignment, assignments);
    return has_all && e->right_sides && e->made;
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
    memset(e->rests, 0, of->switch_count);
    memset(e->leaves, 0, of->switch_count);
    memset(e->jumps, 0, of->switch_count);
    memset(e->asleep, 0, of->switch_count);
    e->resting_count = e->leaving_count = 0;
    e->is_freed = false;
    e->stands = e->is_break = e->is_passed = e->has_edges = false;
    e->is_start = false;
    e->is_open = e->is_told = e->is_settled = e->is_noted = false;
    e->break_at = e->jumped_at = (double)NAN;
    e->crossing_count = 0;
    e->cycles = 0;
    search_forget(e->search);
}

void event_loop_take(event_loop *e, const double *sides)
{
    if (e && sides)
        memcpy(e->sides, sides, e->of->switch_count * sizeof *sides);
}

const search_crossing *event_loop_crossing(const event_loop *e, size_t k)
{
    for (size_t c = 0; c < e->crossing_count; c++)
        if (e->crossing[c] == k) return &e->crossed[c];
    return NULL;
}

dae_status event_loop_needed(const event_loop *e, void *self, uint8_t *needed)
{
    if (e->of->needed) return e->of->needed(self, false, needed);
    memset(needed, DAE_NEEDED_EQUATIONS | DAE_NEEDED_EVENTS, e->held_count);
    return DAE_OK;
}

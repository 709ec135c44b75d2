#include "run/restart.h"
#include <math.h>
#include <string.h>

/* What is integrated is given, the rest is guessed: as at an event that changes what the
 * equations determine. */
static void mark_given(const solution *r, restart_room *to)
{
    const uint8_t *order = r->problem.order;
    memset(to->xp_guessed, DAE_GUESS_STATED, r->unknown_count);
    for (size_t j = 0, s = 0; j < r->unknown_count; j++) {
        const size_t high = order ? order[j] : 1;
        const size_t end = s + (high > 1 ? high : 1);
        for (; s < end; s++) {
            to->x_fixed[s] = high > 0;
            to->x_guessed[s] = high > 0 ? DAE_GUESS_OWN : DAE_GUESS_STATED;
        }
    }
}

/* Conditions are compared with what they were; whens at the start have had theirs, unless
 * nothing has been dealt with yet. */
static void copy_whens(const solution *r, restart_room *to)
{
    const dae_events *e = dae_model_problem(r->model)->events;
    const uint8_t *truths = dae_solver_truths(r->solver);
    const bool is_start = r->event_count == 0 && !(fabs(r->t - r->t0) > 0);
    for (size_t w = 0; truths && w < e->when_count; w++) {
        to->whens[w] = e->whens[w];
        to->whens[w].at_start = e->whens[w].at_start && is_start;
        to->truths[w] = truths[w];
    }
}

static dae_status make_room(solution *r)
{
    restart_room *to = &r->again;
    const dae_events *e = r->problem.events;
    arena *a = &r->memory;
    if (to->x) return DAE_OK;
    to->xp = ARENA_ARRAY(a, double, r->unknown_count);
    to->discretes = ARENA_ARRAY(a, double, r->discrete_count);
    to->x_fixed = ARENA_ARRAY(a, uint8_t, r->state_count);
    to->x_guessed = ARENA_ARRAY(a, uint8_t, r->state_count);
    to->xp_fixed = ARENA_ARRAY(a, uint8_t, r->unknown_count);
    to->xp_guessed = ARENA_ARRAY(a, uint8_t, r->unknown_count);
    to->whens = ARENA_ARRAY(a, dae_when, e ? e->when_count : 0);
    to->truths = ARENA_ARRAY(a, uint8_t, e ? e->when_count : 0);
    if (!to->xp || !to->discretes || !to->x_fixed || !to->x_guessed
        || !to->xp_fixed || !to->xp_guessed || !to->whens || !to->truths)
        return DAE_MEMORY;
    to->x = ARENA_ARRAY(a, double, r->state_count);
    if (!to->x) return DAE_MEMORY;
    mark_given(r, to);
    return DAE_OK;
}

/* The problem's start is where the run stands. */
static void give_values(solution *r)
{
    restart_room *to = &r->again;
    memcpy(to->x, r->x, r->state_count * sizeof *to->x);
    memcpy(to->xp, r->xp, r->unknown_count * sizeof *to->xp);
    r->start = (dae_start){.t0 = r->t,
        .is_of_run = 1,
        .x = to->x,
        .xp = to->xp,
        .x_fixed = to->x_fixed,
        .xp_fixed = to->xp_fixed,
        .x_guessed = to->x_guessed,
        .xp_guessed = to->xp_guessed};
    if (!r->problem.events) return;
    memcpy(to->discretes, r->discretes, r->discrete_count * sizeof(double));
    r->events = *r->problem.events;
    r->events.discrete_start = to->discretes;
    copy_whens(r, to);
    r->events.whens = to->whens;
    r->events.truth_start = to->truths;
    r->problem.events = &r->events;
}

dae_status solution_restart(solution *r)
{
    dae_solver *solver = NULL;
    dae_status st = make_room(r);
    if (st) return st;
    give_values(r);
    st = dae_solver_create(
        &r->problem, &r->options, r->request->allocator, r->ds, &solver);
    if (!st) st = dae_solver_initialize(solver);
    if (st) {
        dae_solver_free(solver);
        return st;
    }
    dae_solver_free(r->solver);
    r->solver = solver;
    solution_copy(r);
    return DAE_OK;
}

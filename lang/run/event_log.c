#include "run/monitor.h"
#include <dae/names.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bounds of what is kept: 40 MiB and 96 MiB. */
enum { EVENTS_MOST = 1 << 20, EVENT_CHANGES_MOST = 1 << 22 };

/* ---- life ---- */

/* Places in the order of the text, and back. */
static dae_status rank(
    solution *r, dae_name_kind kind, size_t count, size_t **at, size_t **ranks)
{
    *at = ARENA_ARRAY(&r->memory, size_t, count);
    *ranks = ARENA_ARRAY(&r->memory, size_t, count);
    if (!*at || !*ranks) return DAE_MEMORY;
    const dae_status st = dae_text_order(
        &r->problem, kind, count, r->request->allocator, *at);
    for (size_t k = 0; !st && k < count; k++) (*ranks)[(*at)[k]] = k;
    return st;
}

dae_status event_log_init(event_log *l, solution *r)
{
    static const dae_events none;
    const dae_events *e = r->problem.events ? r->problem.events : &none;
    *l = (event_log){.run = r};
    dae_status st = rank(
        r, DAE_NAME_SWITCH, e->switch_count, &l->at[0], &l->rank[0]);
    if (!st) st = rank(r, DAE_NAME_WHEN, e->when_count, &l->at[1], &l->rank[1]);
    const size_t most = e->when_count > e->switch_count ? e->when_count
                                                        : e->switch_count;
    l->ranks = ARENA_ARRAY(&r->memory, size_t, most);
    l->assigned = ARENA_ARRAY(
        &r->memory, uint64_t, most ? r->unknown_count : 0);
    l->assigned_discretes = ARENA_ARRAY(&r->memory, uint8_t, e->discrete_count);
    l->needed = ARENA_ARRAY(
        &r->memory, uint8_t, e->discrete_count + e->switch_count);
    const bool has_room = l->ranks && l->assigned && l->assigned_discretes
        && l->needed;
    return st || has_room ? st : DAE_MEMORY;
}

void event_log_clear(event_log *l)
{
    if (!l->run) return;
    ARRAY_FREE(l->run->request->allocator, &l->entries);
    ARRAY_FREE(l->run->request->allocator, &l->changes);
    *l = (event_log){.run = NULL};
}

static dae_status push_change(event_log *l, dae_change change)
{
    return ARRAY_PUSH(l->run->request->allocator, &l->changes, change)
        ? DAE_OK
        : DAE_MEMORY;
}

/* ---- what changed ---- */

static dae_change unknown_change(
    const event_log *l, const dae_event *e, size_t j, int order)
{
    const dae_model *m = l->run->model;
    return (dae_change){DAE_CHANGE_UNKNOWN, (uint8_t)order, (uint32_t)j,
        dae_model_unknown_value(m, j, order, e->x_before, e->xp_before),
        dae_model_unknown_value(m, j, order, e->x, e->xp)};
}

static dae_change discrete_change(const dae_event *e, size_t d)
{
    return (dae_change){
        DAE_CHANGE_DISCRETE, 0, (uint32_t)d, e->held_before[d], e->held[d]};
}

static double atol_of(const solution *r, size_t j)
{
    const dae_scales *s = r->problem.scales;
    const double own = s && s->atol ? s->atol[j] : (double)NAN;
    return isnan(own) ? r->options.atol : own;
}

/* More than a value that goes on may have changed by: by what the tolerances
 * let be left of it, which for slopes is much more. */
static bool has_jumped(const solution *r, const dae_change *c)
{
    const double rtol = r->options.rtol, atol = atol_of(r, c->index);
    const double size = fmax(fabs(c->before), fabs(c->after));
    const double gap = fabs(c->after - c->before);
    if (!isfinite(size)) return isfinite(c->before) != isfinite(c->after);
    if (c->order == 0) return gap > 10 * (rtol * size + atol);
    return gap > sqrt(rtol) * size + 1000 * atol;
}

static void mark_assigned(event_log *l, const dae_event *e)
{
    const dae_events *events = l->run->problem.events;
    memset(l->assigned, 0, l->run->unknown_count * sizeof *l->assigned);
    memset(l->assigned_discretes, 0, l->run->discrete_count);
    for (size_t k = 0; k < e->when_count; k++) {
        const dae_when *w = &events->whens[e->whens[k]];
        for (size_t i = 0; i < w->assignment_count; i++) {
            const dae_assignment *a = &events->assignments[w->assignment + i];
            if (a->is_discrete) l->assigned_discretes[a->index] = 1;
            else l->assigned[a->index] |= (uint64_t)1 << (a->order & 63);
        }
    }
}

/* What jumped without being assigned. */
static dae_status push_jumps(event_log *l, const dae_event *e)
{
    const solution *r = l->run;
    dae_status st = DAE_OK;
    for (size_t p = 0; p < dae_model_unknown_count(r->model); p++) {
        const size_t j = solution_unknown_at(r, p);
        const int highest = dae_model_unknown_order(r->model, j);
        for (int k = 0; k <= highest && !st; k++) {
            if (l->assigned[j] >> (k & 63) & 1) continue;
            const dae_change c = unknown_change(l, e, j, k);
            if (has_jumped(r, &c)) st = push_change(l, c);
        }
    }
    return st;
}

static dae_status push_assigned(event_log *l, const dae_event *e, size_t when)
{
    const dae_events *events = l->run->problem.events;
    const dae_when *w = &events->whens[when];
    dae_status st = DAE_OK;
    for (size_t i = 0; i < w->assignment_count && !st; i++) {
        const dae_assignment *a = &events->assignments[w->assignment + i];
        const size_t index = (size_t)a->index;
        st = push_change(l,
            a->is_discrete ? discrete_change(e, index)
                           : unknown_change(l, e, index, a->order));
    }
    return st;
}

static dae_status push_switch(event_log *l, const dae_event *e, size_t k)
{
    const size_t at = l->run->discrete_count + k;
    return push_change(l,
        (dae_change){DAE_CHANGE_SWITCH, 0, (uint32_t)k, e->held_before[at],
            e->held[at]});
}

/* Where whens fire; but of conditions at which they alone look they tell themselves, and
 * kinks at times that are known are no events. */
static dae_status push_switches(event_log *l, const dae_event *e)
{
    const dae_problem *p = &l->run->problem;
    const dae_events *events = p->events;
    const size_t first = l->run->discrete_count;
    dae_status st = DAE_OK;
    memset(l->needed, 0, first + events->switch_count);
    if (events->needed) st = events->needed(p->self, 0, l->needed);
    for (size_t i = 0; i < e->switch_count && !st; i++) {
        const size_t k = e->switches[i], at = first + k;
        const dae_switch *s = &events->switches[k];
        const double before = e->held_before[at], after = e->held[at];
        const bool is_plain = s->domain == DAE_DOMAIN_BREAK && s->is_kink;
        if (is_plain || l->needed[at] == DAE_NEEDED_EVENTS) continue;
        if (before < after || before > after) st = push_switch(l, e, k);
    }
    return st;
}

/* ---- entries ---- */

static int compare_sizes(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* The numbers of an instant, in the order of the text: to l->ranks. */
static void sort_by_text(
    event_log *l, const size_t *numbers, size_t count, bool are_whens)
{
    for (size_t k = 0; k < count; k++)
        l->ranks[k] = l->rank[are_whens][numbers[k]];
    qsort(l->ranks, count, sizeof *l->ranks, compare_sizes);
    for (size_t k = 0; k < count; k++)
        l->ranks[k] = l->at[are_whens][l->ranks[k]];
}

/* Two switches of one text, as of a sign that slides and of a when: one is told of. */
static dae_status find_repeated(
    const event_log *l, const dae_event *e, size_t k, bool *is_repeated)
{
    const dae_problem *p = &l->run->problem;
    const size_t first = l->run->discrete_count, own = first + l->ranks[k];
    dae_name_buffer b = {0}, other = {0};
    const char *text = dae_name_of(p, DAE_NAME_SWITCH, l->ranks[k], &b);
    *is_repeated = false;
    for (size_t i = 0; i < k && !*is_repeated; i++) {
        const size_t at = first + l->ranks[i];
        *is_repeated = !(fabs(e->held[at] - e->held[own]) > 0)
            && !(fabs(e->held_before[at] - e->held_before[own]) > 0)
            && strcmp(
                   text, dae_name_of(p, DAE_NAME_SWITCH, l->ranks[i], &other))
                == 0;
    }
    const bool has_text = dae_name_done(&b);
    return dae_name_done(&other) && has_text ? DAE_OK : DAE_MEMORY;
}

static dae_status push_all(event_log *l, const dae_event *e, bool are_whens,
    size_t shared, size_t shared_count)
{
    const size_t count = are_whens ? e->when_count : e->switch_count;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < count && !st; k++) {
        const size_t number = l->ranks[k], own = l->changes.count;
        bool is_repeated = false;
        if (!are_whens) st = find_repeated(l, e, k, &is_repeated);
        if (st || is_repeated) continue;
        st = are_whens ? push_assigned(l, e, number)
                       : push_switch(l, e, number);
        if (st) break;
        const dae_occurrence o = {e->t, (uint32_t)number, are_whens,
            are_whens && e->when_times ? e->when_times[number] : 1,
            (uint32_t)(l->changes.count - own), (uint32_t)shared_count, own,
            shared};
        if (!ARRAY_PUSH(l->run->request->allocator, &l->entries, o))
            st = DAE_MEMORY;
    }
    return st;
}

dae_status event_log_add(event_log *l, const dae_event *e)
{
    const bool are_whens = e->when_count > 0;
    const size_t count = are_whens ? e->when_count : e->switch_count;
    if (l->left_out || l->entries.count + count > EVENTS_MOST
        || l->changes.count > EVENT_CHANGES_MOST) {
        l->left_out += (int64_t)count;
        return DAE_OK;
    }
    sort_by_text(l, are_whens ? e->whens : e->switches, count, are_whens);
    mark_assigned(l, e);
    const size_t shared = l->changes.count;
    dae_status st = push_jumps(l, e);
    if (!st && are_whens) st = push_switches(l, e);
    if (st) return st;
    return push_all(l, e, are_whens, shared, l->changes.count - shared);
}

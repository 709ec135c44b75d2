#include "events/event.h"
#include "base/region.h"
#include "events/event_report.h"
#include "events/locate.h"
#include "events/mode.h"
#include "events/recurrence.h"
#include "events/reinit.h"
#include "events/search.h"
#include "events/sides.h"
#include "reduce/thresholds.h"
#include "run/algebraic.h"
#include "run/begin.h"
#include "run/points.h"
#include "start/initial_whens.h"
#include "step/resume.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the record ---------------------------------------------------------------- */

static bool take_vectors(event_loop *e)
{
    arena *a = &e->memory;
    event_point *p = &e->point;
    double **const of_switches[] = {&p->g, &p->g_last, &p->g_unset, &e->room.g,
        &e->room.sides, &e->lower, &e->sides_searched, &e->upper,
        &e->leave_size, &e->stop.crossing_to, &e->instant.sides_settling};
    double **const of_x[] = {&p->x_before, &p->x, &e->room.x};
    double **const of_xp[] = {&p->xp_before, &p->xp, &e->room.xp};
    bool has_all = TAKE(a, p->held_before, e->held_count)
        && TAKE(a, p->held_last, e->held_count)
        && TAKE(a, e->instant.blow, e->unknowns);
    for (size_t k = 0; k < sizeof of_switches / sizeof *of_switches; k++)
        has_all &= TAKE(a, *of_switches[k], e->count);
    for (size_t k = 0; k < sizeof of_x / sizeof *of_x && has_all; k++) {
        has_all = TAKE(a, *of_x[k], e->slots);
        *of_xp[k] = *of_x[k] + e->states;
    }
    return has_all;
}

static bool take_lists(event_loop *e)
{
    arena *a = &e->memory;
    event_whens *w = &e->whens;
    event_stop *s = &e->stop;
    const size_t whens = e->of->when_count;
    const size_t assignments = e->of->assignment_count;
    return TAKE(a, w->truth, whens) && TAKE(a, w->truth_before, whens)
        && TAKE(a, w->has_fired, whens) && TAKE(a, w->fires, whens)
        && TAKE(a, w->fired, whens) && TAKE(a, w->conditions, whens)
        && TAKE(a, w->right_sides, assignments) && TAKE(a, w->made, assignments)
        && TAKE(a, w->turned, e->count) && TAKE(a, s->crossed, e->count)
        && TAKE(a, s->from, e->count) && TAKE(a, e->at, e->count)
        && TAKE(a, e->along, e->count) && TAKE(a, e->room.along, e->count)
        && TAKE(a, e->room.needed, 2 * e->held_count)
        && TAKE(a, e->always, e->held_count);
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
    e->count = e->of->switch_count;
    e->held_count = e->of->discrete_count + e->count;
    const dae_status st = layout_init(&e->layout, problem, allocator);
    e->states = e->layout.states;
    e->unknowns = problem->unknown_count;
    e->slots = e->states + e->unknowns;
    if (st || !take_lists(e) || !take_vectors(e)
        || search_init(&e->search, e->count, &e->memory)
        || (e->of->needed && e->of->needed(problem->self, true, e->always))
        || recurrence_init(&e->recurrence, e->count, &e->memory)) {
        event_loop_free(e);
        return DAE_MEMORY;
    }
    for (size_t k = 0; k < e->count; k++) e->at[k].of = &e->of->switches[k];
    *out = e;
    return DAE_OK;
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
    for (size_t d = 0; d < e->of->discrete_count; d++)
        e->held[d] = e->of->discrete_start[d];
    for (size_t k = 0; k < e->count; k++) {
        e->sides[k] = (double)NAN;
        e->at[k] = (event_switch){.of = e->at[k].of};
    }
    e->locked_count = e->leaving_count = e->stop.crossing_count = 0;
    e->has_free = e->has_regions = false;
    e->stop.has_event = e->stop.is_break = e->stop.is_passed =
        e->stop.has_from = false;
    e->instant.is_start = e->instant.is_open = e->instant.is_reported =
        e->instant.is_settled = e->instant.is_noted = false;
    e->break_at = e->instant.jumped_at = (double)NAN;
    search_forget(e->search);
}

void event_loop_take(event_loop *e, const double *sides)
{
    if (e && sides) memcpy(e->sides, sides, e->count * sizeof *sides);
}

const search_crossing *event_loop_crossing(const event_loop *e, size_t k)
{
    for (size_t c = 0; c < e->stop.crossing_count; c++)
        if (e->stop.crossed[c].index == k) return &e->stop.crossed[c];
    return NULL;
}

void event_loop_go_back(event_loop *e)
{
    memcpy(e->point.x, e->point.x_before, e->slots * sizeof *e->point.x);
}

void event_loop_swap(double *a, double *b, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const double now = a[k];
        a[k] = b[k];
        b[k] = now;
    }
}

const double *event_loop_before(const event_loop *e)
{
    return e->point.held_before + e->of->discrete_count;
}

dae_status event_loop_needed(const event_loop *e, void *self, uint8_t *needed)
{
    if (e->of->needed) return e->of->needed(self, false, needed);
    memset(needed,
        DAE_NEEDED_EQUATIONS | DAE_NEEDED_EVENTS | DAE_NEEDED_DIRECTLY,
        e->held_count);
    return DAE_OK;
}

/* ---- whens --------------------------------------------------------------------- */

/* Conditions with what is held now, at the point; each has a value. */
static dae_status ask_whens(run *r)
{
    event_loop *e = r->events;
    const dae_status st = equilibrium_conditions(r);
    if (st && st != DAE_RETRY) return st;
    for (size_t w = 0; w < e->of->when_count; w++)
        if (isnan(e->whens.conditions[w]))
            return event_report_undefined(
                r, DAE_NAME_WHEN, w, e->stop.t, e->point.x, e->point.xp);
    return DAE_OK;
}

static dae_status fire(run *r, bool *has_fired)
{
    event_loop *e = r->events;
    const dae_events *of = e->of;
    *has_fired = false;
    e->whens.made_count = 0;
    const dae_status st = ask_whens(r);
    for (size_t w = 0; w < of->when_count && !st; w++) {
        const bool is_true = e->whens.conditions[w] != 0;
        e->whens.fires[w] = (is_true && !e->whens.truth[w])
            || (e->instant.is_start && of->whens[w].at_start
                && !e->whens.has_fired[w]);
        e->whens.truth[w] = is_true;
        if (e->whens.fires[w] && e->whens.has_fired[w] < UINT8_MAX)
            e->whens.has_fired[w]++;
        *has_fired = *has_fired || e->whens.fires[w];
    }
    return st;
}

static bool is_same_target(const dae_assignment *a, const dae_assignment *b)
{
    if (a->is_discrete != b->is_discrete || a->index != b->index) return false;
    return a->is_discrete || a->order == b->order;
}

/* Two that give one target the same value are one. */
static dae_status add_made(run *r, size_t assignment, double value)
{
    event_loop *e = r->events;
    const dae_assignment *own = &e->of->assignments[assignment];
    const layout *l = &e->layout;
    for (size_t m = 0; m < e->whens.made_count; m++) {
        const made_assignment *other = &e->whens.made[m];
        if (!is_same_target(other->of, own)) continue;
        if (other->value == value) {
            if (own->reads_itself && other->of->reads_itself)
                event_report_counted(r, other->assignment, assignment, value);
            return DAE_OK;
        }
        return event_report_clash(
            r, other->assignment, other->value, assignment, value);
    }
    made_assignment *made = &e->whens.made[e->whens.made_count++];
    *made = (made_assignment){assignment, own, 0, value, 0};
    if (own->is_discrete) return DAE_OK;
    const size_t j = (size_t)own->index, slot = l->first[j] + own->order;
    made->slot = slot < l->first[j + 1] ? slot : l->states + j;
    return DAE_OK;
}

static dae_status collect(run *r)
{
    event_loop *e = r->events;
    const dae_events *of = e->of;
    if (of->assignment_count == 0) return DAE_OK;
    dae_status st = of->assigned(r->problem->self, e->stop.t, e->point.x,
        e->point.xp, e->whens.right_sides);
    if (st == DAE_RETRY) st = DAE_OK;
    for (size_t w = 0; w < of->when_count && !st; w++) {
        const dae_when *when = &of->whens[w];
        for (size_t k = 0; e->whens.fires[w] && k < when->assignment_count;
             k++) {
            const size_t a = when->assignment + k;
            const double v = e->whens.right_sides[a];
            st = isfinite(v) ? add_made(r, a, v)
                             : event_report_undefined(r, DAE_NAME_ASSIGNMENT, a,
                                 e->stop.t, e->point.x, e->point.xp);
            if (st) break;
        }
    }
    return st;
}

/* Discrete variables take their values; the others are left in e->whens.made. */
static void assign_discretes(run *r)
{
    event_loop *e = r->events;
    size_t left = 0;
    for (size_t m = 0; m < e->whens.made_count; m++) {
        made_assignment made = e->whens.made[m];
        if (made.of->is_discrete) {
            e->held[made.of->index] = made.value;
            continue;
        }
        made.before = e->point.x[made.slot];
        e->whens.made[left++] = made;
    }
    e->whens.made_count = left;
}

/* ---- rounds -------------------------------------------------------------------- */

/* In this round. */
static bool discretes_changed(const event_loop *e)
{
    const size_t size = e->of->discrete_count * sizeof *e->held;
    return size > 0 && memcmp(e->held, e->point.held_last, size) != 0;
}

/* e->point.x and e->point.xp with what the states had that have been assigned to, or back. */
static void swap_made(event_loop *e)
{
    for (size_t m = 0; m < e->whens.made_count; m++) {
        made_assignment *made = &e->whens.made[m];
        event_loop_swap(&e->point.x[made->slot], &made->before, 1);
    }
}

/* Root functions where nothing but what has been assigned is as it was. */
static dae_status see_unset(run *r)
{
    event_loop *e = r->events;
    e->instant.has_set = discretes_changed(e);
    e->instant.has_moved = e->instant.has_set || e->whens.made_count > 0;
    if (!e->instant.has_moved) return DAE_OK;
    event_loop_swap(e->held, e->point.held_last, e->of->discrete_count);
    swap_made(e);
    const dae_status st = threshold_roots(
        r, e->stop.t, e->point.x, e->point.xp, e->point.g_unset);
    swap_made(e);
    event_loop_swap(e->held, e->point.held_last, e->of->discrete_count);
    return st;
}

/* abs(g) is continuous where g passes 0, not where g itself jumps. */
static bool meets(const event_loop *e, size_t k)
{
    const dae_switch *s = e->at[k].of;
    return s->is_kink && (s->domain == DAE_DOMAIN_BREAK || e->at[k].is_near);
}

/* Whether all that turned are continuous where they turn. */
static bool is_kink(const event_loop *e)
{
    const size_t discretes = e->of->discrete_count;
    if (discretes_changed(e)) return false;
    for (size_t k = 0; k < e->count; k++)
        if (e->sides[k] != e->point.held_last[discretes + k]
            && !e->at[k].inactive && !meets(e, k))
            return false;
    return true;
}

/* The engine, its point and what is noted as they were before the values were sought. */
static void take_back(run *r)
{
    mode_undo(r);
    r->events->reports.jump = (jump_note){.count = 0};
    r->events->instant.has_jumped = false;
    stepper_restore(&r->engine->stepper);
}

/* What is integrated jumps in the mode at hand, as where a bound that it lies on is moved
 * away: it does only if it stays in no other mode. */
static dae_status stay_in_another(run *r)
{
    event_loop *e = r->events;
    bool is_found = false, is_same;
    modes_outcome tried = {.nearest = SIZE_MAX};
    take_back(r);
    const dae_status st = mode_search(r, MODES_ANALYSED, &is_found, &tried);
    if (st || is_found) return st;
    take_back(r);
    return reinit_follow(r, e->stop.t, &is_same);
}

static bool moves_states(run *r)
{
    event_loop *e = r->events;
    reinit_show(r, e->room.x, e->room.xp);
    return jump_notes_most(r, e->point.x, e->room.x) > HAS_JUMPED;
}

static bool has_jumped(run *r)
{
    return r->events->instant.has_jumped && moves_states(r);
}

/* Values with the sides at hand; where there are none, with others: first those with
 * which what is integrated stays. */
static dae_status follow_or_search(run *r)
{
    event_loop *e = r->events;
    bool is_found = false, is_same;
    modes_outcome *tried = &e->instant.tried;
    *tried = (modes_outcome){.nearest = SIZE_MAX};
    const bool is_first = !e->instant.has_jumped && !e->engine.has_kept;
    dae_status st = reinit_follow(r, e->stop.t, &is_same), searched = DAE_OK;
    if (!is_same) e->instant.has_changed = true;
    if (!st && is_first && has_jumped(r)) st = stay_in_another(r);
    if (!reinit_has_none(st)) return st;
    searched = mode_search(r, MODES_ALIKE, &is_found, tried);
    if (is_found) tried->tried = 0;
    if (searched || is_found) return searched;
    const dae_status why = st;
    st = reinit_change(r, e->stop.t, why, true);
    if (!reinit_has_none(st)) return st;
    searched = mode_search(r, MODES_WITH_JUMPS, &is_found, tried);
    if (is_found) tried->tried = 0;
    if (searched || is_found) return searched;
    st = reinit_change(r, e->stop.t, why, false); /* the step tells more */
    if (!st && !e->engine.has_kept && moves_states(r)) st = DAE_NUMERIC;
    return reinit_has_none(st) ? event_report_nothing(r, tried, st) : st;
}

/* DAE_NUMERIC: what is assigned would pull a contact, or push charge back. */
static dae_status is_pulled(run *r)
{
    event_loop *e = r->events;
    bool is_struck = false;
    double *kept = alloc_zeroed(r->allocator, e->slots + 1, sizeof *kept);
    if (!kept) return DAE_MEMORY;
    memcpy(kept, e->point.x, e->slots * sizeof *kept);
    reinit_show(r, e->point.x, e->point.xp);
    const dae_status st = sides_are_struck(r, &is_struck);
    memcpy(e->point.x, kept, e->slots * sizeof *kept);
    alloc_free(r->allocator, kept, e->slots + 1, sizeof *kept);
    return st ? st : is_struck ? DAE_NUMERIC : DAE_OK;
}

/* What is assigned may hold in another mode alone, as a speed of what lies on a table. */
static dae_status assign_or_search(run *r)
{
    event_loop *e = r->events;
    bool is_found = false;
    modes_outcome tried = {.nearest = SIZE_MAX};
    e->instant.is_trial = true;
    dae_status st = reinit_assign(r, e->stop.t);
    e->instant.is_trial = false;
    if (!st && (st = is_pulled(r)) == DAE_OK) return st;
    if (!reinit_has_none(st)) return st;
    stepper_restore(&r->engine->stepper);
    st = mode_search(r, MODES_WITH_JUMPS, &is_found, &tried);
    if (st || is_found) return st;
    stepper_restore(&r->engine->stepper);
    return reinit_assign(r, e->stop.t);
}

static dae_status renew(run *r)
{
    event_loop *e = r->events;
    bool is_determined;
    if (e->instant.is_struck) { /* from the values before the instant */
        take_back(r);
        event_loop_go_back(e);
    }
    e->instant.is_struck = false;
    memset(e->instant.blow, 0, e->unknowns * sizeof *e->instant.blow);
    if (e->whens.made_count > 0) {
        e->instant.has_jumped = e->instant.has_changed = true;
        return assign_or_search(r);
    }
    if (!is_kink(e)) return follow_or_search(r);
    const dae_status st = reinit_is_determined(r, e->stop.t, &is_determined);
    return st || is_determined ? st : follow_or_search(r);
}

/* From the switches that have turned: whens, assignments, values. */
static dae_status follow(run *r)
{
    event_loop *e = r->events;
    bool has_fired;
    dae_status st = fire(r, &has_fired);
    if (!st && has_fired) st = collect(r);
    if (st) return st;
    assign_discretes(r);
    if (has_fired)
        for (size_t k = 0; k < e->count; k++) e->at[k].turns = 0;
    st = renew(r);
    if (!st) reinit_show(r, e->point.x, e->point.xp);
    return st;
}

static void keep_round(event_loop *e)
{
    memcpy(e->point.held_last, e->held, e->held_count * sizeof *e->held);
}

/* The run ends here: what would still turn is nobody's matter. */
static bool is_ending(const event_loop *e)
{
    for (size_t w = 0; w < e->of->when_count; w++)
        if (e->whens.has_fired[w] && e->of->whens[w].stop) return true;
    return false;
}

/* Those that are back where they were have not turned: others they look through had
 * not come to an end. */
static void forget_returned(event_loop *e)
{
    for (size_t k = 0; k < e->count; k++) {
        if (!(e->at[k].has_turned & TURNED_NOW)) continue;
        const bool is_back = e->sides[k] == e->instant.sides_settling[k];
        e->at[k].has_turned = is_back ? e->at[k].has_turned & TURNED : TURNED;
    }
}

/* Whether no `when` has fired at this instant. */
static bool has_only_switches(const event_loop *e)
{
    for (size_t w = 0; w < e->of->when_count; w++)
        if (e->whens.has_fired[w]) return false;
    return true;
}

/* One whose branches agree is inactive from now on. Switches that turn each other round: of
 * their modes, also those of other indices, one may be consistent. Otherwise they chatter,
 * or never settle. */
static dae_status end_cycle(run *r, bool *has_turned)
{
    event_loop *e = r->events;
    const size_t k = e->instant.chattering;
    const bool is_one = k != SIZE_MAX;
    *has_turned = false;
    if (is_one) {
        const dae_status st = inactive_try(r, k, has_turned);
        if (st || *has_turned) return st;
    }
    const double rate = is_one ? e->at[k].rate : 0;
    const double other = is_one ? e->at[k].rate_other : 0;
    bool is_found = false;
    modes_outcome tried = {.nearest = SIZE_MAX};
    if (has_only_switches(e)) {
        event_loop_go_back(e);
        const dae_status st = mode_search(r, MODES_ANALYSED, &is_found, &tried);
        if (st || is_found) return st;
    }
    /* what is continuous does not chatter: none of its modes has a solution */
    const bool is_kinked = is_one && e->at[k].of->is_kink && tried.tried > 0;
    if ((!is_one || is_kinked) && has_only_switches(e))
        return event_report_nothing(r, &tried, DAE_NUMERIC);
    if (!is_one) return event_report_rounds(r);
    recurrence_verdict v;
    if (recurrence_ends(e->recurrence, k, e->stop.t, &v))
        return event_report_zeno(r, &v);
    e->at[k].rate = rate;
    e->at[k].rate_other = other;
    return event_report_chattering(r, k);
}

/* One round of switches. */
static dae_status turn_sides(run *r, int round, bool *has_turned)
{
    event_loop *e = r->events;
    e->instant.chattering = SIZE_MAX;
    if (round < ROUNDS_MOST) {
        const dae_status st = sides_turn(r, has_turned);
        if (!st || e->instant.chattering == SIZE_MAX) return st;
    }
    return end_cycle(r, has_turned);
}

/* All that turns by what has been done, and the values with it; no when is asked
 * before that has come to its end. */
static dae_status settle_switches(run *r, bool *has_any)
{
    event_loop *e = r->events;
    bool has_turned = true;
    dae_status st = see_unset(r);
    *has_any = e->instant.has_set; /* whens may ask for them */
    memcpy(e->instant.sides_settling, e->sides, e->count * sizeof *e->sides);
    e->instant.is_settling = true;
    for (int round = 0; !st; round++) {
        keep_round(e);
        st = turn_sides(r, round, &has_turned);
        e->instant.has_set = e->instant.has_moved = false;
        if (st || !has_turned) break;
        *has_any = true;
        e->whens.made_count = 0;
        st = renew(r);
        if (!st) reinit_show(r, e->point.x, e->point.xp);
    }
    e->instant.is_settling = false;
    keep_round(e);
    forget_returned(e);
    return st;
}

static dae_status run_rounds(run *r)
{
    bool has_turned = true;
    dae_status st = DAE_OK;
    for (int round = 0; has_turned && !st; round++) {
        if (round == ROUNDS_MOST) return event_report_rounds(r);
        if ((st = follow(r))) return st;
        if (is_ending(r->events)) return DAE_OK;
        st = settle_switches(r, &has_turned);
    }
    return st;
}

static void list_turned(event_loop *e)
{
    const double *before = event_loop_before(e);
    e->whens.turned_count = e->whens.fired_count = 0;
    for (size_t k = 0; k < e->count; k++)
        if (e->at[k].has_turned
            || (e->sides[k] != before[k] && !isnan(e->sides[k] + before[k])))
            e->whens.turned[e->whens.turned_count++] = k;
    for (size_t w = 0; w < e->of->when_count; w++)
        if (e->whens.has_fired[w]) e->whens.fired[e->whens.fired_count++] = w;
}

/* ---- many instants ------------------------------------------------------------------ */

/* How fast g moves from the values before the instant. */
static double rate_before(run *r, size_t k)
{
    event_loop *e = r->events;
    const double s = r->direction * threshold_short_time(r);
    dae_status st = threshold_roots(
        r, e->stop.t, e->point.x_before, e->point.xp_before, e->point.g_unset);
    threshold_move(r, s, e->point.x_before, e->point.xp_before);
    if (!st) st = threshold_room(r, e->stop.t + s, e->point.xp_before);
    return st ? 0 : (e->room.g[k] - e->point.g_unset[k]) / fabs(s);
}

/* Values were given where it touches, and it goes on as if they had not been: it stays
 * beyond its threshold, as no slope leads it back, but a later derivative on; or it goes
 * on though the values before returned, so that it came there by rounding alone. */
static bool stays(run *r, size_t k)
{
    const event_loop *e = r->events;
    const event_switch *s = &e->at[k];
    const search_crossing *at = event_loop_crossing(e, k);
    return at && s->has_turned && e->sides[k] != event_loop_before(e)[k]
        && s->is_near && !s->is_locked_next && s->rate * at->direction > 0
        && (e->along[k].order > 1 || rate_before(r, k) * at->direction < 0);
}

/* W0528 of those for which a when would not be true any more, had they not turned; in a
 * mode that was entered they are not needed. */
static dae_status look_at_bounces(run *r)
{
    event_loop *e = r->events;
    const event_whens *of = &e->whens;
    for (size_t k = 0; k < e->count && e->instant.has_jumped; k++) {
        const double now = e->sides[k];
        if (!stays(r, k)) continue;
        e->sides[k] = event_loop_before(e)[k];
        const dae_status st = equilibrium_conditions(r);
        e->sides[k] = now;
        if (st && st != DAE_RETRY) return st;
        for (size_t w = 0; w < e->of->when_count; w++)
            if (of->has_fired[w] && of->truth[w] && of->conditions[w] == 0)
                event_report_staying(r, w, k);
    }
    return DAE_OK;
}

/* What is as small as its rounding all along a step does not show it there. */
static void note_blurs(event_loop *e)
{
    for (size_t c = 0; c < e->stop.crossing_count; c++) {
        search_crossing *at = e->stop.crossed + c;
        const double much = e->at[at->index].rounding;
        const double blur = much / 2 / fabs(at->slope);
        if (blur > at->blur && isfinite(blur)) at->blur = blur;
    }
}

/* What turns at e->stop.t is the last of many that do not come to an end: DAE_NUMERIC,
 * said in `ds`. */
static dae_status note_turns(run *r)
{
    event_loop *e = r->events;
    recurrence_verdict v = {.kind = RECURRENCE_NONE};
    if (e->instant.is_noted || e->stop.crossing_count == 0) return DAE_OK;
    note_blurs(e);
    for (size_t k = 0; k < e->count; k++) e->room.g[k] = e->at[k].noise;
    recurrence_note(e->recurrence, e->stop.t, threshold_short_time(r),
        e->room.g, e->stop.crossed, e->stop.crossing_count, &v);
    e->instant.is_noted = true;
    if (v.kind == RECURRENCE_NONE) return DAE_OK;
    bool is_inactive = false;
    const dae_status st = v.turns < TURNS_UNNEEDED
        ? inactive_try(r, v.first, &is_inactive)
        : DAE_OK;
    if (st || is_inactive) return st;
    return v.kind == RECURRENCE_ZENO ? event_report_zeno(r, &v)
                                     : event_report_recurring(r, &v);
}

/* ---- the instant --------------------------------------------------------------- */

/* The values before, as the step that ends here has them. */
static dae_status open(run *r)
{
    event_loop *e = r->events;
    const dae_events *of = e->of;
    dae_status st = DAE_OK;
    if (e->instant.is_open) return DAE_OK;
    if (r->engine->stepper.last_h != 0)
        st = run_interpolate(
            r, e->stop.t, e->point.x_before, e->point.xp_before);
    else reinit_show(r, e->point.x_before, e->point.xp_before);
    if (st) return st;
    memcpy(e->point.held_before, e->held, e->held_count * sizeof *e->held);
    memcpy(e->whens.truth_before, e->whens.truth,
        of->when_count * sizeof *e->whens.truth);
    e->instant.tried = (modes_outcome){.nearest = SIZE_MAX};
    e->instant.is_open = true;
    return DAE_OK;
}

static dae_status tell(run *r, dae_event_phase phase)
{
    event_loop *e = r->events;
    const bool is_after = phase == DAE_EVENT_AFTER;
    if (!r->options.on_event) return DAE_OK;
    const dae_event event = {.phase = phase,
        .t = e->stop.t,
        .x = is_after ? e->point.x : e->point.x_before,
        .xp = is_after ? e->point.xp : e->point.xp_before,
        .held = e->held,
        .x_before = e->point.x_before,
        .xp_before = e->point.xp_before,
        .held_before = e->point.held_before,
        .switches = e->whens.turned,
        .whens = e->whens.fired,
        .when_times = e->whens.has_fired,
        .switch_count = is_after ? e->whens.turned_count : 0,
        .when_count = is_after ? e->whens.fired_count : 0,
        .is_restart = is_after && e->instant.is_restart};
    return r->options.on_event(r->options.event_context, &event);
}

/* The point as it was, and what was held. */
static void undo(run *r)
{
    event_loop *e = r->events;
    memcpy(e->held, e->point.held_before, e->held_count * sizeof *e->held);
    memcpy(e->whens.truth, e->whens.truth_before,
        e->of->when_count * sizeof *e->whens.truth);
    for (size_t k = 0; k < e->count; k++) {
        e->at[k].inactive = e->at[k].inactive_before;
        if (e->at[k].inactive) e->sides[k] = (double)NAN;
    }
    mode_undo(r);
    e->reports.jump = (jump_note){.count = 0};
    stepper_restore(&r->engine->stepper);
}

static void clear_marks(event_loop *e)
{
    memset(e->whens.has_fired, 0, e->of->when_count);
    event_loop_go_back(e);
    memcpy(e->point.held_last, e->point.held_before,
        e->held_count * sizeof *e->held);
    for (size_t k = 0; k < e->count; k++) {
        event_switch *s = &e->at[k];
        s->turns = s->pushes = s->has_turned = 0;
        s->is_locked_next = s->is_locked;
        s->inactive_before = s->inactive;
        s->rate = s->rate_other = 0;
    }
    e->instant.is_restart = e->instant.has_jumped = e->instant.has_changed =
        false;
    e->reports.jump = (jump_note){.count = 0};
}

static dae_status slopes_at(
    void *self, double t, double delta, const double *x, double *xp)
{
    run *r = self;
    reduction *d = r->reduction;
    return algebraic_slopes(r->engine, d ? d->now : NULL, t, delta, x, xp);
}

/* The stepper asks for slopes where nobody can say that memory ran out: what they
 * need is taken before. */
static dae_status make_ready(run *r)
{
    engine *e = r->engine;
    const reduction *d = r->reduction;
    const point *p = &e->stepper.point;
    const size_t n = e->layout.unknowns;
    if (!layout_has_algebraic(&e->layout)) return DAE_OK;
    if (algebraic_is_ready(e, d ? d->now : NULL)) return DAE_OK;
    memcpy(e->scratch, p->xp, n * sizeof *p->xp);
    const double delta = r->direction * threshold_short_time(r);
    const dae_status st = slopes_at(
        r, r->events->stop.t, delta, p->x, e->scratch);
    return st == DAE_MEMORY ? st : DAE_OK;
}

/* A jump goes on for some times as long as since the last one at first: in a step
 * much longer than a hop rounding is that of values far away from it. Those of a
 * reduced system share what Newton's method leaves, which is more: there longer steps
 * are better. */
static double first_step(run *r)
{
    event_loop *e = r->events;
    const double h = fabs(r->engine->stepper.h);
    const double hop = WAIT_GROWTH * fabs(e->stop.t - e->instant.jumped_at);
    e->instant.jumped_at = e->stop.t;
    return !r->reduction && hop > 0 && hop < h ? hop : h;
}

/* A switch that crossed is led back, by what a when has set or by what the equations
 * solve for: the past, which may agree with the point to tolerance, would lead it on. */
static bool is_led_back(run *r)
{
    const event_loop *e = r->events;
    for (size_t c = 0; c < e->stop.crossing_count; c++) {
        const size_t k = e->stop.crossed[c].index;
        const bool is_clear = e->whens.fired_count > 0
            || (e->along[k].order == 1 && threshold_reads_rest(r, k));
        if (is_clear && e->at[k].is_near
            && e->at[k].rate * e->stop.crossed[c].direction < 0)
            return true;
    }
    return false;
}

/* The engine goes on from the point that has been found. */
static void go_on(run *r)
{
    event_loop *e = r->events;
    stepper *s = &r->engine->stepper;
    const int64_t restarts = r->stats.restarts;
    const bool is_back = is_led_back(r);
    if (e->whens.turned_count + e->whens.fired_count == 0 && !is_back) return;
    points_restart(r);
    s->starter.slopes = slopes_at;
    s->starter.self = r;
    if (e->instant.has_jumped)
        stepper_restart(s, e->stop.t, s->point.x, s->point.xp, first_step(r));
    else if (is_back)
        stepper_restart(s, e->stop.t, s->point.x, s->point.xp, fabs(s->h));
    else stepper_resume(s, s->point.x, s->point.xp);
    e->instant.is_restart = r->stats.restarts > restarts;
    if (e->instant.has_changed) {
        newton_renew(&r->engine->newton);
        r->engine->newton.wants_all = true;
    }
    if (r->reduction) reduction_restart(r->reduction, &r->engine->stepper);
    regularity_forget(&r->regularity);
}

/* Where the next step begins. */
static void keep_thresholds(event_loop *e)
{
    e->has_regions = false;
    for (size_t k = 0; k < e->count; k++)
        e->stop.from[k] = e->at[k].jumps || e->at[k].has_turned
            || e->at[k].is_near;
    e->stop.has_from = true;
    locked_take(e);
}

static dae_status settle(run *r)
{
    event_loop *e = r->events;
    clear_marks(e);
    dae_status st = locked_settle(r);
    if (!st) st = threshold_here(r);
    if (!st) st = equilibrium_rest(r);
    if (!st) st = sides_cross(r);
    if (!st) st = inactive_look_here(r);
    if (!st) st = run_rounds(r);
    if (!st) st = make_ready(r);
    if (!st) list_turned(e);
    if (!st && !is_ending(e)) st = look_at_bounces(r);
    if (st) {
        undo(r);
        return st;
    }
    if (e->engine.has_kept) mode_settle(r);
    if (e->of->slides) event_report_sliding(r);
    if (e->reports.jump.count > 0) event_report_jumps(r);
    go_on(r);
    if (e->whens.turned_count + e->whens.fired_count > 0) r->stats.events++;
    keep_thresholds(e);
    e->instant.is_settled = true;
    return DAE_OK;
}

dae_status event_handle(run *r)
{
    event_loop *e = r->events;
    dae_status st = open(r);
    if (!st && (st = note_turns(r)) == DAE_NUMERIC) r->phase = RUN_FAILED;
    if (!st && !e->instant.is_reported) st = tell(r, DAE_EVENT_BEFORE);
    if (st) return st;
    e->instant.is_reported = true;
    if (!e->instant.is_settled && (st = settle(r))) {
        /* that is said of the start of a run alone */
        if (st == DAE_INCONSISTENT) st = DAE_NUMERIC;
        if (st == DAE_NUMERIC) r->phase = RUN_FAILED;
        return st;
    }
    if ((st = tell(r, DAE_EVENT_AFTER))) return st;
    e->stop.has_event = e->stop.is_break = e->instant.is_open =
        e->instant.is_reported = false;
    e->instant.is_settled = e->instant.is_noted = e->instant.is_start = false;
    e->stop.is_passed = true;
    equilibrium_stopped(r);
    e->stop.crossing_count = 0;
    for (size_t k = 0; k < e->count; k++) e->at[k].jumps = false;
    e->break_at = (double)NAN;
    search_forget(e->search);
    if (is_ending(e)) r->phase = RUN_STOPPED;
    return is_ending(e) ? DAE_STOPPED : DAE_OK;
}

/* ---- the start ----------------------------------------------------------------- */

/* As the text has it: values at a threshold are those of the threshold; of min, max and abs those
 * of the mode that the start was found in. */
static dae_status hold_literally(run *r)
{
    event_loop *e = r->events;
    reinit_show(r, e->point.x_before, e->point.xp_before);
    clear_marks(e);
    dae_status st = threshold_here(r);
    if (!st) st = threshold_measure(r, e->stop.t);
    for (size_t k = 0; k < e->count && !st; k++) {
        const dae_switch *s = e->at[k].of;
        const bool has_side = s->is_kink && !isnan(e->sides[k]);
        double width = e->at[k].rounding;
        /* a start leaves so much of what is 0 by the equations of its mode */
        if (has_side)
            width = THREE_DIGITS * width + VALUES_ERROR * e->at[k].noise;
        const bool is_near = threshold_distance(e, k) <= width
            && s->domain != DAE_DOMAIN_BREAK;
        e->at[k].is_near = is_near;
        const bool is_found = is_near && has_side;
        if (!is_found)
            e->sides[k] = region_value(
                s->kind, is_near ? threshold_nearest(e, k) : e->point.g[k]);
    }
    return st ? st : inactive_look_here(r);
}

/* Where the start leaves a switch on its threshold, the branch that the text has there
 * need not be the one that has values: it counts as one that has just turned. */
static bool turn_open(event_loop *e)
{
    bool has_any = false;
    for (size_t k = 0; k < e->count; k++) {
        if (!e->at[k].is_near || e->at[k].inactive) continue;
        e->point.held_last[e->of->discrete_count + k] = mode_other_side(e, k);
        has_any = true;
    }
    return has_any;
}

static dae_status hold_truly(run *r)
{
    event_loop *e = r->events;
    bool has_turned = true;
    dae_status st = locate_breaks(r, e->stop.t);
    for (int round = 0; has_turned && !st; round++) {
        e->whens.made_count = 0;
        st = round == 0 && turn_open(e) ? follow_or_search(r) : renew(r);
        if (st) return st;
        reinit_show(r, e->point.x, e->point.xp);
        keep_round(e);
        e->instant.has_set = e->instant.has_moved = false;
        st = turn_sides(r, round, &has_turned);
    }
    return st;
}

/* What was not true of the start as the text has it, and is after it. */
static dae_status look_at_whens(run *r)
{
    event_loop *e = r->events;
    const dae_events *of = e->of;
    const dae_status st = ask_whens(r);
    for (size_t w = 0; w < of->when_count && !st; w++) {
        const bool is_true = e->whens.conditions[w] != 0;
        if (of->whens[w].at_start)
            e->stop.has_event = e->instant.is_start = true;
        if (is_true && !e->whens.truth[w]) e->stop.has_event = true;
        if (!is_true)
            e->whens.truth[w] = 0; /* it was true of the start alone */
    }
    return st ? st
              : true_at_start_report(r->problem, e->whens.truth, e->stop.t,
                  e->point.x, e->point.xp, r->allocator, r->ds);
}

/* What was true before the start, where anything was, or is as the text has it. */
static dae_status take_truths(run *r)
{
    event_loop *e = r->events;
    const uint8_t *before = e->of->truth_start;
    const dae_status st = ask_whens(r);
    for (size_t w = 0; w < e->of->when_count && !st; w++)
        e->whens.truth[w] = before ? before[w] : e->whens.conditions[w] != 0;
    return st;
}

dae_status event_start(run *r)
{
    event_loop *e = r->events;
    if (!e) return DAE_OK;
    e->stop.t = r->engine->stepper.history.t;
    recurrence_begin(e->recurrence, e->stop.t);
    const reduction *d = r->reduction;
    e->engine.index = d && d->analysis->index > 1 ? d->analysis->index : 1;
    e->engine.reported = (uint64_t)1 << (e->engine.index & 63);
    e->reports.has_jump = e->reports.has_slid = false;
    e->reports.slides = SIZE_MAX;
    memcpy(e->point.held_before, e->held, e->held_count * sizeof *e->held);
    dae_status st = hold_literally(r);
    if (!st) st = take_truths(r);
    if (!st) keep_round(e);
    if (!st) st = hold_truly(r);
    if (st) {
        event_loop_begin(e);
        mode_undo(r);
        stepper_restore(&r->engine->stepper);
        return st;
    }
    keep_thresholds(e);
    mode_settle(r);
    event_report_sliding(r);
    if (e->instant.has_changed) begin_from_point(r);
    return look_at_whens(r);
}

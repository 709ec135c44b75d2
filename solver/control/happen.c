#include "control/happen.h"
#include "control/anew.h"
#include "control/asleep.h"
#include "control/edges.h"
#include "control/endless.h"
#include "control/event_told.h"
#include "control/jumped.h"
#include "control/mode.h"
#include "control/mode_search.h"
#include "control/resting.h"
#include "control/sides.h"
#include "control/still.h"
#include "control/turning.h"
#include "events/recurrence.h"
#include "events/region.h"
#include "events/search.h"
#include "run/algebraic.h"
#include "run/begin.h"
#include "run/points.h"
#include "start/initial_whens.h"
#include "step/resume.h"
#include <math.h>
#include <string.h>

/* Rounds at one instant before they are said to go on for ever. */
enum { ROUNDS_MOST = 100 };

/* ---- whens --------------------------------------------------------------------- */

/* Conditions with what is held now, at the values before. */
static dae_status fire(run *r, bool *has_fired)
{
    event_loop *e = r->events;
    const dae_events *of = e->of;
    *has_fired = false;
    e->made_count = 0;
    if (of->when_count == 0) return DAE_OK;
    dae_status st = still_conditions(r, e->t, e->x, e->xp);
    if (st && st != DAE_RETRY) return st;
    for (size_t w = 0; w < of->when_count; w++) {
        const double c = e->conditions[w];
        if (isnan(c))
            return event_told_undefined(r, DAE_NAME_WHEN, w, e->t, e->x, e->xp);
        e->fires[w] = (c != 0 && !e->truth[w])
            || (e->is_start && of->whens[w].at_start && !e->has_fired[w]);
        e->truth[w] = c != 0;
        if (e->fires[w] && e->has_fired[w] < UINT8_MAX) e->has_fired[w]++;
        *has_fired = *has_fired || e->fires[w];
    }
    return DAE_OK;
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
    for (size_t m = 0; m < e->made_count; m++) {
        const made_assignment *other = &e->made[m];
        if (!is_same_target(&e->of->assignments[other->assignment], own))
            continue;
        if (other->value == value) {
            if (own->reads_itself
                && e->of->assignments[other->assignment].reads_itself)
                event_told_counted(r, other->assignment, assignment, value);
            return DAE_OK;
        }
        return event_told_clash(
            r, other->assignment, other->value, assignment, value);
    }
    e->made[e->made_count++] = (made_assignment){assignment, value, 0};
    return DAE_OK;
}

static dae_status collect(run *r)
{
    event_loop *e = r->events;
    const dae_events *of = e->of;
    if (of->assignment_count == 0) return DAE_OK;
    dae_status st = of->assigned(
        r->problem->self, e->t, e->x, e->xp, e->right_sides);
    if (st == DAE_RETRY) st = DAE_OK;
    for (size_t w = 0; w < of->when_count && !st; w++) {
        const dae_when *when = &of->whens[w];
        for (size_t k = 0; e->fires[w] && k < when->assignment_count; k++) {
            const size_t a = when->assignment + k;
            const double v = e->right_sides[a];
            st = isfinite(v) ? add_made(r, a, v)
                             : event_told_undefined(
                                 r, DAE_NAME_ASSIGNMENT, a, e->t, e->x, e->xp);
            if (st) break;
        }
    }
    return st;
}

/* Where e->x or e->xp has what is assigned to. */
static double *made_place(run *r, const dae_assignment *a)
{
    event_loop *e = r->events;
    const uint8_t *order = r->problem->order;
    size_t slot = (size_t)a->index, width = 1;
    if (order) {
        slot = 0;
        for (int64_t j = 0; j < a->index; j++)
            slot += order[j] > 1 ? order[j] : 1;
        width = order[a->index] > 1 ? order[a->index] : 1;
    }
    return a->order < width ? &e->x[slot + a->order] : &e->xp[a->index];
}

/* Discrete variables take their values; the others are left in e->made. */
static void assign_discretes(run *r)
{
    event_loop *e = r->events;
    size_t left = 0;
    for (size_t m = 0; m < e->made_count; m++) {
        const dae_assignment *a = &e->of->assignments[e->made[m].assignment];
        if (a->is_discrete) {
            e->held[a->index] = e->made[m].value;
            continue;
        }
        e->made[left] = e->made[m];
        e->made[left++].before = *made_place(r, a);
    }
    e->made_count = left;
}

/* ---- rounds -------------------------------------------------------------------- */

/* In this round. */
static bool discretes_changed(const event_loop *e)
{
    const size_t size = e->of->discrete_count * sizeof *e->held;
    return size > 0 && memcmp(e->held, e->held_last, size) != 0;
}

static void swap_discretes(event_loop *e)
{
    for (size_t d = 0; d < e->of->discrete_count; d++) {
        const double value = e->held[d];
        e->held[d] = e->held_last[d];
        e->held_last[d] = value;
    }
}

/* e->x and e->xp with what the states had that have been assigned to, or back. */
static void swap_made(run *r)
{
    event_loop *e = r->events;
    for (size_t m = 0; m < e->made_count; m++) {
        made_assignment *made = &e->made[m];
        double *at = made_place(r, &e->of->assignments[made->assignment]);
        const double now = *at;
        *at = made->before;
        made->before = now;
    }
}

/* Root functions where nothing but what has been assigned is as it was. */
static dae_status see_unset(run *r)
{
    event_loop *e = r->events;
    e->has_set = discretes_changed(e);
    e->has_moved = e->has_set || e->made_count > 0;
    if (!e->has_moved || e->of->switch_count == 0) return DAE_OK;
    swap_discretes(e);
    swap_made(r);
    const dae_status st = e->of->roots(
        r->problem->self, e->t, e->x, e->xp, e->g_unset);
    swap_made(r);
    swap_discretes(e);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* abs(g) is continuous where g passes 0, not where g itself jumps. */
static bool meets(const event_loop *e, size_t k)
{
    const dae_switch *s = &e->of->switches[k];
    return s->is_kink && (s->domain == DAE_DOMAIN_BREAK || e->at_edge[k]);
}

/* Whether all that turned are continuous where they turn. */
static bool is_kink(const event_loop *e)
{
    const size_t discretes = e->of->discrete_count;
    if (discretes_changed(e)) return false;
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (e->sides[k] != e->held_last[discretes + k] && !e->asleep[k]
            && !meets(e, k))
            return false;
    return true;
}

/* No verdict, but that there are no values with the sides at hand. */
static bool has_none(dae_status st)
{
    return st == DAE_RETRY || st == DAE_NUMERIC || st == DAE_INCONSISTENT;
}

/* Values with the sides at hand; where there are none, with others: first those with
 * which what is integrated stays. */
static dae_status follow_or_search(run *r, bool *is_same)
{
    event_loop *e = r->events;
    bool is_found = false;
    size_t tried = 0;
    dae_status st = anew_follow(r, e->t, is_same), searched = DAE_OK;
    if (!*is_same) e->has_changed = true;
    if (!has_none(st)) return st;
    *is_same = false;
    searched = mode_search(r, MODES_ALIKE, &is_found, &tried);
    if (searched || is_found) return searched;
    st = anew_change(r, e->t, st);
    if (!has_none(st)) return st;
    searched = mode_search(r, MODES_WITH_JUMPS, &is_found, &tried);
    if (searched || is_found) return searched;
    return event_told_nothing(r, tried, st);
}

static dae_status renew(run *r, bool *is_same)
{
    event_loop *e = r->events;
    *is_same = false;
    if (e->made_count > 0) {
        e->has_jumped = e->has_changed = true;
        return anew_assign(r, e->t);
    }
    if (!is_kink(e)) return follow_or_search(r, is_same);
    const dae_status st = anew_is_determined(r, e->t, is_same);
    return st || *is_same ? st : follow_or_search(r, is_same);
}

/* From the switches that have turned: whens, assignments, values. */
static dae_status follow(run *r, bool *is_same)
{
    event_loop *e = r->events;
    bool has_fired;
    dae_status st = fire(r, &has_fired);
    if (!st && has_fired) st = collect(r);
    if (st) return st;
    assign_discretes(r);
    if (has_fired) memset(e->turns, 0, e->of->switch_count * sizeof *e->turns);
    st = renew(r, is_same);
    *is_same = *is_same && !has_fired;
    if (!st) anew_show(r, e->x, e->xp);
    return st;
}

static void keep_round(event_loop *e)
{
    memcpy(e->held_last, e->held, e->held_count * sizeof *e->held);
}

/* The run ends here: what would still turn is nobody's matter. */
static bool is_ending(const event_loop *e)
{
    for (size_t w = 0; w < e->of->when_count; w++)
        if (e->has_fired[w] && e->of->whens[w].stop) return true;
    return false;
}

/* Those that are back where they were have not turned: others they look through had
 * not come to an end. */
static void forget_returned(event_loop *e)
{
    for (size_t k = 0; k < e->of->switch_count; k++) {
        if (!(e->has_turned[k] & TURNED_NOW)) continue;
        const bool is_back = e->sides[k] == e->sides_settling[k];
        e->has_turned[k] = is_back ? e->has_turned[k] & TURNED : TURNED;
    }
}

/* Whether no `when` has fired at this instant. */
static bool has_only_switches(const event_loop *e)
{
    for (size_t w = 0; w < e->of->when_count; w++)
        if (e->has_fired[w]) return false;
    return true;
}

/* So many events in a row that are such cycles do not get on. */
enum { CYCLES_MOST = 12 };

/* One whose branches agree is inactive from now on. Switches that turn each other round: of
 * their modes, also those of other indices, one may be consistent. Otherwise they chatter,
 * or never settle. */
static dae_status end_cycle(run *r, bool *has_turned)
{
    event_loop *e = r->events;
    const size_t k = e->chattering;
    const bool is_one = k != SIZE_MAX;
    *has_turned = false;
    if (is_one) {
        const dae_status st = asleep_tire(r, k, has_turned);
        if (st || *has_turned) return st;
    }
    const double rate = is_one ? e->rate[k] : 0;
    const double other = is_one ? e->rate_other[k] : 0;
    bool is_found = false;
    size_t tried = 0;
    if (has_only_switches(e) && e->cycles < CYCLES_MOST) {
        e->is_cycle = true;
        memcpy(e->x, e->x_before, e->states * sizeof *e->x);
        memcpy(e->xp, e->xp_before, e->unknowns * sizeof *e->xp);
        const dae_status st = mode_search(r, MODES_ANALYSED, &is_found, &tried);
        if (st || is_found) return st;
    }
    if (!is_one && has_only_switches(e))
        return event_told_nothing(r, tried, DAE_NUMERIC);
    if (!is_one) return event_told_rounds(r);
    e->rate[k] = rate;
    e->rate_other[k] = other;
    return event_told_chattering(r, k);
}

/* One round of switches. */
static dae_status turn_sides(run *r, int round, bool *has_turned)
{
    event_loop *e = r->events;
    e->chattering = SIZE_MAX;
    if (round < ROUNDS_MOST) {
        const dae_status st = sides_turn(r, has_turned);
        if (!st || e->chattering == SIZE_MAX) return st;
    }
    return end_cycle(r, has_turned);
}

/* All that turns by what has been done, and the values with it; no when is asked
 * before that has come to its end. */
static dae_status settle_switches(run *r, bool *has_any)
{
    event_loop *e = r->events;
    bool has_turned = true, is_same = false;
    dae_status st = see_unset(r);
    *has_any = e->has_set; /* whens may ask for them */
    memcpy(e->sides_settling, e->sides, e->of->switch_count * sizeof *e->sides);
    e->is_settling = true;
    for (int round = 0; !st; round++) {
        keep_round(e);
        st = turn_sides(r, round, &has_turned);
        e->has_set = e->has_moved = false;
        if (st || !has_turned) break;
        *has_any = true;
        e->made_count = 0;
        st = renew(r, &is_same);
        if (!st) anew_show(r, e->x, e->xp);
        /* Others look through what has jumped though no value did. */
        if (is_same && is_kink(e)) break;
    }
    e->is_settling = false;
    keep_round(e);
    forget_returned(e);
    return st;
}

static dae_status run_rounds(run *r)
{
    bool has_turned = true, is_same = false;
    dae_status st = DAE_OK;
    for (int round = 0; has_turned && !st; round++) {
        if (round == ROUNDS_MOST) return event_told_rounds(r);
        if ((st = follow(r, &is_same))) return st;
        if (is_ending(r->events)) return DAE_OK;
        if (is_same && is_kink(r->events)) return DAE_OK;
        st = settle_switches(r, &has_turned);
    }
    return st;
}

static void list_turned(event_loop *e)
{
    const double *before = e->held_before + e->of->discrete_count;
    e->turned_count = e->fired_count = 0;
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (e->has_turned[k]
            || (e->sides[k] != before[k] && !isnan(e->sides[k] + before[k])))
            e->turned[e->turned_count++] = k;
    for (size_t w = 0; w < e->of->when_count; w++)
        if (e->has_fired[w]) e->fired[e->fired_count++] = w;
}

/* ---- the instant --------------------------------------------------------------- */

/* The values before, as the step that ends here has them. */
static dae_status open(run *r)
{
    event_loop *e = r->events;
    const dae_events *of = e->of;
    dae_status st = DAE_OK;
    if (e->is_open) return DAE_OK;
    if (r->engine->stepper.last_h != 0)
        st = run_interpolate(r, e->t, e->x_before, e->xp_before);
    else anew_show(r, e->x_before, e->xp_before);
    if (st) return st;
    memcpy(e->held_before, e->held, e->held_count * sizeof *e->held);
    memcpy(e->truth_before, e->truth, of->when_count * sizeof *e->truth);
    e->is_open = true;
    return DAE_OK;
}

static dae_status tell(run *r, dae_event_phase phase)
{
    event_loop *e = r->events;
    const bool is_after = phase == DAE_EVENT_AFTER;
    if (!r->options.on_event) return DAE_OK;
    const dae_event event = {.phase = phase,
        .t = e->t,
        .x = is_after ? e->x : e->x_before,
        .xp = is_after ? e->xp : e->xp_before,
        .held = e->held,
        .x_before = e->x_before,
        .xp_before = e->xp_before,
        .held_before = e->held_before,
        .switches = e->turned,
        .whens = e->fired,
        .when_times = e->has_fired,
        .switch_count = is_after ? e->turned_count : 0,
        .when_count = is_after ? e->fired_count : 0,
        .is_restart = is_after && e->is_restart};
    return r->options.on_event(r->options.event_context, &event);
}

/* The point as it was, and what was held. */
static void undo(run *r)
{
    event_loop *e = r->events;
    memcpy(e->held, e->held_before, e->held_count * sizeof *e->held);
    memcpy(e->truth, e->truth_before, e->of->when_count * sizeof *e->truth);
    memcpy(e->asleep, e->asleep_before, e->of->switch_count);
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (e->asleep[k]) e->sides[k] = (double)NAN;
    mode_undo(r);
    jumped_forget(e);
    stepper_restore(&r->engine->stepper);
}

static void clear_marks(event_loop *e)
{
    const size_t switches = e->of->switch_count;
    memset(e->turns, 0, switches * sizeof *e->turns);
    memset(e->pushes, 0, switches * sizeof *e->pushes);
    memset(e->has_turned, 0, switches);
    memset(e->has_fired, 0, e->of->when_count);
    memcpy(e->x, e->x_before, e->states * sizeof *e->x);
    memcpy(e->xp, e->xp_before, e->unknowns * sizeof *e->xp);
    memcpy(e->held_last, e->held_before, e->held_count * sizeof *e->held);
    memcpy(e->rests_next, e->rests, switches);
    memcpy(e->asleep_before, e->asleep, switches);
    for (size_t k = 0; k < switches; k++) e->rate[k] = e->rate_other[k] = 0;
    e->is_restart = e->has_jumped = e->has_changed = false;
    jumped_forget(e);
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
    bool has_algebraic = false;
    for (size_t j = 0; j < n; j++)
        has_algebraic = has_algebraic || e->layout.order[j] == 0;
    if (!has_algebraic) return DAE_OK;
    if (algebraic_is_ready(e, d ? d->now : NULL)) return DAE_OK;
    memcpy(e->scratch, p->xp, n * sizeof *p->xp);
    const double delta = r->direction * edges_short_time(r);
    const dae_status st = slopes_at(r, r->events->t, delta, p->x, e->scratch);
    return st == DAE_MEMORY ? st : DAE_OK;
}

/* A jump goes on for so many times as long as since the last one at first: in a step
 * much longer than a hop rounding is that of values far away from it. Those of a
 * reduced system share what Newton's method leaves, which is more: there longer steps
 * are better. */
static const double HOPS = 4;

static double first_step(run *r)
{
    event_loop *e = r->events;
    const double h = fabs(r->engine->stepper.h);
    const double hop = HOPS * fabs(e->t - e->jumped_at);
    e->jumped_at = e->t;
    return !r->reduction && hop > 0 && hop < h ? hop : h;
}

/* A switch that crossed is led back, as by what a when has set: the past, which may
 * agree with the point to tolerance, would lead it on. */
static bool is_led_back(const event_loop *e)
{
    for (size_t c = 0; c < e->crossing_count; c++) {
        const size_t k = e->crossing[c];
        if (e->at_edge[k] && e->rate[k] * e->crossed[c].direction < 0)
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
    if (e->turned_count + e->fired_count == 0) return;
    points_restart(r);
    s->starter.slopes = slopes_at;
    s->starter.self = r;
    if (e->has_jumped)
        stepper_restart(s, e->t, s->point.x, s->point.xp, first_step(r));
    else if (e->fired_count > 0 && is_led_back(e))
        stepper_restart(s, e->t, s->point.x, s->point.xp, fabs(s->h));
    else stepper_resume(s, s->point.x, s->point.xp);
    e->is_restart = r->stats.restarts > restarts;
    if (e->has_changed) {
        newton_renew(&r->engine->newton);
        r->engine->newton.wants_all = true;
    }
    if (r->reduction) reduction_restart(r->reduction, &r->engine->stepper);
    regularity_forget(&r->regularity);
}

/* Where the next step begins. */
static void keep_edges(event_loop *e)
{
    for (size_t k = 0; k < e->of->switch_count; k++)
        e->from_edge[k] = e->jumps[k]           ? SEARCH_JUMPED
            : e->has_turned[k] || e->at_edge[k] ? SEARCH_TURNED
                                                : SEARCH_STAYED;
    e->has_edges = true;
    resting_take(e);
}

static dae_status settle(run *r)
{
    event_loop *e = r->events;
    e->is_cycle = false;
    clear_marks(e);
    dae_status st = resting_settle(r);
    if (!st) st = edges_roots(r, e->t, e->x, e->xp, e->g);
    if (!st) st = still_rest(r);
    if (!st) st = sides_cross(r);
    if (!st) st = asleep_look(r, e->t, e->x, e->xp, e->g, true);
    if (!st) st = run_rounds(r);
    if (!st) st = make_ready(r);
    if (!st) list_turned(e);
    if (!st && !is_ending(e)) st = endless_look(r);
    if (st) {
        undo(r);
        return st;
    }
    e->cycles = e->is_cycle ? e->cycles + 1 : 0;
    mode_settle(r);
    jumped_tell(r);
    go_on(r);
    if (e->turned_count + e->fired_count > 0) r->stats.events++;
    keep_edges(e);
    e->is_settled = true;
    return DAE_OK;
}

static bool has_stop(const event_loop *e)
{
    for (size_t k = 0; k < e->fired_count; k++)
        if (e->of->whens[e->fired[k]].stop) return true;
    return false;
}

dae_status happen(run *r)
{
    event_loop *e = r->events;
    dae_status st = open(r);
    if (!st && (st = endless_note(r)) == DAE_NUMERIC) r->phase = RUN_FAILED;
    if (!st && !e->is_told) st = tell(r, DAE_EVENT_BEFORE);
    if (st) return st;
    e->is_told = true;
    if (!e->is_settled && (st = settle(r))) {
        /* that is said of the start of a run alone */
        if (st == DAE_INCONSISTENT) st = DAE_NUMERIC;
        if (st == DAE_NUMERIC) r->phase = RUN_FAILED;
        return st;
    }
    if ((st = tell(r, DAE_EVENT_AFTER))) return st;
    e->stands = e->is_break = e->is_open = e->is_told = false;
    e->is_settled = e->is_noted = e->is_start = false;
    e->is_passed = true;
    still_stopped(r);
    e->crossing_count = 0;
    memset(e->jumps, 0, e->of->switch_count * sizeof *e->jumps);
    e->break_at = (double)NAN;
    search_forget(e->search);
    if (has_stop(e)) r->phase = RUN_STOPPED;
    return has_stop(e) ? DAE_STOPPED : DAE_OK;
}

/* ---- the start ----------------------------------------------------------------- */

/* As the text has it: values at an edge are those of the edge; of min, max and abs those
 * of the mode that the start was found in. */
static dae_status hold_literally(run *r)
{
    event_loop *e = r->events;
    anew_show(r, e->x_before, e->xp_before);
    clear_marks(e);
    dae_status st = edges_roots(r, e->t, e->x, e->xp, e->g);
    if (!st) st = edges_measure(r, e->t);
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        const dae_switch *s = &e->of->switches[k];
        const bool is_near = edges_distance(e, k) <= e->rounding[k]
            && s->domain != DAE_DOMAIN_BREAK;
        e->at_edge[k] = is_near;
        const bool is_found = is_near && s->is_kink && !isnan(e->sides[k]);
        if (!is_found)
            e->sides[k] = region_value(
                s->kind, is_near ? edges_nearest(e, k) : e->g[k]);
    }
    return st ? st : asleep_look(r, e->t, e->x, e->xp, e->g, true);
}

/* Where the start leaves a switch on its threshold, the branch that the text has there
 * need not be the one that has values: it counts as one that has just turned. */
static bool turn_open(event_loop *e)
{
    bool has_any = false;
    for (size_t k = 0; k < e->of->switch_count; k++) {
        if (!e->at_edge[k] || e->asleep[k]) continue;
        e->held_last[e->of->discrete_count + k] = mode_other_side(e, k);
        has_any = true;
    }
    return has_any;
}

static dae_status hold_truly(run *r)
{
    event_loop *e = r->events;
    bool has_turned = true, is_same = true;
    dae_status st = turning_breaks(r, e->t);
    for (int round = 0; has_turned && !st; round++) {
        e->made_count = 0;
        st = round == 0 && turn_open(e) ? follow_or_search(r, &is_same)
                                        : renew(r, &is_same);
        if (st) return st;
        anew_show(r, e->x, e->xp);
        keep_round(e);
        e->has_set = e->has_moved = false;
        st = turn_sides(r, round, &has_turned);
    }
    return st;
}

/* What was not true of the start as the text has it, and is behind it. */
static dae_status look_at_whens(run *r)
{
    event_loop *e = r->events;
    const dae_events *of = e->of;
    dae_status st = of->when_count == 0
        ? DAE_OK
        : of->conditions(r->problem->self, e->t, e->x, e->xp, e->conditions);
    for (size_t w = 0; w < of->when_count && !st; w++) {
        const bool is_true = e->conditions[w] != 0;
        if (of->whens[w].at_start) e->stands = e->is_start = true;
        if (is_true && !e->truth[w]) e->stands = true;
        if (!is_true) e->truth[w] = 0; /* it was true of the start alone */
    }
    if (!st)
        st = true_at_start_report(
            r->problem, e->truth, e->t, e->x, e->xp, r->allocator, r->ds);
    return st;
}

static dae_status take_truths(run *r)
{
    event_loop *e = r->events;
    const dae_events *of = e->of;
    dae_status st = of->when_count == 0
        ? DAE_OK
        : of->conditions(r->problem->self, e->t, e->x, e->xp, e->conditions);
    if (st && st != DAE_RETRY) return st;
    for (size_t w = 0; w < of->when_count; w++) {
        if (st || isnan(e->conditions[w]))
            return event_told_undefined(r, DAE_NAME_WHEN, w, e->t, e->x, e->xp);
        e->truth[w] = e->conditions[w] != 0;
    }
    return DAE_OK;
}

dae_status happen_start(run *r)
{
    event_loop *e = r->events;
    if (!e) return DAE_OK;
    e->t = r->engine->stepper.history.t;
    recurrence_begin(e->recurrence, e->t, r->end);
    const reduction *d = r->reduction;
    e->index = d && d->analysis->index > 1 ? d->analysis->index : 1;
    e->told_indices = 0;
    e->is_jump_told = false;
    memcpy(e->held_before, e->held, e->held_count * sizeof *e->held);
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
    keep_edges(e);
    mode_settle(r);
    if (e->has_changed) begin_from_point(r);
    return look_at_whens(r);
}

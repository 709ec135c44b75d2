#include "events/event.h"
#include "base/region.h"
#include "events/event_report.h"
#include "events/locate.h"
#include "events/mode.h"
#include "events/recurrence.h"
#include "events/reinit.h"
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

static bool take_room(event_loop *e)
{
    arena *a = &e->memory;
    event_point *p = &e->point;
    event_whens *w = &e->whens;
    event_stop *s = &e->stop;
    const size_t whens = e->of->when_count;
    double **const of_switches[] = {&p->g, &p->g_last, &p->g_before,
        &p->g_unset, &e->room.g, &e->room.sides, &e->lower, &e->upper,
        &e->leave_size, &e->instant.sides_settling};
    double **const of_x[] = {&p->x_before, &p->x, &e->room.x, &e->room.kept};
    double **const of_xp[] = {&p->xp_before, &p->xp, &e->room.xp};
    bool has_all = true;
    for (size_t k = 0; k < sizeof of_switches / sizeof *of_switches; k++)
        has_all &= TAKE(a, *of_switches[k], e->count);
    for (size_t k = 0; k < sizeof of_x / sizeof *of_x; k++)
        has_all &= TAKE(a, *of_x[k], e->slots);
    for (size_t k = 0; k < sizeof of_xp / sizeof *of_xp && has_all; k++)
        *of_xp[k] = *of_x[k] + e->states;
    return has_all && TAKE(a, p->held_before, e->held_count)
        && TAKE(a, p->held_last, e->held_count)
        && TAKE(a, e->instant.blow, e->unknowns) && TAKE(a, w->truth, whens)
        && TAKE(a, w->truth_before, whens) && TAKE(a, w->has_fired, whens)
        && TAKE(a, w->fires, whens) && TAKE(a, w->fired, whens)
        && TAKE(a, w->conditions, whens)
        && TAKE(a, w->right_sides, e->of->assignment_count)
        && TAKE(a, w->made, e->of->assignment_count)
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
    if (st || !take_room(e) || search_init(&e->search, e->count, &e->memory)
        || (e->of->needed && e->of->needed(problem->self, true, e->always))
        || recurrence_init(&e->recurrence, e->count, &e->memory)) {
        event_loop_free(e);
        return DAE_MEMORY;
    }
    e->point.sides_before = e->point.held_before + e->of->discrete_count;
    e->point.sides_last = e->point.held_last + e->of->discrete_count;
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
        e->at[k] = (event_switch){.of = e->at[k].of, .turned_at = (double)NAN};
    }
    e->locked_count = e->leaving_count = 0;
    e->has_free = false;
    e->stop = (event_stop){
        .t = e->stop.t, .crossed = e->stop.crossed, .from = e->stop.from};
    e->instant = (event_instant){.blow = e->instant.blow,
        .sides_settling = e->instant.sides_settling,
        .jumped_at = (double)NAN};
    e->break_at = (double)NAN;
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

dae_status event_loop_needed(const event_loop *e, uint8_t *needed)
{
    if (e->of->needed)
        return e->of->needed(e->run->problem->self, false, needed);
    memset(needed,
        DAE_NEEDED_EQUATIONS | DAE_NEEDED_EVENTS | DAE_NEEDED_DIRECTLY,
        e->held_count);
    return DAE_OK;
}

/* ---- whens --------------------------------------------------------------------- */

/* Conditions with what is held now, at the point; each has a value. */
static dae_status ask_whens(event_loop *e)
{
    const dae_status st = equilibrium_conditions(e);
    if (st && st != DAE_RETRY) return st;
    for (size_t w = 0; w < e->of->when_count; w++)
        if (isnan(e->whens.conditions[w]))
            return event_report_undefined(
                e, DAE_NAME_WHEN, w, e->stop.t, e->point.x, e->point.xp);
    return DAE_OK;
}

static dae_status fire(event_loop *e, bool *has_fired)
{
    const dae_events *of = e->of;
    *has_fired = false;
    e->whens.made_count = 0;
    const dae_status st = ask_whens(e);
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

/* Two that give one target the same value are one. */
static dae_status add_made(event_loop *e, size_t assignment, double value)
{
    const dae_assignment *own = &e->of->assignments[assignment];
    const layout *l = &e->layout;
    for (size_t m = 0; m < e->whens.made_count; m++) {
        const made_assignment *other = &e->whens.made[m];
        if (other->of->is_discrete != own->is_discrete
            || other->of->index != own->index
            || (!own->is_discrete && other->of->order != own->order))
            continue;
        if (other->value != value)
            return event_report_clash(
                e, other->assignment, other->value, assignment, value);
        if (own->reads_itself && other->of->reads_itself)
            event_report_counted(
                e, other->assignment, assignment, value, SIZE_MAX);
        return DAE_OK;
    }
    made_assignment *made = &e->whens.made[e->whens.made_count++];
    *made = (made_assignment){assignment, own, 0, value, 0};
    if (own->is_discrete) return DAE_OK;
    const size_t j = (size_t)own->index, slot = l->first[j] + own->order;
    made->slot = slot < l->first[j + 1] ? slot : l->states + j;
    return DAE_OK;
}

static dae_status collect(event_loop *e)
{
    const dae_events *of = e->of;
    if (of->assignment_count == 0) return DAE_OK;
    dae_status st = of->assigned(e->run->problem->self, e->stop.t, e->point.x,
        e->point.xp, e->whens.right_sides);
    if (st && st != DAE_RETRY) return st;
    for (size_t w = 0; w < of->when_count; w++) {
        const size_t first = of->whens[w].assignment;
        const size_t count = of->whens[w].assignment_count;
        for (size_t a = first; e->whens.fires[w] && a < first + count; a++) {
            const double v = e->whens.right_sides[a];
            st = isfinite(v) ? add_made(e, a, v)
                             : event_report_undefined(e, DAE_NAME_ASSIGNMENT, a,
                                 e->stop.t, e->point.x, e->point.xp);
            if (st) return st;
        }
    }
    return DAE_OK;
}

/* Discrete variables take their values; the others are left in e->whens.made. */
static void assign_discretes(event_loop *e)
{
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
static dae_status see_unset(event_loop *e)
{
    e->instant.has_set = discretes_changed(e);
    e->instant.has_moved = e->instant.has_set || e->whens.made_count > 0;
    if (!e->instant.has_moved) return DAE_OK;
    event_loop_swap(e->held, e->point.held_last, e->of->discrete_count);
    swap_made(e);
    const dae_status st = threshold_roots(
        e, e->stop.t, e->point.x, e->point.xp, e->point.g_unset);
    swap_made(e);
    event_loop_swap(e->held, e->point.held_last, e->of->discrete_count);
    return st;
}

/* Whether all that turned are continuous where they turn: abs(g) is where g passes 0, not
 * where g itself jumps. */
static bool is_kink(const event_loop *e)
{
    if (discretes_changed(e)) return false;
    for (size_t k = 0; k < e->count; k++) {
        const event_switch *s = &e->at[k];
        const bool meets = s->of->is_kink
            && (s->of->domain == DAE_DOMAIN_BREAK || s->is_near);
        if (e->sides[k] != e->point.sides_last[k] && !isnan(e->sides[k])
            && !meets)
            return false;
    }
    return true;
}

/* The engine, its point and what is noted as they were before the values were sought. */
static void take_back(event_loop *e)
{
    mode_undo(e);
    e->reports.jump = (jump_note){.count = 0};
    e->instant.has_jumped = false;
    stepper_restore(&e->run->engine->stepper);
}

/* What is integrated jumps in the mode at hand, as where a bound that it lies on is moved
 * away: it does only if it stays in no other mode. */
static dae_status stay_in_another(event_loop *e)
{
    bool is_same;
    take_back(e);
    const dae_status st = mode_search(e, MODES_ANALYSED, NULL);
    if (st != DAE_NUMERIC) return st;
    take_back(e);
    return reinit_follow(e, &is_same);
}

/* Values with the sides at hand; where there are none, with others: first those with
 * which what is integrated stays. */
static dae_status follow_or_search(event_loop *e)
{
    bool is_same;
    modes_outcome *tried = &e->instant.tried;
    *tried = (modes_outcome){.nearest = SIZE_MAX};
    const bool is_first = !e->instant.has_jumped && !e->engine.has_kept;
    dae_status st = reinit_follow(e, &is_same), searched;
    if (!is_same) e->instant.has_changed = true;
    if (!st && is_first && e->instant.has_jumped
        && reinit_moved(e) > HAS_JUMPED)
        st = stay_in_another(e);
    if (!reinit_has_none(st)) return st;
    const dae_status why = st;
    searched = mode_search(e, MODES_ALIKE, tried);
    if (searched != DAE_NUMERIC) return searched;
    st = reinit_change(e, why, true);
    if (!reinit_has_none(st)) return st;
    searched = mode_search(e, MODES_WITH_JUMPS, tried);
    if (searched != DAE_NUMERIC) return searched;
    st = reinit_change(e, why, false); /* the step tells more */
    if (!st && !e->engine.has_kept && reinit_moved(e) > HAS_JUMPED)
        st = DAE_NUMERIC;
    return reinit_has_none(st) ? event_report_nothing(e->run, tried, st) : st;
}

/* DAE_NUMERIC: what is assigned would pull a contact, or push charge back. */
static dae_status is_pulled(event_loop *e)
{
    bool is_struck = false;
    memcpy(e->room.kept, e->point.x, e->slots * sizeof *e->point.x);
    reinit_show(e, e->point.x, e->point.xp);
    const dae_status st = sides_are_struck(e, &is_struck);
    memcpy(e->point.x, e->room.kept, e->slots * sizeof *e->point.x);
    return st ? st : is_struck ? DAE_NUMERIC : DAE_OK;
}

/* What is assigned may hold in another mode alone, as a speed of what lies on a table. */
static dae_status assign_or_search(event_loop *e)
{
    e->instant.is_trial = true;
    dae_status st = reinit_assign(e);
    e->instant.is_trial = false;
    if (!st) st = is_pulled(e);
    if (!reinit_has_none(st)) return st;
    stepper_restore(&e->run->engine->stepper);
    st = mode_search(e, MODES_WITH_JUMPS, NULL);
    if (st != DAE_NUMERIC) return st;
    stepper_restore(&e->run->engine->stepper);
    return reinit_assign(e);
}

/* Values with what is held now, and what is assigned, into e->point. */
static dae_status renew(event_loop *e)
{
    bool is_determined = false;
    dae_status st = DAE_OK;
    if (e->instant.is_struck) { /* from the values before the instant */
        take_back(e);
        event_loop_go_back(e);
    }
    e->instant.is_struck = false;
    memset(e->instant.blow, 0, e->unknowns * sizeof *e->instant.blow);
    if (e->whens.made_count > 0) {
        e->instant.has_jumped = e->instant.has_changed = true;
        e->instant.has_assigned = true;
        st = assign_or_search(e);
    } else {
        if (!e->instant.has_jumped && is_kink(e))
            st = reinit_is_determined(e, &is_determined);
        if (!st && !is_determined) st = follow_or_search(e);
    }
    if (!st) reinit_show(e, e->point.x, e->point.xp);
    return st;
}

static void keep_round(event_loop *e)
{
    memcpy(e->point.held_last, e->held, e->held_count * sizeof *e->held);
}

/* Whether any `when`, or one that ends the run, has fired at this instant. */
static bool any_fired(const event_loop *e, bool is_stop)
{
    for (size_t w = 0; w < e->of->when_count; w++)
        if (e->whens.has_fired[w] && (e->of->whens[w].stop || !is_stop))
            return true;
    return false;
}

/* The run ends here: what would still turn is nobody's matter. */
static bool is_ending(const event_loop *e)
{
    return any_fired(e, true);
}

/* One whose branches agree is inactive from now on. Switches that turn each other round: of
 * their modes, also those of other indices, one may be consistent. Otherwise they chatter,
 * or never settle. */
static dae_status end_cycle(event_loop *e, bool *has_turned)
{
    const size_t k = e->instant.chattering;
    const bool is_one = k != SIZE_MAX, are_alone = !any_fired(e, false);
    modes_outcome tried = {.nearest = SIZE_MAX};
    dae_status st = DAE_OK;
    *has_turned = false;
    if (is_one) st = inactive_try(e, k, has_turned);
    if (st || *has_turned) return st;
    const double rate = is_one ? e->at[k].rate : 0;
    const double other = is_one ? e->at[k].rate_other : 0;
    if (are_alone) {
        event_loop_go_back(e);
        st = mode_search(e, MODES_ANALYSED, &tried);
        if (st != DAE_NUMERIC) return st;
    }
    /* what is continuous does not chatter: none of its modes has a solution */
    const bool is_kinked = is_one && e->at[k].of->is_kink && tried.tried > 0;
    if ((!is_one || is_kinked) && are_alone)
        return event_report_nothing(e->run, &tried, DAE_NUMERIC);
    if (!is_one) return event_report_rounds(e);
    recurrence_verdict v;
    if (recurrence_ends(e->recurrence, k, e->stop.t, &v))
        return event_report_zeno(e, &v);
    v = (recurrence_verdict){.limit = e->stop.t,
        .up = e->run->direction * fmax(rate, other),
        .down = e->run->direction * fmin(rate, other),
        .first = k};
    return event_report_chattering(e, &v);
}

/* One round of switches. */
static dae_status turn_sides(event_loop *e, int round, bool *has_turned)
{
    e->instant.chattering = SIZE_MAX;
    if (round < ROUNDS_MOST) {
        const dae_status st = sides_turn(e, has_turned);
        if (!st || e->instant.chattering == SIZE_MAX) return st;
    }
    return end_cycle(e, has_turned);
}

/* All that turns by what has been done, and the values with it; no when is asked
 * before that has come to its end. */
static dae_status settle_switches(event_loop *e, bool *has_any)
{
    bool has_turned = true;
    dae_status st = see_unset(e);
    /* whens may ask for what is set, and for what the values themselves turned */
    *has_any = e->instant.has_set
        || memcmp(
               e->instant.sides_settling, e->sides, e->count * sizeof *e->sides)
            != 0;
    e->instant.is_settling = true;
    for (int round = 0; !st; round++) {
        keep_round(e);
        st = turn_sides(e, round, &has_turned);
        e->instant.has_set = e->instant.has_moved = false;
        if (st || !has_turned) break;
        *has_any = true;
        e->whens.made_count = 0;
        st = renew(e);
    }
    e->instant.is_settling = false;
    keep_round(e);
    /* those that are back where they were have not turned: others they look through had
     * not come to an end */
    for (size_t k = 0; k < e->count; k++) {
        uint8_t *turned = &e->at[k].has_turned;
        const bool is_back = e->sides[k] == e->instant.sides_settling[k];
        if (*turned & TURNED_NOW) *turned = is_back ? *turned & TURNED : TURNED;
    }
    return st;
}

/* From the switches that have turned: whens, assignments, values; and again, until nothing
 * changes. */
static dae_status run_rounds(event_loop *e)
{
    bool has_turned = true, has_fired;
    dae_status st = DAE_OK;
    for (int round = 0; has_turned && !st; round++) {
        if (round == ROUNDS_MOST) return event_report_rounds(e);
        st = fire(e, &has_fired);
        if (!st && has_fired) st = collect(e);
        if (st) return st;
        assign_discretes(e);
        for (size_t k = 0; k < e->count && has_fired; k++) e->at[k].turns = 0;
        memcpy(
            e->instant.sides_settling, e->sides, e->count * sizeof *e->sides);
        st = renew(e);
        if (st || is_ending(e)) return st;
        st = settle_switches(e, &has_turned);
    }
    return st;
}

static void list_turned(event_loop *e)
{
    const double *before = e->point.sides_before;
    e->whens.turned_count = e->whens.fired_count = 0;
    for (size_t k = 0; k < e->count; k++)
        if (e->at[k].has_turned
            || (e->sides[k] != before[k] && !isnan(e->sides[k] + before[k])))
            e->whens.turned[e->whens.turned_count++] = k;
    for (size_t w = 0; w < e->of->when_count; w++)
        if (e->whens.has_fired[w]) e->whens.fired[e->whens.fired_count++] = w;
}

/* ---- many instants ------------------------------------------------------------------ */

/* Values were given where it touches, and it goes on as if they had not been: it stays
 * beyond its threshold, as no slope leads it back, but a later derivative on; or it goes
 * on though the values before returned, so that it came there by rounding alone. */
static bool stays(event_loop *e, size_t k)
{
    const event_switch *s = &e->at[k];
    const search_crossing *at = event_loop_crossing(e, k);
    double before;
    if (!at || !s->has_turned || e->sides[k] == e->point.sides_before[k]
        || !s->is_near || s->is_locked_next || !(s->rate * at->direction > 0))
        return false;
    const point from = {
        .t = e->stop.t, .x = e->point.x_before, .xp = e->point.xp_before};
    const dae_status st = threshold_rate(
        e, k, &from, threshold_short_time(e), true, &before);
    return e->along[k].order > 1 || (!st && before * at->direction < 0);
}

/* W0528 of those for which a when would not be true any more, had they not turned; in a
 * mode that was entered they are not needed. */
static dae_status look_at_bounces(event_loop *e)
{
    const event_whens *of = &e->whens;
    for (size_t k = 0; k < e->count && e->instant.has_jumped; k++) {
        const double now = e->sides[k];
        if (!stays(e, k)) continue;
        e->sides[k] = e->point.sides_before[k];
        const dae_status st = equilibrium_conditions(e);
        e->sides[k] = now;
        if (st && st != DAE_RETRY) return st;
        for (size_t w = 0; w < e->of->when_count; w++)
            if (of->has_fired[w] && of->truth[w] && of->conditions[w] == 0)
                event_report_staying(e, w, k);
    }
    return DAE_OK;
}

/* What turns at e->stop.t is the last of many that do not come to an end: DAE_NUMERIC,
 * said in `ds`. */
static dae_status note_turns(event_loop *e)
{
    const event_stop *stop = &e->stop;
    recurrence_verdict v = {.kind = RECURRENCE_NONE};
    bool is_inactive = false;
    dae_status st = DAE_OK;
    if (e->instant.stage >= INSTANT_NOTED || stop->crossing_count == 0)
        return DAE_OK;
    /* what is as small as its rounding all along a step does not show it there */
    for (search_crossing *c = stop->crossed;
         c < stop->crossed + stop->crossing_count; c++) {
        const double blur = e->at[c->index].rounding / 2 / fabs(c->slope);
        if (blur > c->blur && isfinite(blur)) c->blur = blur;
    }
    for (size_t k = 0; k < e->count; k++) e->room.g[k] = e->at[k].noise;
    recurrence_note(e->recurrence, stop->t, threshold_short_time(e), e->room.g,
        stop->crossed, stop->crossing_count, &v);
    e->instant.stage = INSTANT_NOTED;
    if (v.kind == RECURRENCE_NONE) return DAE_OK;
    if (v.turns < TURNS_UNNEEDED) st = inactive_try(e, v.first, &is_inactive);
    if (st || is_inactive) return st;
    return v.kind == RECURRENCE_ZENO ? event_report_zeno(e, &v)
                                     : event_report_chattering(e, &v);
}

/* ---- the instant --------------------------------------------------------------- */

/* The values before, as the step that ends here has them. */
static dae_status open(event_loop *e)
{
    event_point *p = &e->point;
    dae_status st = DAE_OK;
    if (e->instant.stage >= INSTANT_OPEN) return DAE_OK;
    if (e->run->engine->stepper.last_h == 0)
        reinit_show(e, p->x_before, p->xp_before);
    else st = run_interpolate(e->run, e->stop.t, p->x_before, p->xp_before);
    if (st) return st;
    memcpy(p->held_before, e->held, e->held_count * sizeof *e->held);
    memcpy(e->whens.truth_before, e->whens.truth, e->of->when_count);
    e->instant.tried = (modes_outcome){.nearest = SIZE_MAX};
    e->instant.stage = INSTANT_OPEN;
    return DAE_OK;
}

static dae_status tell(event_loop *e, dae_event_phase phase)
{
    const bool is_after = phase == DAE_EVENT_AFTER;
    if (!e->run->options.on_event) return DAE_OK;
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
    return e->run->options.on_event(e->run->options.event_context, &event);
}

/* The point as it was, and what was held. */
static void undo(event_loop *e)
{
    memcpy(e->held, e->point.held_before, e->held_count * sizeof *e->held);
    memcpy(e->whens.truth, e->whens.truth_before, e->of->when_count);
    for (size_t k = 0; k < e->count; k++) {
        e->at[k].inactive = e->at[k].inactive_before;
        if (e->at[k].inactive) e->sides[k] = e->at[k].idle_side;
    }
    take_back(e);
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
        s->is_read = false;
        s->is_locked_next = s->is_locked;
        s->inactive_before = s->inactive;
        s->rate = s->rate_other = 0;
    }
    e->instant.is_restart = e->instant.has_jumped = false;
    e->instant.has_assigned = e->instant.has_changed = false;
    e->instant.is_misled = false;
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
static dae_status make_ready(const event_loop *e)
{
    run *r = e->run;
    engine *own = r->engine;
    const reduction *d = r->reduction;
    const point *p = &own->stepper.point;
    if (!layout_has_algebraic(&own->layout)
        || algebraic_is_ready(own, d ? d->now : NULL))
        return DAE_OK;
    memcpy(own->scratch, p->xp, own->layout.unknowns * sizeof *p->xp);
    const double delta = r->direction * threshold_short_time(e);
    const dae_status st = slopes_at(r, e->stop.t, delta, p->x, own->scratch);
    return st == DAE_MEMORY ? st : DAE_OK;
}

/* A jump goes on for some times as long as since the last one at first: in a step
 * much longer than a hop rounding is that of values far away from it. Those of a
 * reduced system share what Newton's method leaves, which is more: there longer steps
 * are better. */
static double first_step(event_loop *e)
{
    const double h = fabs(e->run->engine->stepper.h);
    const double hop = WAIT_GROWTH * fabs(e->stop.t - e->instant.jumped_at);
    e->instant.jumped_at = e->stop.t;
    return !e->run->reduction && hop > 0 && hop < h ? hop : h;
}

/* A switch that crossed is led back, by what a when has set or by what the equations
 * solve for: the past, which may agree with the point to tolerance, would lead it on. */
static bool is_led_back(const event_loop *e)
{
    for (size_t c = 0; c < e->stop.crossing_count; c++) {
        const search_crossing *at = &e->stop.crossed[c];
        const event_switch *s = &e->at[at->index];
        const bool is_clear = e->whens.fired_count > 0
            || (e->along[at->index].order == 1
                && threshold_reads_rest(e, at->index));
        if (is_clear && s->is_near && s->rate * at->direction < 0) return true;
    }
    return false;
}

/* The engine goes on from the point that has been found. */
static void go_on(event_loop *e)
{
    run *r = e->run;
    stepper *s = &r->engine->stepper;
    const int64_t restarts = r->stats.restarts;
    const bool is_misled = e->instant.is_misled;
    const bool is_back = is_misled || is_led_back(e);
    const double h = is_misled
        ? DIGIT * fabs(e->stop.step.to - e->stop.step.from)
        : fabs(s->h);
    if (e->whens.turned_count + e->whens.fired_count == 0 && !is_back
        && !e->instant.has_jumped)
        return;
    points_restart(r);
    s->starter.slopes = slopes_at;
    s->starter.self = r;
    if (e->instant.has_jumped || is_back)
        stepper_restart(s, e->stop.t, s->point.x, s->point.xp,
            e->instant.has_jumped ? first_step(e) : h);
    else stepper_resume(s, s->point.x, s->point.xp);
    e->instant.is_restart = r->stats.restarts > restarts;
    if (e->instant.has_changed) {
        newton_renew(&r->engine->newton);
        r->engine->newton.wants_all = true;
    }
    if (r->reduction) reduction_restart(r->reduction, s);
    regularity_forget(&r->regularity);
}

/* Where the next step begins. */
static void keep_thresholds(event_loop *e)
{
    const bool is_new = e->instant.has_jumped
        || e->whens.turned_count + e->whens.fired_count > 0;
    for (size_t k = 0; k < e->count; k++) {
        e->stop.from[k] = e->at[k].jumps || e->at[k].has_turned
            || e->at[k].is_near;
        if (is_new) e->at[k].heading = 0;
        if (!e->at[k].has_turned) continue;
        e->at[k].turned_at = e->stop.t;
        e->at[k].heading = e->along[k].order != 1 ? 0
            : e->at[k].rate > 0                   ? 1
            : e->at[k].rate < 0                   ? -1
                                                  : 0;
    }
    locked_take(e);
}

static dae_status settle(event_loop *e)
{
    clear_marks(e);
    dae_status st = locked_settle(e);
    if (!st) st = threshold_here(e);
    memcpy(e->point.g_before, e->point.g, e->count * sizeof *e->point.g);
    if (!st) st = equilibrium_rest(e);
    if (!st) st = sides_cross(e);
    if (!st) st = inactive_look(e, true);
    if (!st) st = run_rounds(e);
    if (!st) st = make_ready(e);
    if (!st) list_turned(e);
    if (!st && !is_ending(e)) st = look_at_bounces(e);
    if (st) {
        undo(e);
        return st;
    }
    mode_settle(e);
    if (e->of->slides) event_report_sliding(e);
    event_report_jumps(e);
    go_on(e);
    if (e->whens.turned_count + e->whens.fired_count > 0)
        e->run->stats.events++;
    keep_thresholds(e);
    e->instant.stage = INSTANT_SETTLED;
    return DAE_OK;
}

dae_status event_handle(run *r)
{
    event_loop *e = r->events;
    dae_status st = open(e);
    if (!st && (st = note_turns(e)) == DAE_NUMERIC) r->phase = RUN_FAILED;
    if (!st && e->instant.stage < INSTANT_REPORTED)
        st = tell(e, DAE_EVENT_BEFORE);
    if (st) return st;
    if (e->instant.stage < INSTANT_SETTLED) {
        e->instant.stage = INSTANT_REPORTED;
        st = settle(e);
        /* that is said of the start of a run alone */
        if (st == DAE_INCONSISTENT) st = DAE_NUMERIC;
        if (st == DAE_NUMERIC) r->phase = RUN_FAILED;
    }
    if (st || (st = tell(e, DAE_EVENT_AFTER))) return st;
    e->stop.has_event = e->stop.is_break = e->instant.is_start = false;
    e->instant.stage = INSTANT_NEW;
    e->stop.is_passed = true;
    equilibrium_stopped(e);
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
static dae_status hold_literally(event_loop *e)
{
    reinit_show(e, e->point.x_before, e->point.xp_before);
    clear_marks(e);
    dae_status st = threshold_here(e);
    if (!st) st = threshold_measure(e);
    for (size_t k = 0; k < e->count && !st; k++) {
        event_switch *s = &e->at[k];
        const bool has_side = s->of->is_kink && !isnan(e->sides[k]);
        double width = s->rounding;
        /* a start leaves so much of what is 0 by the equations of its mode */
        if (has_side) width = THREE_DIGITS * width + VALUES_ERROR * s->noise;
        s->is_near = threshold_distance(e, k) <= width
            && s->of->domain != DAE_DOMAIN_BREAK;
        if (!s->is_near || !has_side)
            e->sides[k] = region_value(s->of->kind,
                s->is_near ? threshold_nearest(e, k) : e->point.g[k]);
    }
    return st ? st : inactive_look(e, true);
}

/* Where the start leaves a switch on its threshold, the branch that the text has there
 * need not be the one that has values: it counts as one that has just turned. */
static dae_status hold_truly(event_loop *e)
{
    bool is_open = false, has_any;
    dae_status st = locate_breaks(e, e->stop.t);
    for (size_t k = 0; k < e->count; k++) {
        if (!e->at[k].is_near || e->at[k].inactive) continue;
        e->point.sides_last[k] = mode_other_side(e, k);
        is_open = true;
    }
    e->whens.made_count = 0;
    memcpy(e->instant.sides_settling, e->sides, e->count * sizeof *e->sides);
    if (!st) st = is_open ? follow_or_search(e) : renew(e);
    if (st) return st;
    reinit_show(e, e->point.x, e->point.xp);
    return settle_switches(e, &has_any);
}

/* What was not true of the start as the text has it, and is after it. */
static dae_status look_at_whens(event_loop *e)
{
    const dae_status st = ask_whens(e);
    for (size_t w = 0; w < e->of->when_count && !st; w++) {
        const bool is_true = e->whens.conditions[w] != 0;
        if (e->of->whens[w].at_start)
            e->stop.has_event = e->instant.is_start = true;
        if (is_true && !e->whens.truth[w]) e->stop.has_event = true;
        if (!is_true)
            e->whens.truth[w] = 0; /* it was true of the start alone */
    }
    return st ? st
              : true_at_start_report(e->run->problem, e->whens.truth, e->stop.t,
                  e->point.x, e->point.xp, e->run->allocator, e->run->ds);
}

/* What was true before the start, where anything was, or is as the text has it. */
static dae_status take_truths(event_loop *e)
{
    const uint8_t *before = e->of->truth_start;
    const dae_status st = ask_whens(e);
    for (size_t w = 0; w < e->of->when_count && !st; w++)
        e->whens.truth[w] = before ? before[w] : e->whens.conditions[w] != 0;
    return st;
}

dae_status event_start(run *r)
{
    event_loop *e = r->events;
    if (!e) return DAE_OK;
    e->run = r;
    e->stop.t = r->engine->stepper.history.t;
    recurrence_begin(e->recurrence, e->stop.t);
    const reduction *d = r->reduction;
    e->engine.index = d && d->analysis->index > 1 ? d->analysis->index : 1;
    e->engine.reported = (uint64_t)1 << (e->engine.index & 63);
    e->reports.has_jump = e->reports.has_slid = false;
    e->reports.slides = SIZE_MAX;
    memcpy(e->point.held_before, e->held, e->held_count * sizeof *e->held);
    dae_status st = hold_literally(e);
    if (!st) st = take_truths(e);
    if (!st) keep_round(e);
    if (!st) st = hold_truly(e);
    if (st) {
        event_loop_begin(e);
        mode_undo(e);
        stepper_restore(&r->engine->stepper);
        return st;
    }
    keep_thresholds(e);
    mode_settle(e);
    event_report_sliding(e);
    if (e->instant.has_changed) begin_from_point(r);
    return look_at_whens(e);
}

#include "events/sides.h"
#include "base/region.h"
#include "events/event_report.h"
#include "events/inactive.h"
#include "events/locate.h"
#include "events/reinit.h"
#include "events/search.h"
#include "events/threshold.h"
#include "reduce/thresholds.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- locked switches ------------------------------------------------------------ */

/* What the search takes as rounding of a size of 1. */
static double rounding_of_one(void)
{
    return G_UNITS * DBL_EPSILON;
}

static double off_threshold(const event_loop *e, size_t k, double g)
{
    return fabs(g - threshold_nearest(e, k));
}

/* Whether switch k is near enough to its threshold to be locked there, by e->point.g,
 * noise and rounding. */
static bool locked_may(const event_loop *e, size_t k)
{
    return e->of->switches[k].domain != DAE_DOMAIN_BREAK && !e->stop.jumps[k]
        && off_threshold(e, k, e->point.g[k])
        <= FOLLOWED_NEAR * e->point.noise[k] + e->point.rounding[k];
}

/* What has rested, and does not move by a tolerance in a step, keeps its side:
 * else what sticks on an incline slips at a tolerance of 1e-2. */
static bool is_slow(const run *r, size_t k)
{
    const event_loop *e = r->events;
    const stepper *s = &r->engine->stepper;
    const double step = fmax(fabs(s->last_h), fabs(s->h));
    return (e->locked.is[k] || e->locked.leaves[k])
        && fabs(e->turn.rate[k]) * step <= e->point.noise[k];
}

/* All g where the states are off by their tolerances, each to a side of its own, and the
 * rest is solved for: into e->room.g. What the states alone put on its threshold leaves it. */
static dae_status see_displaced(run *r)
{
    event_loop *e = r->events;
    const double *weight = r->engine->weights.plain;
    const point at = reinit_room(r);
    unsigned seed = 1;
    for (size_t k = 0; k < r->engine->layout.states; k++)
        at.x[k] += (k % 2 ? -1 : 1) * threshold_share(&seed) / weight[k];
    const dae_status st = reinit_solve(r, e->stop.t, at);
    if (st) return st;
    reinit_show_room(r);
    return e->of->roots(
        r->problem->self, e->stop.t, e->room.x, e->room.xp, e->room.g);
}

/* Which of those marked in e->locked.is_next are locked after the instant, by their series
 * (e->turn.along) and the point there. Their e->turn.rate is 0. DAE_MEMORY, or a status
 * of a callback. */
static dae_status locked_find(run *r)
{
    event_loop *e = r->events;
    bool has_any = false;
    for (size_t k = 0; k < e->of->switch_count; k++) {
        e->locked.is_next[k] = e->locked.is_next[k]
            && e->of->switches[k].domain == DAE_DOMAIN_POINT
            && e->turn.along[k].order == FLOW_ORDER + 1;
        has_any = has_any || e->locked.is_next[k];
    }
    const dae_status st = has_any ? see_displaced(r) : DAE_OK;
    for (size_t k = 0; k < e->of->switch_count; k++) {
        const double same = ROUNDING_LEAVES * e->point.noise[k]
            + CLEARLY * e->point.rounding[k];
        if (e->locked.is_next[k]
            && (st || !(off_threshold(e, k, e->room.g[k]) <= same)))
            e->locked.is_next[k] = 0;
        if (e->locked.is_next[k] || is_slow(r, k)) e->turn.rate[k] = 0;
    }
    return reinit_has_none(st) ? DAE_OK : st;
}

dae_status locked_settle(run *r)
{
    event_loop *e = r->events;
    point *p = &r->engine->stepper.point;
    const layout *l = &r->engine->layout;
    if (e->locked.count == 0 && !e->stop.is_solved_for) return DAE_OK;
    const point at = reinit_room(r);
    const dae_status st = reinit_solve(r, e->stop.t, at);
    if (st) return reinit_has_none(st) ? DAE_OK : st;
    memcpy(p->x, at.x, l->states * sizeof *at.x);
    memcpy(p->xp, at.xp, l->unknowns * sizeof *at.xp);
    reinit_show(r, e->point.x, e->point.xp);
    return DAE_OK;
}

/* ---- from step to step --------------------------------------------------------- */

/* It crossed at this instant, and the flow leads it back to the side where it was. */
static bool has_returned(const event_loop *e, size_t k)
{
    const double *before = e->point.held_before + e->of->discrete_count;
    return !e->instant.has_jumped && event_loop_crossing(e, k)
        && e->sides[k] == before[k];
}

void locked_take(event_loop *e)
{
    e->locked.count = e->locked.leaving_count = 0;
    for (size_t k = 0; k < e->of->switch_count; k++) {
        const bool was_locked = e->locked.is[k] || e->locked.leaves[k]
            || has_returned(e, k);
        e->locked.leaves[k] = was_locked && !e->locked.is_next[k]
            && e->turn.is_near[k];
        const double least = e->turn.is_near[k]
            ? 2 / UNITS_OFF * e->point.rounding[k]
            : 0;
        e->locked.leave_size[k] = (e->locked.leaves[k] ? e->point.noise[k]
                                                       : least)
            / rounding_of_one();
        /* both members of min(a, b) = 0 may stay 0 but for what solving leaves */
        if (e->of->switches[k].is_kink)
            e->locked.leave_size[k] = fmax(
                e->locked.leave_size[k], e->point.noise[k]);
        e->locked.is[k] = e->locked.is_next[k];
        e->locked.threshold[k] = threshold_nearest(e, k);
        e->locked.width[k] = e->locked.leaves[k]
            ? ASSIGNED_NEAR * rounding_of_one() * e->locked.leave_size[k]
            : FOLLOWED_NEAR * e->point.noise[k] + e->point.rounding[k];
        if (e->locked.is[k]) e->locked.count++;
        if (e->locked.leaves[k]) e->locked.leaving_count++;
    }
}

/* Those of them that are not on their thresholds where the step ends are no more. */
static dae_status check(run *r, uint8_t *marks, size_t *count)
{
    event_loop *e = r->events;
    if (*count == 0) return DAE_OK;
    reinit_show(r, e->room.x, e->room.xp);
    const dae_status st = e->of->roots(r->problem->self,
        r->engine->stepper.history.t, e->room.x, e->room.xp, e->room.g);
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        const double off = fabs(e->room.g[k] - e->locked.threshold[k]);
        if (!marks[k] || off <= e->locked.width[k]) continue;
        marks[k] = 0;
        if (marks == e->locked.leaves) e->locked.leave_size[k] = 0;
        --*count;
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

dae_status locked_check(run *r)
{
    return check(r, r->events->locked.is, &r->events->locked.count);
}

dae_status locked_check_leaving(run *r)
{
    return check(r, r->events->locked.leaves, &r->events->locked.leaving_count);
}

/* ---- sides ---------------------------------------------------------------------- */

static void turn(event_loop *e, size_t k, double to)
{
    if (e->sides[k] == to || e->inactive.how[k]) return;
    e->sides[k] = to;
    e->turn.has_turned[k] |= e->instant.is_settling ? TURNED_NOW : TURNED;
    e->turn.turns[k]++;
}

/* Each side leads back: by itself, or by what whens assign as it turns. */
static bool chatters(event_loop *e, size_t k)
{
    if (e->turn.is_near[k] && e->turn.rate[k] * e->turn.rate_other[k] < 0)
        e->turn.pushes[k]++;
    return e->turn.turns[k] + 1 >= TURNS_TO_AND_FRO
        || e->turn.pushes[k] >= PUSHES_MOST;
}

/* ---- switches that look through others ------------------------------------------------ */

/* The search has followed each g with all switches held. Where an inner one turns at the
 * same time, g is another function from there on: along the values from before its first
 * derivative says whether it is passed, or was touched alone. */
static bool may_touch(const event_loop *e, size_t k)
{
    return !e->stop.jumps[k] && !e->inactive.how[k] && !e->locked.is[k];
}

static size_t count_turned(const event_loop *e)
{
    const double *before = e->point.held_before + e->of->discrete_count;
    size_t count = 0;
    for (size_t k = 0; k < e->of->switch_count; k++)
        count += e->sides[k] != before[k] && !isnan(before[k]);
    return count;
}

/* How root functions are seen: along the flow of the sides before, with these sides, or
 * with those of now, or along the flow of now. */
enum { SEEN_BEFORE, SEEN_THROUGH, SEEN_FOLLOWING };

/* Their first derivatives, and the orders of these. */
static dae_status see_crossings(run *r, int how, flow_root *out)
{
    event_loop *e = r->events;
    const size_t size = e->of->switch_count * sizeof *e->sides;
    uint8_t *wanted = e->locked.is_next; /* room until they are settled */
    memset(wanted, 0, e->of->switch_count);
    for (size_t c = 0; c < e->stop.crossing_count; c++)
        wanted[e->stop.crossing[c]] = may_touch(e, e->stop.crossing[c]);
    memcpy(e->room.sides, e->sides, size);
    if (how != SEEN_FOLLOWING)
        memcpy(e->sides, e->point.held_before + e->of->discrete_count, size);
    const dae_status st = flow_roots(
        r, e->stop.t, wanted, how == SEEN_THROUGH ? e->room.sides : NULL, out);
    memcpy(e->sides, e->room.sides, size);
    memcpy(wanted, e->locked.is, e->of->switch_count);
    return st;
}

/* The side of crossing c. */
static double passed_side(const event_loop *e, size_t c, flow_root along)
{
    const size_t k = e->stop.crossing[c];
    const double before = e->point.held_before[e->of->discrete_count + k];
    const region in = region_of(e->of->switches[k].kind, before);
    const int way = e->stop.crossed[c].direction;
    if (along.order > FLOW_ORDER)
        return region_value(
            e->of->switches[k].kind, way > 0 ? in.upper : in.lower);
    return along.coefficient * way > 0 ? e->stop.crossing_to[c] : before;
}

static bool put_crossing(event_loop *e, size_t c, double to)
{
    const size_t k = e->stop.crossing[c];
    if (to == e->sides[k]) return false;
    const bool is_back = to == e->point.held_before[e->of->discrete_count + k];
    e->sides[k] = to;
    e->turn.has_turned[k] = is_back ? 0 : TURNED;
    e->turn.turns[k] = !is_back;
    return true;
}

/* What jumps with the others is away from its threshold; the others go as their first
 * derivative says where it is another one. */
static bool pass_crossing(run *r, size_t c)
{
    event_loop *e = r->events;
    const size_t k = e->stop.crossing[c];
    flow_root along = threshold_reads_rest(r, k) ? e->room.along[k]
                                                 : e->turn.along[k];
    const bool is_same = !(fabs(along.coefficient - e->point.g_last[k]) > 0);
    if (!may_touch(e, k)) return false;
    if (fabs(e->point.g_unset[k] - e->point.g[k])
        > e->point.noise[k] + e->point.rounding[k]) {
        e->turn.is_near[k] = false;
        return put_crossing(
            e, c, region_value(e->of->switches[k].kind, e->point.g_unset[k]));
    }
    if (along.order == 0 || is_same) return false;
    if (along.order % 2 == 1) along.coefficient *= r->direction;
    return put_crossing(e, c, passed_side(e, c, along));
}

static dae_status pass_all(run *r, bool *has_changed)
{
    event_loop *e = r->events;
    dae_status st = threshold_roots(
        r, e->stop.t, e->point.x, e->point.xp, e->point.g_unset);
    if (!st) st = see_crossings(r, SEEN_BEFORE, e->turn.along);
    for (size_t k = 0; k < e->of->switch_count && !st; k++)
        e->point.g_last[k] = e->turn.along[k].coefficient;
    if (!st) st = see_crossings(r, SEEN_FOLLOWING, e->room.along);
    if (!st) st = see_crossings(r, SEEN_THROUGH, e->turn.along);
    *has_changed = false;
    for (size_t c = 0; c < e->stop.crossing_count && !st; c++)
        if (pass_crossing(r, c)) *has_changed = true;
    return st;
}

static dae_status look_through(run *r)
{
    event_loop *e = r->events;
    bool has_changed = true;
    dae_status st = DAE_OK;
    if (e->stop.crossing_count == 0 || count_turned(e) < 2) return DAE_OK;
    st = threshold_measure(r, e->stop.t);
    for (size_t m = 0; m <= e->stop.crossing_count && has_changed && !st; m++)
        st = pass_all(r, &has_changed);
    return st == DAE_RETRY ? DAE_OK : st;
}

dae_status sides_cross(run *r)
{
    event_loop *e = r->events;
    for (size_t k = 0; k < e->of->switch_count; k++)
        e->turn.is_near[k] = e->locked.is[k];
    for (size_t c = 0; c < e->stop.crossing_count; c++) {
        const size_t k = e->stop.crossing[c];
        if (e->inactive.how[k]) continue;
        e->turn.is_near[k] = !e->stop.jumps[k];
        turn(e, k, e->stop.crossing_to[c]);
    }
    const dae_status broken = locate_breaks(r, e->stop.t);
    return broken ? broken : look_through(r);
}

/* The equations held it at its threshold, and do not any more, and no rate tells where it
 * goes: its side was kept for rounding's sake alone, and the text counts again. */
static bool is_released(const event_loop *e, size_t k)
{
    return e->locked.is[k] && !e->locked.is_next[k] && e->turn.is_near[k]
        && e->turn.rate[k] == 0;
}

/* What is assigned moves g by as much as it says, however small beside tolerances. */
static bool is_set_away(const event_loop *e, size_t k)
{
    return e->instant.has_moved
        && !(fabs(e->point.g[k] - e->point.g_unset[k])
            <= ASSIGNED_NEAR * e->point.rounding[k]);
}

/* One that was at its threshold, has not been moved away, and is where it was. */
static bool has_stayed(const event_loop *e, size_t k)
{
    const double most = e->whens.made_count > 0 ? ASSIGNED_NEAR : FOLLOWED_NEAR;
    const double width = e->locked.is[k] ? ONE_DIGIT
        : e->of->switches[k].is_kink     ? ASSIGNED_NEAR
                                         : most;
    return e->turn.is_near[k] && !is_set_away(e, k)
        && fabs(e->point.g[k] - e->point.g_last[k])
        <= width * e->point.noise[k];
}

/* Which switches are at a threshold with the values of this round: those that have stayed, and
 * those that are there to rounding, of what is solved for too. The series of all that may
 * be there, or rest there, are in e->turn.along. */
static dae_status find_near(run *r)
{
    event_loop *e = r->events;
    uint8_t *may_rest = e->locked.is_next;
    bool has_any = false;
    dae_status st = threshold_measure(r, e->stop.t);
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        e->turn.is_near[k] = !e->stop.jumps[k]
            && e->of->switches[k].domain != DAE_DOMAIN_BREAK
            && has_stayed(e, k);
        may_rest[k] = locked_may(e, k) || e->turn.is_near[k];
        has_any = has_any || may_rest[k];
    }
    memset(e->turn.along, 0, e->of->switch_count * sizeof *e->turn.along);
    if (!st && has_any)
        st = flow_roots(r, e->stop.t, may_rest, NULL, e->turn.along);
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        const double doubt = fmax(e->point.rounding[k], e->turn.along[k].doubt);
        may_rest[k] = locked_may(e, k);
        if (may_rest[k] && threshold_distance(e, k) <= doubt)
            e->turn.is_near[k] = true;
    }
    return st ? st : threshold_find_rates(r, e->stop.t);
}

/* Those that have jumped across a threshold have no value there that would tell on which
 * side they are, but have one where they go: into e->point.g. */
static dae_status look_behind_jumps(run *r)
{
    event_loop *e = r->events;
    size_t count = 0;
    for (size_t k = 0; k < e->of->switch_count; k++) count += e->stop.jumps[k];
    if (count == 0) return DAE_OK;
    const dae_status st = threshold_look_ahead(r, e->stop.t, e->room.g);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (e->stop.jumps[k] && isfinite(e->room.g[k]))
            e->point.g[k] = e->room.g[k];
    return DAE_OK;
}

/* All g where what has no derivative is more by its integral over the moment of the
 * jump: into e->room.g. */
static dae_status see_struck(run *r)
{
    event_loop *e = r->events;
    const uint8_t *order = r->problem->order;
    size_t slot = 0;
    memcpy(e->room.x, e->point.x, e->states * sizeof *e->room.x);
    for (size_t j = 0; j < e->unknowns; j++) {
        const size_t q = order ? order[j] : 1;
        if (q == 0) e->room.x[slot] += e->turn.blow[j];
        slot += q > 0 ? q : 1;
    }
    return e->of->roots(
        r->problem->self, e->stop.t, e->room.x, e->point.xp, e->room.g);
}

static bool has_blow(const run *r)
{
    const event_loop *e = r->events;
    bool has_any = false;
    for (size_t j = 0; j < e->unknowns; j++)
        has_any = has_any || e->turn.blow[j] != 0;
    /* what has been assigned would be lost on the way back, but not in a trial */
    for (size_t w = 0; w < e->of->when_count; w++)
        has_any = has_any && (e->instant.is_trial || !e->whens.has_fired[w]);
    return has_any
        && jump_notes_most(r, e->point.x_before, e->point.x) > HAS_JUMPED;
}

/* Blows come before values: a contact pushes, a diode lets charge pass one way, whatever
 * comes after. A side that a blow contradicts is turned first. */
static dae_status turn_by_blows(run *r)
{
    event_loop *e = r->events;
    e->turn.is_struck = false;
    memset(e->turn.is_pressed, 0,
        e->of->switch_count * sizeof *e->turn.is_pressed);
    if (!has_blow(r)) return DAE_OK;
    dae_status st = threshold_roots(
        r, e->stop.t, e->point.x, e->point.xp, e->point.g);
    if (!st) st = threshold_measure(r, e->stop.t);
    if (!st) st = see_struck(r);
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        const dae_switch *s = &e->of->switches[k];
        const double blow = e->room.g[k] - e->point.g[k];
        const double to = region_value(s->kind, blow * HUGE_VAL);
        if (s->domain != DAE_DOMAIN_POINT || !s->is_kink || e->inactive.how[k]
            || !(fabs(blow) > e->point.noise[k] + e->point.rounding[k]))
            continue;
        e->turn.is_pressed[k] = true;
        if (to == e->sides[k]) continue;
        turn(e, k, to);
        e->turn.is_struck = true;
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

dae_status sides_are_struck(run *r, bool *are)
{
    event_loop *e = r->events;
    const size_t size = e->of->switch_count * sizeof *e->sides;
    const bool is_trial = e->instant.is_trial;
    memcpy(e->room.sides, e->sides, size);
    e->instant.is_trial = true;
    const dae_status st = turn_by_blows(r);
    e->instant.is_trial = is_trial;
    memcpy(e->sides, e->room.sides, size);
    *are = e->turn.is_struck;
    e->turn.is_struck = false;
    return st;
}

/* From one sense of friction to the other a blow comes by way of what sticks. */
static void stick_between(event_loop *e)
{
    const double *before = e->point.held_last + e->of->discrete_count;
    for (size_t k = 0; k + 1 < e->of->switch_count; k++) {
        if (e->of->switches[k].weight != DAE_WEIGHT_ABOVE
            || e->of->switches[k + 1].weight != DAE_WEIGHT_BELOW)
            continue;
        if (e->sides[k] != before[k] && e->sides[k + 1] != before[k + 1])
            e->sides[k] = e->sides[k + 1] = 0;
    }
}

dae_status sides_turn(run *r, bool *has_turned)
{
    event_loop *e = r->events;
    memcpy(
        e->point.g_last, e->point.g, e->of->switch_count * sizeof *e->point.g);
    dae_status st = turn_by_blows(r);
    if (st || e->turn.is_struck) {
        *has_turned = true;
        return st;
    }
    const bool is_jump = has_blow(r);
    st = threshold_roots(r, e->stop.t, e->point.x, e->point.xp, e->point.g);
    if (!st) st = find_near(r);
    if (!st) st = look_behind_jumps(r);
    if (!st) st = locked_find(r);
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        const dae_switch *s = &e->of->switches[k];
        if (s->domain == DAE_DOMAIN_BREAK || e->inactive.how[k]) continue;
        double to = e->sides[k];
        const double g = e->point.g[k];
        const bool is_off = !e->turn.is_near[k] && !e->locked.is_next[k];
        if (is_off && region_beyond(region_of(s->kind, to), g) > 0)
            to = region_value(s->kind, g);
        if (e->turn.is_near[k] && e->turn.rate[k] != 0)
            to = region_beside(
                s->kind, threshold_nearest(e, k), e->turn.rate[k] > 0 ? 1 : -1);
        if (!s->is_kink && is_released(e, k))
            to = region_value(s->kind, threshold_nearest(e, k));
        if (to == e->sides[k]) continue;
        if (chatters(e, k)) {
            e->instant.chattering = k;
            return DAE_NUMERIC;
        }
        e->turn.rate_other[k] = e->turn.rate[k];
        turn(e, k, to);
        /* friction of a blow has the sense of the slip that it leaves; what bounded
         * forces turn does so after the blow */
        if (is_jump && (s->weight || (s->is_kink && !e->turn.is_pressed[k])))
            e->turn.is_struck = true;
    }
    if (!st && e->turn.is_struck) stick_between(e);
    if (!st)
        st = locate_breaks(r, e->stop.t); /* they may look through others */
    if (!st)
        st = inactive_look(
            r, e->stop.t, e->point.x, e->point.xp, e->point.g, true);
    *has_turned = memcmp(e->held, e->point.held_last,
                      e->held_count * sizeof *e->held)
        != 0;
    return st;
}

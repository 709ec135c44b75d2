#include "events/sides.h"
#include "base/region.h"
#include "events/event_report.h"
#include "events/locate.h"
#include "events/reinit.h"
#include "linalg/linear.h"
#include "newton/norm.h"
#include "reduce/thresholds.h"
#include "run/algebraic.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

dae_status threshold_roots(
    const event_loop *e, double t, const double *x, const double *xp, double *g)
{
    if (e->count == 0) return DAE_OK;
    const dae_status st = e->of->roots(e->run->problem->self, t, x, xp, g);
    return st == DAE_RETRY ? DAE_OK : st;
}

dae_status threshold_here(event_loop *e)
{
    const event_point *p = &e->point;
    return threshold_roots(e, e->stop.t, p->x, p->xp, p->g);
}

dae_status threshold_room(event_loop *e, double t, const double *xp)
{
    event_room *to = &e->room;
    return e->of->roots(e->run->problem->self, t, to->x, xp, to->g);
}

/* What changes of x and xp by a relative and an absolute amount make of g: noise, or
 * rounding. Each slot is moved by another part of it and to a side of its own, as a - b is
 * to change where a = b. */
static dae_status measure_change(
    event_loop *e, double t, double relative, double absolute, bool is_noise)
{
    for (size_t k = 0; k < e->count; k++)
        *(is_noise ? &e->at[k].noise : &e->at[k].rounding) = 0;
    /* time has no tolerance, but is rounded */
    const double late = fmin(relative, UNITS_OFF * DBL_EPSILON);
    for (unsigned seed = 1; seed <= 2; seed++) {
        unsigned side = seed;
        for (size_t i = 0; i < e->slots; i++) {
            const double v = e->point.x[i];
            (void)threshold_share(&side);
            const double sign = side & 0x80000000u ? 1 : -1;
            const double part = 1 - (double)((i * 5 + seed) % 7) / 16;
            e->room.x[i] = v + sign * part * (relative * fabs(v) + absolute);
        }
        const dae_status st = threshold_room(
            e, t * (1 + late * (seed == 1)), e->room.xp);
        if (st && st != DAE_RETRY) return st;
        for (size_t k = 0; k < e->count && !st; k++) {
            double *to = is_noise ? &e->at[k].noise : &e->at[k].rounding;
            const double change = fabs(e->room.g[k] - e->point.g[k]);
            if (isfinite(change)) *to = fmax(*to, change);
        }
    }
    return DAE_OK;
}

/* By tolerances, and by rounding. */
static dae_status measure(event_loop *e, double t)
{
    const dae_options *o = &e->run->options;
    if (e->count == 0) return DAE_OK;
    const dae_status st = measure_change(
        e, t, UNITS_OFF * DBL_EPSILON, 0, false);
    return st ? st : measure_change(e, t, o->rtol, o->atol, true);
}

dae_status threshold_measure(event_loop *e)
{
    const dae_status st = measure(e, e->stop.t);
    /* beside a jump rounding makes as much of g as tolerances do: neither is an error */
    if (DOUBTED * UNITS_OFF * DBL_EPSILON > e->run->options.rtol) return st;
    for (size_t k = 0; k < e->count; k++)
        if (DOUBTED * e->at[k].rounding > e->at[k].noise)
            e->at[k].rounding = e->at[k].noise = 0;
    return st;
}

dae_status threshold_see(event_loop *e, double t)
{
    reinit_show(e, e->point.x, e->point.xp);
    const dae_status st = e->of->roots(
        e->run->problem->self, t, e->point.x, e->point.xp, e->point.g);
    return st ? st : measure(e, t);
}

bool threshold_is_whole(const event_loop *e, size_t k)
{
    const uint8_t kind = e->at[k].of->kind;
    return kind == DAE_SWITCH_FLOOR || kind == DAE_SWITCH_CEIL;
}

double threshold_near(const event_loop *e, size_t k, double g)
{
    return threshold_is_whole(e, k) ? round(g) : 0;
}

double threshold_nearest(const event_loop *e, size_t k)
{
    return threshold_near(e, k, e->point.g[k]);
}

double threshold_distance(const event_loop *e, size_t k)
{
    return fabs(e->point.g[k] - threshold_nearest(e, k));
}

/* The equations that are stepped may have other unknowns than the caller's: his states
 * may follow from theirs. */
bool threshold_reads_rest(const event_loop *e, size_t k)
{
    const dae_switch *s = e->at[k].of;
    const bool reads_states = s->reads & DAE_READS_STATES;
    return s->reads == 0 || (s->reads & DAE_READS_REST)
        || (e->run->reduction && reads_states);
}

double threshold_share(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (1 + *seed / 4294967296.0) / 2;
}

/* A time in which no state moves by more than half its tolerance. */
double threshold_short_time(const event_loop *e)
{
    const stepper *s = &e->run->engine->stepper;
    const point *p = &s->point;
    const double speed = norm_weighted(
        e->run->engine->weights.plain, p->slope, e->run->engine->layout.states);
    const double t = fabs(p->t);
    double longest = SHORT_SHARE * (s->interval > 0 ? s->interval : 1);
    if (speed * longest > HALVED) longest = HALVED / speed;
    return fmax(longest, WHOLE * UNITS_OFF * DBL_EPSILON * t);
}

void threshold_move(event_loop *e, double s, const double *x, const double *xp)
{
    if (x != e->room.x) memcpy(e->room.x, x, e->states * sizeof *x);
    layout_move(&e->layout, s, e->room.x, xp);
}

dae_status threshold_rate(event_loop *e, size_t k, const point *at, double time,
    bool has_time, double *rate)
{
    const double by = e->run->direction * time;
    threshold_move(e, 0, at->x, at->xp);
    dae_status st = threshold_room(e, at->t, at->xp);
    const double from = e->room.g[k];
    threshold_move(e, by, e->room.x, at->xp);
    if (!st) st = threshold_room(e, has_time ? at->t + by : at->t, at->xp);
    *rate = (e->room.g[k] - from) / time;
    return st;
}

/* The rates of those whose series is not known, by g a time s later. */
static dae_status see_rates(event_loop *e, double s)
{
    dae_status st = reinit_ahead(e, s, SIZE_MAX, 0);
    if (!st) st = threshold_room(e, e->stop.t + s, e->room.xp);
    for (size_t k = 0; k < e->count && !st; k++) {
        const double off = e->room.g[k] - e->point.g[k];
        if (!e->at[k].is_near || e->along[k].order != 0 || !isfinite(off)
            || !(fabs(off) > DOUBTED * e->at[k].rounding + DBL_MIN))
            continue;
        e->at[k].rate = off / fabs(s);
        e->along[k].order = 1;
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

/* dg/dt of the switches at a threshold by their series; of one whose first derivatives are
 * 0, what the first other one makes in a short time. Those whose series is not known go
 * where two short steps lead them. */
static dae_status find_rates(event_loop *e)
{
    const double short_time = threshold_short_time(e);
    bool has_all = true;
    for (size_t k = 0; k < e->count; k++) {
        const flow_root *along = &e->along[k];
        e->at[k].rate = e->at[k].is_near ? along->coefficient : 0;
        if (along->order > 1 && along->order <= FLOW_ORDER)
            e->at[k].rate *= pow(short_time, along->order - 1);
        if (along->order % 2 == 1) e->at[k].rate *= e->run->direction;
        has_all = has_all && (!e->at[k].is_near || along->order > 0);
    }
    return has_all ? DAE_OK : see_rates(e, e->run->direction * short_time);
}

/* ---- locked switches ------------------------------------------------------------ */

double threshold_rounding(void)
{
    return UNITS_OFF / 2 * DBL_EPSILON;
}

/* All g where the states are off by their tolerances, each to a side of its own, and the
 * rest is solved for: into e->room.g. What the states alone put on its threshold leaves it. */
static dae_status see_displaced(event_loop *e)
{
    const double *weight = e->run->engine->weights.plain;
    const point at = reinit_room(e);
    unsigned seed = 1;
    for (size_t k = 0; k < e->run->engine->layout.states; k++)
        at.x[k] += (k % 2 ? -1 : 1) * threshold_share(&seed) / weight[k];
    const dae_status st = reinit_solve(e, e->stop.t, at);
    if (st) return st;
    reinit_show_room(e);
    return threshold_room(e, e->stop.t, e->room.xp);
}

/* Which of those marked in is_locked_next are locked after the instant, by their series
 * (e->along) and the point there. Their rate is 0. DAE_MEMORY, or a status of a
 * callback. */
static dae_status locked_find(event_loop *e)
{
    const stepper *own = &e->run->engine->stepper;
    const double step = fmax(fabs(own->last_h), fabs(own->h));
    bool has_any = false;
    for (size_t k = 0; k < e->count; k++) {
        e->at[k].is_locked_next = e->at[k].is_locked_next
            && e->at[k].of->domain == DAE_DOMAIN_POINT
            && e->along[k].order == FLOW_ORDER + 1;
        has_any = has_any || e->at[k].is_locked_next;
    }
    const dae_status st = has_any ? see_displaced(e) : DAE_OK;
    for (size_t k = 0; k < e->count; k++) {
        event_switch *s = &e->at[k];
        const double off = fabs(e->room.g[k] - threshold_nearest(e, k));
        const double same = VALUES_ERROR * s->noise
            + THREE_DIGITS * s->rounding;
        if (s->is_locked_next && (st || !(off <= same)))
            s->is_locked_next = false;
        /* what has rested, and does not move by a tolerance in a step, keeps its side:
         * else what sticks on an incline slips at a tolerance of 1e-2 */
        const bool is_slow = (s->is_locked || s->leaves)
            && fabs(s->rate) * step <= s->noise;
        if (s->is_locked_next || is_slow) s->rate = 0;
    }
    return reinit_has_none(st) ? DAE_OK : st;
}

dae_status locked_settle(event_loop *e)
{
    point *p = &e->run->engine->stepper.point;
    const layout *l = &e->run->engine->layout;
    if (e->locked_count == 0 && !e->stop.is_solved_for) return DAE_OK;
    const point at = reinit_room(e);
    const dae_status st = reinit_solve(e, e->stop.t, at);
    if (st) return reinit_has_none(st) ? DAE_OK : st;
    memcpy(p->x, at.x, l->states * sizeof *at.x);
    memcpy(p->xp, at.xp, l->unknowns * sizeof *at.xp);
    reinit_show(e, e->point.x, e->point.xp);
    return DAE_OK;
}

/* ---- from step to step --------------------------------------------------------- */

void locked_take(event_loop *e)
{
    e->locked_count = e->leaving_count = 0;
    for (size_t k = 0; k < e->count; k++) {
        event_switch *s = &e->at[k];
        /* it crossed at this instant, and the flow leads it back to the side where it was */
        const bool has_returned = !e->instant.has_jumped
            && event_loop_crossing(e, k)
            && e->sides[k] == e->point.sides_before[k];
        s->leaves = (s->is_locked || s->leaves || has_returned)
            && !s->is_locked_next && s->is_near;
        const double least = s->is_near ? 2 / UNITS_OFF * s->rounding : 0;
        e->leave_size[k] = (s->leaves ? s->noise : least)
            / threshold_rounding();
        s->is_locked = s->is_locked_next;
        s->threshold = threshold_nearest(e, k);
        s->width = s->leaves ? DOUBTED * threshold_rounding() * e->leave_size[k]
                             : THREE_DIGITS * s->noise + s->rounding;
        e->locked_count += s->is_locked;
        e->leaving_count += s->leaves;
    }
}

/* Those of them that are not on their thresholds where the step ends are no more. */
dae_status locked_check(event_loop *e, bool are_leaving)
{
    size_t *count = are_leaving ? &e->leaving_count : &e->locked_count;
    if (*count == 0) return DAE_OK;
    reinit_show(e, e->room.x, e->room.xp);
    const dae_status st = threshold_room(
        e, e->run->engine->stepper.history.t, e->room.xp);
    for (size_t k = 0; k < e->count && !st; k++) {
        event_switch *s = &e->at[k];
        bool *mark = are_leaving ? &s->leaves : &s->is_locked;
        if (!*mark || fabs(e->room.g[k] - s->threshold) <= s->width) continue;
        *mark = false;
        if (are_leaving) e->leave_size[k] = 0;
        --*count;
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

/* ---- sides ---------------------------------------------------------------------- */

static void turn(event_loop *e, size_t k, double to)
{
    if (e->sides[k] == to || e->at[k].inactive) return;
    e->sides[k] = to;
    e->at[k].has_turned |= e->instant.is_settling ? TURNED_NOW : TURNED;
    e->at[k].turns++;
}

/* ---- switches that look through others ------------------------------------------------ */

/* The search has followed each g with all switches held. Where an inner one turns at the
 * same time, g is another function from there on: along the values from before its first
 * derivative says whether it is passed, or was touched alone. */

static bool may_touch(const event_loop *e, size_t k)
{
    return !e->at[k].jumps && !e->at[k].inactive && !e->at[k].is_locked;
}

/* The first derivatives of root functions with the sides of now, and the orders of these:
 * along the flow of the sides before, or (`is_following`) of now. */
static dae_status see_crossings(
    event_loop *e, bool is_following, flow_root *out)
{
    const size_t size = e->count * sizeof *e->sides;
    uint8_t *wanted = e->room.needed;
    memset(wanted, 0, e->count);
    for (size_t c = 0; c < e->stop.crossing_count; c++) {
        const size_t k = e->stop.crossed[c].index;
        wanted[k] = may_touch(e, k);
    }
    memcpy(e->room.sides, e->sides, size);
    if (!is_following) memcpy(e->sides, e->point.sides_before, size);
    const dae_status st = flow_roots(
        e, wanted, is_following ? NULL : e->room.sides, out);
    memcpy(e->sides, e->room.sides, size);
    return st;
}

/* The side of a crossing, by what its first derivative says of it. */
static double passed_side(
    const event_loop *e, const search_crossing *at, const flow_root *along)
{
    const uint8_t kind = e->at[at->index].of->kind;
    const double before = e->point.sides_before[at->index];
    const region in = region_of(kind, before);
    const double way = along->order % 2 == 1 ? e->run->direction : 1;
    if (along->order > FLOW_ORDER)
        return region_value(kind, at->direction > 0 ? in.upper : in.lower);
    return along->coefficient * way * at->direction > 0 ? at->to : before;
}

/* What jumps with the others is away from its threshold; the others go as their first
 * derivative says. Whether the side of a crossing changes. */
static bool pass_crossing(event_loop *e, const search_crossing *at)
{
    const size_t k = at->index;
    event_switch *s = &e->at[k];
    const double off = fabs(e->point.g_unset[k] - e->point.g[k]);
    const flow_root *along = threshold_reads_rest(e, k) ? &e->room.along[k]
                                                        : &e->along[k];
    double to = e->sides[k];
    if (!may_touch(e, k)) return false;
    if (off > s->noise + s->rounding) {
        s->is_near = false;
        to = region_value(s->of->kind, e->point.g_unset[k]);
    } else if (along->order != 0) {
        to = passed_side(e, at, along);
    }
    if (to == e->sides[k]) return false;
    const bool is_back = to == e->point.sides_before[k];
    e->sides[k] = to;
    s->has_turned = is_back ? 0 : TURNED;
    s->turns = !is_back;
    return true;
}

static dae_status look_through(event_loop *e)
{
    const event_stop *stop = &e->stop;
    size_t count = 0;
    bool has_changed = true;
    for (size_t k = 0; k < e->count; k++)
        count += e->sides[k] != e->point.sides_before[k]
            && !isnan(e->point.sides_before[k]);
    if (stop->crossing_count == 0 || count < 2) return DAE_OK;
    dae_status st = threshold_measure(e);
    for (size_t m = 0; m <= stop->crossing_count && has_changed && !st; m++) {
        has_changed = false;
        st = threshold_roots(
            e, stop->t, e->point.x, e->point.xp, e->point.g_unset);
        if (!st) st = see_crossings(e, true, e->room.along);
        if (!st) st = see_crossings(e, false, e->along);
        for (size_t c = 0; c < stop->crossing_count && !st; c++)
            if (pass_crossing(e, &stop->crossed[c])) has_changed = true;
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

/* It has turned at the beginning of the step, and this leads it back at once against what the
 * equations, which do not ask for it, say of its way: what has happened there is faster than
 * the step, as the lag of a pump that a when has turned off, and is less than a tolerance.
 * Shorter steps tell, down to rounding. DAE_MEMORY, or a status of a callback. */
static dae_status is_misled(event_loop *e, const search_crossing *at, bool *is)
{
    const event_switch *s = &e->at[at->index];
    const search_step *step = &e->stop.step;
    const double units = WHOLE * UNITS_OFF * DBL_EPSILON;
    *is = !s->jumps && s->heading * at->direction < 0
        && fabs(e->stop.t - s->turned_at) <= threshold_short_time(e)
        && DIGIT * fabs(step->to - step->from) > units * fabs(e->stop.t);
    if (!*is) return DAE_OK;
    const dae_status st = event_loop_needed(e, e->room.needed);
    *is = !(e->room.needed[e->of->discrete_count + at->index]
        & DAE_NEEDED_EQUATIONS);
    return st;
}

dae_status sides_cross(event_loop *e)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < e->count; k++) e->at[k].is_near = e->at[k].is_locked;
    for (size_t c = 0; c < e->stop.crossing_count && !st; c++) {
        const search_crossing *at = &e->stop.crossed[c];
        bool is = false;
        if (e->at[at->index].inactive) continue;
        e->at[at->index].is_near = !e->at[at->index].jumps;
        st = is_misled(e, at, &is);
        if (is) e->instant.is_misled = true;
        else turn(e, at->index, at->to);
    }
    if (st) return st;
    const dae_status broken = locate_breaks(e, e->stop.t);
    return broken ? broken : look_through(e);
}

/* One that was at its threshold, has not been moved away, and is where it was: what is
 * assigned moves g by as much as it says, however small beside tolerances. */
static bool has_stayed(const event_loop *e, size_t k)
{
    const event_switch *s = &e->at[k];
    const double most = e->whens.made_count > 0 ? DOUBTED : THREE_DIGITS;
    const double width = s->is_locked ? DIGIT : s->of->is_kink ? DOUBTED : most;
    const bool is_set_away = e->instant.has_moved
        && !(
            fabs(e->point.g[k] - e->point.g_unset[k]) <= DOUBTED * s->rounding);
    return s->is_near && !is_set_away
        && fabs(e->point.g[k] - e->point.g_last[k]) <= width * s->noise;
}

/* Which switches are at a threshold with the values of this round: those that have stayed, and
 * those that are there to rounding, of what is solved for too. The series of all that may
 * be there, or be locked there as they are near enough, are in e->along. */
static dae_status find_near(event_loop *e)
{
    uint8_t *wanted = e->room.needed;
    bool has_any = false;
    dae_status st = threshold_measure(e);
    for (size_t k = 0; k < e->count && !st; k++) {
        event_switch *s = &e->at[k];
        const bool may = !s->jumps && s->of->domain != DAE_DOMAIN_BREAK;
        s->is_near = may && has_stayed(e, k);
        s->is_locked_next = may
            && threshold_distance(e, k)
                <= THREE_DIGITS * s->noise + s->rounding;
        wanted[k] = s->is_locked_next || s->is_near;
        has_any = has_any || wanted[k];
    }
    memset(e->along, 0, e->count * sizeof *e->along);
    if (!st && has_any) st = flow_roots(e, wanted, NULL, e->along);
    for (size_t k = 0; k < e->count && !st; k++) {
        const double doubt = fmax(e->at[k].rounding, e->along[k].doubt);
        if (e->at[k].is_locked_next && threshold_distance(e, k) <= doubt)
            e->at[k].is_near = true;
    }
    return st ? st : find_rates(e);
}

/* Those that have jumped across a threshold have no value there that would tell on which
 * side they are, but have one where they go: into e->point.g. */
static dae_status look_behind_jumps(event_loop *e)
{
    const double t = e->stop.t, units = WHOLE * UNITS_OFF * DBL_EPSILON;
    const double share = fmin(1, units / e->run->options.rtol);
    bool has_any = false;
    for (size_t k = 0; k < e->count; k++) has_any = has_any || e->at[k].jumps;
    if (!has_any) return DAE_OK;
    const double s = e->run->direction
        * fmax(share * threshold_short_time(e), units * fabs(t));
    threshold_move(e, s, e->point.x, e->point.xp);
    const dae_status st = threshold_room(e, t + s, e->point.xp);
    for (size_t k = 0; k < e->count && !st; k++)
        if (e->at[k].jumps && isfinite(e->room.g[k]))
            e->point.g[k] = e->room.g[k];
    return st == DAE_RETRY ? DAE_OK : st;
}

static bool has_blow(const event_loop *e, bool is_trial)
{
    bool has_any = false;
    for (size_t j = 0; j < e->unknowns; j++)
        has_any = has_any || e->instant.blow[j] != 0;
    /* what has been assigned would be lost on the way back, but not in a trial */
    for (size_t w = 0; w < e->of->when_count; w++)
        has_any = has_any && (is_trial || !e->whens.has_fired[w]);
    return has_any
        && jump_notes_most(e, e->point.x_before, e->point.x) > HAS_JUMPED;
}

/* Blows come before values: a contact pushes, a diode lets charge pass one way, whatever
 * comes after. A side that a blow contradicts is turned first. g is evaluated where what
 * has no derivative is more by its integral over the moment of the jump. */
static dae_status look_at_blows(event_loop *e, bool turns)
{
    const layout *l = &e->layout;
    e->instant.is_struck = false;
    for (size_t k = 0; k < e->count; k++) e->at[k].is_pressed = false;
    if (!has_blow(e, e->instant.is_trial || !turns)) return DAE_OK;
    dae_status st = threshold_here(e);
    if (!st) st = threshold_measure(e);
    memcpy(e->room.x, e->point.x, e->states * sizeof *e->room.x);
    for (size_t j = 0; j < e->unknowns; j++)
        if (l->order[j] == 0) e->room.x[l->first[j]] += e->instant.blow[j];
    if (!st) st = threshold_room(e, e->stop.t, e->point.xp);
    for (size_t k = 0; k < e->count && !st; k++) {
        event_switch *s = &e->at[k];
        const double blow = e->room.g[k] - e->point.g[k];
        const double to = region_value(s->of->kind, blow * HUGE_VAL);
        if (s->of->domain != DAE_DOMAIN_POINT || !s->of->is_kink || s->inactive
            || !(fabs(blow) > s->noise + s->rounding))
            continue;
        s->is_pressed = true;
        if (to == e->sides[k]) continue;
        if (turns) turn(e, k, to);
        e->instant.is_struck = true;
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

dae_status sides_are_struck(event_loop *e, bool *are)
{
    const dae_status st = look_at_blows(e, false);
    *are = e->instant.is_struck;
    e->instant.is_struck = false;
    return st;
}

/* From one sense of friction to the other a blow comes by way of what sticks. */
static void stick_between(event_loop *e)
{
    const double *before = e->point.sides_last;
    for (size_t k = 0; k + 1 < e->count; k++) {
        if (e->at[k].of->weight != DAE_WEIGHT_ABOVE
            || e->at[k + 1].of->weight != DAE_WEIGHT_BELOW)
            continue;
        if (e->sides[k] != before[k] && e->sides[k + 1] != before[k + 1])
            e->sides[k] = e->sides[k + 1] = 0;
    }
}

/* A jump has put g on its threshold, and nothing leads it away: it is no rounding that would
 * keep the side from before, and the text counts. Once: where its branch leads elsewhere, as
 * of a diode that is on while its voltage is positive, the equations have the last word. */
static bool has_come(const event_loop *e, size_t k)
{
    const event_switch *s = &e->at[k];
    const double off = fabs(e->point.g_before[k] - threshold_nearest(e, k));
    return s->is_near && s->rate == 0 && off > s->noise && !s->of->is_kink
        && !s->is_read && !e->instant.is_trial;
}

/* The side that switch k takes at the point. */
static double side_now(const event_loop *e, size_t k)
{
    const event_switch *s = &e->at[k];
    const uint8_t kind = s->of->kind;
    const double g = e->point.g[k], threshold = threshold_nearest(e, k);
    if (has_come(e, k)) return region_value(kind, threshold);
    /* the equations held it at its threshold, and do not any more, and no rate tells where
     * it goes: its side was kept for rounding's sake alone, and the text counts again */
    const bool is_released = s->is_locked && !s->is_locked_next && s->is_near
        && s->rate == 0;
    if (!s->of->is_kink && is_released) return region_value(kind, threshold);
    if (s->is_near && s->rate != 0)
        return region_beside(kind, threshold, s->rate > 0 ? 1 : -1);
    const bool is_off = !s->is_near && !s->is_locked_next
        && region_beyond(region_of(kind, e->sides[k]), g) > 0;
    return is_off ? region_value(kind, g) : e->sides[k];
}

dae_status sides_turn(event_loop *e, bool *has_turned)
{
    memcpy(e->point.g_last, e->point.g, e->count * sizeof *e->point.g);
    dae_status st = look_at_blows(e, true);
    if (st || e->instant.is_struck) {
        *has_turned = true;
        return st;
    }
    const bool is_jump = has_blow(e, e->instant.is_trial);
    st = threshold_here(e);
    if (!st) st = find_near(e);
    if (!st) st = look_behind_jumps(e);
    if (!st) st = locked_find(e);
    for (size_t k = 0; k < e->count && !st; k++) {
        event_switch *s = &e->at[k];
        const double to = side_now(e, k);
        if (s->of->domain == DAE_DOMAIN_BREAK || s->inactive
            || to == e->sides[k])
            continue;
        /* each side leads back: by itself, or by what whens assign as it turns */
        if (s->is_near && s->rate * s->rate_other < 0) s->pushes++;
        if (s->turns + 1 >= TURNS_TO_AND_FRO || s->pushes >= PUSHES_MOST) {
            e->instant.chattering = k;
            return DAE_NUMERIC;
        }
        s->rate_other = s->rate;
        const bool is_read = has_come(e, k);
        turn(e, k, to);
        if (is_read) s->turns--;
        s->is_read = s->is_read || is_read;
        /* friction of a blow has the sense of the slip that it leaves; what bounded
         * forces turn does so after the blow */
        if (is_jump && (s->of->weight || (s->of->is_kink && !s->is_pressed)))
            e->instant.is_struck = true;
    }
    if (!st && e->instant.is_struck) stick_between(e);
    if (!st)
        st = locate_breaks(e, e->stop.t); /* they may look through others */
    if (!st) st = inactive_look(e, true);
    *has_turned = memcmp(e->held, e->point.held_last,
                      e->held_count * sizeof *e->held)
        != 0;
    return st;
}

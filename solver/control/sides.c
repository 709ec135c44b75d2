#include "control/sides.h"
#include "control/anew.h"
#include "control/asleep.h"
#include "control/edges.h"
#include "control/event_told.h"
#include "control/flow.h"
#include "control/resting.h"
#include "control/turning.h"
#include "events/region.h"
#include "events/search.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Times that a switch turns without anything being assigned: there and back, and
 * that again. */
enum { TURNS_MOST = 4 };
/* The same where whens fire in between, each time with a slope back. */
enum { PUSHES_MOST = 20 };
/* g that was at its edge is there still, moved by so many tolerances at most: of
 * what is assigned; of what follows, which dense output knows less well. */
static const double EDGE_ASSIGNED = 4, EDGE_FOLLOWED = 1000;
/* The same for what equations held at its edge, and has been solved for. */
static const double EDGE_RESTED = 0.1;
static const double PLACED = 16;

static void turn(event_loop *e, size_t k, double to)
{
    if (e->sides[k] == to || e->asleep[k]) return;
    e->sides[k] = to;
    e->has_turned[k] |= e->is_settling ? TURNED_NOW : TURNED;
    e->turns[k]++;
}

/* Each side leads back: by itself, or by what whens assign as it turns. */
static bool chatters(event_loop *e, size_t k)
{
    if (e->at_edge[k] && e->rate[k] * e->rate_other[k] < 0) e->pushes[k]++;
    return e->turns[k] + 1 >= TURNS_MOST || e->pushes[k] >= PUSHES_MOST;
}

/* ---- switches that look through others ------------------------------------------------ */

/* The search has followed each g with all switches held. Where an inner one turns at the
 * same time, g is another function from there on: along the values from before its first
 * derivative says whether it is passed, or was touched alone. */
static bool may_touch(const event_loop *e, size_t k)
{
    return !e->jumps[k] && !e->asleep[k] && !e->rests[k];
}

static size_t count_turned(const event_loop *e)
{
    const double *before = e->held_before + e->of->discrete_count;
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
    uint8_t *wanted = e->rests_next; /* room until they are settled */
    memset(wanted, 0, e->of->switch_count);
    for (size_t c = 0; c < e->crossing_count; c++)
        wanted[e->crossing[c]] = may_touch(e, e->crossing[c]);
    memcpy(e->room_sides, e->sides, size);
    if (how != SEEN_FOLLOWING)
        memcpy(e->sides, e->held_before + e->of->discrete_count, size);
    const dae_status st = flow_roots(
        r, e->t, wanted, how == SEEN_THROUGH ? e->room_sides : NULL, out);
    memcpy(e->sides, e->room_sides, size);
    memcpy(wanted, e->rests, e->of->switch_count);
    return st;
}

/* The side of crossing c. */
static double passed_side(const event_loop *e, size_t c, flow_root along)
{
    const size_t k = e->crossing[c];
    const double before = e->held_before[e->of->discrete_count + k];
    const region in = region_of(e->of->switches[k].kind, before);
    const int way = e->crossed[c].direction;
    if (along.order > FLOW_ORDER)
        return region_value(
            e->of->switches[k].kind, way > 0 ? in.upper : in.lower);
    return along.coefficient * way > 0 ? e->crossing_to[c] : before;
}

static bool put_crossing(event_loop *e, size_t c, double to)
{
    const size_t k = e->crossing[c];
    if (to == e->sides[k]) return false;
    const bool is_back = to == e->held_before[e->of->discrete_count + k];
    e->sides[k] = to;
    e->has_turned[k] = is_back ? 0 : TURNED;
    e->turns[k] = !is_back;
    return true;
}

/* What jumps with the others is away from its threshold; the others go as their first
 * derivative says where it is another one. */
static bool pass_crossing(run *r, size_t c)
{
    event_loop *e = r->events;
    const size_t k = e->crossing[c];
    flow_root along = edges_reads_rest(r, k) ? e->room_along[k] : e->along[k];
    const bool is_same = !(fabs(along.coefficient - e->g_last[k]) > 0);
    if (!may_touch(e, k)) return false;
    if (fabs(e->g_unset[k] - e->g[k]) > e->noise[k] + e->rounding[k]) {
        e->at_edge[k] = false;
        return put_crossing(
            e, c, region_value(e->of->switches[k].kind, e->g_unset[k]));
    }
    if (along.order == 0 || is_same) return false;
    if (along.order % 2 == 1) along.coefficient *= r->direction;
    return put_crossing(e, c, passed_side(e, c, along));
}

static dae_status pass_all(run *r, bool *has_changed)
{
    event_loop *e = r->events;
    dae_status st = edges_roots(r, e->t, e->x, e->xp, e->g_unset);
    if (!st) st = see_crossings(r, SEEN_BEFORE, e->along);
    for (size_t k = 0; k < e->of->switch_count && !st; k++)
        e->g_last[k] = e->along[k].coefficient;
    if (!st) st = see_crossings(r, SEEN_FOLLOWING, e->room_along);
    if (!st) st = see_crossings(r, SEEN_THROUGH, e->along);
    *has_changed = false;
    for (size_t c = 0; c < e->crossing_count && !st; c++)
        if (pass_crossing(r, c)) *has_changed = true;
    return st;
}

static dae_status look_through(run *r)
{
    event_loop *e = r->events;
    bool has_changed = true;
    dae_status st = DAE_OK;
    if (e->crossing_count == 0 || count_turned(e) < 2) return DAE_OK;
    st = edges_measure(r, e->t);
    for (size_t m = 0; m <= e->crossing_count && has_changed && !st; m++)
        st = pass_all(r, &has_changed);
    return st == DAE_RETRY ? DAE_OK : st;
}

dae_status sides_cross(run *r)
{
    event_loop *e = r->events;
    for (size_t k = 0; k < e->of->switch_count; k++)
        e->at_edge[k] = e->rests[k];
    for (size_t c = 0; c < e->crossing_count; c++) {
        const size_t k = e->crossing[c];
        if (e->asleep[k]) continue;
        e->at_edge[k] = !e->jumps[k];
        turn(e, k, e->crossing_to[c]);
    }
    const dae_status broken = turning_breaks(r, e->t);
    return broken ? broken : look_through(r);
}

/* A jump has brought it to its edge, where it stays, as a number that is
 * assigned does: there the text is taken as it is written. */
static bool has_come_to_stay(const event_loop *e, size_t k)
{
    return e->at_edge[k] && e->rate[k] == 0
        && fabs(e->g[k] - e->g_last[k]) > EDGE_ASSIGNED * e->noise[k];
}

/* The equations held it at its edge, and do not any more, and no rate tells where it
 * goes: its side was kept for rounding's sake alone, and the text counts again. */
static bool is_released(const event_loop *e, size_t k)
{
    return e->rests[k] && !e->rests_next[k] && e->at_edge[k] && e->rate[k] == 0;
}

/* What of g may be an error of the place where it was found. */
static double blur_of(const event_loop *e, size_t k)
{
    const double blur = EDGE_ASSIGNED * e->rounding[k];
    const search_crossing *at = event_loop_crossing(e, k);
    if (!at) return blur;
    return blur
        + fabs(at->slope) * (at->blur + PLACED * DBL_EPSILON * fabs(e->t));
}

/* What is assigned moves g by as much as it says, however small beside tolerances. */
static bool is_set_away(const event_loop *e, size_t k)
{
    return e->has_moved && !(fabs(e->g[k] - e->g_unset[k]) <= blur_of(e, k));
}

/* One that was at its edge, has not been moved away, and is where it was. */
static bool has_stayed(const event_loop *e, size_t k)
{
    const double most = e->made_count > 0 ? EDGE_ASSIGNED : EDGE_FOLLOWED;
    const double width = e->rests[k] ? EDGE_RESTED
        : e->of->switches[k].is_kink ? EDGE_ASSIGNED
                                     : most;
    return e->at_edge[k] && !is_set_away(e, k)
        && fabs(e->g[k] - e->g_last[k]) <= width * e->noise[k];
}

/* Which switches are at an edge with the values of this round: those that have stayed, and
 * those that are there to rounding, of what is solved for too. The series of all that may
 * be there, or rest there, are in e->along. */
static dae_status find_edges(run *r)
{
    event_loop *e = r->events;
    uint8_t *may_rest = e->rests_next;
    bool has_any = false;
    dae_status st = edges_measure(r, e->t);
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        e->at_edge[k] = !e->jumps[k]
            && e->of->switches[k].domain != DAE_DOMAIN_BREAK
            && has_stayed(e, k);
        may_rest[k] = resting_may(e, k) || e->at_edge[k];
        has_any = has_any || may_rest[k];
    }
    memset(e->along, 0, e->of->switch_count * sizeof *e->along);
    if (!st && has_any) st = flow_roots(r, e->t, may_rest, NULL, e->along);
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        const double doubt = fmax(e->rounding[k], e->along[k].doubt);
        may_rest[k] = resting_may(e, k);
        if (may_rest[k] && edges_distance(e, k) <= doubt) e->at_edge[k] = true;
    }
    return st ? st : edges_find_rates(r, e->t);
}

/* Those that have jumped across an edge have no value there that would tell on which
 * side they are, but have one where they go: into e->g. */
static dae_status look_behind_jumps(run *r)
{
    event_loop *e = r->events;
    size_t count = 0;
    for (size_t k = 0; k < e->of->switch_count; k++) count += e->jumps[k];
    if (count == 0) return DAE_OK;
    const dae_status st = edges_look_ahead(r, e->t, e->room_g);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (e->jumps[k] && isfinite(e->room_g[k])) e->g[k] = e->room_g[k];
    return DAE_OK;
}

dae_status sides_turn(run *r, bool *has_turned)
{
    event_loop *e = r->events;
    memcpy(e->g_last, e->g, e->of->switch_count * sizeof *e->g);
    dae_status st = edges_roots(r, e->t, e->x, e->xp, e->g);
    if (!st) st = find_edges(r);
    if (!st) st = look_behind_jumps(r);
    if (!st) st = resting_find(r);
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        const dae_switch *s = &e->of->switches[k];
        if (s->domain == DAE_DOMAIN_BREAK || e->asleep[k]) continue;
        double to = e->sides[k];
        const double g = e->g[k];
        const bool is_off = !e->at_edge[k] && !e->rests_next[k];
        if (is_off && region_beyond(region_of(s->kind, to), g) > 0)
            to = region_value(s->kind, g);
        if (e->at_edge[k] && e->rate[k] != 0)
            to = region_beside(
                s->kind, edges_nearest(e, k), e->rate[k] > 0 ? 1 : -1);
        if (has_come_to_stay(e, k) || is_released(e, k))
            to = region_value(s->kind, edges_nearest(e, k));
        if (to == e->sides[k]) continue;
        if (chatters(e, k)) {
            e->chattering = k;
            return DAE_NUMERIC;
        }
        e->rate_other[k] = e->rate[k];
        turn(e, k, to);
    }
    if (!st) st = turning_breaks(r, e->t); /* they may look through others */
    if (!st) st = asleep_look(r, e->t, e->x, e->xp, e->g, true);
    *has_turned = memcmp(e->held, e->held_last, e->held_count * sizeof *e->held)
        != 0;
    return st;
}

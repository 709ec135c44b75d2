/* The search has followed each g with all switches held, and where an inner one
 * turns at the same place, this g is another one from there on. Just ahead, by the
 * slopes from before, each g is looked at with the sides from before and with those
 * of now: one that is beyond its edge with the first and not with the second has but
 * touched it. What does not look through others has the same g twice, and stays. */
#include "control/nested.h"
#include "control/anew.h"
#include "control/edges.h"
#include "control/sides.h"
#include "events/region.h"
#include "events/search.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* How far ahead: units in the last place of the time at first; where equations are
 * solved, the time in which states move by half a tolerance. */
static const double UNITS = 1e4, GROWTH = 100;
enum { AHEAD_MOST = 5, SOLVED_MOST = 3 };
/* Beyond the edge by more than so many roundings: it is seen to be. */
static const double SEEN = 4;
/* At the edge: this part of the way that it goes beyond with the sides from before. */
static const double TOUCH = 1e-3;
/* Farther than so many times that way: g has jumped from its edge. */
static const double JUMPED = 1e3;

static bool may_touch(const event_loop *e, size_t c)
{
    const size_t k = e->crossing[c];
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

static void take_sides(event_loop *e, const double *from)
{
    memcpy(e->sides, from, e->of->switch_count * sizeof *e->sides);
}

/* All g a time s ahead, with the sides that are held. */
static dae_status see(run *r, double s, bool is_solved, double *g)
{
    event_loop *e = r->events;
    const dae_status st = anew_ahead(r, e->t, s,
        is_solved ? ANEW_SOLVED : ANEW_STRAIGHT, e->room_x, e->room_xp);
    return st
        ? st
        : e->of->roots(r->problem->self, e->t + s, e->room_x, e->room_xp, g);
}

/* The value that the switch of one crossing takes, by g ahead with the sides from
 * before (g_unset) and of now (room_g); false: it is not seen yet. */
static bool find_side(const event_loop *e, size_t c, double *to)
{
    const size_t k = e->crossing[c];
    const uint8_t kind = e->of->switches[k].kind;
    const double before = e->held_before[e->of->discrete_count + k];
    const region in = region_of(kind, before);
    const double way = region_beyond(in, e->g_unset[k]);
    const double now = region_beyond(in, e->room_g[k]);
    if (!(way > SEEN * e->rounding[k] + DBL_MIN) || !isfinite(now))
        return false;
    const bool is_up = e->crossed[c].direction > 0;
    *to = now >= TOUCH * way ? e->crossing_to[c]
        : now > -TOUCH * way ? region_value(kind, is_up ? in.upper : in.lower)
                             : before;
    return true;
}

/* Of one that is seen. */
static bool has_jumped_away(const event_loop *e, size_t c)
{
    const size_t k = e->crossing[c];
    const double off = fabs(e->room_g[k] - e->g_unset[k]);
    const double before = e->held_before[e->of->discrete_count + k];
    const region in = region_of(e->of->switches[k].kind, before);
    return off > JUMPED * region_beyond(in, e->g_unset[k]);
}

static void put(event_loop *e, size_t c, double to)
{
    const size_t k = e->crossing[c];
    const bool is_back = to == e->held_before[e->of->discrete_count + k];
    e->sides[k] = to;
    e->has_turned[k] = is_back ? 0 : TURNED;
    e->turns[k] = !is_back;
}

/* One round; those that are not seen where others are, are asked again later. */
static dae_status look(run *r, double s, bool is_solved, bool *has_changed)
{
    event_loop *e = r->events;
    memcpy(e->room_sides, e->sides, e->of->switch_count * sizeof *e->sides);
    take_sides(e, e->held_before + e->of->discrete_count);
    dae_status st = see(r, s, is_solved, e->g_unset);
    take_sides(e, e->room_sides);
    if (!st) st = see(r, s, is_solved, e->room_g);
    *has_changed = false;
    for (size_t c = 0; c < e->crossing_count && !st; c++) {
        double to;
        if (!may_touch(e, c) || !find_side(e, c, &to)) continue;
        if (has_jumped_away(e, c)) e->at_edge[e->crossing[c]] = EDGE_NONE;
        if (to == e->sides[e->crossing[c]]) continue;
        put(e, c, to);
        *has_changed = true;
    }
    return st;
}

static dae_status settle_at(run *r, double s, bool is_solved)
{
    event_loop *e = r->events;
    bool has_changed = true;
    dae_status st = DAE_OK;
    for (size_t m = 0; m <= e->crossing_count && has_changed && !st; m++)
        st = look(r, s, is_solved, &has_changed);
    return st;
}

/* Whether all are seen a time s ahead. */
static bool has_all(const event_loop *e)
{
    double to;
    for (size_t c = 0; c < e->crossing_count; c++)
        if (may_touch(e, c) && !find_side(e, c, &to)) return false;
    return true;
}

/* Rounding, and what they look at, by the sides that e->g has been found with. */
static dae_status measure(run *r, bool *is_solved)
{
    event_loop *e = r->events;
    memcpy(e->room_sides, e->sides, e->of->switch_count * sizeof *e->sides);
    take_sides(e, e->held_before + e->of->discrete_count);
    dae_status st = edges_measure(r, e->t);
    if (!st) st = edges_depend_on_rest(r, e->t, is_solved);
    take_sides(e, e->room_sides);
    return st;
}

dae_status nested_settle(run *r)
{
    event_loop *e = r->events;
    bool is_solved = false;
    if (e->crossing_count == 0 || count_turned(e) < 2) return DAE_OK;
    dae_status st = measure(r, &is_solved);
    if (st) return st;
    const double short_time = edges_short_time(r);
    const double units = UNITS * DBL_EPSILON;
    const double first = fmax(
        fmin(1, units / r->options.rtol) * short_time, units * fabs(e->t));
    const int most = is_solved ? SOLVED_MOST : AHEAD_MOST;
    double s = r->direction * (is_solved ? short_time : first);
    for (int m = 0; m < most && !st; m++, s *= GROWTH) {
        st = settle_at(r, s, is_solved);
        if (!st && has_all(e)) break;
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Whether something asks for a switch is seen by what the functions of the problem
 * give with one value in its place and with another: at the point, and beside it, where
 * nothing is 0 by chance. */
#include "control/asleep.h"
#include "control/anew.h"
#include "control/edges.h"
#include "control/event_told.h"
#include "control/still.h"
#include "events/region.h"
#include "events/search.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* How far beside, of each value, and absolutely. */
static const double BESIDE = 1e-3;

/* ---- whether a value is asked for ----------------------------------------------- */

typedef struct asking {
    run *r;
    double t;
    double *x, *xp;
    size_t count; /* numbers that the functions give */
    double *one, *other;
    double *moved; /* unknowns: residuals where all values have moved */
} asking;

static dae_status evaluate(const asking *a, double *to)
{
    const dae_problem *p = a->r->problem;
    const dae_events *of = p->events;
    dae_status st = p->residual(p->self, a->t, a->x, a->xp, to);
    to += p->unknown_count;
    if (of->when_count > 0 && (!st || st == DAE_RETRY))
        st = of->conditions(p->self, a->t, a->x, a->xp, to);
    to += of->when_count;
    if (of->assignment_count > 0 && (!st || st == DAE_RETRY))
        st = of->assigned(p->self, a->t, a->x, a->xp, to);
    to += of->assignment_count;
    if (!st || st == DAE_RETRY) st = of->roots(p->self, a->t, a->x, a->xp, to);
    return st == DAE_RETRY ? DAE_OK : st;
}

static bool differ(double a, double b)
{
    return isnan(a) != isnan(b) || a < b || a > b;
}

static double first_side(const event_loop *e, size_t k)
{
    return e->of->switches[k].kind == DAE_SWITCH_SIGN ? -1 : 0;
}

/* At the point at hand; its own root function is left out. */
static dae_status ask(const asking *a, size_t k, bool *matters)
{
    event_loop *e = a->r->events;
    const size_t own = a->count - e->of->switch_count + k;
    const double kept = e->sides[k];
    e->sides[k] = first_side(e, k);
    dae_status st = evaluate(a, a->one);
    e->sides[k] = 1;
    if (!st) st = evaluate(a, a->other);
    e->sides[k] = kept;
    for (size_t i = 0; i < a->count && !st; i++)
        if (i != own && differ(a->one[i], a->other[i])) *matters = true;
    return st;
}

/* Whether the two branches agree to tolerance: one in place of the other changes
 * residuals by no more than the values do that change by their tolerances, and nothing
 * else. Behind ask, at the point. */
static dae_status do_agree(const asking *a, size_t k, bool *agree)
{
    const run *r = a->r;
    const event_loop *e = r->events;
    const dae_problem *p = r->problem;
    const size_t own = a->count - e->of->switch_count + k;
    unsigned seed = 1;
    *agree = false;
    for (size_t i = e->unknowns; i < a->count; i++)
        if (i != own && differ(a->one[i], a->other[i])) return DAE_OK;
    for (size_t i = 0; i < e->states; i++)
        a->x[i] += edges_share(&seed)
            * (r->options.rtol * fabs(a->x[i]) + r->options.atol);
    const double kept = e->sides[k];
    e->sides[k] = first_side(e, k);
    const dae_status st = p->residual(p->self, a->t, a->x, a->xp, a->moved);
    e->sides[k] = kept;
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    *agree = true;
    for (size_t i = 0; i < e->unknowns && *agree; i++)
        *agree = fabs(a->one[i] - a->other[i]) <= fabs(a->moved[i] - a->one[i]);
    return DAE_OK;
}

static void step_aside(const asking *a)
{
    const event_loop *e = a->r->events;
    unsigned seed = 1;
    for (size_t i = 0; i < e->states; i++)
        a->x[i] += BESIDE * edges_share(&seed) * (1 + fabs(a->x[i]));
    for (size_t i = 0; i < e->unknowns; i++)
        a->xp[i] -= BESIDE * edges_share(&seed) * (1 + fabs(a->xp[i]));
}

/* `agree`: do_agree; NULL: not wanted. */
static dae_status is_asked_for(run *r, size_t k, double t, const double *x,
    const double *xp, bool *matters, bool *agree)
{
    const event_loop *e = r->events;
    const size_t count = e->unknowns + e->of->when_count
        + e->of->assignment_count + e->of->switch_count;
    const size_t all = 2 * count + e->states + 2 * e->unknowns;
    double *room = alloc_zeroed(r->allocator, all, sizeof *room);
    if (!room) return DAE_MEMORY;
    asking a = {.r = r,
        .t = t,
        .x = room + 2 * count,
        .xp = room + 2 * count + e->states,
        .count = count,
        .one = room,
        .other = room + count,
        .moved = room + 2 * count + e->states + e->unknowns};
    memcpy(a.x, x, e->states * sizeof *x);
    memcpy(a.xp, xp, e->unknowns * sizeof *xp);
    *matters = false;
    dae_status st = ask(&a, k, matters);
    if (!st && agree) {
        st = do_agree(&a, k, agree);
        memcpy(a.x, x, e->states * sizeof *x);
    }
    step_aside(&a);
    if (!st && !*matters) st = ask(&a, k, matters);
    alloc_free(r->allocator, room, all, sizeof *room);
    return st;
}

/* ---- sleep ------------------------------------------------------------------------ */

void asleep_put(event_loop *e, size_t k, uint8_t how)
{
    e->sides[k] = (double)NAN;
    e->asleep[k] = how;
}

void asleep_wake(event_loop *e, size_t k, double g)
{
    e->sides[k] = region_value(e->of->switches[k].kind, g);
    e->asleep[k] = AWAKE;
}

/* At a pole it jumps, and is beyond all edges. */
static bool has_value(const event_loop *e, size_t k, double g)
{
    return isfinite(g) || (isinf(g) && e->jumps[k]);
}

bool asleep_any(const event_loop *e)
{
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (e->asleep[k]) return true;
    return false;
}

/* It is asked for where it has no value, and may have one a little later, as a
 * logarithm where its argument comes from 0. */
static dae_status look_ahead(run *r, double t, const double *x,
    const double *xp, size_t k, bool *is_found)
{
    enum { LOOKS = 4 };
    event_loop *e = r->events;
    double s = r->direction * edges_short_time(r) * 1e-9;
    *is_found = false;
    for (int m = 0; m < LOOKS && !*is_found; m++, s *= 1000) {
        edges_move_straight(r, s, x, xp);
        const dae_status st = e->of->roots(
            r->problem->self, t + s, e->room_x, xp, e->room_g);
        if (st && st != DAE_RETRY) return st;
        if (st || !has_value(e, k, e->room_g[k])) continue;
        const bool has_side = !e->asleep[k] && !isnan(e->sides[k]);
        if (!has_side) asleep_wake(e, k, e->room_g[k]);
        *is_found = true;
    }
    return DAE_OK;
}

static dae_status look_at(run *r, size_t k, double t, const double *x,
    const double *xp, bool may_look_ahead)
{
    bool matters, is_found = false;
    dae_status st = is_asked_for(r, k, t, x, xp, &matters, NULL);
    if (!st && !matters) asleep_put(r->events, k, VALUELESS);
    if (st || !matters) return st;
    if (may_look_ahead) st = look_ahead(r, t, x, xp, k, &is_found);
    if (st || is_found) return st;
    return event_told_undefined(r, DAE_NAME_SWITCH, k, t, x, xp);
}

static dae_status wake_tired(
    run *r, size_t k, double t, const double *x, const double *xp, double g)
{
    event_loop *e = r->events;
    const bool is_continuous = e->asleep[k] == CONTINUOUS;
    bool matters, agree;
    const dae_status st = is_asked_for(r, k, t, x, xp, &matters, &agree);
    const bool sleeps = is_continuous ? agree && !still_has_left(e, k, g)
                                      : !matters;
    if (!st && !sleeps) asleep_wake(e, k, g);
    return st;
}

static void leave_crossing(event_loop *e, size_t k)
{
    size_t left = 0;
    for (size_t c = 0; c < e->crossing_count; c++) {
        if (e->crossing[c] == k) continue;
        e->crossing[left] = e->crossing[c];
        e->crossing_to[left] = e->crossing_to[c];
        e->crossed[left++] = e->crossed[c];
    }
    e->crossing_count = left;
}

/* At the values before, by what tolerances make of its root function there. */
static dae_status rest_at(run *r, size_t k)
{
    event_loop *e = r->events;
    memcpy(e->x, e->x_before, e->states * sizeof *e->x);
    memcpy(e->xp, e->xp_before, e->unknowns * sizeof *e->xp);
    dae_status st = edges_roots(r, e->t, e->x, e->xp, e->g);
    if (!st) st = edges_measure(r, e->t);
    if (!st) still_put(e, k, CONTINUOUS);
    return st;
}

dae_status asleep_tire(run *r, size_t k, bool *sleeps)
{
    event_loop *e = r->events;
    bool matters, agree, is_determined = true;
    dae_status st = is_asked_for(
        r, k, e->t, e->x_before, e->xp_before, &matters, &agree);
    for (size_t c = 0; c < e->crossing_count && !st; c++)
        if (e->crossing[c] == k)
            st = anew_is_determined_with(
                r, e->t, k, e->crossing_to[c], &is_determined);
    *sleeps = !st && (!matters || (agree && is_determined));
    if (!*sleeps) return st;
    leave_crossing(e, k);
    if (matters) return rest_at(r, k);
    asleep_put(e, k, TIRED);
    return DAE_OK;
}

dae_status asleep_look(run *r, double t, const double *x, const double *xp,
    const double *g, bool is_event)
{
    event_loop *e = r->events;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        if (e->of->switches[k].domain == DAE_DOMAIN_BREAK) continue;
        const uint8_t how = e->asleep[k];
        if (!has_value(e, k, g[k])) st = look_at(r, k, t, x, xp, true);
        else if (how == VALUELESS) asleep_wake(e, k, g[k]);
        else if ((how == TIRED || how == CONTINUOUS) && is_event)
            st = wake_tired(r, k, t, x, xp, g[k]);
        else if (how == STILL && is_event) st = still_look(r, k, t, g[k]);
    }
    return st;
}

/* ---- in a step -------------------------------------------------------------------- */

/* Whether what turns, turns before or where this one was lost, but for rounding. */
static bool is_excused(
    const search_step *step, const search_found *found, double lost_at)
{
    static const double SHARE = 1e-9;
    enum { UNITS = 64 };
    if (found->kind != SEARCH_TURNS) return false;
    const double slack = SHARE * fabs(step->to - step->from)
        + UNITS * DBL_EPSILON * fabs(lost_at);
    const double late = step->to > step->from ? found->t - lost_at
                                              : lost_at - found->t;
    return late <= slack;
}

dae_status asleep_search(run *r, const search_step *step, search_found *found)
{
    event_loop *e = r->events;
    size_t count = 0;
    dae_status st = DAE_OK;
    while (found->kind == SEARCH_LOST && count < e->of->switch_count && !st) {
        e->crossing[count] = found->lost;
        e->crossing_to[count++] = found->t;
        e->room_g[found->lost] = (double)NAN;
        search_forget(e->search);
        st = search_run(e->search, step, found);
    }
    for (size_t c = 0; c < count && !st; c++) {
        const double at = e->crossing_to[c];
        if (is_excused(step, found, at)) continue;
        st = step->values(step->self, at, e->g);
        if (st == DAE_RETRY) st = DAE_OK;
        if (!st)
            st = look_at(r, e->crossing[c], at, e->room_x, e->room_xp, false);
    }
    return st;
}

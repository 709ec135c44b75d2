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

/* ---- who looks at a switch ------------------------------------------------------ */

static dae_status is_needed(run *r, size_t k, bool *is)
{
    event_loop *e = r->events;
    dae_status st = DAE_OK;
    memcpy(e->needed, e->always, e->held_count);
    if (!e->needed[e->of->discrete_count + k])
        st = event_loop_needed(e, r->problem->self, e->needed);
    *is = e->needed[e->of->discrete_count + k] != 0;
    return st;
}

static dae_status residual_at(
    const run *r, double t, const double *x, const double *xp, double *res)
{
    const dae_problem *p = r->problem;
    return p->residual(p->self, t, x, xp, res);
}

/* Residuals with both sides of switch k, and with one where all states are off by their
 * tolerances. */
static dae_status see_both(
    run *r, size_t k, double t, const double *x, const double *xp, double *room)
{
    event_loop *e = r->events;
    const size_t n = e->unknowns;
    const double kept = e->sides[k];
    double *moved = room + 3 * n;
    unsigned seed = 1;
    for (size_t i = 0; i < e->states; i++)
        moved[i] = x[i]
            + edges_share(&seed)
                * (r->options.rtol * fabs(x[i]) + r->options.atol);
    e->sides[k] = 1;
    dae_status st = residual_at(r, t, x, xp, room);
    e->sides[k] = e->of->switches[k].kind == DAE_SWITCH_SIGN ? -1 : 0;
    if (!st) st = residual_at(r, t, x, xp, room + n);
    if (!st) st = residual_at(r, t, moved, xp, room + 2 * n);
    e->sides[k] = kept;
    return st;
}

/* Whether the two branches agree to tolerance: one in place of the other changes
 * residuals by no more than the values do that change by their tolerances, and no when
 * looks at the switch. */
static dae_status do_agree(
    run *r, size_t k, double t, const double *x, const double *xp, bool *agree)
{
    const event_loop *e = r->events;
    const size_t n = e->unknowns, all = 3 * n + e->states;
    *agree = false;
    if (e->needed[e->of->discrete_count + k] & DAE_NEEDED_EVENTS) return DAE_OK;
    double *room = alloc_zeroed(r->allocator, all, sizeof *room);
    if (!room) return DAE_MEMORY;
    const dae_status st = see_both(r, k, t, x, xp, room);
    *agree = !st;
    for (size_t i = 0; i < n && *agree; i++)
        *agree = fabs(room[i] - room[n + i])
            <= fabs(room[2 * n + i] - room[n + i]);
    alloc_free(r->allocator, room, all, sizeof *room);
    return st == DAE_RETRY ? DAE_OK : st;
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
    dae_status st = is_needed(r, k, &matters);
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
    bool matters, agree = false;
    dae_status st = is_needed(r, k, &matters);
    if (!st && is_continuous) st = do_agree(r, k, t, x, xp, &agree);
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
    bool matters, agree = false, is_determined = true;
    dae_status st = is_needed(r, k, &matters);
    if (!st && matters)
        st = do_agree(r, k, e->t, e->x_before, e->xp_before, &agree);
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

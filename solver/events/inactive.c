#include "events/inactive.h"
#include "base/region.h"
#include "events/equilibrium.h"
#include "events/event_report.h"
#include "events/reinit.h"
#include "events/search.h"
#include "events/threshold.h"
#include "reduce/thresholds.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- who looks at a switch ------------------------------------------------------ */

static dae_status is_needed(run *r, size_t k, bool *is)
{
    event_loop *e = r->events;
    dae_status st = DAE_OK;
    memcpy(e->room.needed, e->always, e->held_count);
    if (!e->room.needed[e->of->discrete_count + k])
        st = event_loop_needed(e, r->problem->self, e->room.needed);
    *is = e->room.needed[e->of->discrete_count + k] != 0;
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
            + threshold_share(&seed)
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
    if (e->room.needed[e->of->discrete_count + k] & DAE_NEEDED_EVENTS)
        return DAE_OK;
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

void inactive_put(event_loop *e, size_t k, uint8_t how)
{
    e->sides[k] = (double)NAN;
    e->inactive.how[k] = how;
}

void inactive_end(event_loop *e, size_t k, double g)
{
    e->sides[k] = region_value(e->of->switches[k].kind, g);
    e->inactive.how[k] = ACTIVE;
}

/* At a pole it jumps, and is beyond all thresholds. */
static bool has_value(const event_loop *e, size_t k, double g)
{
    return isfinite(g) || (isinf(g) && e->stop.jumps[k]);
}

bool inactive_any(const event_loop *e)
{
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (e->inactive.how[k]) return true;
    return false;
}

/* It is asked for where it has no value, and may have one a little later, as a
 * logarithm where its argument comes from 0. */
static dae_status look_ahead(run *r, double t, const double *x,
    const double *xp, size_t k, bool *is_found)
{
    enum { LOOKS = 4 };
    event_loop *e = r->events;
    double s = r->direction * threshold_short_time(r)
        / pow(NEXT_TRY, LOOKS - 1);
    *is_found = false;
    for (int m = 0; m < LOOKS && !*is_found; m++, s *= NEXT_TRY) {
        threshold_move(r, s, x, xp);
        const dae_status st = e->of->roots(
            r->problem->self, t + s, e->room.x, xp, e->room.g);
        if (st && st != DAE_RETRY) return st;
        if (st || !has_value(e, k, e->room.g[k])) continue;
        const bool has_side = !e->inactive.how[k] && !isnan(e->sides[k]);
        if (!has_side) inactive_end(e, k, e->room.g[k]);
        *is_found = true;
    }
    return DAE_OK;
}

static dae_status look_at(run *r, size_t k, double t, const double *x,
    const double *xp, bool may_look_ahead)
{
    bool matters, is_found = false;
    dae_status st = is_needed(r, k, &matters);
    if (!st && !matters) inactive_put(r->events, k, VALUELESS);
    if (st || !matters) return st;
    if (may_look_ahead) st = look_ahead(r, t, x, xp, k, &is_found);
    if (st || is_found) return st;
    return event_report_undefined(r, DAE_NAME_SWITCH, k, t, x, xp);
}

static dae_status activate_needed(
    run *r, size_t k, double t, const double *x, const double *xp, double g)
{
    event_loop *e = r->events;
    const bool is_continuous = e->inactive.how[k] == AGREEING;
    bool matters, agree = false;
    dae_status st = is_needed(r, k, &matters);
    if (!st && is_continuous) st = do_agree(r, k, t, x, xp, &agree);
    const bool is_inactive = is_continuous
        ? agree && !equilibrium_has_left(e, k, g)
        : !matters;
    if (!st && !is_inactive) inactive_end(e, k, g);
    return st;
}

static void leave_crossing(event_loop *e, size_t k)
{
    size_t left = 0;
    for (size_t c = 0; c < e->stop.crossing_count; c++) {
        if (e->stop.crossing[c] == k) continue;
        e->stop.crossing[left] = e->stop.crossing[c];
        e->stop.crossing_to[left] = e->stop.crossing_to[c];
        e->stop.crossed[left++] = e->stop.crossed[c];
    }
    e->stop.crossing_count = left;
}

/* At the values before, by what tolerances make of its root function there. */
static dae_status rest_at(run *r, size_t k)
{
    event_loop *e = r->events;
    event_loop_go_back(e);
    dae_status st = threshold_roots(
        r, e->stop.t, e->point.x, e->point.xp, e->point.g);
    if (!st) st = threshold_measure(r, e->stop.t);
    if (!st) equilibrium_put(e, k, AGREEING);
    return st;
}

dae_status inactive_try(run *r, size_t k, bool *is_inactive)
{
    event_loop *e = r->events;
    bool matters, agree = false, is_determined = true;
    dae_status st = is_needed(r, k, &matters);
    if (!st && matters)
        st = do_agree(
            r, k, e->stop.t, e->point.x_before, e->point.xp_before, &agree);
    for (size_t c = 0; c < e->stop.crossing_count && !st; c++)
        if (e->stop.crossing[c] == k)
            st = reinit_is_determined_with(
                r, e->stop.t, k, e->stop.crossing_to[c], &is_determined);
    *is_inactive = !st && (!matters || (agree && is_determined));
    if (!*is_inactive) return st;
    leave_crossing(e, k);
    if (matters) return rest_at(r, k);
    inactive_put(e, k, UNNEEDED);
    return DAE_OK;
}

dae_status inactive_look(run *r, double t, const double *x, const double *xp,
    const double *g, bool is_event)
{
    event_loop *e = r->events;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        if (e->of->switches[k].domain == DAE_DOMAIN_BREAK) continue;
        const uint8_t how = e->inactive.how[k];
        if (!has_value(e, k, g[k])) st = look_at(r, k, t, x, xp, true);
        else if (how == VALUELESS) inactive_end(e, k, g[k]);
        else if ((how == UNNEEDED || how == AGREEING) && is_event)
            st = activate_needed(r, k, t, x, xp, g[k]);
        else if (how == EQUILIBRIUM && is_event)
            st = equilibrium_look(r, k, t, g[k]);
    }
    return st;
}

/* ---- in a step -------------------------------------------------------------------- */

/* Whether what turns, turns before or where this one was lost, but for rounding. */
static bool is_excused(
    const search_step *step, const search_found *found, double lost_at)
{
    if (found->kind != SEARCH_TURNS) return false;
    const double slack = ROUNDING_LEAVES * fabs(step->to - step->from)
        + UNITS_OFF * DBL_EPSILON * fabs(lost_at);
    const double late = step->to > step->from ? found->t - lost_at
                                              : lost_at - found->t;
    return late <= slack;
}

dae_status inactive_search(run *r, const search_step *step, search_found *found)
{
    event_loop *e = r->events;
    size_t count = 0;
    dae_status st = DAE_OK;
    while (found->kind == SEARCH_LOST && count < e->of->switch_count && !st) {
        e->stop.crossing[count] = found->lost;
        e->stop.crossing_to[count++] = found->t;
        e->room.g[found->lost] = (double)NAN;
        search_forget(e->search);
        st = search_run(e->search, step, found);
    }
    for (size_t c = 0; c < count && !st; c++) {
        const double at = e->stop.crossing_to[c];
        if (is_excused(step, found, at)) continue;
        st = step->values(step->self, at, e->point.g);
        if (st == DAE_RETRY) st = DAE_OK;
        if (!st)
            st = look_at(
                r, e->stop.crossing[c], at, e->room.x, e->room.xp, false);
    }
    return st;
}

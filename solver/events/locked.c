#include "events/locked.h"
#include "events/flow.h"
#include "events/reinit.h"
#include "events/threshold.h"
#include "reduce/thresholds.h"
#include "run/algebraic.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* What the search takes as rounding of a size of 1. */
static double rounding_of_one(void)
{
    return G_UNITS * DBL_EPSILON;
}

static double off_threshold(const event_loop *e, size_t k, double g)
{
    return fabs(g - threshold_nearest(e, k));
}

bool locked_may(const event_loop *e, size_t k)
{
    return e->of->switches[k].domain != DAE_DOMAIN_BREAK && !e->stop.jumps[k]
        && off_threshold(e, k, e->point.g[k])
        <= FOLLOWED_NEAR * e->point.noise[k] + e->point.rounding[k];
}

/* No solution, which is no failure here. */
static bool has_none(dae_status st)
{
    return st == DAE_RETRY || st == DAE_NUMERIC || st == DAE_UNSUPPORTED;
}

/* What has rested, and does not move by a tolerance in a step, keeps its side. */
static bool is_slow(const run *r, size_t k)
{
    const event_loop *e = r->events;
    const stepper *s = &r->engine->stepper;
    const double step = fmax(fabs(s->last_h), fabs(s->h));
    return (e->locked.is[k] || e->locked.leaves[k])
        && fabs(e->turn.rate[k]) * step <= e->point.noise[k];
}

/* All g where the states are off by their tolerances, each to a side of its own, and the
 * rest is solved for: into room_g. What the states alone put on its threshold leaves it. */
static dae_status see_displaced(run *r)
{
    event_loop *e = r->events;
    reduction *d = r->reduction;
    const layout *l = &r->engine->layout;
    const point *p = &r->engine->stepper.point;
    const double *weight = r->engine->weights.plain;
    double *x = d ? d->stepped_x : e->room.x;
    double *xp = d ? d->stepped_xp : e->room.xp;
    unsigned seed = 1;
    memcpy(xp, p->xp, l->unknowns * sizeof *xp);
    for (size_t k = 0; k < l->states; k++)
        x[k] = p->x[k] + (k % 2 ? -1 : 1) * threshold_share(&seed) / weight[k];
    const dae_status st = algebraic_solve(
        r->engine, d ? d->now : NULL, e->stop.t, x, xp);
    if (st) return st;
    if (d) reduction_show(d, x, xp, e->room.x, e->room.xp);
    return e->of->roots(
        r->problem->self, e->stop.t, e->room.x, e->room.xp, e->room.g);
}

dae_status locked_find(run *r)
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
    return has_none(st) ? DAE_OK : st;
}

dae_status locked_solve(
    run *r, double t, double *x, double *xp, bool *is_solved)
{
    reduction *d = r->reduction;
    const dae_status st = algebraic_solve(
        r->engine, d ? d->now : NULL, t, x, xp);
    *is_solved = !st;
    return has_none(st) ? DAE_OK : st;
}

/* What follows from the states of a reduced system by its constraints is known less
 * well between steps: they would have to share that when something is assigned. */
static bool may_jump(const run *r)
{
    const reduction *d = r->reduction;
    return d && !d->now->stabilizer && r->events->of->assignment_count > 0;
}

dae_status locked_settle(run *r)
{
    event_loop *e = r->events;
    point *p = &r->engine->stepper.point;
    const layout *l = &r->engine->layout;
    reduction *d = r->reduction;
    double *x = d ? d->stepped_x : e->room.x;
    double *xp = d ? d->stepped_xp : e->room.xp;
    bool is_solved;
    if (e->locked.count == 0 && !e->stop.is_solved_for && !may_jump(r))
        return DAE_OK;
    memcpy(x, p->x, l->states * sizeof *x);
    memcpy(xp, p->xp, l->unknowns * sizeof *xp);
    const dae_status st = locked_solve(r, e->stop.t, x, xp, &is_solved);
    if (st || !is_solved) return st;
    memcpy(p->x, x, l->states * sizeof *x);
    memcpy(p->xp, xp, l->unknowns * sizeof *xp);
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
        e->locked.width[k] = FOLLOWED_NEAR * e->point.noise[k]
            + e->point.rounding[k];
        if (e->locked.is[k]) e->locked.count++;
        if (e->locked.leaves[k]) e->locked.leaving_count++;
    }
}

/* All g at the end of the last step, into room_g; false: there are none. */
static dae_status see_end(run *r, bool *has_values)
{
    event_loop *e = r->events;
    reinit_show(r, e->room.x, e->room.xp);
    const dae_status st = e->of->roots(r->problem->self,
        r->engine->stepper.history.t, e->room.x, e->room.xp, e->room.g);
    *has_values = !st;
    return st == DAE_RETRY ? DAE_OK : st;
}

dae_status locked_check(run *r)
{
    event_loop *e = r->events;
    bool has_values;
    if (e->locked.count == 0) return DAE_OK;
    const dae_status st = see_end(r, &has_values);
    for (size_t k = 0; k < e->of->switch_count && has_values; k++) {
        const double off = fabs(e->room.g[k] - e->locked.threshold[k]);
        if (!e->locked.is[k] || off <= e->locked.width[k]) continue;
        e->locked.is[k] = 0;
        e->locked.count--;
    }
    return st;
}

dae_status locked_check_leaving(run *r)
{
    event_loop *e = r->events;
    bool has_values;
    if (e->locked.leaving_count == 0) return DAE_OK;
    const dae_status st = see_end(r, &has_values);
    for (size_t k = 0; k < e->of->switch_count && has_values; k++) {
        const double off = fabs(e->room.g[k] - e->locked.threshold[k]);
        if (!e->locked.leaves[k]
            || off
                <= ASSIGNED_NEAR * rounding_of_one() * e->locked.leave_size[k])
            continue;
        e->locked.leaves[k] = 0;
        e->locked.leave_size[k] = 0;
        e->locked.leaving_count--;
    }
    return st;
}

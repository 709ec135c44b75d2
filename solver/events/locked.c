#include "events/locked.h"
#include "events/flow.h"
#include "events/reinit.h"
#include "events/threshold.h"
#include "reduce/thresholds.h"
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
    return reinit_has_none(st) ? DAE_OK : st;
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
    if (e->locked.count == 0 && !e->stop.is_solved_for && !may_jump(r))
        return DAE_OK;
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

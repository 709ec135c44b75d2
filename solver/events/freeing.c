#include "events/freeing.h"

#include "base/region.h"
#include "events/equilibrium.h"
#include "reduce/thresholds.h"
#include "step/resume.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* How often a step with free switches is tried again, each time longer: up to 2e-4
 * of t. */
enum { LENGTHENED_MOST = 4 };

static bool may_be_end(step_failure why)
{
    return why == STEP_TOO_SMALL_ERROR || why == STEP_TOO_SMALL_CONVERGENCE
        || why == STEP_NONFINITE || why == STEP_SINGULAR || why == STEP_NO_ROOM;
}

/* The caller's point where the last step ends, into room_x and room_xp. */
static void find_point(run *r)
{
    event_loop *e = r->events;
    const stepper *s = &r->engine->stepper;
    reduction *d = r->reduction;
    double *x = d ? d->stepped_x : e->room.x;
    double *xp = d ? d->stepped_xp : e->room.xp;
    stepper_at(s, s->history.t, x, xp);
    bounds_clip(&s->newton->bounds, x);
    if (d) reduction_show(d, x, xp, e->room.x, e->room.xp);
}

/* What roundings of t make of g. */
static dae_status measure_time(run *r, double t)
{
    event_loop *e = r->events;
    const double later = t + r->direction * HAS_LEFT * DBL_EPSILON * fabs(t);
    find_point(r);
    const dae_status st = e->of->roots(
        r->problem->self, later, e->room.x, e->room.xp, e->point.g_last);
    for (size_t k = 0; k < e->of->switch_count && !st; k++)
        e->point.noise[k] = fmax(
            e->point.noise[k], fabs(e->point.g_last[k] - e->point.g[k]));
    return st;
}

/* g there, and what a tolerance makes of it: e->point.g, e->point.noise. The second time every
 * other state moves to the other side. */
static dae_status measure(run *r)
{
    event_loop *e = r->events;
    const dae_options *o = &r->options;
    const dae_events *of = e->of;
    const double t = r->engine->stepper.history.t;
    find_point(r);
    dae_status st = of->roots(
        r->problem->self, t, e->room.x, e->room.xp, e->point.g);
    memset(e->point.noise, 0, of->switch_count * sizeof *e->point.noise);
    for (int side = 0; side < 2 && !st; side++) {
        find_point(r);
        for (size_t i = 0; i < e->states; i++) {
            const double off = o->rtol * fabs(e->room.x[i]) + o->atol;
            e->room.x[i] += side == 1 && i % 2 == 1 ? -off : off;
        }
        st = of->roots(
            r->problem->self, t, e->room.x, e->room.xp, e->point.g_last);
        for (size_t k = 0; k < of->switch_count && !st; k++)
            e->point.noise[k] = fmax(
                e->point.noise[k], fabs(e->point.g_last[k] - e->point.g[k]));
    }
    if (!st) st = measure_time(r, t);
    return st == DAE_RETRY ? DAE_OK : st;
}

static bool is_near(const event_loop *e, size_t k, double held)
{
    const region at = region_of(e->of->switches[k].kind, held);
    const double g = e->point.g[k];
    const double off = fmin(fabs(g - at.lower), fabs(g - at.upper));
    return off <= HAS_LEFT * e->point.noise[k];
}

/* A step that fails with switches free, too, is as short as those before it that ended
 * beside the threshold, and ends there: one of a thousand times the length is tried. */
static dae_status lengthen(run *r, bool *is_saved)
{
    event_loop *e = r->events;
    stepper *s = &r->engine->stepper;
    if (e->free.attempts == LENGTHENED_MOST) return DAE_OK;
    const double least = DBL_EPSILON * fmax(fabs(s->history.t), DBL_MIN);
    const double h = least * pow(NEXT_TRY, ++e->free.attempts);
    stepper_restart(s, s->history.t, s->point.x, s->point.xp, h);
    *is_saved = true;
    return DAE_OK;
}

dae_status freeing_try(run *r, step_failure why, bool *is_saved)
{
    event_loop *e = r->events;
    stepper *s = &r->engine->stepper;
    const double tried = fmax(fabs(s->last_h), fabs(s->h));
    if (!e || e->of->switch_count == 0 || !may_be_end(why)) return DAE_OK;
    if (e->free.is_on) return lengthen(r, is_saved);
    stepper_set_aside(s);
    const dae_status st = measure(r);
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        if (e->of->switches[k].domain == DAE_DOMAIN_BREAK) continue;
        if (e->locked.is[k]) continue;
        if (isnan(e->sides[k]) || !is_near(e, k, e->sides[k])) continue;
        e->free.sides[k] = e->sides[k];
        e->sides[k] = (double)NAN;
        e->free.is_on = *is_saved = true;
        e->free.attempts = 0;
    }
    if (*is_saved)
        stepper_restart(s, s->history.t, s->point.x, s->point.xp, tried);
    else stepper_take_up(s);
    return st;
}

/* It is at rest there: whens that it changes are asked. */
static dae_status end_at_rest(run *r, size_t k)
{
    event_loop *e = r->events;
    bool is_still;
    const double t = r->engine->stepper.history.t;
    const dae_status st = equilibrium_free(r, k, t, &is_still);
    if (st || !is_still || e->inactive.side[k] == e->free.sides[k]) return st;
    e->stop.t = t;
    e->stop.has_event = true;
    return DAE_OK;
}

/* One that is free: whether it is held again, or turns, or rests. */
static dae_status end_one(run *r, size_t k)
{
    event_loop *e = r->events;
    const double to = region_value(e->of->switches[k].kind, e->point.g[k]);
    if (isnan(to)) return DAE_OK;
    if (is_near(e, k, e->free.sides[k])) return end_at_rest(r, k);
    e->sides[k] = e->free.sides[k];
    if (to == e->sides[k]) return DAE_OK;
    e->stop.t = r->engine->stepper.history.t;
    e->stop.has_event = true;
    e->stop.crossing_to[e->stop.crossing_count] = to;
    e->stop.crossing[e->stop.crossing_count++] = k;
    return DAE_OK;
}

dae_status freeing_end(run *r)
{
    event_loop *e = r->events;
    if (!e || !e->free.is_on || e->stop.has_event) return DAE_OK;
    dae_status st = measure(r);
    if (st) return st;
    e->free.is_on = false;
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        if (!isnan(e->sides[k]) || e->inactive.how[k]) continue;
        st = end_one(r, k);
        if (isnan(e->sides[k]) && !e->inactive.how[k]) e->free.is_on = true;
    }
    if (st) e->free.is_on = true;
    return st;
}

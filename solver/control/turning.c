#include "control/turning.h"
#include "base/report.h"
#include "control/event_told.h"
#include "events/region.h"
#include "step/cut.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- breaks -------------------------------------------------------------------- */

static dae_status next_break(run *r, double t, double *next)
{
    const dae_events *of = r->events->of;
    *next = HUGE_VAL * r->direction;
    if (!of->next_break) return DAE_OK;
    return of->next_break(r->problem->self, t, (int)r->direction, next);
}

dae_status turning_plan(run *r)
{
    event_loop *e = r->events;
    stepper *s = &r->engine->stepper;
    if (!e) return DAE_OK;
    const bool is_known = (e->break_at - s->history.t) * r->direction > 0;
    if (!is_known) {
        const dae_status st = next_break(r, s->history.t, &e->break_at);
        if (st) return st;
    }
    s->t_stop = e->break_at;
    return DAE_OK;
}

/* Between t and the next break; where there is none, and no end, at any time. */
static dae_status time_behind(run *r, double t, double *at)
{
    double next = 0;
    const dae_status st = next_break(r, t, &next);
    const double far = t + r->direction * (1 + fabs(t));
    if (!isfinite(next)) next = far;
    *at = t + (next - t) / 2;
    return st;
}

dae_status turning_breaks(run *r, double t)
{
    event_loop *e = r->events;
    const dae_events *of = e->of;
    bool has_any = false;
    double at = t;
    for (size_t k = 0; k < of->switch_count; k++)
        if (of->switches[k].domain == DAE_DOMAIN_BREAK) has_any = true;
    if (!has_any) return DAE_OK;
    dae_status st = time_behind(r, t, &at);
    if (!st) st = of->roots(r->problem->self, at, e->x, e->xp, e->room_g);
    if (st && st != DAE_RETRY) return st;
    for (size_t k = 0; k < of->switch_count; k++) {
        if (of->switches[k].domain != DAE_DOMAIN_BREAK) continue;
        if (!isfinite(e->room_g[k]))
            return event_told_undefined(r, DAE_NAME_SWITCH, k, t);
        const double to = region_value(of->switches[k].kind, e->room_g[k]);
        if (to != e->sides[k]) e->has_turned[k] = 1;
        e->sides[k] = to;
    }
    return DAE_OK;
}

/* ---- inside the step ----------------------------------------------------------- */

dae_status turning_roots(run *r, double t, double *g)
{
    event_loop *e = r->events;
    const stepper *s = &r->engine->stepper;
    reduction *d = r->reduction;
    double *x = d ? d->stepped_x : e->room_x;
    double *xp = d ? d->stepped_xp : e->room_xp;
    stepper_at(s, t, x, xp);
    bounds_clip(&s->newton->bounds, x);
    if (d) reduction_show(d, x, xp, e->room_x, e->room_xp);
    dae_status st = e->of->roots(r->problem->self, t, e->room_x, e->room_xp, g);
    if (st && st != DAE_RETRY) return st;
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (!isfinite(g[k]) && e->of->switches[k].domain != DAE_DOMAIN_BREAK)
            return event_told_undefined(r, DAE_NAME_SWITCH, k, t);
    return DAE_OK;
}

static bool is_looked_for(const event_loop *e, size_t k)
{
    return e->of->switches[k].domain != DAE_DOMAIN_BREAK;
}

static double outside(const event_loop *e, size_t k, double g)
{
    return region_beyond(region_of(e->of->switches[k].kind, e->sides[k]), g);
}

/* Whether any switch that was inside its values before is outside now. */
static bool has_left(
    const event_loop *e, const uint8_t *was_in, const double *g)
{
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (is_looked_for(e, k) && was_in[k] && outside(e, k, g[k]) > 0)
            return true;
    return false;
}

static void note_inside(const event_loop *e, uint8_t *was_in, const double *g)
{
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (outside(e, k, g[k]) <= 0) was_in[k] = 1;
}

enum { SAMPLES = 16, BISECTIONS = 120 };

/* The first time in (low, high] found at which one has left. */
static dae_status narrow(run *r, double low, double *high)
{
    event_loop *e = r->events;
    for (int m = 0; m < BISECTIONS; m++) {
        const double middle = low + (*high - low) / 2;
        if (middle == low || middle == *high) return DAE_OK;
        const dae_status st = turning_roots(r, middle, e->room_g);
        if (st) return st;
        if (has_left(e, e->at_edge, e->room_g)) *high = middle;
        else low = middle;
    }
    return DAE_OK;
}

static dae_status find(run *r, bool *is_found, double *te)
{
    event_loop *e = r->events;
    const stepper *s = &r->engine->stepper;
    const double end = s->history.t, begin = end - s->last_h;
    double low = begin;
    uint8_t *was_in = e->at_edge;
    *is_found = false;
    memset(was_in, 0, e->of->switch_count);
    dae_status st = turning_roots(r, begin, e->room_g);
    if (!st) note_inside(e, was_in, e->room_g);
    for (int m = 1; m <= SAMPLES && !st; m++) {
        const double t = m == SAMPLES ? end : begin + s->last_h * m / SAMPLES;
        if ((st = turning_roots(r, t, e->room_g))) return st;
        if (has_left(e, was_in, e->room_g)) {
            *is_found = true;
            *te = t;
            return narrow(r, low, te);
        }
        note_inside(e, was_in, e->room_g);
        low = t;
    }
    return st;
}

static dae_status list(run *r)
{
    event_loop *e = r->events;
    const dae_status st = turning_roots(r, e->t, e->room_g);
    e->crossing_count = 0;
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        const dae_switch *s = &e->of->switches[k];
        const double g = e->room_g[k];
        if (!is_looked_for(e, k) || !e->at_edge[k] || !(outside(e, k, g) > 0))
            continue;
        const region inside = region_of(s->kind, e->sides[k]);
        const int way = g > inside.upper ? 1 : -1;
        e->crossing_to[e->crossing_count] = region_beside(
            s->kind, way > 0 ? inside.upper : inside.lower, way);
        e->crossing[e->crossing_count++] = k;
    }
    return st;
}

dae_status turning_look(run *r)
{
    event_loop *e = r->events;
    stepper *s = &r->engine->stepper;
    bool is_found = false;
    double te = s->history.t;
    dae_status st = DAE_OK;
    if (!e) return DAE_OK;
    if (e->of->switch_count > 0) st = find(r, &is_found, &te);
    if (st) return st;
    e->t = te;
    e->is_break = te == e->break_at;
    e->crossing_count = 0;
    if (is_found) st = list(r);
    if (st) return st;
    if (te != s->history.t) stepper_cut(s, te);
    e->stands = is_found || e->is_break;
    e->is_passed = false;
    return DAE_OK;
}

#include "events/threshold.h"
#include "events/flow.h"
#include "events/reinit.h"
#include "newton/norm.h"
#include "reduce/thresholds.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Where there are no series, the way g goes is looked for at the time in which states
 * move by a tolerance, and where nothing is seen further. */
enum { AHEAD_SOLVED_MOST = 3 };

dae_status threshold_roots(
    run *r, double t, const double *x, const double *xp, double *g)
{
    const dae_events *of = r->events->of;
    if (of->switch_count == 0) return DAE_OK;
    const dae_status st = of->roots(r->problem->self, t, x, xp, g);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* x and xp moved by a relative and an absolute amount, each by another part of it and to a
 * side of its own: a - b is to change where a = b. */
static void disturb(const event_loop *e, double relative, double absolute,
    unsigned seed, double *to, double *top)
{
    const double *x = e->point.x, *xp = e->point.xp;
    unsigned side = seed;
    for (size_t i = 0; i < e->states + e->unknowns; i++) {
        side = side * 1664525u + 1013904223u;
        const double sign = side & 0x80000000u ? 1 : -1;
        const bool is_x = i < e->states;
        const double v = is_x ? x[i] : xp[i - e->states];
        const double part = 1 - (double)((i * 5 + seed) % 7) / 16;
        const double off = sign * part * (relative * fabs(v) + absolute);
        if (is_x) to[i] = v + off;
        else top[i - e->states] = v + off;
    }
}

/* What such changes of x and xp make of g. */
static dae_status measure_change(
    run *r, double t, double relative, double absolute, double *off)
{
    event_loop *e = r->events;
    const size_t count = e->of->switch_count;
    if (count == 0) return DAE_OK;
    memset(off, 0, count * sizeof *off);
    /* time has no tolerance, but is rounded */
    const double late = fmin(relative, UNITS_OFF * DBL_EPSILON);
    for (unsigned seed = 1; seed <= 2; seed++) {
        disturb(e, relative, absolute, seed, e->room.x, e->room.xp);
        const dae_status st = e->of->roots(r->problem->self,
            t * (1 + late * (seed == 1)), e->room.x, e->room.xp, e->room.g);
        if (st && st != DAE_RETRY) return st;
        for (size_t k = 0; k < count && !st; k++) {
            const double change = fabs(e->room.g[k] - e->point.g[k]);
            if (isfinite(change)) off[k] = fmax(off[k], change);
        }
    }
    return DAE_OK;
}

/* By tolerances, and by rounding. */
static dae_status measure(run *r, double t)
{
    event_loop *e = r->events;
    const dae_options *o = &r->options;
    const double rounded = UNITS_OFF * DBL_EPSILON;
    const dae_status st = measure_change(r, t, rounded, 0, e->point.rounding);
    return st ? st : measure_change(r, t, o->rtol, o->atol, e->point.noise);
}

dae_status threshold_measure(run *r, double t)
{
    event_loop *e = r->events;
    const dae_status st = measure(r, t);
    /* beside a jump rounding makes as much of g as tolerances do: neither is an error */
    if (DOUBTED * UNITS_OFF * DBL_EPSILON > r->options.rtol) return st;
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (DOUBTED * e->point.rounding[k] > e->point.noise[k])
            e->point.rounding[k] = e->point.noise[k] = 0;
    return st;
}

dae_status threshold_see(run *r, double t)
{
    event_loop *e = r->events;
    reinit_show(r, e->point.x, e->point.xp);
    const dae_status st = e->of->roots(
        r->problem->self, t, e->point.x, e->point.xp, e->point.g);
    return st ? st : measure(r, t);
}

bool threshold_is_whole(const event_loop *e, size_t k)
{
    const uint8_t kind = e->of->switches[k].kind;
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
bool threshold_reads_rest(const run *r, size_t k)
{
    const dae_switch *s = &r->events->of->switches[k];
    const bool reads_states = s->reads & DAE_READS_STATES;
    return s->reads == 0 || (s->reads & DAE_READS_REST)
        || (r->reduction && reads_states);
}

double threshold_share(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (1 + *seed / 4294967296.0) / 2;
}

/* A time in which no state moves by more than half its tolerance. */
double threshold_short_time(const run *r)
{
    const stepper *s = &r->engine->stepper;
    const point *p = &s->point;
    const double speed = norm_weighted(
        r->engine->weights.plain, p->slope, r->engine->layout.states);
    const double t = fabs(p->t);
    double longest = SHORT_SHARE * (s->interval > 0 ? s->interval : 1);
    if (speed * longest > HALF_TOLERANCE) longest = HALF_TOLERANCE / speed;
    return fmax(longest, WHOLE * UNITS_OFF * DBL_EPSILON * t);
}

void threshold_move(run *r, double s, const double *x, const double *xp)
{
    event_loop *e = r->events;
    if (x != e->room.x) memcpy(e->room.x, x, e->states * sizeof *x);
    reinit_move(&e->layout, s, e->room.x, xp);
}

/* By g a time s later, in e->room.g, of those whose series is not known. */
static void take_rates(event_loop *e, double s, bool *has_all)
{
    *has_all = true;
    for (size_t k = 0; k < e->of->switch_count; k++) {
        if (!e->turn.is_near[k] || e->turn.along[k].order != 0) continue;
        const double off = e->room.g[k] - e->point.g[k];
        const bool is_seen = fabs(off)
            > DOUBTED * e->point.rounding[k] + DBL_MIN;
        if (is_seen && isfinite(off)) {
            e->turn.rate[k] = off / fabs(s);
            e->turn.along[k].order = 1;
        } else *has_all = false;
    }
}

/* g a time s later; the rates of those in which a change is seen. */
static dae_status see_rates(run *r, double t, double s, bool *has_all)
{
    event_loop *e = r->events;
    dae_status st = reinit_ahead(r, t, s);
    if (!st)
        st = e->of->roots(
            r->problem->self, t + s, e->room.x, e->room.xp, e->room.g);
    if (!st) take_rates(e, s, has_all);
    return st;
}

/* Where g jumps. */
dae_status threshold_look_ahead(run *r, double t, double *g)
{
    event_loop *e = r->events;
    const double units = WHOLE * UNITS_OFF * DBL_EPSILON;
    const double share = fmin(1, units / r->options.rtol);
    const double time = fmax(share * threshold_short_time(r), units * fabs(t));
    const double s = r->direction * time;
    threshold_move(r, s, e->point.x, e->point.xp);
    return e->of->roots(r->problem->self, t + s, e->room.x, e->point.xp, g);
}

/* dg/dt of the switches at a threshold by their series; of one whose first derivatives are
 * 0, what the first other one makes in a short time. Those whose series is not known go
 * where a short implicit step leads them. */
dae_status threshold_find_rates(run *r, double t)
{
    event_loop *e = r->events;
    const double short_time = threshold_short_time(r);
    bool has_all = true;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < e->of->switch_count; k++) {
        const flow_root *along = &e->turn.along[k];
        e->turn.rate[k] = e->turn.is_near[k] ? along->coefficient : 0;
        if (along->order > 1 && along->order <= FLOW_ORDER)
            e->turn.rate[k] *= pow(short_time, along->order - 1);
        if (along->order % 2 == 1) e->turn.rate[k] *= r->direction;
        has_all = has_all && (!e->turn.is_near[k] || along->order > 0);
    }
    double s = r->direction * short_time;
    for (int m = 0; m < AHEAD_SOLVED_MOST && !st && !has_all; m++) {
        st = see_rates(r, t, s, &has_all);
        s *= NEXT_TRY;
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

double threshold_rate_before(run *r, size_t k)
{
    event_loop *e = r->events;
    const double s = r->direction * threshold_short_time(r);
    threshold_move(r, s, e->point.x_before, e->point.xp_before);
    dae_status st = e->of->roots(r->problem->self, e->stop.t, e->point.x_before,
        e->point.xp_before, e->point.g_unset);
    if (!st)
        st = e->of->roots(r->problem->self, e->stop.t + s, e->room.x,
            e->point.xp_before, e->room.g);
    return st ? 0 : (e->room.g[k] - e->point.g_unset[k]) / fabs(s);
}

/* g at the middle of the last step: into e->room.g. */
static dae_status see_middle(run *r)
{
    const stepper *s = &r->engine->stepper;
    const double t = r->events->stop.t - s->last_h / 2;
    const point at = reinit_room(r);
    stepper_at(s, t, at.x, at.xp);
    reinit_show_room(r);
    return r->events->of->roots(r->problem->self, t, r->events->room.x,
        r->events->room.xp, r->events->room.g);
}

/* How far g goes on if it slows down as it did: by the parabola of its rate and its middle.
 * Of a touch a step knows the root, and not the side. */
static double distance_left(run *r, size_t k, double rate)
{
    const event_loop *e = r->events;
    const double half = fabs(r->engine->stepper.last_h) / 2;
    if (see_middle(r)) return HUGE_VAL;
    const double came = threshold_nearest(e, k) - e->room.g[k];
    const double less = 2 * (came / half - rate) / half;
    return rate * less > 0 ? rate * rate / (2 * fabs(less)) : HUGE_VAL;
}

bool threshold_may_touch(run *r, size_t k, double rate)
{
    const double most = r->events->point.noise[k];
    const double step = fabs(r->engine->stepper.last_h);
    return fabs(rate) * step <= most
        || distance_left(r, k, rate) <= HAS_LEFT * most;
}

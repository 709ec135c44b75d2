#include "control/endless.h"
#include "control/asleep.h"
#include "control/edges.h"
#include "control/event_told.h"
#include "control/flow.h"
#include "control/still.h"
#include "events/recurrence.h"
#include <float.h>
#include <math.h>

/* It stays beyond its edge: no slope leads it back, but a later derivative on; or it is
 * led on though the values before led back, so that it came there by rounding alone. */
static bool is_staying(run *r, size_t k)
{
    const event_loop *e = r->events;
    const search_crossing *at = event_loop_crossing(e, k);
    if (!at || !e->at_edge[k] || e->rests_next[k]) return false;
    if (!(e->rate[k] * at->direction > 0)) return false;
    return e->along[k].order > 1 || edges_rate_before(r, k) * at->direction < 0;
}

/* Steps are this many units of t long at least. */
static const double LEAST_UNITS = 2;

static double least_step(const event_loop *e)
{
    return LEAST_UNITS * DBL_EPSILON * fabs(e->t);
}

/* Values were given where it touches, and it goes on as if they had not been. */
static bool stays(run *r, size_t k)
{
    const event_loop *e = r->events;
    const double *before = e->held_before + e->of->discrete_count;
    return e->has_turned[k] && e->sides[k] != before[k] && is_staying(r, k);
}

static dae_status is_true(run *r, size_t w, bool *is)
{
    event_loop *e = r->events;
    const dae_status st = still_conditions(r, e->t, e->x, e->xp);
    *is = e->conditions[w] != 0;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Whether the condition of a when would be another one, had the switch not turned. */
static dae_status is_asked(run *r, size_t w, size_t k, bool *is)
{
    event_loop *e = r->events;
    const double now = e->sides[k];
    bool before = false, behind = false;
    dae_status st = is_true(r, w, &behind);
    e->sides[k] = e->held_before[e->of->discrete_count + k];
    if (!st) st = is_true(r, w, &before);
    e->sides[k] = now;
    *is = before != behind;
    return st;
}

dae_status endless_look(run *r)
{
    event_loop *e = r->events;
    if (!e->has_jumped) return DAE_OK;
    for (size_t w = 0; w < e->of->when_count; w++)
        for (size_t k = 0; k < e->of->switch_count && e->has_fired[w]; k++) {
            bool is = stays(r, k);
            dae_status st = is ? is_asked(r, w, k, &is) : DAE_OK;
            if (st) return st;
            if (!is) continue;
            recurrence_verdict v;
            recurrence_stays(e->recurrence, e->t, least_step(e), k, &v);
            if (v.kind == RECURRENCE_ZENO) return event_told_zeno(r, &v);
            /* in a mode that was entered it is asked for no more */
            if (e->truth[w]) event_told_staying(r, w, k);
        }
    return DAE_OK;
}

/* A switch that has been made inactive and turns at one place all the same does not get
 * on. */
enum { TIRED_MOST = 1024 };

/* Of 16 units in the last place by which `rounding` has been measured. */
static const double ROUNDED = 0.5;

/* What is as small as its rounding all along a step does not show it there. */
static void note_blurs(event_loop *e)
{
    for (size_t c = 0; c < e->crossing_count; c++) {
        search_crossing *at = e->crossed + c;
        const double slope = fabs(at->slope);
        const double blur = ROUNDED * e->rounding[at->index] / slope;
        if (slope > 0 && blur > at->blur && isfinite(blur)) at->blur = blur;
    }
}

dae_status endless_note(run *r)
{
    event_loop *e = r->events;
    recurrence_verdict v = {.kind = RECURRENCE_NONE};
    if (e->is_noted || e->crossing_count == 0) return DAE_OK;
    note_blurs(e);
    recurrence_note(e->recurrence, e->t, least_step(e), edges_short_time(r),
        e->noise, e->crossed, e->crossing_count, &v);
    e->is_noted = true;
    if (v.kind == RECURRENCE_NONE) return DAE_OK;
    bool sleeps = false;
    const dae_status st = v.turns < TIRED_MOST
        ? asleep_tire(r, v.first, &sleeps)
        : DAE_OK;
    if (st || sleeps) return st;
    return v.kind == RECURRENCE_ZENO ? event_told_zeno(r, &v)
                                     : event_told_recurring(r, &v);
}

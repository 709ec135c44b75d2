#include "events/accumulation.h"
#include "events/equilibrium.h"
#include "events/event_report.h"
#include "events/flow.h"
#include "events/inactive.h"
#include "events/recurrence.h"
#include "events/threshold.h"
#include "reduce/thresholds.h"
#include <float.h>
#include <math.h>

/* It stays beyond its threshold: no slope leads it back, but a later derivative on; or it is
 * led on though the values before led back, so that it came there by rounding alone. */
static bool is_staying(run *r, size_t k)
{
    const event_loop *e = r->events;
    const search_crossing *at = event_loop_crossing(e, k);
    if (!at || !e->turn.is_near[k] || e->locked.is_next[k]) return false;
    if (!(e->turn.rate[k] * at->direction > 0)) return false;
    return e->turn.along[k].order > 1
        || threshold_rate_before(r, k) * at->direction < 0;
}

/* Values were given where it touches, and it goes on as if they had not been. */
static bool stays(run *r, size_t k)
{
    const event_loop *e = r->events;
    const double *before = e->point.held_before + e->of->discrete_count;
    return e->turn.has_turned[k] && e->sides[k] != before[k]
        && is_staying(r, k);
}

static dae_status is_true(run *r, size_t w, bool *is)
{
    event_loop *e = r->events;
    const dae_status st = equilibrium_conditions(
        r, e->stop.t, e->point.x, e->point.xp);
    *is = e->whens.conditions[w] != 0;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Whether the condition of a when would be another one, had the switch not turned. */
static dae_status is_asked(run *r, size_t w, size_t k, bool *is)
{
    event_loop *e = r->events;
    const double now = e->sides[k];
    bool before = false, behind = false;
    dae_status st = is_true(r, w, &behind);
    e->sides[k] = e->point.held_before[e->of->discrete_count + k];
    if (!st) st = is_true(r, w, &before);
    e->sides[k] = now;
    *is = before != behind;
    return st;
}

dae_status accumulation_look(run *r)
{
    event_loop *e = r->events;
    if (!e->instant.has_jumped) return DAE_OK;
    for (size_t w = 0; w < e->of->when_count; w++)
        for (size_t k = 0; k < e->of->switch_count && e->whens.has_fired[w];
             k++) {
            bool is = stays(r, k);
            dae_status st = is ? is_asked(r, w, k, &is) : DAE_OK;
            if (st) return st;
            if (!is) continue;
            recurrence_verdict v;
            recurrence_stays(e->recurrence, e->stop.t, k, &v);
            if (v.kind == RECURRENCE_ZENO) return event_report_zeno(r, &v);
            /* in a mode that was entered it is asked for no more */
            if (e->whens.truth[w]) event_report_staying(r, w, k);
        }
    return DAE_OK;
}

/* What is as small as its rounding all along a step does not show it there. */
static void note_blurs(event_loop *e)
{
    for (size_t c = 0; c < e->stop.crossing_count; c++) {
        search_crossing *at = e->stop.crossed + c;
        const double slope = fabs(at->slope);
        const double blur = G_UNITS / UNITS_OFF * e->point.rounding[at->index]
            / slope;
        if (slope > 0 && blur > at->blur && isfinite(blur)) at->blur = blur;
    }
}

dae_status accumulation_note(run *r)
{
    event_loop *e = r->events;
    recurrence_verdict v = {.kind = RECURRENCE_NONE};
    if (e->instant.is_noted || e->stop.crossing_count == 0) return DAE_OK;
    note_blurs(e);
    recurrence_note(e->recurrence, e->stop.t, threshold_short_time(r),
        e->point.noise, e->stop.crossed, e->stop.crossing_count, &v);
    e->instant.is_noted = true;
    if (v.kind == RECURRENCE_NONE) return DAE_OK;
    bool is_inactive = false;
    const dae_status st = v.turns < TURNS_UNNEEDED
        ? inactive_try(r, v.first, &is_inactive)
        : DAE_OK;
    if (st || is_inactive) return st;
    return v.kind == RECURRENCE_ZENO ? event_report_zeno(r, &v)
                                     : event_report_recurring(r, &v);
}

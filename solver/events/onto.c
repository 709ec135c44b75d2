#include "events/onto.h"
#include "base/region.h"
#include "events/threshold.h"
#include "newton/weights.h"
#include <math.h>
#include <string.h>

/* So many tolerances a state may be moved by: from where what has lain still at its
 * edge has gone unseen (events/equilibrium.h). */
static const double MOST = 10;

/* g of one switch at room_x, with the caller's xp of the point. */
static dae_status ask(run *r, double t, size_t k, double *g)
{
    event_loop *e = r->events;
    const dae_status st = e->of->roots(
        r->problem->self, t, e->room.x, r->engine->stepper.point.xp, e->room.g);
    *g = st ? (double)NAN : e->room.g[k];
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Straight lines that follow each other, until g is exactly at its edge. */
enum { LINES = 5 };

/* The place of a state at which g is at its edge, as that of g = h - 1 and the like is
 * found at once but for rounding. NaN: it is not there, or too far. */
static dae_status find_place(
    run *r, double t, size_t k, size_t state, double g, double *place)
{
    event_loop *e = r->events;
    const double x = e->room.x[state];
    const double most = MOST / r->engine->weights.plain[state];
    const double edge = threshold_is_whole(e, k) ? round(g) : 0;
    double beside;
    e->room.x[state] = x + most;
    const double width = e->room.x[state] - x;
    dae_status st = ask(r, t, k, &beside);
    const double per_g = width / (beside - g);
    double by = 0, off = g - edge;
    for (int m = 0; m < LINES && !st && fabs(off) > 0; m++) {
        by -= off * per_g;
        if (!(fabs(by) <= most)) off = (double)NAN;
        if (isnan(off)) break;
        e->room.x[state] = x + by;
        st = ask(r, t, k, &off);
        off -= edge;
    }
    *place = fabs(off) <= 0 ? x + by : (double)NAN;
    e->room.x[state] = x;
    return st;
}

/* The first state that can be put there. */
static dae_status put_onto(run *r, double t, size_t k)
{
    event_loop *e = r->events;
    const layout *l = &r->engine->layout;
    double g;
    dae_status st = ask(r, t, k, &g);
    if (st || !isfinite(g) || isnan(e->sides[k])) return st;
    if (region_value(e->of->switches[k].kind, g) == e->sides[k]) return st;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; l->order[j] && s < l->first[j + 1]; s++) {
            double place;
            if ((st = find_place(r, t, k, s, g, &place))) return st;
            if (!isfinite(place) || !(fabs(place - e->room.x[s]) > 0)) continue;
            r->engine->stepper.point.x[s] = e->room.x[s] = place;
            return DAE_OK;
        }
    return DAE_OK;
}

dae_status onto_edges(run *r, double t)
{
    event_loop *e = r->events;
    if (r->reduction) return DAE_OK;
    memcpy(e->room.x, r->engine->stepper.point.x,
        r->engine->layout.states * sizeof *e->room.x);
    dae_status st = DAE_OK;
    for (size_t k = 0; k < e->of->switch_count && !st; k++)
        if (e->of->switches[k].domain == DAE_DOMAIN_POINT)
            st = put_onto(r, t, k);
    return st;
}

#include "control/onto.h"
#include "control/edges.h"
#include "newton/weights.h"
#include <math.h>
#include <string.h>

/* So many tolerances a state may be moved by: from where what has lain still at its
 * edge has gone unseen (control/still.h). */
static const double MOST = 10;

/* g of one switch at room_x, with the caller's xp of the point. */
static dae_status ask(run *r, double t, size_t k, double *g)
{
    event_loop *e = r->events;
    const dae_status st = e->of->roots(
        r->problem->self, t, e->room_x, r->engine->stepper.point.xp, e->room_g);
    *g = st ? (double)NAN : e->room_g[k];
    return st == DAE_RETRY ? DAE_OK : st;
}

/* So much farther where a straight line ends beside the edge yet. */
static const double FARTHER = 1e-12;

/* Whether g of k is at its edge, or behind it, with the state at `place`. */
static dae_status is_there(run *r, double t, size_t k, size_t state,
    double place, double off, bool *is)
{
    event_loop *e = r->events;
    double g;
    e->room_x[state] = place;
    const dae_status st = ask(r, t, k, &g);
    const double edge = edges_is_whole(e, k) ? round(g) : 0;
    *is = (g - edge) * off <= 0;
    return st;
}

/* The place of a state at which g is at its edge, by a straight line: what g = h - 1
 * and the like are. NaN: it is not there, or farther than the tolerance. */
static dae_status find_place(
    run *r, double t, size_t k, size_t state, double g, double *place)
{
    event_loop *e = r->events;
    const double x = e->room_x[state];
    const double most = MOST / r->engine->weights.plain[state];
    const double off = g - (edges_is_whole(e, k) ? round(g) : 0);
    double g_off;
    bool is = false;
    e->room_x[state] = x + most;
    const double width = e->room_x[state] - x;
    dae_status st = ask(r, t, k, &g_off);
    double by = -off * width / (g_off - g);
    if (!(fabs(by) <= most)) by = (double)NAN;
    if (!st && isfinite(by)) st = is_there(r, t, k, state, x + by, off, &is);
    if (!st && isfinite(by) && !is) {
        by *= 1 + FARTHER;
        st = is_there(r, t, k, state, x + by, off, &is);
    }
    *place = is ? x + by : (double)NAN;
    e->room_x[state] = x;
    return st;
}

/* The first state that can be put there. */
static dae_status put_onto(run *r, double t, size_t k)
{
    event_loop *e = r->events;
    const layout *l = &r->engine->layout;
    double g;
    dae_status st = ask(r, t, k, &g);
    if (st || !isfinite(g)) return st;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; l->order[j] && s < l->first[j + 1]; s++) {
            double place;
            if ((st = find_place(r, t, k, s, g, &place))) return st;
            if (!isfinite(place) || !(fabs(place - e->room_x[s]) > 0)) continue;
            r->engine->stepper.point.x[s] = e->room_x[s] = place;
            return DAE_OK;
        }
    return DAE_OK;
}

dae_status onto_edges(run *r, double t)
{
    event_loop *e = r->events;
    if (r->reduction) return DAE_OK;
    memcpy(e->room_x, r->engine->stepper.point.x,
        r->engine->layout.states * sizeof *e->room_x);
    dae_status st = DAE_OK;
    for (size_t k = 0; k < e->of->switch_count && !st; k++)
        if (e->at_edge[k]) st = put_onto(r, t, k);
    return st;
}

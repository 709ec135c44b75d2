#include "control/resting.h"
#include "control/anew.h"
#include "control/edges.h"
#include "control/flow.h"
#include "run/algebraic.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Next to an edge: as far as so many tolerances of x and xp move g. */
static const double NEAR = 1000;
/* g is the same there to this part of a tolerance, and so many times its rounding:
 * what is solved for twice is as good as rounding, and what moves but slowly, below
 * all tolerances, moves by more. */
static const double UNMOVED = 1e-8, ROUNDED = 1e3;
/* One that has rested has left its edge when it is so many tolerances away. The
 * search takes 8 units in the last place of a size as rounding. */
static const double LEFT = 4, ROUNDING = 8 * DBL_EPSILON;
/* What lies at its edge without being held there, x - 1.5 where x' = 0, has values next
 * to 0 that do not tell how they are rounded: this part of what 16 units in the last
 * place of the states make of it. */
static const double ROUNDED_LEAST = 0.125;

static double off_edge(const event_loop *e, size_t k, double g)
{
    return fabs(g - edges_nearest(e, k));
}

bool resting_may(const event_loop *e, size_t k)
{
    return e->of->switches[k].domain != DAE_DOMAIN_BREAK && !e->jumps[k]
        && off_edge(e, k, e->g[k]) <= NEAR * e->noise[k] + e->rounding[k];
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
    return (e->rests[k] || e->leaves[k])
        && fabs(e->rate[k]) * step <= e->noise[k];
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
    double *x = d ? d->stepped_x : e->room_x;
    double *xp = d ? d->stepped_xp : e->room_xp;
    unsigned seed = 1;
    memcpy(xp, p->xp, l->unknowns * sizeof *xp);
    for (size_t k = 0; k < l->states; k++)
        x[k] = p->x[k] + (k % 2 ? -1 : 1) * edges_share(&seed) / weight[k];
    const dae_status st = algebraic_solve(
        r->engine, d ? d->now : NULL, e->t, x, xp);
    if (st) return st;
    if (d) reduction_show(d, x, xp, e->room_x, e->room_xp);
    return e->of->roots(
        r->problem->self, e->t, e->room_x, e->room_xp, e->room_g);
}

dae_status resting_find(run *r)
{
    event_loop *e = r->events;
    bool has_any = false;
    for (size_t k = 0; k < e->of->switch_count; k++) {
        e->rests_next[k] = e->rests_next[k]
            && e->of->switches[k].domain == DAE_DOMAIN_POINT
            && e->along[k].order == FLOW_ORDER + 1;
        has_any = has_any || e->rests_next[k];
    }
    const dae_status st = has_any ? see_displaced(r) : DAE_OK;
    for (size_t k = 0; k < e->of->switch_count; k++) {
        const double same = UNMOVED * e->noise[k] + ROUNDED * e->rounding[k];
        if (e->rests_next[k] && (st || !(off_edge(e, k, e->room_g[k]) <= same)))
            e->rests_next[k] = 0;
        if (e->rests_next[k] || is_slow(r, k)) e->rate[k] = 0;
    }
    return has_none(st) ? DAE_OK : st;
}

dae_status resting_solve(
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

dae_status resting_settle(run *r)
{
    event_loop *e = r->events;
    point *p = &r->engine->stepper.point;
    const layout *l = &r->engine->layout;
    reduction *d = r->reduction;
    double *x = d ? d->stepped_x : e->room_x;
    double *xp = d ? d->stepped_xp : e->room_xp;
    bool is_solved;
    if (e->resting_count == 0 && !e->is_solved_for && !may_jump(r))
        return DAE_OK;
    memcpy(x, p->x, l->states * sizeof *x);
    memcpy(xp, p->xp, l->unknowns * sizeof *xp);
    const dae_status st = resting_solve(r, e->t, x, xp, &is_solved);
    if (st || !is_solved) return st;
    memcpy(p->x, x, l->states * sizeof *x);
    memcpy(p->xp, xp, l->unknowns * sizeof *xp);
    anew_show(r, e->x, e->xp);
    return DAE_OK;
}

/* ---- from step to step --------------------------------------------------------- */

void resting_take(event_loop *e)
{
    e->resting_count = e->leaving_count = 0;
    for (size_t k = 0; k < e->of->switch_count; k++) {
        const bool has_rested = e->rests[k] || e->leaves[k];
        e->leaves[k] = has_rested && !e->rests_next[k] && e->at_edge[k];
        const double least = e->at_edge[k] ? ROUNDED_LEAST * e->rounding[k] : 0;
        e->leave_size[k] = (e->leaves[k] ? e->noise[k] : least) / ROUNDING;
        /* both members of min(a, b) = 0 may stay 0 but for what solving leaves */
        if (e->of->switches[k].is_kink)
            e->leave_size[k] = fmax(e->leave_size[k], e->noise[k]);
        e->rests[k] = e->rests_next[k];
        e->rest_edge[k] = edges_nearest(e, k);
        e->rest_width[k] = NEAR * e->noise[k] + e->rounding[k];
        if (e->rests[k]) e->resting_count++;
        if (e->leaves[k]) e->leaving_count++;
    }
}

/* All g at the end of the last step, into room_g; false: there are none. */
static dae_status see_end(run *r, bool *has_values)
{
    event_loop *e = r->events;
    anew_show(r, e->room_x, e->room_xp);
    const dae_status st = e->of->roots(r->problem->self,
        r->engine->stepper.history.t, e->room_x, e->room_xp, e->room_g);
    *has_values = !st;
    return st == DAE_RETRY ? DAE_OK : st;
}

dae_status resting_check(run *r)
{
    event_loop *e = r->events;
    bool has_values;
    if (e->resting_count == 0) return DAE_OK;
    const dae_status st = see_end(r, &has_values);
    for (size_t k = 0; k < e->of->switch_count && has_values; k++) {
        const double off = fabs(e->room_g[k] - e->rest_edge[k]);
        if (!e->rests[k] || off <= e->rest_width[k]) continue;
        e->rests[k] = 0;
        e->resting_count--;
    }
    return st;
}

dae_status resting_check_leaving(run *r)
{
    event_loop *e = r->events;
    bool has_values;
    if (e->leaving_count == 0) return DAE_OK;
    const dae_status st = see_end(r, &has_values);
    for (size_t k = 0; k < e->of->switch_count && has_values; k++) {
        const double off = fabs(e->room_g[k] - e->rest_edge[k]);
        if (!e->leaves[k] || off <= LEFT * ROUNDING * e->leave_size[k])
            continue;
        e->leaves[k] = 0;
        e->leave_size[k] = 0;
        e->leaving_count--;
    }
    return st;
}

#include "control/anew.h"
#include "control/begin.h"
#include "control/event_told.h"
#include "control/hold.h"
#include "newton/norm.h"
#include <math.h>
#include <string.h>

void anew_show(const run *r, double *x, double *xp)
{
    const engine *e = r->engine;
    const point *p = &e->stepper.point;
    if (r->reduction) {
        reduction_show(r->reduction, p->x, p->xp, x, xp);
        return;
    }
    memcpy(x, p->x, e->layout.states * sizeof *x);
    memcpy(xp, p->xp, e->layout.unknowns * sizeof *xp);
}

/* ---- nothing is assigned ------------------------------------------------------ */

/* Residuals of the engine's problem at its point with what is held. */
static dae_status evaluate(run *r, double t, double *res)
{
    const dae_problem *p = r->engine->problem;
    const point *at = &r->engine->stepper.point;
    r->stats.residual_evals++;
    return p->residual(p->self, t, at->x, at->xp, res);
}

static void swap_held(event_loop *e)
{
    for (size_t k = 0; k < e->held_count; k++) {
        const double now = e->held[k];
        e->held[k] = e->held_last[k];
        e->held_last[k] = now;
    }
}

/* Whether the residuals are the same, bit by bit, with `held_last` and now:
 * what turned does not stand in the equations here. */
static dae_status compare(run *r, double t, bool *is_same)
{
    event_loop *e = r->events;
    const size_t n = r->engine->layout.unknowns;
    double *before = r->engine->scratch, *now = r->engine->newton.delta;
    *is_same = false;
    swap_held(e);
    dae_status st = evaluate(r, t, before);
    swap_held(e);
    if (!st) st = evaluate(r, t, now);
    if (!st) *is_same = memcmp(before, now, n * sizeof *now) == 0;
    return st == DAE_RETRY ? DAE_OK : st;
}

static dae_status solve(run *r, double t, double *x, double *xp)
{
    reduction *d = r->reduction;
    return hold_solve(d ? &d->holding : NULL, d ? d->now : NULL, r->engine,
        r->options.linear, t, x, xp, &r->stats);
}

dae_status anew_follow(run *r, double t, bool *is_same)
{
    point *p = &r->engine->stepper.point;
    dae_status st = compare(r, t, is_same);
    if (st || *is_same) return st;
    st = solve(r, t, p->x, p->xp);
    if (st != DAE_RETRY && st != DAE_NUMERIC) return st;
    stepper_restore(&r->engine->stepper);
    return begin_sharpen_quietly(r, t);
}

/* ---- a little later ----------------------------------------------------------- */

/* Chains of derivatives as power series; what has none stays. */
static void move(const layout *l, double s, double *x, const double *xp)
{
    for (size_t j = 0; j < l->unknowns; j++) {
        if (l->order[j] == 0) continue;
        for (size_t o = l->first[j]; o < l->first[j + 1]; o++) {
            double factor = s;
            size_t k = o + 1;
            for (; k < l->first[j + 1]; k++) {
                x[o] += factor * x[k];
                factor *= s / (double)(k - o + 1);
            }
            x[o] += factor * xp[j];
        }
    }
}

dae_status anew_ahead(
    run *r, double t, double s, bool is_solved, double *x, double *xp)
{
    const point *p = &r->engine->stepper.point;
    const layout *l = &r->engine->layout;
    reduction *d = r->reduction;
    double *own_x = d ? d->stepped_x : x, *own_xp = d ? d->stepped_xp : xp;
    memcpy(own_x, p->x, l->states * sizeof *x);
    memcpy(own_xp, p->xp, l->unknowns * sizeof *xp);
    move(l, s, own_x, own_xp);
    dae_status st = DAE_OK;
    if (is_solved) st = solve(r, t + s, own_x, own_xp);
    if (!st && d) reduction_show(d, own_x, own_xp, x, xp);
    return st == DAE_NUMERIC ? DAE_RETRY : st;
}

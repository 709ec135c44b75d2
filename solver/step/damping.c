#include "step/damping.h"

#include <math.h>

/* Orders below have no such lengths, or none that matter: they are A-stable. */
enum { order_least = 3 };
/* Steps before the equations are asked again, and those for which an answer counts:
 * a mode of nonlinear equations changes, and one that is still there is found
 * again. */
enum { wait_found = 5, wait_none = 20, steps_banned = 100 };
/* Estimates of errors that are smaller come from Newton's method and rounding as
 * well, and from motions of less than a tolerance. */
static const double error_least = 1e-3;
/* Differences that fall by more than this are no matter of stability. */
static const double falling = 0.2;
/* What the mode may leave unsaid of the highest difference, as a part of it: after
 * a change of the step differences are those of two lengths. Where the mode is not
 * excited it is 5 and more. */
static const double share_most = 2;
/* Damping below this part of the frequency is none: what oscillates undamped is
 * the solution itself. */
static const double damping_least = 0.005;

static void keep_off(stepper *s, const mode_rate *r)
{
    selector *c = &s->selector;
    c->banned = steps_banned;
    for (int q = order_least; q <= c->max_order; q++)
        c->bands[q] = band_find(
            s->formula, q, copysign(1, s->h) * r->re, r->im);
}

/* Whether the differences of the accepted point are worth a look. */
static bool is_suspect(const stepper *s)
{
    const estimates *e = &s->estimates;
    return e->k >= order_least && s->watch.wait <= 1
        && e->error[SAME] > error_least
        && e->term[SAME] > falling * e->term[LOWER];
}

/* Whether the polynomial of step/band.h is the formula's. */
static bool is_plain(const formula *f)
{
    return !f->one_step && !(f->parts && f->parts->correct);
}

dae_status damping_watch(stepper *s)
{
    if (!is_plain(s->formula)) return DAE_OK;
    const mode_point p = {
        &s->history, &s->grid, s->selector.order, s->weights->test, s->point.d};
    int wait = s->watch.wait > 0 ? s->watch.wait - 1 : 0;
    if (is_suspect(s) && mode_lasts(&p)) {
        mode_rate r;
        const dae_status st = mode_find(&s->watch, s->newton, &p, &r);
        if (st) return st;
        const bool is_damped = copysign(1, s->h) * r.re
            < -damping_least * fabs(r.im);
        const bool is_seen = is_damped && mode_rest(&p, &r) < share_most;
        wait = is_seen ? wait_found : wait_none;
        if (is_seen) keep_off(s, &r);
    }
    s->watch.wait = wait;
    return DAE_OK;
}

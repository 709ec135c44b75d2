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
/* Of an oscillation that an event began. With more damping than this part of the
 * frequency errors die out. The aim is far below error_least. */
static const double lasting_most = 0.3, error_begun = 1e-5;
/* Between the rate by the equations and that by the differences, where it is the
 * motion that is seen: rounding makes oscillations of what is constant. And between
 * rates that are of one oscillation. */
static const double seen_alike = 2, same_rate = 1.5;
/* Steps for which it counts, and before it is looked for again; those after an event
 * in which it is looked for as soon as may be. */
enum { steps_lasting = 40, wait_lasting = 10, steps_begun = 40 };

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

void damping_begin(stepper *s)
{
    mode_watch *m = &s->watch;
    m->wait = 0;
    m->before = m->rate = 0;
    m->is_begun = false;
}

void damping_pass(stepper *s, double before)
{
    s->watch.before = before;
}

void damping_carry(stepper *to, const stepper *from)
{
    to->watch.before = from->watch.before;
    to->watch.rate = from->watch.rate;
    to->watch.is_begun = from->watch.is_begun;
}

/* Steps of more than a radian know of none. What was there before the event, with
 * about that rate, is what it was. */
static bool was_begun(const mode_watch *m, double rate)
{
    if (m->before > 0 && rate * m->before >= 1) return true;
    const bool is_same = rate < same_rate * m->rate
        && m->rate < same_rate * rate;
    return is_same ? m->is_begun : m->before > 0 && m->rate > 0;
}

/* An oscillation that was there before the first event has the errors of any run;
 * of one that an event began the amplitude is to be kept. */
static void keep_amplitude(stepper *s, const mode_rate *r)
{
    mode_watch *m = &s->watch;
    const double *term = s->estimates.term;
    const double rate = fabs(r->im), turn = rate * fabs(s->h);
    const double seen = sqrt(term[SAME] / term[LOWER2]);
    if (fabs(r->re) >= lasting_most * rate) return;
    if (!(turn * seen_alike > seen && turn < seen * seen_alike)) return;
    m->is_begun = was_begun(m, rate);
    m->rate = rate;
    if (!m->is_begun) return;
    s->selector.turning = rate;
    s->selector.turns = steps_lasting;
}

/* Whether a motion that an event may have begun is worth a look. */
static bool may_be_begun(const stepper *s)
{
    const estimates *e = &s->estimates;
    return s->watch.is_sought && e->k >= order_least && s->watch.wait <= 1
        && e->error[SAME] > error_begun;
}

/* Steps before the next look. */
static int judge(stepper *s, const mode_point *p, bool is_suspected)
{
    const mode_rate *r = &s->watch.found;
    const bool is_damped = copysign(1, s->h) * r->re
        < -damping_least * fabs(r->im);
    if (s->watch.is_sought) keep_amplitude(s, r);
    if (is_suspected && is_damped && mode_rest(p, r) < share_most) {
        keep_off(s, r);
        return wait_found;
    }
    if (s->selector.turns > 0) return wait_lasting;
    return s->watch.is_sought && s->selector.accepted < steps_begun ? wait_found
                                                                    : wait_none;
}

dae_status damping_watch(stepper *s)
{
    if (!is_plain(s->formula)) return DAE_OK;
    const mode_point p = {&s->history, &s->grid, s->selector.order,
        s->weights->test, s->point.d, s->weights->plain};
    int wait = s->watch.wait > 0 ? s->watch.wait - 1 : 0;
    const bool is_suspected = is_suspect(s) && mode_lasts(&p);
    if (is_suspected || may_be_begun(s)) {
        const dae_status st = mode_find(
            &s->watch, s->newton, &p, &s->watch.found);
        if (st) return st;
        wait = judge(s, &p, is_suspected);
    }
    s->watch.wait = wait;
    return DAE_OK;
}

/* A measurement costs a factorization, so it waits as long as the entries of the
 * pick, going on as they do (reduce/gauge.h), leave it good. */
#include "reduce/repick.h"
#include "reduce/picking.h"
#include <math.h>

/* Points between two measurements at most. */
enum { POINTS_MOST = 25 };
/* With fewer left another pick is looked for at once. */
static const double POINTS_LEAST = 1.5;
/* The wait beside the time since the measurement before, and beside what is
 * left; a part of it after which a Jacobian that comes anyway is measured. */
static const double WAIT_GROWTH = 4, WAIT_SHARE = 0.75, SHARE_NEW = 0.75;

/* The time in which the entries turn by what is left, if they go on as fast, and
 * faster as they have become slower or faster of late: where a pendulum turns
 * back they stand still. */
static double time_left(const reduction *r)
{
    const double left = r->gauge.left, speed = r->speed;
    const double gain = r->acceleration * left;
    const double down = speed + sqrt(speed * speed + 2 * gain);
    return 2 * left < HUGE_VAL * down ? 2 * left / down : HUGE_VAL;
}

/* After a measurement at t; the same again where what it led to failed. */
static void learn_speed(reduction *r, double t)
{
    const double gone = fabs(t - r->measured), before = r->speed_before;
    if (!r->gauge.has_before || !(gone > 0)) return;
    r->speed = r->gauge.turned / gone;
    r->acceleration = fabs(r->speed - before) / gone;
    if (!isfinite(r->acceleration)) r->acceleration = 0;
}

/* How long the pick may go unmeasured: until most of that would be over, and no
 * more than some times as long as it took since it was measured before. Nothing
 * is known of the first pick. */
static void plan_wait(reduction *r, double t)
{
    const double gone = fabs(t - r->measured);
    const bool is_known = r->gauge.has_before || r->speed > 0;
    r->left = is_known ? time_left(r) : HUGE_VAL;
    r->wait = is_known ? fmin(WAIT_SHARE * r->left, WAIT_GROWTH * gone) : 0;
    gauge_end(&r->gauge);
    r->measured = t;
    r->speed_before = r->speed;
    r->since = 0;
    r->seen = r->now->evaluations;
}

/* Whether the share of the wait will be over with the next step. */
static bool is_due(const reduction *r, const stepper *s, double share)
{
    const double then = s->history.t + s->h;
    return (double)r->since >= share * (double)POINTS_MOST
        || fabs(then - r->measured) > share * r->wait;
}

static bool may_wait_more(const reduction *r, const stepper *s)
{
    return fabs(s->history.t + s->h - r->measured) < r->left;
}

/* Whether the limit will be met before it is worth another measurement. */
static bool is_near(const reduction *r, const stepper *s)
{
    return r->gauge.has_before && isfinite(r->speed)
        && time_left(r) < POINTS_LEAST * fabs(s->h);
}

/* Newton's method evaluates the Jacobian anyway, now and then: what comes in
 * the last quarter of the wait is measured, and where nothing does it is asked
 * for, or with no time to lose evaluated here. Its convergence alone does not
 * tell that a pick fares badly: what is predicted well needs no correction. */
dae_status repick_follow(
    reduction *r, stepper *s, dae_diagnostics *ds, reduced **next)
{
    double leverage = 0;
    const bool is_new = r->seen != r->now->evaluations;
    dae_status st = DAE_OK;
    *next = NULL;
    if (r->mode != DAE_REDUCE_AUTO) return DAE_OK;
    if (!is_due(r, s, is_new ? SHARE_NEW : 1)) {
        r->seen = r->now->evaluations;
        return DAE_OK;
    }
    if (!is_new && may_wait_more(r, s)) {
        newton_renew(s->newton);
        return DAE_OK;
    }
    if (!is_new) st = picking_evaluate(r, s);
    const double *values = is_new ? r->now->values : r->values;
    if (!st) st = picking_measure(r, values, &leverage);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    learn_speed(r, s->history.t);
    if (leverage > r->limit || is_near(r, s))
        st = picking_other(r, s, values, ds, next);
    if (st == DAE_RETRY) return DAE_OK;
    /* what fails is asked again; what is adopted begins anew */
    if (!st && !*next) plan_wait(r, s->history.t);
    r->looked_at = values;
    return st;
}

dae_status repick_reconsider(
    reduction *r, stepper *s, dae_diagnostics *ds, reduced **next)
{
    *next = NULL;
    if (r->mode != DAE_REDUCE_AUTO) return DAE_OK;
    dae_status st = picking_evaluate(r, s);
    if (!st) st = picking_other(r, s, r->values, ds, next);
    r->looked_at = r->values;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* The new pick is measured where it was chosen: its entries move from there. */
void repick_adopt(reduction *r, reduced *next, double t)
{
    double leverage = 0;
    pick_copy(&r->pick, &r->other, r->extended);
    r->limit = r->limit_next;
    gauge_clear(&r->gauge);
    const dae_status st = picking_measure(r, r->looked_at, &leverage);
    plan_wait(r, t);
    if (st) gauge_clear(&r->gauge);
    reduced_free(r->now);
    r->now = next;
    r->seen = 0;
}

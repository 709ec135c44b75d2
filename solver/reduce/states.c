/* A measurement of the pick at hand costs a factorization, so it waits as long as the entries of the pick, going on as they
 * do (reduce/gauge.h), leave it good. */
#include "reduce/states.h"
#include "base/report.h"
#include "linalg/naming.h"
#include "reduce/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Points between two measurements at most. */
enum { POINTS_MOST = 25 };

/* ---- preferences --------------------------------------------------------------- */

/* A preference holds as long as the constraints can determine something else;
 * where they cannot, the run goes on without it and says so once. */

/* Also where it is one with a state of another name. */
static bool is_state(const reduced *r, size_t unknown)
{
    const int32_t first = r->merge.first[r->e->column_first[unknown]];
    return r->merge.next[first] >= 0;
}

static void report_preferences(reduction *r, const reduced *now, double t,
    bool is_start, dae_diagnostics *ds)
{
    const dae_problem *p = r->problem;
    const uint8_t *wanted = p->scales ? p->scales->prefer_state : NULL;
    for (size_t j = 0; wanted && j < p->unknown_count; j++) {
        if (!wanted[j] || r->reported[j] || is_state(now, j)) continue;
        const named_place at = naming_of(p, DAE_NAME_UNKNOWN, j);
        r->reported[j] = 1;
        report(ds, DIAG_N0509, at.source, at.span,
            is_start ? "`%s` cannot be a state at t = %.10g, although it is "
                       "preferred"
                     : "`%s` could not be kept as a state at t = %.10g",
            at.text, t);
        report_label(ds,
            "the constraints hardly depend on what they would have to "
            "determine in its place");
        report_help(ds,
            "nothing has to be done: other states are used where it cannot be "
            "one; `dae show --equations --reduced` lists them");
    }
}

/* ---- choosing ------------------------------------------------------------------- */

static pick_request request_of(const reduction *r, const double *values)
{
    return (pick_request){.e = r->extended,
        .values = values,
        .size = r->typical,
        .allocator = r->allocator,
        .is_by_numbers = r->is_by_numbers,
        .structure = &r->structure,
        .highest = r->orders.highest,
        .needed = r->orders.needed,
        .may_be_loose = r->orders.may_be_loose,
        .freedom = r->orders.freedom};
}

static dae_status choose(const reduction *r, const double *values, pick *out)
{
    const dae_scales *s = r->problem->scales;
    pick_request q = request_of(r, values);
    q.is_preferred = s ? s->prefer_state : NULL;
    return pick_choose(&q, out);
}

/* The order of magnitude of a value, as unknowns of one are picked by their entries alone; 0: it is 0 but for its tolerance. */
static double magnitude_of(const reduction *r, double value)
{
    if (!(value > r->atol)) return 0;
    return pow(THREE_DIGITS, round(log(value) / log(THREE_DIGITS)));
}

/* An unknown without a nominal size is as large as the largest of its values, in orders of
 * magnitude: so a small one is no difference of large ones. One that begins with 0 has the
 * size 1. */
static void learn_sizes(reduction *r)
{
    const dae_scales *s = r->problem->scales;
    for (size_t j = 0; j < r->layout.unknowns; j++) {
        const double value = fabs(r->past[0][r->extended->column_first[j]]);
        if (s && s->nominal && s->nominal[j] > 0) continue;
        if (r->typical[j] >= value && r->typical[j] > 0)
            continue; /* that is a magnitude */
        const double size = magnitude_of(r, value);
        if (!(r->typical[j] > 0)) r->typical[j] = size > 0 ? size : 1;
        if (size > r->typical[j]) r->typical[j] = size;
    }
}

static dae_status measure(reduction *r, const double *values, double *leverage)
{
    learn_sizes(r);
    pick_request q = request_of(r, values);
    q.gauge = &r->watch.gauge;
    q.scratch = &r->memory;
    gauge_begin(&r->watch.gauge, r->watch.limit);
    return pick_measure(&q, &r->pick, leverage);
}

/* The Jacobian of the extended problem at the newest point. */
static dae_status evaluate(reduction *r, double t)
{
    const dae_problem *e = &r->extended->problem;
    return e->jacobian(e->self, DAE_ALL, t, r->past[0], NULL, r->values);
}

static dae_status report_lost_rank(
    const reduction *r, const pick *p, double t, dae_diagnostics *ds)
{
    assert(p->lost >= 0);
    const named_place at = naming_of(
        r->problem, DAE_NAME_EQUATION, (size_t)p->lost);
    report(ds, DIAG_E0502, at.source, at.span,
        "at t = %.10g the constraint `%s` has nothing left to determine: of "
        "%d constraints only %d are independent there",
        t, at.text, (int)p->lost_rows, (int)p->lost_rank);
    return DAE_NUMERIC;
}

static dae_status make_reduced(const reduction *r, const pick *p, reduced **out)
{
    const stabilize_request q = {&r->structure, r->typical, r->values, r->rtol};
    extended_ask_often(r->extended);
    return reduced_create(r->problem, r->extended, p, r->orders.follows,
        r->atol, r->mode == DAE_REDUCE_STABILIZE ? &q : NULL, r->allocator,
        out);
}

/* All derivatives are states. */
static dae_status take_whole(reduction *r)
{
    const dae_status st = pick_all(r->problem, r->extended, &r->structure,
        r->mode == DAE_REDUCE_STABILIZE, r->allocator, &r->pick);
    return st ? st : make_reduced(r, &r->pick, &r->now);
}

/* Redundant equations have no number of states that the analysis could tell: all
 * picks have as many as the one at the start. A constraint whose entries have
 * grown apart seems to determine one more, and would move it. */
static int64_t count_states(const reduction *r)
{
    int64_t states = 0;
    for (size_t c = 0; c < r->extended->columns; c++)
        states += r->pick.is_state[c] != 0;
    return states;
}

dae_status states_choose(reduction *r, double t0, dae_diagnostics *ds)
{
    assert(!r->now && r->past_count == 1);
    dae_status st = evaluate(r, t0);
    learn_sizes(r);
    if (st) return st == DAE_RETRY ? DAE_UNSUPPORTED : st;
    if (r->mode != DAE_REDUCE_AUTO) return take_whole(r);
    st = choose(r, r->values, &r->pick);
    if (st == DAE_NUMERIC) return report_lost_rank(r, &r->pick, t0, ds);
    if (st) return st == DAE_LIMIT ? DAE_UNSUPPORTED : st;
    r->orders.freedom = count_states(r);
    r->watch.limit = fmax(ALIKE, HALF_MORE * r->pick.leverage);
    st = make_reduced(r, &r->pick, &r->now);
    if (!st) report_preferences(r, r->now, t0, true, ds);
    return st;
}

static dae_status evaluate_newest(reduction *r, stepper *s)
{
    s->stats->jacobian_evals++;
    return evaluate(r, s->history.t);
}

/* That the constraints have lost rank is believed at the newest point alone. Where ranks are
 * not clear, or what they say has no problem of its own, the pick at hand goes on until it
 * has become worse once more. */
static dae_status choose_better(reduction *r, stepper *s, const double *values,
    dae_diagnostics *ds, reduced **next)
{
    pick *other = &r->other;
    leverage_watch *w = &r->watch;
    const double t = s->history.t;
    bool is_other = false;
    dae_status st = choose(r, values, other);
    if (st == DAE_NUMERIC && values != r->values) {
        if ((st = evaluate_newest(r, s))) return st;
        st = choose(r, r->values, other);
    }
    if (st == DAE_NUMERIC) return report_lost_rank(r, other, t, ds);
    if (!st) {
        w->limit_next = fmax(ALIKE, HALF_MORE * other->leverage);
        is_other = !pick_is_same(other, &r->pick, r->extended);
        if (is_other) st = make_reduced(r, other, next);
    }
    if (st == DAE_UNSUPPORTED || st == DAE_LIMIT) {
        w->limit *= HALF_MORE;
        return DAE_OK;
    }
    if (st) return st;
    if (is_other) report_preferences(r, *next, t, false, ds);
    else w->limit = w->limit_next;
    return DAE_OK;
}

/* ---- along the run --------------------------------------------------------------- */

/* The time in which the entries turn by what is left, if they go on as fast, and
 * faster as they have become slower or faster of late: where a pendulum turns
 * back they stand still. */
static double time_left(const leverage_watch *w)
{
    return gauge_time_left(w->gauge.left, w->speed, w->acceleration);
}

/* After a measurement at t; the same again where what it led to failed. */
static void learn_speed(leverage_watch *w, double t)
{
    const double gone = fabs(t - w->measured), before = w->speed_before;
    if (!w->gauge.has_before || !(gone > 0)) return;
    w->speed = w->gauge.turned / gone;
    w->acceleration = fabs(w->speed - before) / gone;
    if (!isfinite(w->acceleration)) w->acceleration = 0;
}

/* How long the pick may go unmeasured: until most of that would be over, and no
 * more than some times as long as it took since it was measured before. Nothing
 * is known of the first pick. */
static void plan_wait(leverage_watch *w, double t)
{
    const double gone = fabs(t - w->measured);
    const bool is_known = w->gauge.has_before || w->speed > 0;
    w->left = is_known ? time_left(w) : HUGE_VAL;
    w->wait = is_known ? fmin(WAIT_SHARE * w->left, WAIT_GROWTH * gone) : 0;
    gauge_end(&w->gauge);
    w->measured = t;
    w->speed_before = w->speed;
    w->since = 0;
}

/* Whether the share of the wait will be over with the next step. */
static bool is_due(const leverage_watch *w, const stepper *s, double share)
{
    const double then = s->history.t + s->h;
    return (double)w->since >= share * (double)POINTS_MOST
        || fabs(then - w->measured) > share * w->wait;
}

/* Whether the limit will be met before it is worth another measurement. */
static bool is_near(const leverage_watch *w, const stepper *s)
{
    return w->gauge.has_before && isfinite(w->speed)
        && time_left(w) < HALF_MORE * fabs(s->h);
}

/* Newton's method evaluates the Jacobian anyway, now and then: what comes in
 * the last quarter of the wait is measured, and where nothing does it is
 * requested, or with no time to lose evaluated here. Its convergence alone does not
 * tell that a pick fares badly: what is predicted well needs no correction. */
dae_status states_follow(
    reduction *r, stepper *s, dae_diagnostics *ds, reduced **next)
{
    assert(r->now && s->layout->states == r->now->layout.states);
    leverage_watch *w = &r->watch;
    double leverage = 0;
    const double t = s->history.t;
    const bool is_new = w->seen != r->now->evaluations;
    const double *values = is_new ? r->now->values : r->values;
    dae_status st = DAE_OK;
    *next = NULL;
    if (r->mode != DAE_REDUCE_AUTO) return DAE_OK;
    if (!is_due(w, s, is_new ? WAIT_SHARE : 1)) {
        w->seen = r->now->evaluations;
        return DAE_OK;
    }
    if (!is_new && fabs(t + s->h - w->measured) < w->left) {
        newton_renew(s->newton);
        return DAE_OK;
    }
    if (!is_new) st = evaluate_newest(r, s);
    if (!st) st = measure(r, values, &leverage);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    learn_speed(w, t);
    if (leverage > w->limit || is_near(w, s))
        st = choose_better(r, s, values, ds, next);
    if (st == DAE_RETRY) return DAE_OK;
    /* what fails is asked again; what is adopted begins anew */
    if (!st && !*next) {
        plan_wait(w, t);
        w->seen = r->now->evaluations;
    }
    w->looked_at = values;
    return st;
}

dae_status states_reconsider(
    reduction *r, stepper *s, dae_diagnostics *ds, reduced **next)
{
    *next = NULL;
    if (r->mode != DAE_REDUCE_AUTO) return DAE_OK;
    dae_status st = evaluate_newest(r, s);
    if (!st) st = choose_better(r, s, r->values, ds, next);
    r->watch.looked_at = r->values;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* The new pick is measured where it was chosen: its entries move from there. */
void states_adopt(reduction *r, reduced *next, double t)
{
    assert(next && next != r->now);
    double leverage = 0;
    pick_copy(&r->pick, &r->other, r->extended);
    r->watch.limit = r->watch.limit_next;
    gauge_clear(&r->watch.gauge);
    const dae_status st = measure(r, r->watch.looked_at, &leverage);
    plan_wait(&r->watch, t);
    if (st) gauge_clear(&r->watch.gauge);
    reduced_free(r->now);
    r->now = next;
    r->watch.seen = 0;
}

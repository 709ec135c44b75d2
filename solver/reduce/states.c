/* A measurement of the pick at hand costs a factorization, so it waits as long as its
 * leverage, going on as it does, leaves it good. */
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

static void report_preference(const dae_problem *problem, size_t unknown,
    double t, bool is_start, dae_diagnostics *ds)
{
    const named_place at = naming_of(problem, DAE_NAME_UNKNOWN, unknown);
    report(ds, DIAG_N0509, at.source, at.span,
        is_start ? "`%s` cannot be a state at t = %.10g, although it is "
                   "preferred"
                 : "`%s` could not be kept as a state at t = %.10g",
        at.text, t);
    report_label(ds,
        "the constraints hardly depend on what they would have to determine "
        "in its place");
    report_help(ds,
        "nothing has to be done: other states are used where it cannot be "
        "one; `dae show --equations --reduced` lists them");
}

static void report_preferences(const dae_problem *problem, const reduced *now,
    double t, bool is_start, uint8_t *reported, dae_diagnostics *ds)
{
    const uint8_t *wanted = problem->scales ? problem->scales->prefer_state
                                            : NULL;
    for (size_t j = 0; wanted && j < problem->unknown_count; j++) {
        if (!wanted[j] || reported[j] || is_state(now, j)) continue;
        reported[j] = 1;
        report_preference(problem, j, t, is_start, ds);
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
        .stages = &r->stages,
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
    return pow(SIZES_APART, round(log(value) / log(SIZES_APART)));
}

/* An unknown without a nominal size is as large as the largest of its values, in orders of
 * magnitude: so a small one is no difference of large ones. One that begins with 0 has the
 * size 1. */
static void learn_sizes(reduction *r)
{
    const dae_scales *s = r->problem->scales;
    for (size_t j = 0; j < r->layout.unknowns; j++) {
        const double value = fabs(r->past[0][r->extended->column_first[j]]);
        const double size = magnitude_of(r, value);
        if (s && s->nominal && s->nominal[j] > 0) continue;
        if (!(r->typical[j] > 0)) r->typical[j] = size > 0 ? size : 1;
        if (size > r->typical[j]) r->typical[j] = size;
    }
}

static dae_status measure(reduction *r, const double *values)
{
    learn_sizes(r);
    pick_request q = request_of(r, values);
    q.scratch = &r->memory;
    return pick_measure(&q, &r->pick, &r->watch.now);
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
    const stabilize_request q = {&r->stages, r->typical, r->values, r->rtol};
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
    r->watch.limit = fmax(ALIKE, HALF_MORE * r->pick.leverage);
    st = make_reduced(r, &r->pick, &r->now);
    if (!st) report_preferences(r->problem, r->now, t0, true, r->reported, ds);
    return st;
}

static dae_status evaluate_newest(reduction *r, stepper *s)
{
    s->stats->jacobian_evals++;
    return evaluate(r, s->history.t);
}

/* Where ranks are not clear, or what they say has no problem of its own, the pick at hand
 * goes on until it has become worse once more. */
static bool stays(reduction *r, dae_status st)
{
    const bool is_no_pick = st == DAE_UNSUPPORTED || st == DAE_LIMIT;
    if (is_no_pick) r->watch.limit *= HALF_MORE;
    return is_no_pick;
}

static dae_status choose_better(reduction *r, double t, const double *values,
    dae_diagnostics *ds, reduced **next)
{
    pick *other = &r->other;
    dae_status st = choose(r, values, other);
    if (st == DAE_NUMERIC) return report_lost_rank(r, other, t, ds);
    if (stays(r, st)) return DAE_OK;
    if (st) return st;
    r->watch.limit_next = fmax(ALIKE, HALF_MORE * other->leverage);
    if (!pick_is_same(other, &r->pick, r->extended)) {
        st = make_reduced(r, other, next);
        if (stays(r, st)) return DAE_OK;
        if (!st)
            report_preferences(r->problem, *next, t, false, r->reported, ds);
        return st;
    }
    r->watch.limit = r->watch.limit_next;
    return DAE_OK;
}

/* ---- along the run --------------------------------------------------------------- */

/* A leverage is the tangent of an angle: constraints that turn evenly change it evenly,
 * while the leverage itself grows without bound. */

/* The time in which the angle up to the limit is gone, if it goes on as fast. */
static double time_left(const reduction *r)
{
    const leverage_watch *w = &r->watch;
    const double left = fmax(atan(w->limit) - atan(w->now.leverage), 0);
    return w->speed > 0 ? left / w->speed : HUGE_VAL;
}

/* After a measurement at t; the same again where what it led to failed. */
static void learn_speed(reduction *r, double t)
{
    leverage_watch *w = &r->watch;
    const double gone = fabs(t - w->measured);
    if (w->has_before && gone > 0)
        w->speed = fabs(w->now.angle - w->angle_before) / gone;
}

/* How long the pick may go unmeasured: until most of that would be over, and no
 * more than some times as long as it took since it was measured before. Nothing
 * is known of the first pick. */
static void plan_wait(reduction *r, double t)
{
    leverage_watch *w = &r->watch;
    const double gone = fabs(t - w->measured);
    const bool is_known = w->has_before || w->speed > 0;
    w->left = is_known ? time_left(r) : HUGE_VAL;
    w->wait = is_known ? fmin(WAIT_SHARE * w->left, WAIT_GROWTH * gone) : 0;
    w->angle_before = w->now.angle;
    w->has_before = true;
    w->measured = t;
    w->since = 0;
    w->seen = r->now->evaluations;
}

/* Whether the wait will be over with the next step. */
static bool is_due(const reduction *r, const stepper *s)
{
    const double then = s->history.t + s->h;
    return r->watch.since >= POINTS_MOST
        || fabs(then - r->watch.measured) > r->watch.wait;
}

static bool may_wait_more(const reduction *r, const stepper *s)
{
    return fabs(s->history.t + s->h - r->watch.measured) < r->watch.left;
}

/* Whether the limit will be met before it is worth another measurement. */
static bool is_near(const reduction *r, const stepper *s)
{
    return r->watch.has_before && time_left(r) < ALIKE * fabs(s->h);
}

/* Each Jacobian that Newton's method evaluates is measured; where none comes within the
 * wait it is requested, or with no time to lose evaluated here. Its convergence alone
 * does not tell that a pick fares badly: what is predicted well needs no correction. */
dae_status states_follow(
    reduction *r, stepper *s, dae_diagnostics *ds, reduced **next)
{
    assert(r->now && s->layout->states == r->now->layout.states);
    const bool is_new = r->watch.seen != r->now->evaluations;
    dae_status st = DAE_OK;
    *next = NULL;
    if (r->mode != DAE_REDUCE_AUTO) return DAE_OK;
    if (!is_new && !is_due(r, s)) return DAE_OK;
    if (!is_new && may_wait_more(r, s)) {
        newton_renew(s->newton);
        return DAE_OK;
    }
    if (!is_new) st = evaluate_newest(r, s);
    const double *values = is_new ? r->now->values : r->values;
    if (!st) st = measure(r, values);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    learn_speed(r, s->history.t);
    if (r->watch.now.leverage > r->watch.limit || is_near(r, s))
        st = choose_better(r, s->history.t, values, ds, next);
    if (st == DAE_RETRY) return DAE_OK;
    /* what fails is asked again; what is adopted begins anew */
    if (!st && !*next) plan_wait(r, s->history.t);
    r->watch.looked_at = values;
    return st;
}

dae_status states_reconsider(
    reduction *r, stepper *s, dae_diagnostics *ds, reduced **next)
{
    *next = NULL;
    if (r->mode != DAE_REDUCE_AUTO) return DAE_OK;
    dae_status st = evaluate_newest(r, s);
    if (!st) st = choose_better(r, s->history.t, r->values, ds, next);
    r->watch.looked_at = r->values;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* The new pick is measured where it was chosen: its entries move from there. */
void states_adopt(reduction *r, reduced *next, double t)
{
    assert(next && next != r->now);
    pick_copy(&r->pick, &r->other, r->extended);
    r->watch.limit = r->watch.limit_next;
    const dae_status st = measure(r, r->watch.looked_at);
    r->watch.has_before = false;
    plan_wait(r, t);
    r->watch.has_before = !st;
    reduced_free(r->now);
    r->now = next;
    r->watch.seen = 0;
}

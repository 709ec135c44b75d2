#include "run/run.h"

#include "base/report.h"
#include "events/event.h"
#include "events/event_report.h"
#include "events/locate.h"
#include "events/mode.h"
#include "reduce/states.h"
#include "reduce/thresholds.h"
#include "run/algebraic.h"
#include "run/begin.h"
#include "run/failure.h"
#include "run/points.h"
#include "step/damping.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Steps in all where no limit is given. */
static const int64_t steps_in_all = 10000000;

dae_status run_init(run *r, const dae_problem *problem,
    const dae_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds)
{
    dae_status st;
    *r = (run){.problem = problem, .ds = ds};
    r->allocator = alloc_or_default(allocator);
    r->options = options ? *options : dae_options_default();
    r->options.rtol = engine_rtol(&r->options);
    if (!problem || !problem->residual || problem->unknown_count == 0)
        return DAE_ARGUMENT;
    st = engine_check_options(
        problem, &r->options, ds, &r->formula, &r->stats.method_reason);
    if (st) return st;
    r->stats.method = r->formula->name;
    st = engine_create(problem, &r->options, r->formula, NULL, &r->stats,
        r->allocator, ds, &r->engine);
    if (!st) st = event_loop_create(problem, r->allocator, &r->events);
    if (st) engine_free(r->engine);
    if (st == DAE_MEMORY)
        report(ds, DIAG_E0003, NULL, (text_span){0, 0},
            "out of memory for an integrator of %zu unknowns",
            problem->unknown_count);
    if (!st) engine_describe(r->engine, &r->stats);
    return st;
}

void run_rest(run *r)
{
    algebraic_free(r->engine);
    iteration_rest(r->engine->matrix);
    newton_reset(&r->engine->newton);
}

void run_clear(run *r)
{
    regularity_clear(&r->regularity);
    points_clear(r);
    engine_free(r->engine);
    reduction_free(r->reduction);
    unreduced_free(r->unreduced);
    mode_clear(r->events);
    event_loop_free(r->events);
    r->events = NULL;
    r->engine = NULL;
    r->reduction = NULL;
    r->unreduced = NULL;
}

static dae_status check_limits(run *r)
{
    const dae_options *o = &r->options;
    int64_t taken = r->stats.steps - r->steps_before;
    if (o->max_steps > 0 && taken >= o->max_steps)
        return failure_too_many_steps(r);
    if (o->max_steps == 0 && r->stats.steps >= steps_in_all)
        return failure_too_many_steps(r);
    if (o->interrupt && o->interrupt(o->interrupt_context))
        return failure_interrupted(r);
    return DAE_OK;
}

/* ---- what steps tell of the tolerance ---------------------------------------------- */

/* Of engines that come and go: names are the user's whatever stood in for them. Of
 * roundings the tolerance that was lifted most counts, of growth the first time. */

/* Keeps what is known before the engine is replaced. */
static void keep_notes(run *r)
{
    engine *e = r->engine;
    const rounding *worst = &e->stepper.rounding;
    growth *g = &e->stepper.growth;
    kept_notes *kept = &r->kept;
    if (worst->ratio > kept->ratio) {
        kept->ratio = worst->ratio;
        kept->t_ratio = worst->t;
        kept->rounded = naming_of_slot(e->problem, &e->layout, worst->state);
    }
    if (g->passed > 0 && kept->passed == 0) {
        kept->t_growth = g->t;
        kept->tolerance = e->weights.atol[g->state];
        kept->grown = naming_of_slot(e->problem, &e->layout, g->state);
    }
    kept->passed += g->passed;
    g->passed = 0;
}

/* N0507. */
static void report_rounding(run *r)
{
    kept_notes *kept = &r->kept;
    keep_notes(r);
    r->engine->stepper.rounding.ratio = 0;
    /* below, the error is still of the size asked for */
    if (kept->ratio > DOUBTED)
        report(r->ds, DIAG_N0507, kept->rounded.source, kept->rounded.span,
            "rounding in the equations is larger than the tolerance of `%s`: "
            "about %.2g times the tolerance was kept at worst, at t = %.10g",
            kept->rounded.text, kept->ratio, kept->t_ratio);
    kept->ratio = 0;
}

/* W0533. */
static void report_growth(run *r)
{
    kept_notes *kept = &r->kept;
    const char *name = kept->grown.text;
    keep_notes(r);
    if (kept->passed == 0) return;
    report(r->ds, DIAG_W0533, kept->grown.source, kept->grown.span,
        "from t = %.10g on, in %lld step%s, a disturbance within the tolerance "
        "of `%s` grows faster than the step follows: the result may be another "
        "solution",
        kept->t_growth, (long long)kept->passed, kept->passed == 1 ? "" : "s",
        name);
    report_help(r->ds,
        "compare with a smaller absolute tolerance: `--atol %s=%.3g`, or "
        "smaller ones of all",
        name, kept->tolerance / 1000);
    kept->passed = 0;
}

/* ---- accepted steps -------------------------------------------------------------- */

/* Goes on with the states of `next`, with the same order and step. */
static dae_status change_states(run *r, reduced *next)
{
    engine *e;
    const size_t states = next->layout.states;
    reduction *d = r->reduction;
    assert(d && next != d->now);
    dae_status st = engine_create(&next->problem, &r->options, r->formula,
        r->engine, &r->stats, r->allocator, r->ds, &e);
    if (st) return st;
    int32_t *from = alloc_zeroed(r->allocator, 2 * states, sizeof *from);
    if (from) {
        const carry_source source = reduction_source(
            d, next, from, from + states);
        point *p = &e->stepper.point;
        if (r->options.step > 0) newton_tighten(&e->newton);
        reduced_gather(next, d->past[0], p->x, p->xp);
        newton_watch_age(&e->newton);
        stepper_carry(&e->stepper, &r->engine->stepper, &source);
        e->stepper.slope_slot = next->slope_slot;
        keep_notes(r);
        r->is_described = false;
        alloc_free(r->allocator, from, 2 * states, sizeof *from);
        engine_free(r->engine);
        r->engine = e;
        states_adopt(d, next, e->stepper.history.t);
        r->is_unwatched = d->is_by_numbers;
        r->stats.state_changes++;
        return DAE_OK;
    }
    engine_free(e);
    return DAE_MEMORY;
}

/* After an accepted step: other states where those at hand will not do. What ends at an
 * event has been located with those at hand: others make other values of what follows
 * from the dense output there, and its switch would not be at its threshold. */
static dae_status follow_states(run *r)
{
    reduced *next;
    if (!r->reduction || run_stands_at_event(r)) return DAE_OK;
    dae_status st = states_follow(
        r->reduction, &r->engine->stepper, r->ds, &next);
    if (st || !next) return st;
    st = change_states(r, next);
    if (st) reduced_free(next);
    return st;
}

/* Where the pick at hand has come to its end, the equations may have not: others
 * of their unknowns stand in then. */
static dae_status stand_in(run *r)
{
    reduced *next = NULL;
    bool is_of_pick = false;
    dae_status st = DAE_OK;
    if (!r->is_passed) return DAE_OK;
    if (r->reduction && r->reduction->is_by_numbers)
        st = states_reconsider(r->reduction, &r->engine->stepper, r->ds, &next);
    if (!st && next) st = regularity_is_of_pick(r, &is_of_pick);
    if (!st && is_of_pick) {
        st = change_states(r, next);
        if (!st) next = NULL;
    } else if (!st) {
        st = regularity_report(r, true);
    }
    reduced_free(next);
    r->is_passed = st == DAE_MEMORY;
    return st;
}

/* Where the step ends, which is looked at once. */
static dae_status look(run *r)
{
    if (r->is_looked_at) return DAE_OK;
    dae_status st = locate_next(r);
    if (!st) st = locate_hold(r);
    if (st) return st;
    if (r->reduction) reduction_remember(r->reduction, &r->engine->stepper);
    r->is_looked_at = true;
    return DAE_OK;
}

/* What belongs to an accepted step, made up for where memory ran out for it. */
static dae_status finish_step(run *r)
{
    assert(r->engine && r->phase != RUN_CREATED);
    const bool is_again = r->is_looked_at;
    const bool was_freed = r->events && r->events->has_free;
    r->is_unfinished = true;
    dae_status st = look(r);
    const double t = r->engine->stepper.history.t;
    const bool is_end = t == r->end;
    /* states that have changed may have left the watch with what was */
    if (!st && r->is_unwatched) st = regularity_begin(r);
    if (!st) r->is_unwatched = false;
    /* across q = 0 of q*abs(q) the matrix is singular at one point, and the solution
     * is one */
    if (was_freed) regularity_forget(&r->regularity);
    if (!is_again) r->is_passed = !st && !was_freed && regularity_is_passed(r);
    if (!st) st = stand_in(r);
    if (!st) st = follow_states(r);
    failure_report_memory(r, "for other states", t, st);
    if (st == DAE_NUMERIC) {
        r->phase = RUN_FAILED;
        r->is_unfinished = false;
    }
    if (st) return st;
    r->is_unfinished = false;
    if (is_end) {
        failure_note_bounds(r);
        report_rounding(r);
        report_growth(r);
    }
    return DAE_OK;
}

/* A step that fails, or a corrector, may have leapt to where the states at hand will not
 * do, before they were looked at: others are taken that fare better at the last point.
 * After a corrector that asks (STEP_UNSOLVED) the step is made again whether there are any
 * or not: on the pendulum at 1e-5 by radau of order 9 that is 52 failed correctors for 192,
 * 99 steps for 229. After a step they begin anew there, once at a time; `*is_saved`:
 * there are some. Without it a pendulum ends near x = 0 at half of the tolerances from
 * 3e-4 to 5e-5. */
static dae_status rescue(run *r, step_failure why, bool *is_saved)
{
    const stepper before = r->engine->stepper;
    const double t = before.history.t;
    const bool is_asked = why == STEP_UNSOLVED;
    reduced *next;
    *is_saved = is_asked;
    if (!is_asked
        && (!r->reduction || r->rescued_at == t || !failure_is_of_place(why)))
        return DAE_OK;
    dae_status st = states_reconsider(
        r->reduction, &r->engine->stepper, r->ds, &next);
    const bool has_others = !st && next;
    if (has_others && (st = change_states(r, next))) reduced_free(next);
    if (st == DAE_NUMERIC) r->phase = RUN_FAILED;
    failure_report_memory(
        r, is_asked ? "for other states" : "for the start", t, st);
    stepper *s = &r->engine->stepper;
    if (is_asked) s->asks = false;
    if (st || is_asked || !has_others) return st;
    *is_saved = true;
    r->rescued_at = t;
    if (s->fixed.length > 0) return DAE_OK; /* the past goes on counting */
    r->stats.restarts++;
    stepper_start(s, t, s->point.x, s->point.xp, r->direction,
        fabs(before.last_h), before.interval);
    damping_carry(s, &before);
    return DAE_OK;
}

/* What is said of a failed step looks at its last attempt; memory that runs out
 * for it does not change what the next call says. */
static dae_status give_up(run *r, step_failure why)
{
    stepper *s = &r->engine->stepper;
    if (r->failed) stepper_take_up(s);
    report_growth(r);
    const dae_status st = failure_report(r, why);
    r->failed = st == DAE_MEMORY && why != STEP_STOPPED ? why : STEP_FINE;
    if (r->failed) stepper_set_aside(s);
    else stepper_restore(s);
    r->phase = RUN_FAILED;
    return st;
}

bool run_stands_at_event(const run *r)
{
    return r->events && r->events->stop.has_event;
}

const uint8_t *run_truths(const run *r)
{
    const event_loop *e = r->events;
    return e && e->of->when_count ? e->whens.truth : NULL;
}

/* No run ends at an event without a message: what an analysis of other modes has found
 * may have had none. */
static dae_status report_some_cause(run *r, size_t reported, dae_status st)
{
    const bool is_none = st == DAE_NUMERIC || st == DAE_INCONSISTENT
        || st == DAE_MODEL || st == DAE_UNSUPPORTED || st == DAE_RETRY;
    if (!r->ds || !is_none || report_error_count(r->ds) > reported) return st;
    return event_report_nothing(r, NULL, DAE_NUMERIC);
}

/* What happens where the run stands. */
static dae_status deal(run *r)
{
    if (!run_stands_at_event(r)) return DAE_OK;
    const size_t reported = report_error_count(r->ds);
    const dae_status st = report_some_cause(r, reported, event_handle(r));
    return failure_report_memory(r, "for the event", r->events->stop.t, st);
}

/* The first output tells the direction. */
static dae_status direct(run *r, double towards)
{
    begin_towards(r, towards);
    const size_t reported = report_error_count(r->ds);
    const dae_status st = report_some_cause(r, reported, event_start(r));
    if (st) r->direction = 0;
    return st;
}

static dae_status take_step(run *r, double towards)
{
    stepper *s = &r->engine->stepper;
    if (r->phase == RUN_CREATED) return DAE_ARGUMENT;
    if (r->failed) return give_up(r, r->failed);
    if (r->is_unfinished) return finish_step(r);
    if (r->phase == RUN_STOPPED) return DAE_STOPPED;
    dae_status st;
    const bool was_at_event = run_stands_at_event(r);
    if (r->direction == 0 && (st = direct(r, towards))) return st;
    if ((st = deal(r))) return st;
    s = &r->engine->stepper;
    if (s->history.t == r->end) return was_at_event ? DAE_OK : DAE_ARGUMENT;
    if ((st = check_limits(r)) || (st = locate_plan(r))) return st;
    bool is_saved;
    step_failure why;
    s->asks = r->reduction && r->options.reduce == DAE_REDUCE_AUTO;
    do {
        why = stepper_step(&r->engine->stepper);
        if (why == STEP_FINE) break;
        if (!(st = rescue(r, why, &is_saved)) && !is_saved)
            st = locate_free(r, why, &is_saved);
        if (st) return st;
    } while (is_saved);
    if (why == STEP_FINE) {
        if (!r->is_described) engine_describe(r->engine, &r->stats);
        r->is_described = true;
        r->phase = RUN_STARTED;
        r->is_looked_at = false;
        return finish_step(r);
    }
    return give_up(r, why);
}

dae_status run_step(run *r, double towards)
{
    const dae_status st = take_step(r, towards);
    const bool is_ended = st == DAE_STOPPED || st == DAE_LIMIT
        || st == DAE_INTERRUPTED;
    if (is_ended && r->phase != RUN_CREATED) report_growth(r);
    return st;
}

/* A start is shown as it was found; multipliers that stabilize belong to steps. */
static bool is_held(const run *r)
{
    return r->reduction && r->options.reduce != DAE_REDUCE_STABILIZE
        && r->engine->stepper.last_h != 0;
}

/* Of the problem that is stepped. */
static dae_status show_point(const run *r, double t, double *x, double *xp)
{
    engine *e = r->engine;
    const stepper *s = &e->stepper;
    reduction *d = r->reduction;
    dae_status st = DAE_OK;
    stepper_at(s, t, x, xp);
    if (!x) return st;
    bounds_clip(&s->newton->bounds, x);
    if (is_held(r)) st = algebraic_at_point(e, d->now, t, x, xp);
    else if (stepper_has_line(s, t) && layout_has_algebraic(&e->layout))
        st = algebraic_on_line(e, t, x);
    bounds_clip(&s->newton->bounds, x);
    return st;
}

dae_status run_interpolate(const run *r, double t, double *x, double *xp)
{
    reduction *d = r->reduction;
    assert(!d || d->now);
    double *own_x = d ? d->stepped_x : x, *own_xp = d ? d->stepped_xp : xp;
    const dae_status st = show_point(r, t, own_x, own_xp);
    failure_report_memory(r, "for what holds the equations", t, st);
    if (d && !st) reduction_show(d, own_x, own_xp, x, xp);
    return st;
}

dae_status run_values(const run *r, const history_places *at, double *x)
{
    const stepper *s = &r->engine->stepper;
    const bounds *limits = &s->newton->bounds;
    if (r->reduction || s->has_line || !stepper_values(s, at, x))
        return DAE_UNSUPPORTED;
    for (size_t k = 0; k < at->count && limits->count > 0; k++)
        bounds_clip(limits, x + k * s->layout->states);
    return DAE_OK;
}

dae_status run_reduced_point(const run *r, shown_point *out)
{
    const stepper *s = &r->engine->stepper;
    *out = (shown_point){s->history.t, s->point.x, s->point.xp};
    if (!is_held(r)) return DAE_OK;
    out->x = r->reduction->stepped_x;
    out->xp = r->reduction->stepped_xp;
    return run_interpolate(r, s->history.t, NULL, NULL);
}

const double *run_x(const run *r)
{
    return r->reduction ? r->reduction->x : r->engine->stepper.point.x;
}

const double *run_xp(const run *r)
{
    return r->reduction ? r->reduction->xp : r->engine->stepper.point.xp;
}

bool run_covers(const run *r, double t)
{
    const stepper *s = &r->engine->stepper;
    double now = s->history.t, before = now - s->last_h;
    if (r->events && r->events->stop.is_passed) return t == now;
    /* The last bits of before are those of a difference. */
    double slack = DOUBTED * DBL_EPSILON * (fabs(now) + fabs(before));
    if (s->last_h == 0) return t == now;
    return s->last_h > 0 ? t >= before - slack && t <= now
                         : t <= before + slack && t >= now;
}

/* Whether the run has come to tout or beyond it. */
static bool is_beyond(const run *r, double tout)
{
    double now = r->engine->stepper.history.t;
    if (now == tout) return true;
    return r->direction != 0 && (now - tout) * r->direction > 0;
}

dae_status run_cover(run *r, double tout)
{
    if (r->phase == RUN_CREATED || !isfinite(tout)) return DAE_ARGUMENT;
    bool has_end = isfinite(r->end) && r->direction != 0;
    if (has_end && (tout - r->end) * r->direction > 0) return DAE_ARGUMENT;
    r->steps_before = r->stats.steps;
    while (r->is_unfinished || !is_beyond(r, tout)) {
        dae_status st = run_step(r, tout);
        if (st) return st;
    }
    if (r->phase == RUN_STOPPED) return DAE_STOPPED;
    /* the engine may be another one by now */
    if (tout == r->end && r->engine->stepper.history.t == r->end) {
        const dae_status st = deal(r);
        if (st) return st;
    }
    return run_covers(r, tout) ? DAE_OK : DAE_ARGUMENT;
}

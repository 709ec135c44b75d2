/* Given values of an over-determined start are kept as the model has them, so that
 * what is stepped agrees with them to the tolerances alone. They are compared
 * first, since the states follow from them only where the matrix has full rank: in
 * the dead point of a crank its angle determines where the slider is, and not the
 * other way round.
 *
 * Exact points come from the caller. A reduced system has other unknowns than the
 * caller's: chains of derivatives, of which the lower ones are states. Each that is
 * a value of the caller's x is taken from there. What has no slope, as multipliers
 * and dummy derivatives, needs no closed form: it is solved for.
 *
 * Fine points come from a run of the problem that is stepped with the default formula at
 * tolerances far below the errors that fixed steps are looked at for; where it does not
 * get there, at looser ones. What is of higher index and stepped as it stands is
 * integrated reduced for that, from its start. */
#include "run/points.h"

#include "base/report.h"
#include "reduce/thresholds.h"
#include "run/begin.h"
#include "step/interpolate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct fine {
    dae_problem problem; /* without tolerances of its own */
    dae_scales scales;
    const dae_problem *whose; /* of the engine whose points these are */
    run run;
};

/* --- given values --- */

/* By the value, or the nominal one, or 1. */
static bool is_kept(
    const dae_problem *problem, size_t unknown, double found, double given)
{
    const double size = fmax(fabs(found), fabs(given));
    return fabs(found - given) <= 1 / TWO_DIGITS
        * fmax(size, weights_nominal(problem->scales, unknown));
}

static dae_status refuse_given(const dae_problem *problem, const layout *l,
    size_t slot, double t0, double found, double given, dae_diagnostics *ds)
{
    const named_place at = naming_of_slot(problem, l, slot);
    report(ds, DIAG_E0502, at.source, at.span,
        "at t = %.10g the equations lose rank: they do not determine `%s`, "
        "given as %.6g, by the states",
        t0, at.text, given);
    report_label(ds, "the states would go on with `%s` = %.6g", at.text, found);
    report_numeric(ds, t0, 0, 0, NULL, at.text);
    report_help(ds,
        "the start is singular: begin beside it, or give values with which a "
        "solution goes on from there");
    return DAE_NUMERIC;
}

dae_status points_keep_given(const dae_problem *problem, const layout *l,
    double t0, double *x, double *xp, dae_diagnostics *ds)
{
    assert(problem->start);
    const dae_start *s = problem->start;
    for (size_t k = 0; k < l->states + l->unknowns; k++) {
        const bool is_state = k < l->states;
        const size_t at = is_state ? k : k - l->states;
        const double *values = is_state ? s->x : s->xp;
        const uint8_t *fixed = is_state ? s->x_fixed : s->xp_fixed;
        double *to = is_state ? &x[at] : &xp[at];
        int order;
        if (!values || !fixed || !fixed[at]) continue;
        if (!is_state && l->order[at] == 0) continue;
        const size_t unknown = naming_unknown(l, k, &order);
        if (!is_kept(problem, unknown, *to, values[at]))
            return refuse_given(problem, l, k, t0, *to, values[at], ds);
        *to = values[at];
    }
    return DAE_OK;
}

dae_status points_begin_reduced(run *r)
{
    reduction *d = r->reduction;
    assert(d && d->now && r->engine->problem == &d->now->problem);
    reduction_restart(d, &r->engine->stepper);
    return points_keep_given(
        r->problem, &d->layout, r->engine->stepper.point.t, d->x, d->xp, r->ds);
}

/* --- exact points --- */

static const char other_starts[] =
    "begin with `fine` (--start fine), from an integration at tight "
    "tolerances, or with `ramp`, by lower orders";

static dae_status refuse(run *r, double t, const char *why, const char *help)
{
    report(r->ds, DIAG_E0514, NULL, (text_span){0, 0},
        "no point at t = %.10g to begin from: %s", t, why);
    report_help(r->ds, "%s", help);
    return DAE_ARGUMENT;
}

static dae_status refuse_state(run *r, double t, size_t state)
{
    const named_place at = naming_of_slot(
        r->engine->problem, &r->engine->layout, state);
    report(r->ds, DIAG_E0514, at.source, at.span,
        "no point at t = %.10g to begin from: there is no closed form of `%s`",
        t, at.text);
    report_help(r->ds,
        "a line `expect %s ~ ... within ... always` whose right side depends "
        "on time alone, and that allows little beside the value, gives one; or "
        "%s",
        at.text, other_starts);
    return DAE_ARGUMENT;
}

static dae_status refuse_other(
    run *r, const layout *l, size_t state, double known, double given)
{
    const named_place at = naming_of_slot(r->problem, l, state);
    report(r->ds, DIAG_E0514, at.source, at.span,
        "no point at t = %.10g to begin from: the closed form of `%s` is %.10g "
        "there, and %.10g is given",
        r->t0, at.text, known, given);
    report_help(r->ds,
        "the closed form belongs to another solution: mend it or the "
        "condition; or %s",
        other_starts);
    return DAE_ARGUMENT;
}

/* A closed form takes the place of guesses, not of what is given. */
static dae_status compare_given(run *r, const double *known)
{
    const dae_start *s = r->problem->start;
    const layout *l = r->reduction ? &r->reduction->layout : &r->engine->layout;
    if (!s || !s->x || !s->x_fixed) return DAE_OK;
    for (size_t k = 0; k < l->states; k++) {
        int order;
        if (!s->x_fixed[k] || isnan(known[k])) continue;
        const size_t j = naming_unknown(l, k, &order);
        const double size = fmax(fabs(known[k]), fabs(s->x[k]));
        /* a number in a closed form may have seven digits; rounding leaves some of
         * one that is 0 */
        const double most = PART_GONE * size
            + WHOLE * UNITS_OFF * DBL_EPSILON
                * weights_nominal(r->problem->scales, j);
        if (fabs(known[k] - s->x[k]) > most)
            return refuse_other(r, l, k, known[k], s->x[k]);
    }
    return DAE_OK;
}

static dae_status ask(run *r, double t, double *x, double *xp)
{
    const dae_options *o = &r->options;
    const dae_status st = o->exact(o->exact_context, t, x, xp);
    if (st == DAE_RETRY)
        return refuse(r, t, "the exact solution is not known", other_starts);
    return st || t != r->t0 ? st : compare_given(r, x);
}

/* What has no slope follows from the rest, unless the index is higher. */
static dae_status complete(run *r, double t)
{
    const dae_start_report before = r->start_report;
    const dae_status st = begin_sharpen(r, t);
    r->start_report = before;
    newton_reset(&r->engine->newton);
    return st;
}

/* The slot of x in which the engine has the derivative `order` of the caller's unknown j;
 * -1: in none. */
static int32_t state_of(const run *r, size_t j, size_t order)
{
    const reduction *d = r->reduction;
    const layout *l = &r->engine->layout;
    if (!d) return (int32_t)(l->first[j] + order);
    const int32_t slot = d->now->slot_of[d->extended->column_first[j] + order];
    return slot >= 0 && (size_t)slot < l->states ? slot : -1;
}

/* As it stands above index 1 everything has to be known. */
static bool is_needed(const run *r, size_t j)
{
    return r->engine->layout.order[j] > 0 || r->unreduced;
}

/* The caller's values where they are the engine's; with dummy derivatives there are
 * always others. */
static dae_status take_exact(
    run *r, double t, double *known, double *x, double *xp)
{
    const reduction *d = r->reduction;
    const layout *l = &r->engine->layout, *own = d ? &d->layout : l;
    bool is_complete = !d;
    const dae_status st = ask(r, t, known, d ? known + own->states : xp);
    if (st) return st;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; is_needed(r, j) && s < l->first[j + 1];
             s++)
            x[s] = (double)NAN;
    for (size_t j = 0; j < own->unknowns; j++)
        for (size_t s = own->first[j]; s < own->first[j + 1]; s++) {
            const int32_t slot = state_of(r, j, s - own->first[j]);
            if (isnan(known[s])) is_complete = false;
            else if (slot >= 0) x[slot] = known[s];
        }
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; is_needed(r, j) && s < l->first[j + 1];
             s++)
            if (isnan(x[s])) return refuse_state(r, t, s);
    return is_complete ? DAE_OK : complete(r, t);
}

static dae_status exact_at(void *self, double t, double *x, double *xp)
{
    run *r = self;
    assert(r->options.exact);
    const layout *l = r->reduction ? &r->reduction->layout : &r->engine->layout;
    const size_t count = l->states + l->unknowns;
    double *known = alloc_zeroed(r->allocator, count, sizeof *known);
    if (!known) return DAE_MEMORY;
    const dae_status st = take_exact(r, t, known, x, xp);
    alloc_free(r->allocator, known, count, sizeof *known);
    return st;
}

dae_status points_begin(run *r)
{
    const dae_options *o = &r->options;
    point *p = &r->engine->stepper.point;
    if (!(o->step > 0) || o->start != DAE_START_EXACT) return DAE_OK;
    if (!r->reduction) return exact_at(r, r->t0, p->x, r->engine->scratch);
    const dae_status st = exact_at(r, r->t0, p->x, p->xp);
    return st ? st : points_begin_reduced(r);
}

/* --- fine points --- */

/* Tolerances, each a hundred times the one before. */
enum { FINE_RTOLS = 4 };
/* Steps to one point. */
enum { fine_steps = 20000 };

void points_clear(run *r)
{
    if (r->fine) run_clear(&r->fine->run);
    alloc_free(r->allocator, r->fine, 1, sizeof *r->fine);
    r->fine = NULL;
}

/* The problem and its options for tight tolerances. */
static void set_problem(struct fine *f, double rtol, dae_options *o)
{
    o->atol = rtol * fmin(o->atol / o->rtol, START_ATOL / START_RTOL);
    o->rtol = rtol;
    o->step = o->first_step = o->max_step = 0;
    o->max_order = 0;
    o->max_steps = fine_steps;
    o->method = NULL;
    f->problem = *f->whose;
    f->problem.events = NULL; /* it reads what is held, and turns nothing */
    if (f->problem.scales) {
        f->scales = *f->problem.scales;
        f->scales.atol = f->scales.state_atol = NULL;
        f->problem.scales = &f->scales;
    }
}

/* From the last point; equations that are integrated reduced for it from their start, whose
 * point this must be. */
static dae_status begin_fine(run *r, double rtol)
{
    const stepper *at = &r->engine->stepper;
    run *inner = &r->fine->run;
    dae_options o = r->options;
    set_problem(r->fine, rtol, &o);
    if (r->unreduced) o.reduce = DAE_REDUCE_AUTO;
    else o.t_end = at->history.t + at->fixed.order * at->fixed.h;
    const dae_status st = run_init(
        inner, &r->fine->problem, &o, r->allocator, NULL);
    if (st) return st;
    if (r->unreduced) return begin_initialized(inner);
    point *p = &inner->engine->stepper.point;
    interpolate(
        &at->history, at->layout, at->last_order, at->history.t, p->x, p->xp);
    const dae_status begun = begin_here(inner, at->history.t);
    /* its looks would be the last Jacobian of the reduced problem, which is the outer
     * run's */
    regularity_clear(&inner->regularity);
    return begun;
}

static dae_status open_fine(run *r, double rtol)
{
    assert(rtol > 0);
    struct fine *f = alloc_zeroed(r->allocator, 1, sizeof *f);
    if (!f) return DAE_MEMORY;
    points_clear(r);
    r->fine = f;
    f->whose = r->engine->problem;
    const dae_status st = begin_fine(r, rtol);
    if (st) points_clear(r);
    const bool is_none = st == DAE_NUMERIC || st == DAE_INCONSISTENT
        || st == DAE_ARGUMENT;
    return is_none ? DAE_RETRY : st;
}

static dae_status advance_fine(run *r, double t, double *x, double *xp)
{
    run *inner = &r->fine->run;
    const layout *l = &r->engine->layout;
    inner->end = inner->engine->stepper.t_end = t;
    const dae_status st = run_cover(inner, t);
    if (st == DAE_NUMERIC || st == DAE_LIMIT) return DAE_RETRY;
    if (st) return st;
    if (inner->engine->stepper.history.t != t) return DAE_RETRY;
    memcpy(x, run_x(inner), l->states * sizeof *x);
    memcpy(xp, run_xp(inner), l->unknowns * sizeof *xp);
    return DAE_OK;
}

static dae_status fine_at(void *self, double t, double *x, double *xp)
{
    run *r = self;
    double rtol = THREE_DIGITS * DBL_EPSILON;
    dae_status st = DAE_RETRY;
    if (r->fine && r->fine->whose == r->engine->problem)
        st = advance_fine(r, t, x, xp);
    for (int k = 0; k < FINE_RTOLS && st == DAE_RETRY; k++, rtol *= 100)
        if (!(st = open_fine(r, rtol))) st = advance_fine(r, t, x, xp);
    if (st != DAE_RETRY) return st;
    return refuse(r, t, "the integration at tight tolerances fails",
        "begin with `ramp` (--start ramp), by lower orders, or with `exact`");
}

/* --- what is set --- */

void points_prepare(run *r)
{
    const dae_options *o = &r->options;
    stepper *s = &r->engine->stepper;
    if (!(o->step > 0)) return;
    s->fixed = (fixed_steps){.length = o->step, .order = s->selector.max_order};
    s->fixed.giver = r;
    if (o->start == DAE_START_FINE) s->fixed.given = fine_at;
    if (o->start == DAE_START_EXACT) s->fixed.given = exact_at;
    newton_tighten(&r->engine->newton);
}

void points_restart(run *r)
{
    fixed_steps *f = &r->engine->stepper.fixed;
    points_clear(r);
    if (r->unreduced && f->given == fine_at) f->given = NULL;
}

/* Steps before the first of the order asked for are given, or of lower orders:
 * where there are no others the run tells nothing about the formula. */
static void report_unused(const run *r)
{
    const stepper *s = &r->engine->stepper;
    const fixed_steps *f = &s->fixed;
    if (s->formula->one_step || f->whole == INT64_MAX) return;
    const int64_t steps = f->whole + (f->rest > 0);
    const int more = f->given ? s->formula->more_points : 0;
    const int first = f->order + more;
    if (steps >= first) return;
    report(r->ds, DIAG_W0518, NULL, (text_span){0, 0},
        "no step of order %d is made: the run has %lld step%s, and the first "
        "of that order is step %d",
        f->order, (long long)steps, steps == 1 ? "" : "s", first);
    report_help(r->ds, "take steps up to %.10g%s",
        fabs(s->t_end - r->t0) / first,
        steps > more ? ", or a lower order" : "");
}

void points_report(const run *r)
{
    const fixed_steps *f = &r->engine->stepper.fixed;
    if (!(f->length > 0)) return;
    if (f->order == 6) {
        report(r->ds, DIAG_W0513, NULL, (text_span){0, 0},
            "order 6 is stable within 17.84 degrees of the negative real axis "
            "only");
        report_help(r->ds,
            "what oscillates at all grows, unless it decays faster than it "
            "turns or the steps are short; use an order up to 5");
    }
    report_unused(r);
    /* nearly as long: of the length that was meant */
    if (!(f->rest > 0) || fabs(f->rest / f->length - 1) < PART_GONE) return;
    report(r->ds, DIAG_N0515, NULL, (text_span){0, 0},
        "the step %.10g does not divide the interval: the last one is %.10g",
        f->length, f->rest);
    report_help(r->ds,
        "take a step that divides %.10g, or end the run at %.10g or %.10g",
        fabs(r->engine->stepper.t_end - r->t0), r->t0 + (double)f->whole * f->h,
        r->t0 + (double)(f->whole + 1) * f->h);
}

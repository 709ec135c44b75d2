/* Exact points come from the caller. Fine ones from an integration of the same
 * problem with the default formula at tolerances far below the errors that fixed
 * steps are looked at for; where it does not get there, at looser ones. What is of
 * higher index and stepped as it stands is integrated reduced for that. */
#include "run/points.h"

#include "base/report.h"
#include "methods/bdf.h"
#include "run/begin.h"
#include "run/exact.h"
#include "step/interpolate.h"

#include <math.h>
#include <string.h>

struct fine {
    dae_problem problem; /* without tolerances of its own */
    dae_scales scales;
    const dae_problem *whose; /* of the engine whose points these are */
    dae_stats stats;
    engine *engine;
    run *reduced; /* in place of an engine; NULL: none */
};

/* --- exact --- */

static dae_status given_exactly(void *self, double t, double *x, double *xp)
{
    return exact_at(self, t, x, xp);
}

dae_status points_begin(run *r)
{
    const dae_options *o = &r->options;
    point *p = &r->engine->stepper.point;
    if (!(o->step > 0) || o->start != DAE_START_EXACT) return DAE_OK;
    if (!r->reduction) return exact_at(r, r->t0, p->x, r->engine->scratch);
    const dae_status st = exact_at(r, r->t0, p->x, p->xp);
    return st ? st : reduction_begin(r->reduction, r->engine, r->ds);
}

/* --- fine --- */

static const double fine_rtols[] = {1e-13, 1e-11, 1e-9, 1e-7};
enum { FINE_RTOLS = sizeof fine_rtols / sizeof *fine_rtols };
/* Steps to one point. */
enum { fine_steps = 20000 };

static void fine_free(const run *r, struct fine *f)
{
    if (!f) return;
    if (f->reduced) run_clear(f->reduced);
    alloc_free(r->allocator, f->reduced, 1, sizeof *f->reduced);
    engine_free(f->engine);
    alloc_free(r->allocator, f, 1, sizeof *f);
}

void points_clear(run *r)
{
    fine_free(r, r->fine);
    r->fine = NULL;
}

/* The absolute tolerance beside the relative one, at most. */
static const double atol_share = 1e-3;

/* The problem and its options for tight tolerances. */
static void set_problem(
    struct fine *f, const dae_problem *p, double rtol, dae_options *o)
{
    o->atol = rtol * fmin(o->atol / o->rtol, atol_share);
    o->rtol = rtol;
    o->step = o->first_step = o->max_step = 0;
    o->max_order = 0;
    o->method = NULL;
    f->problem = *p;
    f->problem = *f->whose;
    f->problem.events = NULL; /* it reads what is held, and turns nothing */
    if (f->problem.scales) {
        f->scales = *f->problem.scales;
        f->scales.atol = f->scales.state_atol = NULL;
        f->problem.scales = &f->scales;
    }
}

/* A run of its own, from the start, whose point this must be. */
static dae_status open_reduced(run *r, double rtol)
{
    struct fine *f = r->fine;
    dae_options o = r->options;
    set_problem(f, r->problem, rtol, &o);
    o.reduce = DAE_REDUCE_AUTO;
    run *inner = alloc_zeroed(r->allocator, 1, sizeof *inner);
    if (!inner) return DAE_MEMORY;
    dae_status st = run_init(inner, &f->problem, &o, r->allocator, NULL);
    if (st) {
        alloc_free(r->allocator, inner, 1, sizeof *inner);
        return st;
    }
    f->reduced = inner;
    return begin_initialized(inner);
}

/* An engine of its own for the problem that is stepped, at its last point. */
static dae_status open_engine(run *r, double rtol)
{
    const stepper *at = &r->engine->stepper;
    struct fine *f = r->fine;
    dae_options o = r->options;
    set_problem(f, r->engine->problem, rtol, &o);
    const dae_status st = engine_create(&f->problem, &o, bdf_formula(),
        &f->stats, r->allocator, NULL, &f->engine);
    if (st) return st;
    stepper *s = &f->engine->stepper;
    interpolate(&at->history, at->layout, at->last_order, at->history.t,
        s->point.x, s->point.xp);
    stepper_start(s, at->history.t, s->point.x, s->point.xp, r->direction, 0,
        fabs(at->fixed.h));
    return DAE_OK;
}

static dae_status open_fine(run *r, double rtol)
{
    struct fine *f = alloc_zeroed(r->allocator, 1, sizeof *f);
    if (!f) return DAE_MEMORY;
    points_clear(r);
    r->fine = f;
    f->whose = r->engine->problem;
    const dae_status st = r->standing ? open_reduced(r, rtol)
                                      : open_engine(r, rtol);
    if (st) points_clear(r);
    const bool is_numbers = st == DAE_NUMERIC || st == DAE_INCONSISTENT;
    return is_numbers ? DAE_RETRY : st;
}

static dae_status advance_reduced(run *r, double t, double *x, double *xp)
{
    run *inner = r->fine->reduced;
    const layout *l = &r->engine->layout;
    inner->end = inner->engine->stepper.t_end = t;
    for (int n = 0; n < fine_steps && inner->engine->stepper.history.t != t;
         n++) {
        const dae_status st = run_step(inner, t);
        if (st) return st == DAE_NUMERIC ? DAE_RETRY : st;
        inner->engine->stepper.t_end = t; /* states may have changed */
    }
    if (inner->engine->stepper.history.t != t) return DAE_RETRY;
    memcpy(x, run_x(inner), l->states * sizeof *x);
    memcpy(xp, run_xp(inner), l->unknowns * sizeof *xp);
    return DAE_OK;
}

static dae_status advance_engine(run *r, double t, double *x, double *xp)
{
    stepper *s = &r->fine->engine->stepper;
    s->t_end = t;
    for (int n = 0; n < fine_steps && s->history.t != t; n++) {
        const step_failure why = stepper_step(s);
        if (why == STEP_STOPPED) return s->newton->status;
        if (why != STEP_FINE) return DAE_RETRY;
    }
    if (s->history.t != t) return DAE_RETRY;
    interpolate(&s->history, s->layout, s->last_order, t, x, xp);
    return DAE_OK;
}

static dae_status advance_fine(run *r, double t, double *x, double *xp)
{
    return r->fine->reduced ? advance_reduced(r, t, x, xp)
                            : advance_engine(r, t, x, xp);
}

static dae_status fine_at(void *self, double t, double *x, double *xp)
{
    run *r = self;
    dae_status st = DAE_RETRY;
    if (r->fine && r->fine->whose == r->engine->problem)
        st = advance_fine(r, t, x, xp);
    for (int k = 0; k < FINE_RTOLS && st == DAE_RETRY; k++)
        if (!(st = open_fine(r, fine_rtols[k]))) st = advance_fine(r, t, x, xp);
    if (st != DAE_RETRY) return st;
    return exact_refuse(r, t, "the integration at tight tolerances fails",
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
    if (o->start == DAE_START_EXACT) s->fixed.given = given_exactly;
    newton_tighten(&r->engine->newton);
}

void points_begin_anew(run *r)
{
    fixed_steps *f = &r->engine->stepper.fixed;
    points_clear(r);
    if (r->standing && f->given == fine_at) f->given = NULL;
}

/* Of numbers that count steps. */
static const char *ending(int64_t n)
{
    const int64_t last = n % 10;
    const bool is_teen = n / 10 % 10 == 1;
    if (is_teen || last < 1 || last > 3) return "th";
    return last == 1 ? "st" : last == 2 ? "nd" : "rd";
}

/* Steps before the first of the order asked for are given, or of lower orders:
 * where there are no others the run tells nothing about the formula. */
static void tell_unused(const run *r)
{
    const stepper *s = &r->engine->stepper;
    const fixed_steps *f = &s->fixed;
    if (s->formula->one_step || f->whole == INT64_MAX) return;
    const int64_t steps = f->whole + (f->rest > 0);
    const int more = f->given ? s->formula->more_points : 0;
    const int first = f->order + more;
    if (steps >= first) return;
    const char *plural = steps == 1 ? "" : "s";
    if (f->given)
        report(r->ds, DIAG_W0518, NULL, (text_span){0, 0},
            "no step is made by the formula: the run has %lld step%s, and "
            "order %d begins with the %d%s",
            (long long)steps, plural, f->order, first, ending(first));
    else
        report(r->ds, DIAG_W0518, NULL, (text_span){0, 0},
            "order %d is not reached: the run has %lld step%s, of the orders "
            "1 to %lld",
            f->order, (long long)steps, plural, (long long)steps);
    const double longest = fabs(s->t_end - r->t0) / first;
    if (steps > more)
        report_help(r->ds, "take steps up to %.10g, or an order up to %lld",
            longest, (long long)(steps - more));
    else report_help(r->ds, "take steps up to %.10g", longest);
}

/* A last step that differs by less is of the length that was meant. */
static const double slight = 1e-6;

void points_tell(const run *r)
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
    tell_unused(r);
    if (!(f->rest > 0) || fabs(f->rest / f->length - 1) < slight) return;
    report(r->ds, DIAG_N0515, NULL, (text_span){0, 0},
        "the step %.10g does not divide the interval: the last one is %.10g",
        f->length, f->rest);
    report_help(r->ds,
        "take a step that divides %.10g, or end the run at %.10g or %.10g",
        fabs(r->engine->stepper.t_end - r->t0), r->t0 + (double)f->whole * f->h,
        r->t0 + (double)(f->whole + 1) * f->h);
}

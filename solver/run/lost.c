/* The names are those of the problem that is watched: of one of higher index the
 * last derivative of an equation and the highest one of an unknown. */
#include "run/lost.h"
#include "base/report.h"
#include "control/kink.h"
#include "linalg/naming.h"
#include "step/interpolate.h"
#include <math.h>
#include <stdio.h>

/* --- what the watch sees of a run --- */

static void show_stepped(const void *self, double t, double *x, double *xp)
{
    const stepper *s = &((const run *)self)->engine->stepper;
    interpolate(&s->history, s->layout, s->last_order, t, x, xp);
    bounds_clip(&s->newton->bounds, x);
}

static void show_extended(const void *self, double t, double *x, double *xp)
{
    const run *r = self;
    const reduction *d = r->reduction;
    const stepper *s = &r->engine->stepper;
    (void)xp; /* of the extended problem there are none */
    interpolate(
        &s->history, s->layout, s->last_order, t, d->stepped_x, d->stepped_xp);
    reduced_scatter(d->now, d->stepped_x, d->stepped_xp, x);
}

/* Where the polynomial meets two points before the newest it covers two
 * steps. */
static rank_point point_of(const run *r)
{
    const stepper *s = &r->engine->stepper;
    const double t = s->history.t;
    const double two = s->history.past[2];
    const bool has_two = s->last_order >= 2 && fabs(two) > fabs(s->last_h);
    return (rank_point){.values = r->reduction
            ? r->reduction->now->values
            : iteration_values(r->engine->matrix),
        .t = t,
        .from = t - (has_two ? two : s->last_h),
        .show = r->reduction ? show_extended : show_stepped,
        .self = r};
}

dae_status lost_begin(run *r)
{
    const dae_options *o = &r->options;
    const reduction *d = r->reduction;
    if (!d)
        return rank_begin(
            &r->rank, r->engine->problem, &r->engine->layout, o, r->allocator);
    if (d->is_by_numbers)
        return rank_begin_picked(&r->rank, d->extended, &d->pick,
            r->problem->is_smooth, o, r->allocator);
    return rank_begin_extended(&r->rank, d->extended, &d->structure,
        r->problem->is_smooth, o, r->allocator);
}

bool lost_is_passed(run *r)
{
    const stepper *s = &r->engine->stepper;
    const double t = s->history.t;
    if (!rank_is_due(&r->rank, t, s->h, t == s->t_end, r->stats.jacobian_evals))
        return false;
    const rank_point here = point_of(r);
    const bool is_lost = rank_is_lost(
        &r->rank, &here, &r->stats.jacobian_evals);
    if (r->rank.is_broken) newton_renew(&r->engine->newton);
    return is_lost;
}

bool lost_is_near(run *r)
{
    const rank_point here = point_of(r);
    return rank_is_low(&r->rank, &here, &r->stats.jacobian_evals);
}

/* --- whose rank it is --- */

/* Where the equations lose rank, no pick has more left of its determinants than
 * a share like that of the pick at hand; one that stays regular keeps much. */
static const double KEPT = 1e-3;

/* Unknowns that only least sizes determine have rows of their own. */
static bool has_free(const pick *p, const extended *e)
{
    for (size_t c = 0; c < e->columns; c++)
        if (p->is_free[c]) return true;
    return false;
}

/* The least that is left at `to` of what there is at both ends of the last steps. */
static double share_at(run *r, rank_watch *w, const rank_point *here, double to)
{
    int64_t *count = &r->stats.jacobian_evals;
    const double from = rank_share(w, here, here->from, to, count);
    const double now = rank_share(w, here, here->t, to, count);
    return from < now ? from : now;
}

static bool keeps_rank(run *r, rank_watch *other)
{
    const rank_point here = point_of(r);
    const double at = r->rank.lost.t;
    const double own = share_at(r, &r->rank, &here, at);
    const double there = share_at(r, other, &here, at);
    const double ends = share_at(r, other, &here, here.t);
    const double least = fmax(KEPT, sqrt(fmax(own, 0)));
    return rank_sees_all(other) && there > least && ends > least;
}

dae_status lost_is_of_pick(run *r, bool *is_of_pick)
{
    rank_watch other = {.looks = 0};
    const reduction *d = r->reduction;
    const extended *e = d->extended;
    *is_of_pick = false;
    if (!d->is_by_numbers || has_free(&d->other, e)) return DAE_OK;
    const dae_status st = rank_begin_picked(
        &other, e, &d->other, r->problem->is_smooth, &r->options, r->allocator);
    other.is_trial = true;
    if (!st) *is_of_pick = keeps_rank(r, &other);
    rank_clear(&other);
    return st;
}

/* --- what is said --- */

static void name_unknown(const run *r, size_t column, char *name, size_t size)
{
    const dae_problem *p = r->rank.problem;
    if (r->reduction) naming_text(p, DAE_NAME_UNKNOWN, column, name, size);
    else naming_slot(p, &r->engine->layout, column, name, size);
}

/* Of an equation or an unknown of the problem that is watched. */
static void place(const run *r, bool is_equation, size_t index,
    const dae_source **source, text_span *span)
{
    const reduction *d = r->reduction;
    int order;
    size_t own = index;
    if (is_equation && d) own = (size_t)d->extended->row_equation[index];
    else if (d) own = (size_t)d->extended->column_unknown[index];
    else if (!is_equation)
        own = naming_unknown(&r->engine->layout, index, &order);
    naming_place(r->problem, is_equation ? DAE_NAME_EQUATION : DAE_NAME_UNKNOWN,
        own, source, span);
}

static void help(run *r, const char *equation)
{
    static const char turns[] =
        "the solution turns, ends or branches here, and "
        "what would follow may be another one: end "
        "before it";
    if (kink_help(r)) return;
    if (r->reduction) report_help(r->ds, "%s", turns);
    else
        report_help(
            r->ds, "%s, or use the derivative of `%s`", turns, equation);
}

dae_status lost_report(run *r, bool is_passed)
{
    const rank_watch *w = &r->rank;
    const rank_place *at = &w->lost;
    const size_t n = w->leading.total;
    const stepper *s = &r->engine->stepper;
    const dae_source *source = NULL;
    text_span span = {0, 0};
    char equation[NAMING_SIZE], unknown[NAMING_SIZE];
    naming_text(
        w->problem, DAE_NAME_EQUATION, at->row, equation, sizeof equation);
    name_unknown(r, at->column, unknown, sizeof unknown);
    place(r, true, at->row, &source, &span);
    report(r->ds, DIAG_E0502, source, span,
        "%s t = %.*g the equations lose rank: `%s` does not determine `%s` "
        "there (rank %zu of %zu)",
        is_passed ? "near" : "at", is_passed ? 5 : 10, at->t, equation, unknown,
        n - 1, n);
    report_numeric(
        r->ds, s->history.t, s->h, s->selector.order, equation, unknown);
    place(r, false, at->column, &source, &span);
    if (source) report_also(r->ds, source, span, "not determined");
    help(r, equation);
    return DAE_NUMERIC;
}

/* A reduced system has other unknowns than the caller's: chains of derivatives,
 * of which the lower ones are states. Each that is a value of the caller's x is
 * taken from there. What has no slope, as multipliers and dummy derivatives, needs no
 * closed form: it is solved for. */
#include "run/exact.h"

#include "base/report.h"
#include "run/begin.h"

#include <math.h>
#include <string.h>

static const char other_starts[] =
    "begin with `fine` (--start fine), from an integration at tight "
    "tolerances, or with `ramp`, by lower orders";

dae_status exact_refuse(run *r, double t, const char *why, const char *help)
{
    report(r->ds, DIAG_E0514, NULL, (text_span){0, 0},
        "no point at t = %.10g to begin from: %s", t, why);
    report_help(r->ds, "%s", help);
    return DAE_ARGUMENT;
}

static dae_status refuse_state(run *r, double t, size_t state)
{
    const dae_problem *p = r->engine->problem;
    char name[NAMING_SIZE];
    const dae_source *source;
    text_span span;
    int order;
    naming_slot(p, &r->engine->layout, state, name, sizeof name);
    naming_place(p, DAE_NAME_UNKNOWN,
        naming_unknown(&r->engine->layout, state, &order), &source, &span);
    report(r->ds, DIAG_E0514, source, span,
        "no point at t = %.10g to begin from: there is no closed form of `%s`",
        t, name);
    report_help(r->ds,
        "a line `expect %s ~ ... within ... always` whose right side depends "
        "on time alone, and that allows little beside the value, gives one; or "
        "%s",
        name, other_starts);
    return DAE_ARGUMENT;
}

/* As part of the value: a number in a closed form may have seven digits. As part of
 * the nominal one, or of 1: what rounding leaves of a closed form that is 0. */
static const double closed_share = 1e-6, closed_zero = 1e-12;

static dae_status refuse_other(
    run *r, const layout *l, size_t state, double known, double given)
{
    const dae_problem *p = r->problem;
    char name[NAMING_SIZE];
    const dae_source *source;
    text_span span;
    int order;
    naming_slot(p, l, state, name, sizeof name);
    naming_place(
        p, DAE_NAME_UNKNOWN, naming_unknown(l, state, &order), &source, &span);
    report(r->ds, DIAG_E0514, source, span,
        "no point at t = %.10g to begin from: the closed form of `%s` is %.10g "
        "there, and %.10g is given",
        r->t0, name, known, given);
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
    const dae_scales *scales = r->problem->scales;
    const layout *l = r->reduction ? &r->reduction->layout : &r->engine->layout;
    if (!s || !s->x || !s->x_fixed) return DAE_OK;
    for (size_t k = 0; k < l->states; k++) {
        int order;
        if (!s->x_fixed[k] || isnan(known[k])) continue;
        const size_t j = naming_unknown(l, k, &order);
        const double nominal = scales && scales->nominal ? scales->nominal[j]
                                                         : 0;
        const double size = fmax(fabs(known[k]), fabs(s->x[k]));
        const double most = closed_share * size
            + closed_zero * (nominal > 0 ? nominal : 1);
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
        return exact_refuse(
            r, t, "the exact solution is not known", other_starts);
    return st || t != r->t0 ? st : compare_given(r, x);
}

/* What has no slope follows from the rest, unless the index is higher. */
static dae_status complete(run *r, double t)
{
    const dae_start_report told = r->start_report;
    const dae_status st = begin_sharpen(r, t);
    r->start_report = told;
    newton_reset(&r->engine->newton);
    return st;
}

static dae_status as_it_stands(
    run *r, double t, double *known, double *x, double *xp)
{
    const layout *l = &r->engine->layout;
    const dae_status st = ask(r, t, known, xp);
    bool is_complete = true;
    for (size_t j = 0; !st && j < l->unknowns; j++)
        for (size_t s = l->first[j]; s < l->first[j + 1]; s++) {
            const bool is_known = !isnan(known[s]);
            const bool is_needed = l->order[j] > 0 || r->standing;
            if (!is_known && is_needed) return refuse_state(r, t, s);
            if (is_known) x[s] = known[s];
            is_complete = is_complete && is_known;
        }
    return st || is_complete ? st : complete(r, t);
}

/* The caller's values where they are the engine's; NaN in its other states. */
static void take(const run *r, const double *known, double *x)
{
    const reduction *d = r->reduction;
    const layout *l = &r->engine->layout, *own = &d->layout;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; l->order[j] && s < l->first[j + 1]; s++)
            x[s] = (double)NAN;
    for (size_t j = 0; j < own->unknowns; j++)
        for (size_t s = own->first[j]; s < own->first[j + 1]; s++) {
            const size_t order = s - own->first[j];
            const size_t column = d->extended->column_first[j] + order;
            const int32_t slot = d->now->slot_of[column];
            const bool is_here = slot >= 0 && (size_t)slot < l->states;
            if (is_here && !isnan(known[s])) x[slot] = known[s];
        }
}

static dae_status reduced_at(run *r, double t, double *known, double *x)
{
    const layout *l = &r->engine->layout;
    dae_status st = ask(r, t, known, known + r->reduction->layout.states);
    if (st) return st;
    take(r, known, x);
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; l->order[j] && s < l->first[j + 1]; s++)
            if (isnan(x[s])) return refuse_state(r, t, s);
    return complete(r, t);
}

dae_status exact_at(run *r, double t, double *x, double *xp)
{
    const layout *l = r->reduction ? &r->reduction->layout : &r->engine->layout;
    const size_t count = l->states + l->unknowns;
    double *known = alloc_zeroed(r->allocator, count, sizeof *known);
    if (!known) return DAE_MEMORY;
    const dae_status st = r->reduction ? reduced_at(r, t, known, x)
                                       : as_it_stands(r, t, known, x, xp);
    alloc_free(r->allocator, known, count, sizeof *known);
    return st;
}

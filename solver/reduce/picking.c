/* By structure (reduce/pick.h) or by numbers (reduce/select.h), whichever the
 * reduction goes by. */
#include "reduce/picking.h"
#include "base/report.h"
#include "linalg/naming.h"
#include "reduce/preference.h"
#include "reduce/whole.h"
#include <math.h>
#include <string.h>

/* A pick whose leverage grows beyond this is looked at again; where no other is
 * better, only when it has grown by as much once more. */
static const double LEVERAGE_MOST = 2, LEVERAGE_GROWTH = 1.5;

/* Unknowns that the user wants for states; NULL: none. */
static const uint8_t *taste_of(const reduction *r)
{
    const dae_scales *s = r->problem->scales;
    return s ? s->prefer_state : NULL;
}

static dae_status choose(const reduction *r, const double *values, pick *out)
{
    const pick_request by_structure = {.stages = &r->stages,
        .structure = &r->structure,
        .e = r->extended,
        .values = values,
        .size = r->size,
        .is_preferred = taste_of(r),
        .allocator = r->allocator};
    const select_request by_numbers = {.e = r->extended,
        .values = values,
        .size = r->size,
        .highest = r->highest,
        .needed = r->needed,
        .may_be_loose = r->may_be_loose,
        .freedom = r->freedom,
        .is_preferred = taste_of(r),
        .allocator = r->allocator};
    return r->is_by_numbers ? select_choose(&by_numbers, out)
                            : pick_choose(&by_structure, out);
}

dae_status picking_measure(reduction *r, const double *values, double *leverage)
{
    const pick_request by_structure = {.stages = &r->stages,
        .structure = &r->structure,
        .e = r->extended,
        .values = values,
        .size = r->size,
        .gauge = &r->gauge,
        .allocator = r->allocator,
        .scratch = &r->memory};
    const select_request by_numbers = {.e = r->extended,
        .values = values,
        .size = r->size,
        .highest = r->highest,
        .gauge = &r->gauge,
        .allocator = r->allocator};
    gauge_begin(&r->gauge, r->limit);
    return r->is_by_numbers ? select_measure(&by_numbers, &r->pick, leverage)
                            : pick_measure(&by_structure, &r->pick, leverage);
}

/* The Jacobian of the extended problem at the newest point. */
static dae_status evaluate(reduction *r, double t)
{
    const dae_problem *e = &r->extended->problem;
    return e->jacobian(e->self, DAE_ALL, t, r->past[0], NULL, r->values);
}

static dae_status tell_lost(
    const reduction *r, const pick *p, double t, dae_diagnostics *ds)
{
    char name[NAMING_SIZE];
    const dae_source *source = NULL;
    text_span span = {0, 0};
    const size_t i = (size_t)p->lost;
    naming_place(r->problem, DAE_NAME_EQUATION, i, &source, &span);
    naming_text(r->problem, DAE_NAME_EQUATION, i, name, sizeof name);
    report(ds, DIAG_E0502, source, span,
        "at t = %.10g the constraint `%s` has nothing left to determine: of "
        "%d constraints only %d are independent there",
        t, name, (int)p->lost_rows, (int)p->lost_rank);
    return DAE_NUMERIC;
}

static dae_status make_reduced(const reduction *r, const pick *p, reduced **out)
{
    const stabilize_request q = {&r->stages, r->size, r->values, r->rtol};
    return reduced_create_stabilized(r->problem, r->extended, p, r->follows,
        r->atol, r->mode == DAE_REDUCE_STABILIZE ? &q : NULL, r->allocator,
        out);
}

/* All derivatives are states. */
static dae_status take_whole(reduction *r)
{
    const dae_status st = whole_choose(r->problem, r->extended, &r->structure,
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

dae_status picking_first(reduction *r, double t0, dae_diagnostics *ds)
{
    dae_status st = evaluate(r, t0);
    if (st) return st == DAE_RETRY ? DAE_UNSUPPORTED : st;
    if (r->mode != DAE_REDUCE_AUTO) return take_whole(r);
    st = choose(r, r->values, &r->pick);
    if (st == DAE_NUMERIC) return tell_lost(r, &r->pick, t0, ds);
    if (st) return st == DAE_LIMIT ? DAE_UNSUPPORTED : st;
    r->freedom = count_states(r);
    r->limit = fmax(LEVERAGE_MOST, LEVERAGE_GROWTH * r->pick.leverage);
    st = make_reduced(r, &r->pick, &r->now);
    if (!st) preference_tell(r->problem, r->now, t0, true, r->told, ds);
    return st;
}

dae_status picking_evaluate(reduction *r, stepper *s)
{
    s->stats->jacobian_evals++;
    return evaluate(r, s->history.t);
}

/* Ranks are not clear here, or what they say has no problem of its own: */
static bool is_no_pick(dae_status st)
{
    return st == DAE_UNSUPPORTED || st == DAE_LIMIT;
}

/* the pick at hand goes on, until it has become worse once more. */
static dae_status stay(reduction *r)
{
    r->limit *= LEVERAGE_GROWTH;
    return DAE_OK;
}

/* What is frozen leaves the highest derivatives without bound on the way to where
 * others have to be: then the ranks are those of lower ones. */
static dae_status choose_below(reduction *r, stepper *s)
{
    const extended *x = r->extended;
    memcpy(r->columns, r->past[0], x->columns * sizeof *r->columns);
    for (size_t c = 0; c < x->columns; c++) {
        const size_t j = (size_t)x->column_unknown[c];
        if (c > x->column_first[j] + (size_t)r->highest[j]) r->columns[c] = 0;
    }
    s->stats->jacobian_evals++;
    const dae_status st = x->problem.jacobian(
        x->problem.self, DAE_ALL, s->history.t, r->columns, NULL, r->values);
    return st ? st : choose(r, r->values, &r->other);
}

/* That the constraints have lost rank is believed at the newest point alone. */
static dae_status choose_other(
    reduction *r, stepper *s, const double *values, dae_diagnostics *ds)
{
    dae_status st = choose(r, values, &r->other);
    if (st == DAE_NUMERIC && values != r->values) {
        if ((st = picking_evaluate(r, s))) return st;
        st = choose(r, r->values, &r->other);
    }
    if (st == DAE_NUMERIC) return tell_lost(r, &r->other, s->history.t, ds);
    return st;
}

dae_status picking_other(reduction *r, stepper *s, const double *values,
    dae_diagnostics *ds, reduced **next)
{
    pick *other = &r->other;
    const double t = s->history.t;
    dae_status st = choose_other(r, s, values, ds);
    const bool is_doubtful = is_no_pick(st)
        || (!st && other->scaling > r->pick.scaling);
    if (is_doubtful && r->is_by_numbers) st = choose_below(r, s);
    if (is_no_pick(st)) return stay(r);
    if (st) return st;
    r->limit_next = fmax(LEVERAGE_MOST, LEVERAGE_GROWTH * other->leverage);
    if (!pick_is_same(other, &r->pick, r->extended)) {
        st = make_reduced(r, other, next);
        if (is_no_pick(st)) return stay(r);
        if (!st) preference_tell(r->problem, *next, t, false, r->told, ds);
        return st;
    }
    r->limit = r->limit_next;
    return DAE_OK;
}

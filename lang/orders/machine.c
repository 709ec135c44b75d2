/* The first points of a multistep formula are the model's closed form where it has
 * one of all states and they are what is stepped, else from an integration at
 * tight tolerances: what that leaves is taken for rounding. */
#include "orders/machine.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Errors are told from rounding by so many units, with what the first points
 * leave, and where there are none; of what is differentiated by fewer, of which each
 * is divided by the step. */
static const double ROUNDINGS = 2000, ALONE = 100, DIFFERENTIATED = 10,
                    GROWTH = 8;
/* ---- which formulas ---- */

static void choose(dae_orders *o, const dae_orders_formula *f, double step,
    dae_options *options)
{
    options->method = f->method;
    options->max_order = f->order;
    options->step = step;
    options->start = DAE_START_FINE;
    if (f->is_unreduced) options->reduce = DAE_REDUCE_NEVER;
    else if (options->reduce == DAE_REDUCE_NEVER)
        options->reduce = DAE_REDUCE_AUTO;
    const bool is_plain = f->is_unreduced || o->index <= 1;
    if (!is_plain || o->reference.of.kind != DAE_REFERENCE_EXPECT) return;
    options->start = DAE_START_EXACT;
    options->exact = dae_closed_form_at;
    options->exact_context = o->reference.closed;
}

static dae_status begin(dae_orders *o, const dae_orders_formula *f, double step,
    dae_diagnostics *ds, dae_run **r)
{
    const dae_status st = orders_run(o, 1, ds, r);
    if (st) return st;
    choose(o, f, step, dae_run_options(*r));
    return dae_run_start(*r);
}

/* Whether method and model fit. */
static dae_status try_formula(
    dae_orders *o, const dae_orders_formula *f, dae_diagnostics *ds)
{
    dae_run *r = NULL;
    const dae_status st = begin(o, f, o->plan.steps[0], ds, &r);
    dae_run_free(r);
    return st;
}

static dae_status try_quietly(dae_orders *o, const dae_orders_formula *f)
{
    dae_diagnostics *quiet;
    dae_status st = dae_diagnostics_create(o->allocator, &quiet);
    if (st) return st;
    st = try_formula(o, f, quiet);
    dae_diagnostics_free(quiet);
    return st;
}

/* Of a method all orders asked for, or the only one. A name that nobody knows is
 * a formula that does not fit. */
static size_t list_method(const orders_plan *p, const char *method,
    bool is_unreduced, dae_orders_formula *into)
{
    int orders[PLAN_ORDERS];
    const dae_integrator m = orders_plan_method(method);
    const bool is_family = m.name && m.max_order > 0;
    const size_t count = is_family ? orders_plan_of(p, &m, true, orders) : 1;
    for (size_t i = 0; i < count; i++) {
        dae_orders_formula *f = &into[i];
        *f = (dae_orders_formula){.method = method,
            .order = is_family ? orders[i] : m.max_order_fixed,
            .is_unreduced = is_unreduced};
        /* orders of multistep formulas are points of the past */
        f->past = is_family && !m.orders ? f->order : 1;
        /* the differences that are moved at a change of the step want a point
         * more */
        if (strcmp(method, "ndf") == 0) f->past++;
        if (is_family)
            (void)snprintf(f->name, sizeof f->name, "%s%d", method, f->order);
        else (void)snprintf(f->name, sizeof f->name, "%s", method);
    }
    return count;
}

/* Those that fit, behind the others. *st: what stops the study. */
static size_t keep_fitting(
    dae_orders *o, dae_orders_formula *list, size_t count, dae_status *st)
{
    size_t kept = 0;
    for (size_t i = 0; i < count && !*st; i++) {
        const dae_status fits = try_quietly(o, &list[i]);
        if (orders_cannot_be(fits)) continue;
        if (!orders_goes_on(fits)) *st = fits;
        list[kept++] = list[i];
    }
    return kept;
}

/* A method of which nothing is left has to say why. */
static dae_status demand(
    dae_orders *o, const dae_orders_formula *formulas, size_t count)
{
    for (size_t m = 0; m < o->plan.method_count; m++) {
        const char *method = o->plan.methods[m];
        bool is_there = false;
        for (size_t i = 0; i < count; i++)
            is_there = is_there || formulas[i].method == method;
        if (is_there) continue;
        /* the lowest order, which a method has if it has any */
        dae_orders_formula first = {
            .method = method, .order = o->plan.orders[0]};
        const dae_status st = try_formula(
            o, &first, dae_run_diagnostics(o->run));
        return st && !orders_cannot_be(st) ? st : DAE_ARGUMENT;
    }
    return DAE_OK;
}

dae_status orders_machine_formulas(
    dae_orders *o, dae_orders_formula *formulas, size_t *count)
{
    const orders_plan *p = &o->plan;
    const int ways = orders_has_unreduced(o) ? 2 : 1;
    dae_status st = DAE_OK;
    *count = 0;
    for (int way = 0; way < ways; way++)
        for (size_t m = 0; m < p->method_count && !st; m++) {
            dae_orders_formula *into = formulas + *count;
            const size_t found = list_method(p, p->methods[m], way > 0, into);
            *count += keep_fitting(o, into, found, &st);
        }
    return st ? st : demand(o, formulas, *count);
}

/* ---- one run ---- */

/* Rounding grows by so much, and by 1/h, of what a formula differentiates; of s stages by
 * 2s + 2: a little more than the eigenvalues of A^-1. */
static double growth_of(const dae_orders_formula *f)
{
    return orders_plan_method(f->method).orders ? f->order + 3 : GROWTH;
}

/* Rounding of an unknown of its index, by its size. */
static double rounding_of(const dae_orders_row *row, int64_t index)
{
    const dae_orders_formula *f = row->formula;
    const double units = f->past > 1 ? ROUNDINGS : ALONE;
    if (!f->is_unreduced || index <= 1) return units * DBL_EPSILON;
    const double grown = DIFFERENTIATED
        * pow(growth_of(f) / row->step, (double)index - 1);
    return fmax(grown, units) * DBL_EPSILON;
}

static void note_floors(const dae_orders *o, fixed_row *row, const track *k)
{
    for (size_t i = 0; i < o->unknown_count; i++) {
        const dae_orders_unknown *of = &o->unknowns[i];
        row->floors[i] = rounding_of(&row->of, of->index) * k->scale[of->state];
    }
}

static void note_errors(const dae_orders *o, fixed_row *row, const track *k,
    size_t index, const double *x)
{
    const dae_orders_formula *f = row->of.formula;
    const size_t past = (size_t)f->past;
    if (index < past) return;
    for (size_t i = 0; i < o->unknown_count; i++) {
        const dae_orders_unknown *of = &o->unknowns[i];
        const int64_t depth = f->is_unreduced && of->index > 2 ? of->index - 1
                                                               : 1;
        const dae_long value = track_at(k, index)[of->state];
        const double error = (double)((dae_long)x[of->state] - value);
        fixed_study_note(row, i, index, depth, error);
        if (index == past) row->errors[DAE_ORDERS_ONE_STEP][i] = error;
        if (index + 1 == k->count) row->errors[DAE_ORDERS_END][i] = error;
        if (!k->other) continue;
        const double doubt = (double)dae_long_abs(
            value - track_other_at(k, index)[of->state]);
        fixed_study_doubt(row, i, index, depth, k->count - 1, doubt);
        if (index == past) row->doubts[DAE_ORDERS_ONE_STEP][i] = doubt;
    }
}

/* To the last point, by as many steps as the grid has. */
static dae_status walk(
    const dae_orders *o, fixed_row *row, const track *k, dae_run *r, double *x)
{
    dae_solver *solver = dae_run_solver(r);
    dae_status st = x ? DAE_OK : DAE_MEMORY;
    for (size_t p = 1; !st && p < k->count; p++) {
        st = dae_solver_step(solver);
        if (!st)
            st = dae_solver_interpolate(
                solver, dae_solver_time(solver), x, NULL);
        if (!st) note_errors(o, row, k, p, x);
    }
    return st;
}

static dae_status run_row(
    dae_orders *o, fixed_row *row, const track *k, dae_diagnostics *ds)
{
    dae_run *r = NULL;
    const arena_position mark = arena_mark(&o->scratch);
    double *x = ARENA_ARRAY(&o->scratch, double, k->state_count);
    dae_status st = begin(o, row->of.formula, row->of.step, ds, &r);
    if (!st) st = walk(o, row, k, r, x);
    if (dae_run_solver(r)) {
        const dae_stats *s = dae_solver_stats(dae_run_solver(r));
        row->of.counts = (dae_study_counts){.steps = s->steps,
            .residual_evals = s->residual_evals,
            .jacobian_evals = s->jacobian_evals,
            .factorizations = s->factorizations,
            .newton_iterations = s->newton_iterations};
    }
    dae_run_free(r);
    arena_release(&o->scratch, mark);
    return st;
}

dae_status orders_machine_row(
    dae_orders *o, fixed_row *row, const track *k, dae_diagnostics *tell)
{
    dae_diagnostics *quiet;
    const size_t past = (size_t)row->of.formula->past;
    row->of.is_short = k->count <= past;
    if (row->of.is_short) return DAE_OK;
    row->of.steps = (int64_t)(k->count - past);
    note_floors(o, row, k);
    dae_status st = dae_diagnostics_create(o->allocator, &quiet);
    if (st) return st;
    st = run_row(o, row, k, tell ? tell : quiet);
    if (st) {
        failure_take(&row->of.failure, quiet);
        fixed_study_forget(row);
        for (size_t i = 0; i < o->unknown_count; i++)
            row->errors[DAE_ORDERS_ONE_STEP][i] = (double)NAN;
    }
    dae_diagnostics_free(quiet);
    row->of.status = st;
    return orders_goes_on(st) || orders_cannot_be(st) ? DAE_OK : st;
}

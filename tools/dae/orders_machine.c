/* The first points of a multistep formula are the model's closed form where it has
 * one of all states and they are what is stepped, else from an integration at
 * tight tolerances: what that leaves is taken for rounding. */
#include "orders_machine.h"
#include "memory.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Errors are told from rounding by so many units, with what the first points
 * leave, and where there are none; of what is differentiated by fewer, of which each
 * is divided by the step. */
static const double ROUNDINGS = 2000, ALONE = 100, DIFFERENTIATED = 10,
                    GROWTH = 8;
/* Columns of a table: methods are kept together. */
enum { COLUMNS = 6 };

/* ---- which formulas ---- */

static void choose(
    orders_view *v, const fixed_formula *f, double step, dae_options *o)
{
    o->method = f->method;
    o->max_order = f->order;
    o->step = step;
    o->start = DAE_START_FINE;
    if (f->is_unreduced) o->reduce = DAE_REDUCE_NEVER;
    else if (o->reduce == DAE_REDUCE_NEVER) o->reduce = DAE_REDUCE_AUTO;
    const bool is_plain = f->is_unreduced || v->index <= 1;
    if (!is_plain || v->reference.kind != REFERENCE_EXPECT) return;
    o->start = DAE_START_EXACT;
    o->exact = dae_closed_form_at;
    o->exact_context = v->reference.closed;
}

static dae_status begin(orders_view *v, const fixed_formula *f, double step,
    messages *m, dae_run **r)
{
    session *s = v->session;
    const dae_status st = run_make(r, v->args, &s->limits, m, s->model, 1);
    if (st) return st;
    choose(v, f, step, dae_run_options(*r));
    return dae_run_start(*r);
}

/* Whether method and model fit. */
static dae_status try_formula(
    orders_view *v, const fixed_formula *f, messages *m)
{
    dae_run *r = NULL;
    const dae_status st = begin(v, f, v->plan.steps[0], m, &r);
    dae_run_free(r);
    return st;
}

static dae_status try_quietly(orders_view *v, const fixed_formula *f)
{
    messages quiet;
    if (!messages_init(&quiet, &v->session->limits.allocator))
        return DAE_MEMORY;
    const dae_status st = try_formula(v, f, &quiet);
    messages_clear(&quiet);
    return st;
}

/* Of a method all orders asked for, or the only one. A name that nobody knows is
 * a formula that does not fit. */
static size_t list_method(const orders_plan *p, const char *method,
    bool is_unreduced, fixed_formula *into)
{
    int orders[PLAN_ORDERS];
    const dae_integrator m = orders_plan_method(method);
    const bool is_family = m.name && m.max_order > 0;
    const size_t count = is_family ? orders_plan_of(p, &m, true, orders) : 1;
    for (size_t i = 0; i < count; i++) {
        fixed_formula *f = &into[i];
        *f = (fixed_formula){.method = method,
            .order = is_family ? orders[i] : m.max_order_fixed,
            .is_unreduced = is_unreduced};
        /* orders of multistep formulas are points of the past */
        f->past = is_family && !m.orders ? f->order : 1;
        /* of s stages by 2s + 2: a little more than the eigenvalues of A^-1 */
        f->growth = m.orders ? f->order + 3 : GROWTH;
        /* the differences that are moved at a change of the step want a point
         * more */
        if (strcmp(method, "ndf") == 0) f->past++;
        if (is_family)
            (void)snprintf(f->name, sizeof f->name, "%s%d", method, f->order);
        else (void)snprintf(f->name, sizeof f->name, "%s", method);
    }
    return count;
}

/* Those that fit, behind the others. *st: what stops the command. */
static size_t keep_fitting(
    orders_view *v, fixed_formula *list, size_t count, dae_status *st)
{
    size_t kept = 0;
    for (size_t i = 0; i < count && !*st; i++) {
        const dae_status fits = try_quietly(v, &list[i]);
        if (orders_cannot_be(fits)) continue;
        if (!orders_goes_on(fits)) *st = fits;
        list[kept++] = list[i];
    }
    return kept;
}

/* A table for methods of one way, as far as there is room. */
static void share_tables(fixed_formula *formulas, size_t count)
{
    size_t columns = 0, length;
    int table = 0;
    for (size_t i = 0; i < count; i += length) {
        const fixed_formula *f = &formulas[i];
        for (length = 1; i + length < count; length++)
            if (f[length].method != f->method
                || f[length].is_unreduced != f->is_unreduced)
                break;
        const bool is_other_way = i > 0
            && f->is_unreduced != formulas[i - 1].is_unreduced;
        if (columns && (columns + length > COLUMNS || is_other_way))
            table++, columns = 0;
        columns += length;
        for (size_t k = 0; k < length; k++) formulas[i + k].table = table;
    }
}

/* A method of which nothing is left has to say why. */
static dae_status demand(
    orders_view *v, const fixed_formula *formulas, size_t count)
{
    for (size_t m = 0; m < v->plan.method_count; m++) {
        const char *method = v->plan.methods[m];
        bool is_there = false;
        for (size_t i = 0; i < count; i++)
            is_there = is_there || formulas[i].method == method;
        if (is_there) continue;
        /* the lowest order, which a method has if it has any */
        fixed_formula first = {.method = method, .order = v->plan.orders[0]};
        const dae_status st = try_formula(v, &first, &v->session->messages);
        return st && !orders_cannot_be(st) ? st : DAE_ARGUMENT;
    }
    return DAE_OK;
}

dae_status orders_machine_formulas(
    orders_view *v, fixed_formula **formulas, size_t *count)
{
    const orders_plan *p = &v->plan;
    const int ways = orders_has_unreduced(v) ? 2 : 1;
    dae_status st = DAE_OK;
    *count = 0;
    *formulas = memory_take(
        2 * PLAN_METHODS * PLAN_ORDERS + 1, sizeof **formulas);
    if (!*formulas) return DAE_MEMORY;
    for (int way = 0; way < ways; way++)
        for (size_t m = 0; m < p->method_count && !st; m++) {
            fixed_formula *into = *formulas + *count;
            const size_t found = list_method(p, p->methods[m], way > 0, into);
            *count += keep_fitting(v, into, found, &st);
        }
    share_tables(*formulas, *count);
    return st ? st : demand(v, *formulas, *count);
}

/* ---- one run ---- */

/* Rounding of a variable of its index, by its size. */
static double rounding_of(const fixed_row *row, int64_t index)
{
    const double units = row->formula->past > 1 ? ROUNDINGS : ALONE;
    if (!row->formula->is_unreduced || index <= 1) return units * DBL_EPSILON;
    const double grown = DIFFERENTIATED
        * pow(row->formula->growth / row->step, (double)index - 1);
    return fmax(grown, units) * DBL_EPSILON;
}

static void note_floors(const orders_view *v, fixed_row *row, const track *k)
{
    for (size_t i = 0; i < v->variable_count; i++) {
        const orders_variable *of = &v->variables[i];
        row->floors[i] = rounding_of(row, of->role.index) * k->scale[of->at];
    }
}

static void note_errors(const orders_view *v, const fixed_study *f,
    fixed_row *row, const track *k, size_t index, const double *x)
{
    const size_t past = (size_t)row->formula->past;
    if (index < past) return;
    for (size_t i = 0; i < v->variable_count; i++) {
        const orders_variable *of = &v->variables[i];
        const int64_t depth = row->formula->is_unreduced && of->role.index > 2
            ? of->role.index - 1
            : 1;
        const dae_long value = track_at(k, index)[of->at];
        const double error = (double)((dae_long)x[of->at] - value);
        fixed_study_note(f, row, i, index, depth, error);
        if (index == past) row->errors[ERROR_FIRST][i] = error;
        if (index + 1 == k->count) row->errors[ERROR_END][i] = error;
        if (!k->other) continue;
        const double doubt = (double)dae_long_abs(
            value - track_other_at(k, index)[of->at]);
        fixed_study_doubt(row, i, index, depth, k->count - 1, doubt);
        if (index == past) row->doubts[ERROR_FIRST][i] = doubt;
    }
}

/* To the last point, by as many steps as the grid has. */
static dae_status walk(const orders_view *v, const fixed_study *f,
    fixed_row *row, const track *k, dae_run *r)
{
    double *x = memory_take(
        dae_problem_state_count(dae_run_problem(r)) + 1, sizeof *x);
    dae_status st = x ? DAE_OK : DAE_MEMORY;
    for (size_t p = 1; !st && p < k->count; p++) {
        st = dae_solver_step(dae_run_solver(r));
        if (!st)
            st = dae_solver_interpolate(
                dae_run_solver(r), dae_solver_time(dae_run_solver(r)), x, NULL);
        if (!st) note_errors(v, f, row, k, p, x);
    }
    memory_drop(x);
    return st;
}

static dae_status run_row(orders_view *v, const fixed_study *f, fixed_row *row,
    const track *k, messages *m)
{
    dae_run *r = NULL;
    dae_status st = begin(v, row->formula, row->step, m, &r);
    if (!st) st = walk(v, f, row, k, r);
    if (dae_run_solver(r)) {
        const dae_stats *s = dae_solver_stats(dae_run_solver(r));
        row->counts = (dae_study_counts){.steps = s->steps,
            .residual_evals = s->residual_evals,
            .jacobian_evals = s->jacobian_evals,
            .factorizations = s->factorizations,
            .newton_iterations = s->newton_iterations};
    }
    dae_run_free(r);
    return st;
}

dae_status orders_machine_row(orders_view *v, const fixed_study *f,
    fixed_row *row, const track *k, messages *tell)
{
    messages quiet;
    row->is_short = k->count <= (size_t)row->formula->past;
    if (row->is_short) return DAE_OK;
    row->steps = (int64_t)(k->count - (size_t)row->formula->past);
    note_floors(v, row, k);
    if (!messages_init(&quiet, &v->session->limits.allocator))
        return DAE_MEMORY;
    const dae_status st = run_row(v, f, row, k, tell ? tell : &quiet);
    if (st) {
        orders_failure_take(&row->failure, &quiet);
        fixed_study_forget(f, row);
        for (size_t i = 0; i < v->variable_count; i++)
            row->errors[ERROR_FIRST][i] = (double)NAN;
    }
    messages_clear(&quiet);
    row->status = st;
    return orders_goes_on(st) || orders_cannot_be(st) ? DAE_OK : st;
}

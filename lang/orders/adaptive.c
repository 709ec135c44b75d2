/* The error of a run is looked for at many times, wherever something happens, so
 * that no zero of it at the end is taken for accuracy. */
#include "orders/adaptive.h"

#include "orders/reference.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Steps of a run at most: backward Euler at a tight tolerance takes millions,
 * which nobody asks for. */
enum { MOST_STEPS = 100000 };
/* Of what an unknown is at most, so much is no size of its own. */
static const double SMALL = 1e-12;
/* Errors are told from those of the reference by so many times what is known of
 * these. */
static const double UNCERTAINTIES = 10;

/* ---- one run ---- */

static double now(const dae_orders *o)
{
    return o->clock ? o->clock(o->clock_context) : 0;
}

static double error_at(
    const dae_orders *o, const track *k, size_t index, const double *x)
{
    double worst = 0;
    for (size_t i = 0; i < o->unknown_count; i++) {
        const size_t at = o->unknowns[i].state;
        const double scale = fmax(k->scale[at], SMALL);
        const double e = (double)dae_long_abs(
                             (dae_long)x[at] - track_at(k, index)[at])
            / scale;
        if (!(e <= worst)) worst = e;
    }
    return worst;
}

static double uncertainty_of(const dae_orders *o, const track *k)
{
    double worst = 0;
    for (size_t i = 0; i < o->unknown_count; i++) {
        const size_t at = o->unknowns[i].state;
        worst = fmax(worst, k->uncertain[at] / fmax(k->scale[at], SMALL));
    }
    return worst;
}

/* Errors at the times up to where the solver stands. */
static dae_status look(const dae_orders *o, const track *k, dae_solver *solver,
    size_t *next, double *x, double *error)
{
    const double way = orders_way(o);
    dae_status st = DAE_OK;
    for (; !st && *next < k->count; (*next)++) {
        const double t = (double)k->times[*next];
        if (way * (t - dae_solver_time(solver)) > 0) break;
        /* behind what happens at the end, as the reference */
        st = *next + 1 == k->count ? dae_solver_advance(solver, t, x, NULL)
                                   : dae_solver_interpolate(solver, t, x, NULL);
        if (!st) *error = fmax(*error, error_at(o, k, *next, x));
    }
    return st;
}

/* The time is that of the steps: looking at errors is no work of the method. */
static dae_status walk(const dae_orders *o, const track *k, dae_run *r,
    dae_orders_run *row, double *x)
{
    dae_solver *solver = dae_run_solver(r);
    dae_status st = x ? DAE_OK : DAE_MEMORY;
    size_t next = 1;
    while (!st && next < k->count) {
        const double before = now(o);
        st = dae_solver_step(solver);
        row->seconds += now(o) - before;
        if (!st) st = look(o, k, solver, &next, x, &row->error);
        const int64_t taken = dae_solver_stats(solver)->steps;
        if (!st && taken > dae_run_options(r)->max_steps && next < k->count)
            st = DAE_LIMIT;
    }
    return st;
}

static dae_status set_options(
    const dae_orders *o, const dae_orders_run *row, dae_options *options)
{
    dae_setting max_steps;
    const dae_status st = dae_run_setting(o->run, "max-steps", &max_steps);
    options->method = row->method;
    options->max_order = row->max_order;
    if (max_steps.origin != DAE_FROM_CALLER) options->max_steps = MOST_STEPS;
    if (row->is_unreduced) options->reduce = DAE_REDUCE_NEVER;
    else if (options->reduce == DAE_REDUCE_NEVER)
        options->reduce = DAE_REDUCE_AUTO;
    return st;
}

static dae_status run_row(
    dae_orders *o, const track *k, dae_orders_run *row, dae_diagnostics *ds)
{
    dae_run *r = NULL;
    const arena_position mark = arena_mark(&o->scratch);
    double *x = ARENA_ARRAY(&o->scratch, double, k->state_count);
    dae_status st = orders_run(o, row->rtol / dae_run_rtol(o->run), ds, &r);
    if (!st) st = set_options(o, row, dae_run_options(r));
    const double before = now(o);
    if (!st) st = dae_run_start(r);
    row->seconds = now(o) - before;
    row->error = 0;
    if (!st) st = walk(o, k, r, row, x);
    if (dae_run_solver(r)) row->stats = *dae_solver_stats(dae_run_solver(r));
    if (st) row->error = (double)NAN;
    row->uncertainty = uncertainty_of(o, k);
    row->is_doubted = row->error < UNCERTAINTIES * row->uncertainty;
    row->status = st;
    dae_run_free(r);
    arena_release(&o->scratch, mark);
    return st;
}

/* A run that fails, or cannot be, is a row of its own and stops nothing. */
static dae_status study_row(dae_orders *o, const track *k, dae_orders_run *row)
{
    dae_diagnostics *quiet;
    dae_status st = orders_tell_progress(
        o, row->method, (double)NAN, row->rtol);
    if (!st) st = dae_diagnostics_create(o->allocator, &quiet);
    if (st) return st;
    st = run_row(o, k, row, quiet);
    if (st) failure_take(&row->failure, quiet);
    if (st == DAE_LIMIT && !row->failure.code[0])
        row->failure = (dae_orders_failure){"E0504", "too many steps"};
    dae_diagnostics_free(quiet);
    return orders_goes_on(st) || orders_cannot_be(st) ? DAE_OK : st;
}

/* Orders that a method does not have, ways that a model does not take: left out. */
static void drop_impossible(dae_orders *o)
{
    size_t kept = 0;
    for (size_t i = 0; i < o->run_count; i++)
        if (!orders_cannot_be(o->runs[i].status)) o->runs[kept++] = o->runs[i];
    o->run_count = kept;
}

/* A method of which nothing is left has to say why. */
static dae_status demand(dae_orders *o, const track *k)
{
    size_t kept = 0;
    for (size_t i = 0; i < o->run_count; i++) {
        const dae_orders_run *row = &o->runs[i];
        kept += !orders_cannot_be(row->status);
        if (i + 1 < o->run_count && row[1].method == row->method) continue;
        if (kept == 0) {
            dae_orders_run again = *row;
            again.is_unreduced = false;
            const dae_status st = run_row(
                o, k, &again, dae_run_diagnostics(o->run));
            return st && !orders_cannot_be(st) ? st : DAE_ARGUMENT;
        }
        kept = 0;
    }
    return DAE_OK;
}

/* ---- all of them ---- */

/* Those at fixed steps alone. */
static bool is_left_out(const char *method)
{
    const dae_integrator m = orders_plan_method(method);
    return m.name && m.max_order == 0;
}

/* Nothing may be left here where something is studied at fixed steps. */
static dae_status check_left(const dae_orders *o)
{
    const orders_plan *p = &o->plan;
    if (o->run_count || p->has_steps || !is_left_out(p->methods[0]))
        return DAE_OK;
    return ORDERS_REFUSE(o,
        "`%s` cannot choose its step, and nothing else is left to study at "
        "tolerances (%sstudy steps does)",
        p->methods[0], o->request.prefix);
}

/* A name that nobody knows, and an order that is not in a list, are requested all
 * the same: the solver says what is wrong with them. */
static void add_rows(dae_orders *o, const char *method, bool is_unreduced)
{
    int orders[PLAN_ORDERS];
    const orders_plan *p = &o->plan;
    const dae_integrator m = orders_plan_method(method);
    size_t count = orders_plan_of(p, &m, false, orders);
    if (count == 0 && (!m.name || m.orders)) orders[count++] = p->orders[0];
    for (size_t k = 0; k < count; k++)
        for (size_t t = 0; t < p->tolerance_count; t++)
            o->runs[o->run_count++] = (dae_orders_run){.method = method,
                .is_unreduced = is_unreduced,
                .is_held = m.orders != NULL,
                .max_order = orders[k],
                .rtol = p->tolerances[t]};
}

static dae_status make_rows(dae_orders *o)
{
    const orders_plan *p = &o->plan;
    const size_t ways = orders_has_unreduced(o) ? 2 : 1;
    o->runs = ARENA_ARRAY(&o->results, dae_orders_run,
        p->method_count * ways * PLAN_ORDERS * p->tolerance_count);
    if (!o->runs) return DAE_MEMORY;
    for (size_t m = 0; m < p->method_count; m++)
        for (size_t w = 0; w < ways && !is_left_out(p->methods[m]); w++)
            add_rows(o, p->methods[m], w > 0);
    return check_left(o);
}

static dae_status make_track(dae_orders *o, orders_times *times, track *k)
{
    const dae_status st = orders_times_init(times, o);
    return st ? st : track_init_runs(k, o, times);
}

dae_status orders_adaptive(dae_orders *o)
{
    orders_times times;
    track k = {.times = NULL};
    dae_status st = make_rows(o);
    if (!st && o->run_count) {
        st = make_track(o, &times, &k);
        o->of_runs = k.from;
    }
    for (size_t i = 0; i < o->run_count; i++) {
        if (!st) st = study_row(o, &k, &o->runs[i]);
        if (st) o->run_count = i;
    }
    if (!st) st = demand(o, &k);
    drop_impossible(o);
    return st;
}

static bool has_code(const dae_diagnostics *ds, const char *code)
{
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++)
        if (strcmp(dae_diagnostics_at(ds, i)->code, code) == 0) return true;
    return false;
}

/* Once more, for what is said on the way. */
static dae_status run_again(dae_orders *o, dae_orders_run *row)
{
    dae_diagnostics *ds = dae_run_diagnostics(o->run);
    orders_times times;
    track k;
    dae_status st = make_track(o, &times, &k);
    if (!st) st = run_row(o, &k, row, ds);
    if (st == DAE_LIMIT && !has_code(ds, "E0504"))
        report(o->ds, DIAG_E0504, NULL, (text_span){0, 0},
            "too many steps: %" PRId64 " taken", row->stats.steps);
    return st;
}

dae_status orders_adaptive_tell(dae_orders *o)
{
    size_t i = 0;
    while (i < o->run_count && !o->runs[i].status) i++;
    if (i == o->run_count) return DAE_OK;
    dae_orders_run again = o->runs[i];
    const dae_status st = run_again(o, &again);
    return st ? st : o->runs[i].status;
}

bool adaptive_has_any(const dae_orders *o)
{
    for (size_t i = 0; i < o->run_count; i++)
        if (o->runs[i].status == DAE_OK) return true;
    return false;
}

/* ---- what can be asked ---- */

size_t dae_orders_run_count(const dae_orders *o)
{
    return o ? o->run_count : 0;
}

const dae_orders_run *dae_orders_run_at(const dae_orders *o, size_t i)
{
    return i < dae_orders_run_count(o) ? &o->runs[i] : NULL;
}

size_t dae_orders_series(const dae_orders *o, size_t i)
{
    const dae_orders_run *a = dae_orders_run_at(o, i), *b = a;
    while (b && b->method == a->method && b->is_unreduced == a->is_unreduced
        && b->max_order == a->max_order)
        b = dae_orders_run_at(o, (size_t)(b - o->runs) + 1);
    return !a ? 0 : (b ? (size_t)(b - o->runs) : o->run_count) - i;
}

double dae_orders_cost(const dae_orders *o, size_t i, double error)
{
    const size_t end = i + dae_orders_series(o, i);
    for (; i + 1 < end; i++) {
        const dae_orders_run *a = &o->runs[i], *b = a + 1;
        if (a->status || b->status || a->is_doubted || b->is_doubted
            || !(b->error > 0))
            continue;
        if (a->error < error || b->error > error) continue;
        const double from = log((double)a->stats.residual_evals);
        const double to = log((double)b->stats.residual_evals);
        if (!(a->error > b->error)) return exp(to);
        const double part = log(a->error / error) / log(a->error / b->error);
        return exp(from + part * (to - from));
    }
    return (double)NAN;
}

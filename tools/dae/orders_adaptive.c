/* The error of a run is looked for at many times, wherever something happens, so
 * that no zero of it at the end is taken for accuracy. */
#include "orders_adaptive.h"
#include "console.h"
#include "memory.h"
#include "orders_machine.h"
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

static double error_at(
    const orders_view *v, const track *k, size_t index, const double *x)
{
    double worst = 0;
    for (size_t i = 0; i < v->variable_count; i++) {
        const size_t at = v->variables[i].at;
        const double scale = fmax(k->scale[at], SMALL);
        const double e = (double)dae_long_abs(
                             (dae_long)x[at] - track_at(k, index)[at])
            / scale;
        if (!(e <= worst)) worst = e;
    }
    return worst;
}

static double uncertainty_of(const orders_view *v, const track *k)
{
    double worst = 0;
    for (size_t i = 0; i < v->variable_count; i++) {
        const size_t at = v->variables[i].at;
        worst = fmax(worst, k->uncertain[at] / fmax(k->scale[at], SMALL));
    }
    return worst;
}

/* Errors at the times up to where the solver stands. */
static dae_status look(const orders_view *v, const track *k, const dae_run *r,
    size_t *next, double *x, double *error)
{
    const double way = dae_run_end(r) > dae_run_begin(r) ? 1 : -1;
    const double now = dae_solver_time(dae_run_solver(r));
    dae_status st = DAE_OK;
    for (; !st && *next < k->count; (*next)++) {
        const double t = (double)k->times[*next];
        if (way * (t - now) > 0) break;
        st = dae_solver_interpolate(dae_run_solver(r), t, x, NULL);
        if (!st) *error = fmax(*error, error_at(v, k, *next, x));
    }
    return st;
}

/* The time is that of the steps: looking at errors is no work of the method. */
static dae_status walk(
    const orders_view *v, const track *k, dae_run *r, adaptive_row *row)
{
    double *x = memory_take(
        dae_problem_state_count(dae_run_problem(r)) + 1, sizeof *x);
    dae_status st = x ? DAE_OK : DAE_MEMORY;
    size_t next = 1;
    while (!st && next < k->count) {
        const double before = console_clock();
        st = dae_solver_step(dae_run_solver(r));
        row->seconds += console_clock() - before;
        if (!st) st = look(v, k, r, &next, x, &row->error);
        const int64_t taken = dae_solver_stats(dae_run_solver(r))->steps;
        if (!st && taken > dae_run_options(r)->max_steps && next < k->count)
            st = DAE_LIMIT;
    }
    memory_drop(x);
    return st;
}

static void set_options(
    const orders_view *v, const adaptive_row *row, dae_options *o)
{
    o->method = row->method;
    o->max_order = row->max_order;
    if (!v->args->max_steps) o->max_steps = MOST_STEPS;
    if (row->is_unreduced) o->reduce = DAE_REDUCE_NEVER;
    else if (o->reduce == DAE_REDUCE_NEVER) o->reduce = DAE_REDUCE_AUTO;
}

static dae_status run_row(
    orders_view *v, const track *k, adaptive_row *row, messages *m)
{
    session *s = v->session;
    dae_run *r = NULL;
    dae_status st = run_make(&r, v->args, &s->limits, m, s->model,
        row->rtol / dae_run_options(s->run)->rtol);
    if (!st) set_options(v, row, dae_run_options(r));
    const double before = console_clock();
    if (!st) st = dae_run_start(r);
    row->seconds = console_clock() - before;
    row->error = 0;
    if (!st) st = walk(v, k, r, row);
    if (dae_run_solver(r)) row->stats = *dae_solver_stats(dae_run_solver(r));
    if (st) row->error = (double)NAN;
    row->uncertainty = uncertainty_of(v, k);
    row->is_doubted = row->error < UNCERTAINTIES * row->uncertainty;
    row->status = st;
    dae_run_free(r);
    return st;
}

/* A run that fails, or cannot be, is a row of its own and stops nothing. */
static dae_status study_row(orders_view *v, const track *k, adaptive_row *row)
{
    messages quiet;
    if (!messages_init(&quiet, &v->session->limits.allocator))
        return DAE_MEMORY;
    const dae_status st = run_row(v, k, row, &quiet);
    if (st) orders_failure_take(&row->failure, &quiet);
    if (st == DAE_LIMIT && !row->failure.code[0])
        row->failure = (orders_failure){"E0504", "too many steps"};
    messages_clear(&quiet);
    return orders_goes_on(st) || orders_cannot_be(st) ? DAE_OK : st;
}

/* Orders that a method does not have, ways that a model does not take: left out.
 * A method of which nothing is left has to say why. */
static dae_status keep_possible(orders_view *v, const track *k)
{
    size_t kept = 0, kept_before = 0;
    for (size_t i = 0; i < v->adaptive_count; i++) {
        const adaptive_row row = v->adaptive[i];
        const bool is_last = i + 1 == v->adaptive_count
            || v->adaptive[i + 1].method != row.method;
        if (!orders_cannot_be(row.status)) v->adaptive[kept++] = row;
        if (!is_last) continue;
        if (kept == kept_before) {
            adaptive_row again = row;
            again.is_unreduced = false;
            (void)run_row(v, k, &again, &v->session->messages);
            return DAE_ARGUMENT;
        }
        kept_before = kept;
    }
    v->adaptive_count = kept;
    return DAE_OK;
}

/* Of a study that was ended. */
static void drop_impossible(orders_view *v)
{
    size_t kept = 0;
    for (size_t i = 0; i < v->adaptive_count; i++)
        if (!orders_cannot_be(v->adaptive[i].status))
            v->adaptive[kept++] = v->adaptive[i];
    v->adaptive_count = kept;
}

/* ---- all of them ---- */

/* Those at fixed steps alone. */
static bool is_left_out(const char *method)
{
    const dae_integrator m = orders_plan_method(method);
    return m.name && m.max_order == 0;
}

/* Nothing may be left here where something is studied at fixed steps. */
static dae_status check_left(const orders_view *v)
{
    const orders_plan *p = &v->plan;
    if (v->adaptive_count || p->has_steps || !is_left_out(p->methods[0]))
        return DAE_OK;
    messages_add(&v->session->messages, "E0505",
        "`%s` cannot choose its step, and nothing else is left to study at "
        "tolerances (--study steps does)",
        p->methods[0]);
    return DAE_ARGUMENT;
}

/* A name that nobody knows, and an order that is not in a list, are requested all
 * the same: the solver says what is wrong with them. */
static void add_rows(orders_view *v, const char *method, bool is_unreduced)
{
    int orders[PLAN_ORDERS];
    const orders_plan *p = &v->plan;
    const dae_integrator m = orders_plan_method(method);
    size_t count = orders_plan_of(p, &m, false, orders);
    if (count == 0 && (!m.name || m.orders)) orders[count++] = p->orders[0];
    for (size_t o = 0; o < count; o++)
        for (size_t t = 0; t < p->tolerance_count; t++)
            v->adaptive[v->adaptive_count++] = (adaptive_row){.method = method,
                .is_unreduced = is_unreduced,
                .max_order = orders[o],
                .rtol = p->tolerances[t]};
}

static dae_status make_rows(orders_view *v)
{
    const orders_plan *p = &v->plan;
    const size_t ways = orders_has_unreduced(v) ? 2 : 1;
    const size_t count = p->method_count * ways * PLAN_ORDERS
        * p->tolerance_count;
    v->adaptive = memory_take(count + 1, sizeof *v->adaptive);
    if (!v->adaptive) return DAE_MEMORY;
    for (size_t m = 0; m < p->method_count; m++)
        for (size_t w = 0; w < ways && !is_left_out(p->methods[m]); w++)
            add_rows(v, p->methods[m], w > 0);
    return check_left(v);
}

dae_status orders_adaptive(orders_view *v)
{
    orders_times times = {.times = NULL};
    track k = {.times = NULL};
    dae_status st = make_rows(v);
    if (!st && v->adaptive_count) {
        st = orders_times_init(&times, v->session, &v->events);
        if (!st) st = track_init_runs(&k, &v->reference, &times);
        v->adaptive_use = k.use;
    }
    for (size_t i = 0; i < v->adaptive_count; i++) {
        if (!st) st = study_row(v, &k, &v->adaptive[i]);
        if (st) v->adaptive_count = i;
    }
    if (st) drop_impossible(v);
    else st = keep_possible(v, &k);
    return st;
}

/* Once more, for what is said on the way. */
static dae_status run_again(orders_view *v, adaptive_row *row)
{
    messages *m = &v->session->messages;
    orders_times times;
    track k = {.times = NULL};
    dae_status st = orders_times_init(&times, v->session, &v->events);
    if (!st) st = track_init_runs(&k, &v->reference, &times);
    if (!st) st = run_row(v, &k, row, m);
    if (st == DAE_LIMIT && !messages_have(m, "E0504"))
        messages_add(
            m, "E0504", "too many steps: %" PRId64 " taken", row->stats.steps);
    return st;
}

dae_status orders_adaptive_tell(orders_view *v)
{
    size_t i = 0;
    while (i < v->adaptive_count && !v->adaptive[i].status) i++;
    if (i == v->adaptive_count) return DAE_OK;
    adaptive_row again = v->adaptive[i];
    const dae_status st = run_again(v, &again);
    return st ? st : v->adaptive[i].status;
}

bool adaptive_has_any(const orders_view *v)
{
    for (size_t i = 0; i < v->adaptive_count; i++)
        if (v->adaptive[i].status == DAE_OK) return true;
    return false;
}

size_t adaptive_series(const orders_view *v, size_t row)
{
    size_t count = 1;
    const adaptive_row *first = &v->adaptive[row];
    for (; row + count < v->adaptive_count; count++) {
        const adaptive_row *next = &v->adaptive[row + count];
        if (next->method != first->method
            || next->is_unreduced != first->is_unreduced
            || next->max_order != first->max_order)
            break;
    }
    return count;
}

/* All steps of a run may be many, so every so many of them is taken, by their
 * number: a fast part has its share. */
#include "orders/times.h"

#include "orders/events.h"

#include <float.h>
#include <math.h>

/* Times of each kind at most: even ones, in the logarithm (so many for each power
 * of ten, of so many powers), of the model's grid, of the run. */
enum { EVEN = 100, PER_DECADE = 4, DECADES = 9, GRID = 1000, STEPS = 500 };
/* Of the run that shows where something happens, and the steps it may take. */
static const double ROUGH = 1e-6;
enum { MOST_STEPS = 200000 };
/* Times that differ by so many units of rounding are one. */
static const double SAME = 64;

double orders_times_tolerance(void)
{
    return ROUGH;
}

/* ---- the steps of a run ---- */

typedef struct list {
    const dae_orders *of;
    double *items;
    size_t count, capacity;
} list;

static dae_status list_add(list *l, double t)
{
    return ARRAY_PUSH(l->of->allocator, l, t) ? DAE_OK : DAE_MEMORY;
}

static dae_status walk(dae_run *r, list *steps)
{
    const double way = orders_way(steps->of);
    dae_status st = dae_run_start(r);
    while (!st) {
        st = dae_solver_step(dae_run_solver(r));
        const double t = st ? dae_run_end(r)
                            : dae_solver_time(dae_run_solver(r));
        if (st || way * (dae_run_end(r) - t) <= 0) break;
        st = list_add(steps, t);
        if (!st && steps->count > MOST_STEPS) st = DAE_LIMIT;
    }
    return st;
}

static dae_status run_roughly(const dae_orders *o, list *steps)
{
    dae_run *r = NULL;
    dae_diagnostics *quiet;
    dae_status st = dae_diagnostics_create(o->allocator, &quiet);
    if (st) return st;
    st = orders_side_run(o, ROUGH / dae_run_rtol(o->run), NULL, 5, quiet, &r);
    if (!st) st = walk(r, steps);
    dae_run_free(r);
    dae_diagnostics_free(quiet);
    return st;
}

/* ---- all of them in order ---- */

/* In the order of the run, without those that are one with the start, the end or
 * another. */
static void put_in_order(list *l)
{
    const dae_run *r = l->of->run;
    const double way = orders_way(l->of);
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) l->items[i] *= way;
    orders_sort(l->items, l->count);
    double last = way * dae_run_begin(r);
    const double end = way * dae_run_end(r);
    for (size_t i = 0; i < l->count; i++) {
        const double t = l->items[i];
        const double gap = SAME * DBL_EPSILON * fmax(fabs(t), fabs(last));
        if (t - last <= gap || end - t <= gap) continue;
        l->items[kept++] = way * t;
        last = t;
    }
    l->count = kept;
}

static dae_status add_even(list *l)
{
    const dae_run *r = l->of->run;
    dae_status st = DAE_OK;
    const double length = dae_run_end(r) - dae_run_begin(r);
    for (int p = 1; !st && p < EVEN; p++)
        st = list_add(l, dae_run_begin(r) + length * p / EVEN);
    for (int p = 1; !st && p <= PER_DECADE * DECADES; p++)
        st = list_add(
            l, dae_run_begin(r) + length * pow(10, -(double)p / PER_DECADE));
    return st;
}

/* Every so many, so that no more than `most` remain. */
static size_t stride(size_t count, size_t most)
{
    return count / most + 1;
}

static dae_status add_grid(list *l)
{
    const dae_run *r = l->of->run;
    dae_status st = DAE_OK;
    if (!dae_model_settings(dae_run_model(r))->log_grid) return DAE_OK;
    const size_t count = (size_t)dae_run_output_count(r);
    for (size_t i = 1; !st && i < count; i += stride(count, GRID))
        st = list_add(l, dae_run_output_time(r, (int64_t)i));
    return st;
}

static dae_status add_some(list *l, const list *from, size_t every)
{
    dae_status st = DAE_OK;
    for (size_t i = 0; !st && i < from->count; i += every)
        st = list_add(l, from->items[i]);
    return st;
}

/* With both ends. */
static dae_status finish(
    list *l, arena *memory, dae_long **times, size_t *count)
{
    put_in_order(l);
    *times = ARENA_ARRAY(memory, dae_long, l->count + 2);
    if (!*times) return DAE_MEMORY;
    (*times)[0] = (dae_long)dae_run_begin(l->of->run);
    for (size_t i = 0; i < l->count; i++)
        (*times)[i + 1] = (dae_long)l->items[i];
    (*times)[l->count + 1] = (dae_long)dae_run_end(l->of->run);
    *count = l->count + 2;
    return DAE_OK;
}

static void leave_out(list *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++)
        if (orders_events_allow(l->of, l->items[i]))
            l->items[kept++] = l->items[i];
    if (l->of->events.times.count) l->count = kept;
}

static dae_status make(orders_times *k, dae_orders *o, const list *steps)
{
    list some = {.of = o}, all = {.of = o};
    dae_status st = add_even(&some);
    if (!st) st = add_grid(&some);
    if (!st) st = add_some(&some, steps, stride(steps->count, STEPS));
    if (!st) leave_out(&some);
    if (!st) st = finish(&some, &o->scratch, &k->times, &k->count);
    if (!st) st = add_some(&all, &some, 1);
    if (!st) st = add_some(&all, steps, 1);
    if (!st) st = finish(&all, &o->scratch, &k->grid, &k->grid_count);
    ARRAY_FREE(o->allocator, &some);
    ARRAY_FREE(o->allocator, &all);
    return st;
}

dae_status orders_times_init(orders_times *k, dae_orders *o)
{
    list steps = {.of = o};
    *k = (orders_times){.times = NULL};
    dae_status st = run_roughly(o, &steps);
    k->has_steps = !st;
    /* who measures finds out that there is nothing to measure against */
    if (st == DAE_NUMERIC || st == DAE_RETRY || st == DAE_LIMIT) st = DAE_OK;
    if (!st) st = make(k, o, &steps);
    ARRAY_FREE(o->allocator, &steps);
    return st;
}

/* All steps of a run may be many, so every so many of them is taken, by their
 * number: a fast part has its share. */
#include "orders_times.h"
#include "memory.h"
#include "number.h"
#include "orders_run.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    double *items;
    size_t count, room;
} list;

static dae_status list_add(list *l, double t)
{
    double *items = memory_grow(l->items, l->count, &l->room, sizeof *items);
    if (!items) return DAE_MEMORY;
    l->items = items;
    l->items[l->count++] = t;
    return DAE_OK;
}

static dae_status walk(dae_run *r, list *steps)
{
    const double way = dae_run_end(r) > dae_run_begin(r) ? 1 : -1;
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

static dae_status run_roughly(session *s, list *steps)
{
    orders_run r;
    dae_status st = orders_run_begin(
        &r, s, ROUGH / dae_run_rtol(s->run), NULL, 5);
    if (!st) st = walk(r.run, steps);
    orders_run_end(&r);
    return st;
}

/* ---- all of them in order ---- */

/* In the order of the run, without those that are one with the start, the end or
 * another. */
static void put_in_order(list *l, const dae_run *r)
{
    const double way = dae_run_end(r) > dae_run_begin(r) ? 1 : -1;
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) l->items[i] *= way;
    number_sort(l->items, l->count);
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

static dae_status add_even(list *l, const dae_run *r)
{
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

static dae_status add_grid(list *l, const dae_run *r)
{
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
    list *l, const dae_run *r, dae_long **times, size_t *count)
{
    put_in_order(l, r);
    *times = memory_take(l->count + 2, sizeof **times);
    if (!*times) return DAE_MEMORY;
    (*times)[0] = (dae_long)dae_run_begin(r);
    for (size_t i = 0; i < l->count; i++)
        (*times)[i + 1] = (dae_long)l->items[i];
    (*times)[l->count + 1] = (dae_long)dae_run_end(r);
    *count = l->count + 2;
    return DAE_OK;
}

static void leave_out(list *l, const dae_run *r, const orders_events *events)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++)
        if (orders_events_allow(events, r, l->items[i]))
            l->items[kept++] = l->items[i];
    if (events->count) l->count = kept;
}

static dae_status make(orders_times *o, const dae_run *r, const list *steps,
    const orders_events *events)
{
    list some = {.items = NULL}, all = {.items = NULL};
    dae_status st = add_even(&some, r);
    if (!st) st = add_grid(&some, r);
    if (!st) st = add_some(&some, steps, stride(steps->count, STEPS));
    if (!st) leave_out(&some, r, events);
    if (!st) st = finish(&some, r, &o->times, &o->count);
    if (!st) st = add_some(&all, &some, 1);
    if (!st) st = add_some(&all, steps, 1);
    if (!st) st = finish(&all, r, &o->grid, &o->grid_count);
    return st;
}

dae_status orders_times_init(
    orders_times *o, session *s, const orders_events *events)
{
    list steps = {.items = NULL};
    *o = (orders_times){.times = NULL};
    dae_status st = run_roughly(s, &steps);
    o->has_steps = !st;
    /* who measures finds out that there is nothing to measure against */
    if (st == DAE_NUMERIC || st == DAE_RETRY || st == DAE_LIMIT) st = DAE_OK;
    return st ? st : make(o, s->run, &steps, events);
}

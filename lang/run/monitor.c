#include "run/monitor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- drifts ---- */

static dae_status find_drifts(monitor *w, dae_columns *all)
{
    const size_t count = w->request->drifts.count;
    w->drifts = ARENA_ARRAY(&w->run->memory, watched, count);
    if (!w->drifts) return DAE_MEMORY;
    for (size_t i = 0; i < count; i++) {
        watched *d = &w->drifts[w->drift_count++];
        d->name = w->request->drifts.items[i];
        const size_t k = dae_columns_find(all, d->name);
        d->column = dae_columns_at(all, k);
        if (dae_columns_lost(all)) return DAE_MEMORY;
        if (k == SIZE_MAX) {
            char asker[64];
            snprintf(asker, sizeof asker, "%sdrift", w->run->request->prefix);
            return columns_refuse(
                all, asker, d->name, strlen(d->name), w->run->ds);
        }
    }
    return DAE_OK;
}

static dae_status choose_drifts(monitor *w)
{
    dae_columns all;
    if (w->request->drifts.count == 0) return DAE_OK;
    dae_status st = columns_init(&all, w->run, NULL, "", w->run->ds);
    if (!st) st = find_drifts(w, &all);
    columns_clear(&all);
    return st;
}

static double value_of(const monitor *w, const watched *d, const dae_point *p)
{
    return dae_point_value(w->run->model, d->column, p);
}

static void follow(monitor *w, const dae_point *p)
{
    for (size_t i = 0; i < w->drift_count; i++) {
        watched *d = &w->drifts[i];
        const double value = value_of(w, d, p);
        if (!d->drift.has_any) d->first = value;
        drift_see(&d->drift, p->t, value - d->first);
    }
}

/* ---- what is asked of the whole run ---- */

static void measure(void *context, const dae_point *p, double *values)
{
    const monitor *w = context;
    expect_measure(&w->expectations, p, values);
    values += w->expectations.curve_count;
    for (size_t i = 0; i < w->drift_count; i++) {
        const watched *d = &w->drifts[i];
        values[i] = fabs(value_of(w, d, p) - d->first);
    }
}

static void interest(void *context, double *least)
{
    const monitor *w = context;
    expect_interest(&w->expectations, least);
    least += w->expectations.curve_count;
    for (size_t i = 0; i < w->drift_count; i++)
        least[i] = w->drifts[i].drift.largest;
}

static void see_inside(void *context, const dae_point *p, size_t count)
{
    monitor *w = context;
    expect_see_inside(&w->expectations, p, count);
    for (size_t k = 0; k < count && w->drift_count > 0; k++) follow(w, &p[k]);
}

static void see_peak(void *context, const dae_point *p)
{
    monitor *w = context;
    expect_see_peak(&w->expectations, p);
    for (size_t i = 0; i < w->drift_count; i++) {
        watched *d = &w->drifts[i];
        drift_see_peak(&d->drift, p->t, value_of(w, d, p) - d->first);
    }
}

static dae_status prepare_between(monitor *w)
{
    const between_asker asker = {w,
        w->expectations.curve_count + w->drift_count, measure, interest,
        see_inside, see_peak};
    const bool is_asked = w->expectations.always_count || w->drift_count;
    w->looks_within = is_asked && !(w->run->options.step > 0);
    return between_init(&w->between, &asker, &w->run->memory);
}

/* What is asked of every point, where something is. */
static dae_status choose_observations(monitor *w)
{
    const expectations *e = &w->expectations;
    if (e->always_count + w->drift_count == 0) return DAE_OK;
    size_t *few = ARENA_ARRAY(
        &w->run->memory, size_t, expect_observation_count(e) + w->drift_count);
    if (!few) return DAE_MEMORY;
    size_t count = expect_observations(e, few);
    for (size_t i = 0; i < w->drift_count; i++)
        if (w->drifts[i].column.kind == DAE_COLUMN_OBSERVED)
            few[count++] = w->drifts[i].column.number;
    return dae_observer_create(w->run->model, few, count, &w->few);
}

static dae_status look(void *context, solution *r, double before, double end)
{
    monitor *w = context;
    return between_look(&w->between, r, before, end);
}

/* ---- points ---- */

static dae_status keep_row(monitor *w, const dae_point *p)
{
    const size_t count = w->columns.count;
    const dae_allocator *a = w->run->request->allocator;
    if (!ARRAY_RESERVE(a, &w->rows, count + 1)) return DAE_MEMORY;
    double *row = w->rows.items + w->rows.count;
    row[0] = p->t;
    for (size_t k = 0; k < count; k++)
        row[k + 1] = dae_point_value(w->run->model, w->columns.sources[k], p);
    w->rows.count += count + 1;
    return DAE_OK;
}

static dae_status see(void *context, const dae_point *p)
{
    monitor *w = context;
    const monitor_request *q = w->request;
    expect_see(&w->expectations, p);
    if (p->why & (DAE_POINT_START | DAE_POINT_STEP)) {
        follow(w, p);
        if (w->looks_within) between_note(&w->between, p);
    }
    if (!(p->why & DAE_POINT_ROW)) return DAE_OK;
    const dae_status st = w->keeps ? keep_row(w, p) : DAE_OK;
    const dae_status seen = q->see ? q->see(q->see_context, p) : DAE_OK;
    return st ? st : seen;
}

static dae_status hear(void *context, const dae_event *e)
{
    monitor *w = context;
    const monitor_request *q = w->request;
    const dae_status st = q->hear ? q->hear(q->hear_context, e) : DAE_OK;
    const dae_status noted = w->events.run ? event_log_add(&w->events, e)
                                           : DAE_OK;
    return st ? st : noted;
}

/* ---- life ---- */

/* Their values are in x. */
static bool watches_unknowns(const monitor *w)
{
    for (size_t i = 0; i < w->drift_count; i++)
        if (w->drifts[i].column.kind == DAE_COLUMN_UNKNOWN) return true;
    return false;
}

void monitor_attach(monitor *w)
{
    solution *r = w->run;
    const bool has_rows = w->keeps || w->request->see;
    r->see = see;
    r->hear = hear;
    r->look = w->looks_within ? look : NULL;
    r->context = w;
    r->wants = expect_wants(&w->expectations);
    if (has_rows) r->wants |= DAE_POINT_START | DAE_POINT_ROW;
    if (w->drift_count) r->wants |= DAE_POINT_START | DAE_POINT_STEP;
    r->wants_all = DAE_POINT_START | DAE_POINT_MARK | DAE_POINT_END;
    if (has_rows) r->wants_all |= DAE_POINT_ROW;
    r->few = w->few;
    r->slots = NULL;
    if (w->few && !watches_unknowns(w))
        r->slots = dae_observer_slots(w->few, &r->slot_count);
    r->marks = w->expectations.marks;
    r->mark_count = w->expectations.mark_count;
}

dae_status monitor_init(monitor *w, const monitor_request *q, solution *r)
{
    *w = (monitor){.request = q, .run = r};
    dae_status st = expect_init(
        &w->expectations, r->model, r->t0, r->t1, &r->memory);
    if (!st) st = choose_drifts(w);
    if (!st) st = prepare_between(w);
    if (!st) st = choose_observations(w);
    if (!st && q->notes_events) st = event_log_init(&w->events, r);
    if (!st && q->keep)
        st = columns_init(
            &w->columns, r, *q->keep ? q->keep : NULL, "columns", r->ds);
    w->keeps = !st && q->keep;
    if (!st) monitor_attach(w);
    return st;
}

void monitor_clear(monitor *w)
{
    if (!w->run) return;
    dae_observer_free(w->few);
    event_log_clear(&w->events);
    ARRAY_FREE(w->run->request->allocator, &w->rows);
    columns_clear(&w->columns);
    *w = (monitor){.run = NULL};
}

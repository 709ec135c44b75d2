#include "run/monitor.h"
#include "base/intern.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- columns ---- */

double dae_point_value(
    const dae_model *model, dae_column column, const dae_point *p)
{
    if (!model || !p) return (double)NAN;
    switch (column.kind) {
    case DAE_COLUMN_TIME: return p->t;
    case DAE_COLUMN_UNKNOWN:
        return dae_model_unknown_value(model, column.number, 0, p->x, p->xp);
    case DAE_COLUMN_DISCRETE:
        return column.number < dae_model_discrete_count(model)
            ? p->discretes[column.number]
            : (double)NAN;
    default:
        return column.number < dae_model_observation_count(model)
            ? p->observed[column.number]
            : (double)NAN;
    }
}

const char *dae_column_name(
    const dae_model *model, dae_column column, dae_name_buffer *b)
{
    switch (column.kind) {
    case DAE_COLUMN_TIME:
        return model ? dae_model_settings(model)->independent : "";
    case DAE_COLUMN_UNKNOWN: return dae_name_unknown(model, column.number, b);
    case DAE_COLUMN_DISCRETE:
        return dae_name_of(
            dae_model_problem(model), DAE_NAME_DISCRETE, column.number, b);
    default: return dae_name_observation(model, column.number, b);
    }
}

const char *dae_column_unit(const dae_model *model, dae_column column)
{
    switch (column.kind) {
    case DAE_COLUMN_TIME: return "";
    case DAE_COLUMN_UNKNOWN:
        return dae_model_unknown_unit(model, column.number);
    case DAE_COLUMN_DISCRETE:
        return dae_model_discrete_unit(model, column.number);
    default: return dae_model_observation_unit(model, column.number);
    }
}

static const char *name_source(dae_columns *c, dae_column s)
{
    return dae_column_name(c->model, s, &c->name);
}

static bool add_all(dae_columns *c, const solution *r)
{
    const size_t unknowns = dae_model_unknown_count(r->model);
    c->sources = ARENA_ARRAY(&c->memory, dae_column,
        unknowns + r->discrete_count + r->observation_count);
    if (!c->sources) return false;
    for (size_t j = 0; j < unknowns; j++)
        c->sources[c->count++] = (dae_column){
            DAE_COLUMN_UNKNOWN, solution_unknown_at(r, j)};
    for (size_t d = 0; d < r->discrete_count; d++)
        c->sources[c->count++] = (dae_column){
            DAE_COLUMN_DISCRETE, r->discrete_at[d]};
    for (size_t k = 0; k < r->observation_count; k++)
        if (solution_is_output(r, k))
            c->sources[c->count++] = (dae_column){DAE_COLUMN_OBSERVED, k};
    return true;
}

/* The length of the first name of a list: a comma between brackets is part of it. */
static size_t first_length(const char *list)
{
    size_t n = 0;
    int depth = 0;
    for (; list[n] && (list[n] != ',' || depth > 0); n++)
        depth += (list[n] == '[') - (list[n] == ']');
    return n;
}

static bool is_asked(const char *name, const char *asked, size_t length)
{
    return strncmp(name, asked, length) == 0
        && (name[length] == '\0' || name[length] == '[');
}

static size_t count_names(const char *list)
{
    size_t count = 1;
    for (const char *at = list; *at; at++) count += *at == ',';
    return count;
}

dae_status columns_refuse(dae_columns *c, const char *asker, const char *name,
    size_t length, dae_diagnostics *ds)
{
    const char *near = NULL, *text = arena_copy(&c->memory, name, length);
    if (!text) return DAE_MEMORY;
    for (size_t k = 0; k < c->count; k++) {
        const char *other = name_source(c, c->sources[k]);
        const char *const two[] = {near ? near : other, other};
        if (nearest_name(text, two, 2) != other) continue;
        near = arena_copy(&c->memory, other, strlen(other));
        if (!near) return DAE_MEMORY;
    }
    (void)RUN_REFUSE(ds,
        "%s%sthe model has no unknown, discrete variable, let or output `%s`",
        asker, *asker ? ": " : "", text);
    if (near) report_help(ds, "did you mean `%s`?", near);
    return DAE_ARGUMENT;
}

/* Each name's columns, in the order of the list. */
static dae_status choose(
    dae_columns *c, const char *list, const char *asker, dae_diagnostics *ds)
{
    dae_column *all = c->sources;
    const size_t all_count = c->count;
    c->count = 0;
    c->sources = ARENA_ARRAY(
        &c->memory, dae_column, all_count * count_names(list));
    if (!c->sources) return DAE_MEMORY;
    for (const char *at = list;;) {
        const size_t n = first_length(at), before = c->count;
        for (size_t k = 0; k < all_count; k++)
            if (is_asked(name_source(c, all[k]), at, n))
                c->sources[c->count++] = all[k];
        if (c->name.failed) return DAE_MEMORY;
        if (c->count == before) {
            c->sources = all;
            c->count = all_count;
            return columns_refuse(c, asker, at, n, ds);
        }
        if (!at[n]) return DAE_OK;
        at += n + 1;
    }
}

dae_status columns_init(dae_columns *c, const solution *r, const char *list,
    const char *asker, dae_diagnostics *ds)
{
    *c = (dae_columns){.model = r->model};
    arena_init(&c->memory, r->request->allocator, 0);
    if (!add_all(c, r)) return DAE_MEMORY;
    return list ? choose(c, list, asker, ds) : DAE_OK;
}

void columns_clear(dae_columns *c)
{
    (void)dae_name_done(&c->name);
    arena_clear(&c->memory);
    *c = (dae_columns){.model = NULL};
}

void columns_link(dae_columns *c, dae_columns **list)
{
    c->next = *list;
    c->link = list;
    if (c->next) c->next->link = &c->next;
    *list = c;
}

static void unlink_first(dae_columns **list)
{
    dae_columns *c = *list;
    *list = c->next;
    if (c->next) c->next->link = list;
    c->next = NULL;
    c->link = NULL;
}

void columns_forget(dae_columns **list)
{
    while (*list) {
        (*list)->count = 0;
        unlink_first(list);
    }
}

/* ---- public ---- */

void dae_columns_free(dae_columns *c)
{
    if (!c) return;
    if (c->link) unlink_first(c->link);
    const dae_allocator *a = c->memory.allocator;
    columns_clear(c);
    alloc_free(a, c, 1, sizeof *c);
}

size_t dae_columns_count(const dae_columns *c)
{
    return c ? c->count : 0;
}

dae_column dae_columns_at(const dae_columns *c, size_t k)
{
    if (!c || k >= c->count) return (dae_column){DAE_COLUMN_TIME, 0};
    return c->sources[k];
}

const char *dae_columns_name(dae_columns *c, size_t k)
{
    return c && k < c->count ? name_source(c, c->sources[k]) : "";
}

int dae_columns_lost(const dae_columns *c)
{
    return c && c->name.failed;
}

const char *dae_columns_unit(const dae_columns *c, size_t k)
{
    return c && k < c->count ? dae_column_unit(c->model, c->sources[k]) : "";
}

size_t dae_columns_find(dae_columns *c, const char *name)
{
    for (size_t k = 0; c && name && k < c->count; k++)
        if (strcmp(name_source(c, c->sources[k]), name) == 0) return k;
    return SIZE_MAX;
}

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

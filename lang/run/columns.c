#include "run/columns.h"

#include "base/intern.h"
#include <math.h>
#include <string.h>

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

static const char *name_source(dae_columns *c, dae_column s)
{
    switch (s.kind) {
    case DAE_COLUMN_UNKNOWN:
        return dae_name_unknown(c->model, s.number, &c->name);
    case DAE_COLUMN_DISCRETE:
        return dae_name_of(
            dae_model_problem(c->model), DAE_NAME_DISCRETE, s.number, &c->name);
    default: return dae_name_observation(c->model, s.number, &c->name);
    }
}

static bool is_output(const dae_model *model, size_t k)
{
    const dae_observed kind = dae_model_observation_kind(model, k);
    return kind == DAE_OBSERVED_LET || kind == DAE_OBSERVED_OUTPUT;
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
        if (is_output(r->model, k))
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
    if (!c || k >= c->count) return "";
    const dae_column s = c->sources[k];
    if (s.kind == DAE_COLUMN_UNKNOWN)
        return dae_model_unknown_unit(c->model, s.number);
    if (s.kind == DAE_COLUMN_DISCRETE)
        return dae_model_discrete_unit(c->model, s.number);
    return dae_model_observation_unit(c->model, s.number);
}

size_t dae_columns_find(dae_columns *c, const char *name)
{
    for (size_t k = 0; c && name && k < c->count; k++)
        if (strcmp(name_source(c, c->sources[k]), name) == 0) return k;
    return SIZE_MAX;
}

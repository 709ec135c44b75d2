#include "columns.h"
#include "memory.h"
#include <string.h>

double source_value(const dae_model *model, run_source s, const point *p)
{
    switch (s.kind) {
    case SOURCE_TIME: return p->t;
    case SOURCE_UNKNOWN:
        return dae_model_unknown_value(model, s.number, 0, p->x, p->xp);
    case SOURCE_DISCRETE: return p->discretes[s.number];
    default: return p->observed[s.number];
    }
}

static const char *name_source(run_columns *c, run_source s)
{
    const run *r = c->run;
    switch (s.kind) {
    case SOURCE_UNKNOWN: return name_unknown(r->model, s.number, &c->name);
    case SOURCE_DISCRETE:
        return name_of(&r->problem, DAE_NAME_DISCRETE, s.number, &c->name);
    default: return name_observation(r->model, s.number, &c->name);
    }
}

const char *columns_name(run_columns *c, size_t k)
{
    return name_source(c, c->sources[k]);
}

static bool add_all(run_columns *c)
{
    const run *r = c->run;
    const size_t unknowns = dae_model_unknown_count(r->model);
    const size_t observed = dae_model_observation_count(r->model);
    c->sources = memory_take(
        unknowns + r->discrete_count + observed + 1, sizeof *c->sources);
    if (!c->sources) return false;
    for (size_t j = 0; j < unknowns; j++)
        c->sources[c->count++] = (run_source){SOURCE_UNKNOWN, r->unknown_at[j]};
    for (size_t d = 0; d < r->discrete_count; d++)
        c->sources[c->count++] = (run_source){
            SOURCE_DISCRETE, r->discrete_at[d]};
    for (size_t k = 0; k < observed; k++)
        if (name_is_output(r->model, k))
            c->sources[c->count++] = (run_source){SOURCE_OBSERVED, k};
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

/* Each name's columns, in the order of the list. */
static dae_status choose(
    run_columns *c, const char *list, const char *option, messages *m)
{
    const run_columns all = *c;
    const size_t most = all.count * count_names(list);
    c->count = 0;
    c->sources = memory_take(most + 1, sizeof *c->sources);
    dae_status st = c->sources ? DAE_OK : DAE_MEMORY;
    for (const char *at = list; !st;) {
        const size_t n = first_length(at), before = c->count;
        for (size_t k = 0; k < all.count; k++)
            if (is_asked(name_source(c, all.sources[k]), at, n))
                c->sources[c->count++] = all.sources[k];
        if (c->count == before) {
            messages_add(m, "E0505", DAE_ERROR, NULL, NULL,
                "%s: the model has no unknown, discrete variable, let or "
                "output `%.*s`",
                option, (int)n, at);
            st = DAE_ARGUMENT;
        }
        if (!at[n]) break;
        at += n + 1;
    }
    memory_drop(all.sources);
    return st;
}

dae_status columns_init(run_columns *c, const run *r, const char *list,
    const char *option, messages *m)
{
    *c = (run_columns){.run = r};
    if (!add_all(c)) return DAE_MEMORY;
    dae_status st = list ? choose(c, list, option, m) : DAE_OK;
    return !st && c->name.failed ? DAE_MEMORY : st;
}

bool columns_clear(run_columns *c)
{
    const bool is_fine = name_done(&c->name);
    memory_drop(c->sources);
    *c = (run_columns){.run = NULL};
    return is_fine;
}

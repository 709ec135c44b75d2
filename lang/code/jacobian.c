/* One program computes what shapes give: entries, gradients of definitions,
 * factors. Then products are added: first into the gradients of definitions,
 * in the order of their levels, then into entries. */
#include "code/jacobian.h"
#include "code/kernels.h"
#include "code/levels.h"
#include "code/pattern.h"
#include "code/rows.h"
#include "code/run.h"

dae_status gradient_plan(compiled *c, row_sets *sets, size_t rows, jacobian *j)
{
    touches t = {0};
    j->rows = rows;
    dae_status st = rows_take_codes(c, sets);
    if (!st) st = pattern_collect(c, sets, &t, j);
    if (!st) st = pattern_build(c, sets, &t, j);
    ARRAY_FREE(c->allocator, &t.items);
    ARRAY_FREE(c->allocator, &t.kinds);
    return st;
}

/* Links of the definitions with `bit`; factors lie behind gradient values. */
static dae_status take_inner(compiled *c, uint16_t bit, jacobian *j)
{
    const chain_tables *t = &c->chains;
    uint32_t base = (uint32_t)t->columns.count;
    for (size_t k = 0; k < t->links.count; k++) {
        chain_link link = t->links.items[k];
        if (!(c->defs.need[t->owners.items[k]] & bit)) continue;
        link.factor += base;
        if (!ARRAY_PUSH(c->allocator, &j->inner, link)) return DAE_MEMORY;
    }
    return DAE_OK;
}

static dae_status take_outer(compiled *c, jacobian *j)
{
    uint32_t base = (uint32_t)c->chains.columns.count;
    for (size_t k = 0; k < j->outer.count; k++) {
        chain_link *link = &j->outer.items[k];
        link->factor += base;
        if (j->kind[link->target] == DAE_ENTRY_VARYING
            && !ARRAY_PUSH(c->allocator, &j->outer_varying, *link))
            return DAE_MEMORY;
    }
    return DAE_OK;
}

static dae_status build_task(compiled *c, const row_sets *sets,
    uint16_t gradients, uint16_t values, const jacobian *j, dae_scope scope,
    task *out)
{
    kernel_set k = {.c = c, .use_border = true};
    arena_position mark = arena_mark(&c->scratch);
    dae_status st = DAE_OK;
    bool is_all = scope == DAE_ALL;
    bool is_chained = is_all || j->outer_varying.count;
    task_request request = {.main_count = j->nonzeros,
        .outer = is_all ? j->outer.items : j->outer_varying.items,
        .outer_count = is_all ? j->outer.count : j->outer_varying.count};
    if (is_chained) {
        request.inner = j->inner.items;
        request.inner_count = j->inner.count;
    }
    st = kernels_add_definitions(&k, values);
    if (!st && is_chained) st = kernels_add_definition_gradients(&k, gradients);
    if (!st) st = kernels_add_gradients(&k, sets, j, scope);
    if (!st) st = kernels_build(&k, &request, out);
    kernels_clear(&k);
    arena_release(&c->scratch, mark);
    return st;
}

dae_status gradient_close(compiled *c, const row_sets *sets, uint16_t gradients,
    uint16_t values, jacobian *j)
{
    dae_status st = levels_mark_gradients(c, sets, 0, values);
    if (!st) st = levels_mark_gradients(c, &c->definitions, gradients, values);
    if (!st) st = take_inner(c, gradients, j);
    if (!st) st = take_outer(c, j);
    if (!st) st = build_task(c, sets, gradients, values, j, DAE_ALL, &j->all);
    if (!st && j->has_varying && j->has_other)
        st = build_task(
            c, sets, gradients, values, j, DAE_VARYING, &j->varying);
    return st;
}

void gradient_free(const dae_allocator *a, jacobian *j)
{
    task_free(a, &j->all);
    task_free(a, &j->varying);
    ARRAY_FREE(a, &j->inner);
    ARRAY_FREE(a, &j->outer);
    ARRAY_FREE(a, &j->outer_varying);
}

static void run_links(
    const chain_link *links, size_t count, const double *temps, double *out)
{
    for (size_t k = 0; k < count; k++)
        out[links[k].target] += temps[links[k].factor]
            * temps[links[k].gradient];
}

void gradient_run(compiled *c, const jacobian *j, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    bool is_all = scope == DAE_ALL || !j->has_other;
    if (!is_all && !j->has_varying) return;
    run_task(c, is_all ? &j->all : &j->varying, t, x, xp, values);
    if (is_all || j->outer_varying.count)
        run_links(j->inner.items, j->inner.count, c->temps, c->temps);
    if (is_all) run_links(j->outer.items, j->outer.count, c->temps, values);
    else
        run_links(
            j->outer_varying.items, j->outer_varying.count, c->temps, values);
}

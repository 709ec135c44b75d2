/* Backwards through the program: a section that comes later may read
 * definitions that an earlier one makes, never the other way round. */
#include "code/series_plan.h"
#include "code/bytecode.h"
#include <string.h>

typedef struct planner {
    const program *p;
    const section *s;
    series_plan *plan;
    uint8_t *definition; /* what is asked of each so far */
    uint8_t terms;       /* of the section */
} planner;

void series_plan_free(const dae_allocator *a, series_plan *plan)
{
    alloc_free(a, plan->need, plan->results, 1);
    alloc_free(a, plan->temp, plan->temps, 1);
    alloc_free(a, plan->terms, plan->sections, 1);
    alloc_free(a, plan->state, plan->states, 1);
    alloc_free(a, plan->slope, plan->slopes, 1);
    *plan = (series_plan){0};
}

static uint8_t larger(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

typedef void visit_fn(planner *r, unsigned at, size_t index);

/* A target: what is asked of it is asked of the section. */
static void see_target(planner *r, unsigned at, size_t index)
{
    const uint8_t *need = NULL;
    if (at == AT_MAIN) need = r->plan->need;
    else if (at == AT_OUT_DEF) need = r->definition;
    else if (at == AT_JAC) need = r->plan->temp;
    if (need) r->terms = larger(r->terms, need[index]);
}

/* What of the sources a section may read is computed before. */
static uint8_t *asked_of(const planner *r, unsigned at)
{
    switch (at) {
    case AT_DEF: return r->definition;
    case AT_X: return r->plan->state;
    case AT_XP: return r->plan->slope;
    default: return NULL;
    }
}

static void see_source(planner *r, unsigned at, size_t index)
{
    uint8_t *need = asked_of(r, at);
    if (need) need[index] = larger(need[index], r->terms);
}

static void visit_port(planner *r, size_t j, visit_fn *visit)
{
    const section *s = r->s;
    const program *p = r->p;
    const block_port *port = &p->ports.items[s->first_port + j];
    size_t row = 0;
    for (size_t g = 0; g < s->segments.count; g++) {
        const size_t rows = p->segment_rows.items[s->segments.first + g];
        if (!port->is_affine) {
            for (size_t k = 0; k < rows; k++, row++)
                visit(r, port->at, p->indices.items[port->first + row]);
            continue;
        }
        const column_run run =
            p->runs.items[s->first_run + g * s->run_columns + port->first];
        int64_t at = run.base;
        for (size_t k = 0; k < rows; k++, at += run.stride)
            visit(r, port->at, (size_t)at);
    }
}

static void visit_targets(planner *r)
{
    const section *s = r->s;
    const scalar_ins *code = r->p->scalar.items + s->scalar.first;
    for (size_t i = 0; i < s->scalar.count; i++)
        see_target(r, scalar_d_at(&code[i]), code[i].d);
    for (size_t j = 0; s->is_block && j < s->port_count; j++)
        if (r->p->ports.items[s->first_port + j].is_output)
            visit_port(r, j, see_target);
}

static void visit_sources(planner *r)
{
    const section *s = r->s;
    const scalar_ins *code = r->p->scalar.items + s->scalar.first;
    for (size_t i = 0; i < s->scalar.count; i++) {
        const char *kinds = opcode_operands[scalar_op(&code[i])];
        for (int k = 0; kinds[k]; k++)
            if (kinds[k] != 'k')
                see_source(
                    r, scalar_at(&code[i], k), scalar_index(&code[i], k));
    }
    for (size_t j = 0; s->is_block && j < s->port_count; j++)
        if (asked_of(r, r->p->ports.items[s->first_port + j].at))
            visit_port(r, j, see_source);
}

/* Levels that were fused into one section are read where they are made. */
static void plan_section(planner *r, size_t i)
{
    r->s = &r->p->sections.items[i];
    r->terms = 0;
    visit_targets(r);
    visit_sources(r);
    const uint8_t before = r->terms;
    visit_targets(r);
    if (r->terms != before) visit_sources(r);
    r->plan->terms[i] = r->terms;
}

static void raise_factors(const chain_link *l, uint8_t terms, uint8_t *temp)
{
    temp[l->factor] = larger(temp[l->factor], terms);
    temp[l->gradient] = larger(temp[l->gradient], terms);
}

static void plan_links(const jacobian *j, series_plan *plan)
{
    for (size_t k = 0; k < j->outer.count; k++) {
        const chain_link *l = &j->outer.items[k];
        raise_factors(l, plan->need[l->target], plan->temp);
    }
    for (size_t k = j->inner.count; k-- > 0;) {
        const chain_link *l = &j->inner.items[k];
        raise_factors(l, plan->temp[l->target], plan->temp);
    }
}

static dae_status take(
    const compiled *c, const program *p, bool is_jacobian, series_plan *plan)
{
    plan->results = series_results(c, is_jacobian);
    plan->temps = c->temp_count;
    plan->sections = p ? p->sections.count : 0;
    plan->states = c->slots.total_states;
    plan->slopes = c->slots.total;
    plan->need = alloc_zeroed(c->allocator, plan->results, 1);
    plan->temp = alloc_zeroed(c->allocator, plan->temps, 1);
    plan->terms = alloc_zeroed(c->allocator, plan->sections, 1);
    plan->state = alloc_zeroed(c->allocator, plan->states, 1);
    plan->slope = alloc_zeroed(c->allocator, plan->slopes, 1);
    const bool has_all = plan->need && plan->temp && plan->terms && plan->state
        && plan->slope;
    return has_all ? DAE_OK : DAE_MEMORY;
}

dae_status series_plan_make(
    const compiled *c, bool is_jacobian, const uint8_t *need, series_plan *plan)
{
    const task *what = is_jacobian ? &c->jacobian.all : &c->residual;
    planner r = {.p = what->program, .plan = plan};
    *plan = (series_plan){0};
    dae_status st = take(c, r.p, is_jacobian, plan);
    r.definition = alloc_zeroed(c->allocator, c->defs.count, 1);
    if (!r.definition) st = DAE_MEMORY;
    if (!st) {
        memcpy(plan->need, need, plan->results);
        for (size_t k = 0; k < plan->results; k++)
            if (need[k] > plan->most) plan->most = need[k];
        if (is_jacobian) plan_links(&c->jacobian, plan);
        for (size_t i = plan->sections; i-- > 0;) plan_section(&r, i);
    }
    alloc_free(c->allocator, r.definition, c->defs.count, 1);
    if (st) series_plan_free(c->allocator, plan);
    return st;
}

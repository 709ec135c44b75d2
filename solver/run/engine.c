/* Putting an integrator together for one problem. */
#include "run/engine.h"

#include "methods/sdirk4.h"
#include "run/algebraic.h"
#include "step/between.h"
#include "step/starter.h"
#include <assert.h>
#include <math.h>

/* Whether times of events follow from the solution. */
static bool has_searched(const dae_events *e)
{
    if (!e) return false;
    for (size_t k = 0; k < e->switch_count; k++)
        if (e->switches[k].domain == DAE_DOMAIN_POINT) return true;
    return false;
}

static dae_status init_parts(engine *e, const dae_options *o, const formula *f,
    dae_stats *stats, dae_diagnostics *ds)
{
    const dae_problem *p = e->problem;
    const layout *l = &e->layout;
    dae_status st;
    if ((st = layout_init(&e->layout, p, e->allocator))) return st;
    if ((st = weights_init(&e->weights, p, l, o->rtol, o->atol, &e->memory)))
        return st;
    if ((st = iteration_create(p, l, o->linear, e->allocator, ds, &e->matrix)))
        return st;
    if (o->condense == DAE_CONDENSE_NEVER) iteration_keep_whole(e->matrix);
    if ((st = newton_init(&e->newton, p, l, e->matrix, stats, &e->memory)))
        return st;
    const int highest = o->step > 0 ? f->max_order_fixed : f->max_order;
    const bool is_chosen = o->max_order > 0 && o->max_order < highest;
    /* a one-step method keeps a cubic: two rows more than an order of 2 */
    const int max_order = f->one_step ? 2 : is_chosen ? o->max_order : highest;
    if ((st = stepper_init(&e->stepper, f, l, &e->weights, &e->newton, stats,
             max_order, &e->memory)))
        return st;
    e->stepper.watch.is_sought = has_searched(p->events);
    if (p->events
        && (st = stepper_take_starter(
                &e->stepper, sdirk4_formula(), &e->memory)))
        return st;
    const bool is_given = o->step > 0 && o->start != DAE_START_RAMP;
    if (is_given && !f->one_step && max_order > 1
        && (st = between_take(&e->stepper, max_order, &e->memory)))
        return st;
    e->scratch = ARENA_ARRAY(&e->memory, double, l->unknowns);
    return e->scratch ? DAE_OK : DAE_MEMORY;
}

dae_status engine_create(const dae_problem *problem, const dae_options *options,
    const formula *f, dae_stats *stats, const dae_allocator *allocator,
    dae_diagnostics *ds, engine **out)
{
    assert(problem && options && f && stats && out);
    *out = NULL;
    engine *e = alloc_zeroed(allocator, 1, sizeof *e);
    if (!e) return DAE_MEMORY;
    e->problem = problem;
    e->allocator = allocator;
    e->linear = options->linear;
    arena_init(&e->memory, allocator, 0);
    const dae_status st = init_parts(e, options, f, stats, ds);
    if (st) engine_free(e);
    else *out = e;
    return st;
}

void engine_free(engine *e)
{
    if (!e) return;
    const dae_allocator *a = e->allocator;
    algebraic_free(e);
    iteration_free(e->matrix);
    layout_clear(&e->layout);
    arena_clear(&e->memory);
    alloc_free(a, e, 1, sizeof *e);
}

dae_status engine_evaluate(
    engine *e, double t, const double *x, const double *xp, double h)
{
    assert(isfinite(t) && x && xp);
    const dae_problem *p = e->problem;
    dae_stats *stats = e->stepper.stats;
    const dae_status st = p->residual(p->self, t, x, xp, e->scratch);
    stats->residual_evals++;
    if (st) return st;
    stats->jacobian_evals++;
    return iteration_evaluate(e->matrix, t, x, xp, e->scratch, e->weights.plain,
        h, &stats->residual_evals);
}

void engine_describe(const engine *e, dae_stats *stats)
{
    const linear *lin = iteration_linear(e->matrix);
    stats->unknowns = (int64_t)e->layout.states;
    const iteration_size size = iteration_sizes(e->matrix);
    stats->columns = size.columns;
    stats->condensed = size.condensed_columns;
    stats->nonzeros = size.entries;
    stats->condensed_nonzeros = size.condensed_entries;
    if (!lin) return;
    stats->linear = linear_name(lin);
    stats->fill = linear_fill(lin);
    stats->whole_fill = size.is_condensed ? size.fill : stats->fill;
}

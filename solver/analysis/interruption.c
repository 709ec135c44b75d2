/* Stands between an analysis and all that it is given: problem and allocator
 * in, the same with the question before each call out. What is said of the
 * problem (names, places, sides) passes through without one. */
#include "analysis/interruption.h"

int guard_stops(void *self)
{
    guard *g = self;
    if (!g->is_stopped && g->interrupt)
        g->is_stopped = g->interrupt(g->interrupt_context) != 0;
    return g->is_stopped;
}

static void *resize(void *context, void *block, size_t old_size, size_t size)
{
    guard *g = context;
    const bool grows = size > 0 && (!block || size > old_size);
    if (grows && guard_stops(g)) return NULL;
    return g->base->resize(g->base->context, block, old_size, size);
}

/* ---- the problem's functions ------------------------------------------------ */

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    guard *g = self;
    const dae_problem *p = g->original;
    if (guard_stops(g)) return DAE_INTERRUPTED;
    return p->residual(p->self, t, x, xp, res);
}

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    guard *g = self;
    const dae_problem *p = g->original;
    if (guard_stops(g)) return DAE_INTERRUPTED;
    return p->jacobian(p->self, scope, t, x, xp, values);
}

static dae_status condition_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    guard *g = self;
    const dae_problem *p = g->original;
    if (guard_stops(g)) return DAE_INTERRUPTED;
    return p->start->condition_residual(p->self, t, x, xp, res);
}

static dae_status condition_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    guard *g = self;
    const dae_problem *p = g->original;
    if (guard_stops(g)) return DAE_INTERRUPTED;
    return p->start->condition_jacobian(p->self, scope, t, x, xp, values);
}

static dae_status series(void *self, size_t terms, double t0, const double *x,
    size_t stride, double *f)
{
    guard *g = self;
    const dae_problem *p = g->original;
    if (guard_stops(g)) return DAE_INTERRUPTED;
    return p->series(p->self, terms, t0, x, stride, f);
}

static dae_status series_jacobian(void *self, size_t terms, double t0,
    const double *x, size_t stride, double *values)
{
    guard *g = self;
    const dae_problem *p = g->original;
    if (guard_stops(g)) return DAE_INTERRUPTED;
    return p->series_jacobian(p->self, terms, t0, x, stride, values);
}

static dae_status series_part(void *self, const uint8_t *need, size_t terms,
    double t0, const double *x, size_t stride, double *f)
{
    guard *g = self;
    const dae_problem *p = g->original;
    if (guard_stops(g)) return DAE_INTERRUPTED;
    return p->series_part(p->self, need, terms, t0, x, stride, f);
}

static dae_status series_jacobian_part(void *self, const uint8_t *need,
    size_t terms, double t0, const double *x, size_t stride, double *values)
{
    guard *g = self;
    const dae_problem *p = g->original;
    if (guard_stops(g)) return DAE_INTERRUPTED;
    return p->series_jacobian_part(p->self, need, terms, t0, x, stride, values);
}

/* ---- what is said of it ------------------------------------------------------ */

static size_t name(
    void *self, dae_name_kind kind, size_t index, char *text, size_t size)
{
    const dae_problem *p = ((guard *)self)->original;
    return p->name(p->self, kind, index, text, size);
}

static int place(void *self, dae_name_kind kind, size_t index,
    const struct dae_source **source, uint32_t *begin, uint32_t *end)
{
    const dae_problem *p = ((guard *)self)->original;
    return p->place(p->self, kind, index, source, begin, end);
}

static size_t position(void *self, dae_name_kind kind, size_t index)
{
    const dae_problem *p = ((guard *)self)->original;
    return p->position(p->self, kind, index);
}

static size_t explain(void *self, size_t equation, double t, const double *x,
    const double *xp, char *text, size_t size)
{
    const dae_problem *p = ((guard *)self)->original;
    return p->explain(p->self, equation, t, x, xp, text, size);
}

static size_t series_explain(void *self, size_t equation, size_t terms,
    double t0, const double *x, size_t stride, char *text, size_t size)
{
    const dae_problem *p = ((guard *)self)->original;
    return p->series_explain(
        p->self, equation, terms, t0, x, stride, text, size);
}

static dae_status sides(void *self, dae_name_kind kind, size_t index,
    size_t order, double t0, const double *x, size_t stride, double out[2])
{
    const dae_problem *p = ((guard *)self)->original;
    return p->sides(p->self, kind, index, order, t0, x, stride, out);
}

static dae_status rounded(void *self, const uint8_t *asked, uint8_t *is_rounded)
{
    const guard *g = self;
    const dae_problem *p = g->original;
    if (guard_stops(self)) return DAE_INTERRUPTED;
    return p->rounded(p->self, asked, is_rounded);
}

/* ------------------------------------------------------------------------------ */

static void guard_start(guard *g)
{
    if (!g->original->start) return;
    g->start = *g->original->start;
    if (g->start.condition_residual)
        g->start.condition_residual = condition_residual;
    if (g->start.condition_jacobian)
        g->start.condition_jacobian = condition_jacobian;
    g->problem.start = &g->start;
}

void guard_init(guard *g, const dae_problem *problem, const dae_allocator *base,
    dae_interrupt_fn *interrupt, void *interrupt_context)
{
    *g = (guard){.original = problem,
        .base = base,
        .interrupt = interrupt,
        .interrupt_context = interrupt_context,
        .allocator = {resize, g},
        .problem = *problem};
    dae_problem *p = &g->problem;
    p->self = g;
    p->events = NULL; /* nothing here asks for them */
    if (p->residual) p->residual = residual;
    if (p->jacobian) p->jacobian = jacobian;
    if (p->name) p->name = name;
    if (p->place) p->place = place;
    if (p->position) p->position = position;
    if (p->explain) p->explain = explain;
    if (p->series) p->series = series;
    if (p->series_jacobian) p->series_jacobian = series_jacobian;
    if (p->series_explain) p->series_explain = series_explain;
    if (p->sides) p->sides = sides;
    if (p->rounded) p->rounded = rounded;
    if (p->series_part) p->series_part = series_part;
    if (p->series_jacobian_part) p->series_jacobian_part = series_jacobian_part;
    guard_start(g);
}

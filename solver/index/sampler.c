/* All numerical tests of structure evaluate the problem here, so that they use the
 * same point and, for a problem without a Jacobian, the same differences. */
#include "index/sampler.h"

#include "index/generic_points.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

static bool has_varying(const dae_pattern *p, size_t entries)
{
    if (!p->kind) return true;
    for (size_t k = 0; k < entries; k++)
        if (p->kind[k] == DAE_ENTRY_VARYING) return true;
    return false;
}

/* Differences of a slot are proportional to its size. */
static void set_weights(sampler *s)
{
    const layout *l = s->layout;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t k = l->first[j]; k < l->first[j + 1]; k++)
            s->weights[k] = 1
                / (HALF_DIGITS * sampler_size(s, j, k - l->first[j]));
}

static dae_status fill(sampler *s)
{
    const dae_problem *p = s->problem;
    const layout *l = s->layout;
    const jacobian_source source = {
        p->self, p->unknown_count, p->residual, p->jacobian, p->pattern};
    s->noise = p->jacobian ? DBL_EPSILON : sqrt(DBL_EPSILON);
    s->x = ARENA_ARRAY(&s->memory, double, l->states);
    s->xp = ARENA_ARRAY(&s->memory, double, l->unknowns);
    s->res = ARENA_ARRAY(&s->memory, double, l->unknowns);
    s->weights = ARENA_ARRAY(&s->memory, double, l->states);
    if (!s->x || !s->xp || !s->res || !s->weights) return DAE_MEMORY;
    const dae_status st = jacobian_create(
        &source, l, s->memory.allocator, &s->jacobian);
    if (st) return st;
    assert(sampler_pattern(s) && sampler_pattern(s)->column_start[0] == 0);
    s->varies = has_varying(sampler_pattern(s), sampler_entries(s));
    set_weights(s);
    return DAE_OK;
}

dae_status sampler_create(const dae_problem *problem, const layout *l,
    const dae_allocator *allocator, sampler **out)
{
    arena memory;
    *out = NULL;
    arena_init(&memory, allocator, 0);
    sampler *s = ARENA_NEW(&memory, sampler);
    if (!s) return DAE_MEMORY;
    *s = (sampler){.problem = problem, .layout = l, .memory = memory};
    const dae_status st = fill(s);
    if (st) sampler_free(s);
    else *out = s;
    return st;
}

void sampler_free(sampler *s)
{
    if (!s) return;
    arena memory = s->memory; /* s is in it */
    jacobian_free(s->jacobian);
    arena_clear(&memory);
}

static dae_status evaluate(sampler *s)
{
    const dae_problem *p = s->problem;
    const size_t n = s->layout->unknowns;
    int64_t spent = 0;
    memset(s->res, 0, n * sizeof *s->res);
    dae_status st = p->residual(p->self, s->t, s->x, s->xp, s->res);
    if (!st && any_overflow(s->res, n)) st = DAE_RETRY;
    if (st) return st;
    return jacobian_evaluate(
        s->jacobian, s->t, s->x, s->xp, s->res, s->weights, 1, &spent);
}

dae_status sampler_evaluate(sampler *s)
{
    (void)feclearexcept(FE_UNDERFLOW);
    const dae_status st = evaluate(s);
    s->has_underflow = fetestexcept(FE_UNDERFLOW) != 0;
    return st;
}

dae_status sampler_evaluate_at(
    sampler *s, double t, const double *x, const double *xp)
{
    const layout *l = s->layout;
    s->t = t;
    memcpy(s->x, x, l->states * sizeof *x);
    memcpy(s->xp, xp, l->unknowns * sizeof *xp);
    return sampler_evaluate(s);
}

dae_status sampler_evaluate_beside(sampler *s, double t, const double *x,
    const double *xp, double size, unsigned number)
{
    const layout *l = s->layout;
    const uint64_t stream = UINT64_C(1) << 32 | number;
    uint64_t k = 0;
    s->t = t;
    for (size_t j = 0; j < l->unknowns; j++) {
        for (size_t o = 0; o <= l->order[j]; o++, k++) {
            const size_t c = layout_column(l, j, o);
            const double from = c < l->states ? x[c] : xp[c - l->states];
            const double by = fmax(sampler_size(s, j, o), fabs(from));
            *sampler_slot(s, j, o) = from
                + size * by * points_number(stream, k);
        }
    }
    return sampler_evaluate(s);
}

dae_status sampler_evaluate_start(sampler *s)
{
    const dae_start *start = s->problem->start;
    if (!start || !start->x || !start->xp) return DAE_RETRY;
    return sampler_evaluate_at(s, start->t0, start->x, start->xp);
}

const dae_pattern *sampler_pattern(const sampler *s)
{
    return jacobian_pattern(s->jacobian);
}

const double *sampler_values(const sampler *s)
{
    return jacobian_values(s->jacobian);
}

size_t sampler_entries(const sampler *s)
{
    const layout *l = s->layout;
    return (size_t)sampler_pattern(s)->column_start[l->states + l->unknowns];
}

double sampler_guess(const sampler *s, size_t j, size_t order)
{
    const dae_start *start = s->problem->start;
    const layout *l = s->layout;
    double value = 0;
    if (!start) return 0;
    if (l->first[j] + order < l->first[j + 1])
        value = start->x ? start->x[l->first[j] + order] : 0;
    else value = start->xp ? start->xp[j] : 0;
    return isfinite(value) ? value : 0;
}

double sampler_size(const sampler *s, size_t j, size_t order)
{
    const dae_scales *scales = s->problem->scales;
    const double guess = fabs(sampler_guess(s, j, order));
    const double nominal = scales && scales->nominal ? scales->nominal[j] : 0;
    assert(j < s->layout->unknowns && order <= s->layout->order[j]);
    if (nominal > 0 && isfinite(nominal)) return fmax(nominal, guess);
    if (guess > 0) return guess;
    const double value = fabs(sampler_guess(s, j, 0));
    return value > 0 ? value : 1;
}

double *sampler_slot(sampler *s, size_t j, size_t order)
{
    const size_t c = layout_column(s->layout, j, order);
    const size_t states = s->layout->states;
    assert(c < states + s->layout->unknowns);
    return c < states ? &s->x[c] : &s->xp[c - states];
}

#include "control/run.h"

#include "base/report.h"
#include "certify/limit.h"
#include "control/failure.h"
#include "control/options.h"
#include "init/init.h"
#include "step/interpolate.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* An interval is never crossed in fewer steps where no longest step is given,
 * so that a pulse or an oscillation does not fall between two of them; no round
 * number, lest all of them see the same phase. */
static const double steps_at_least = 20.618;
static const double coarse_time = 1e4 * DBL_EPSILON;
/* Steps in all where no limit is given. */
static const int64_t steps_in_all = 10000000;

static dae_status init_parts(run *r, const formula *f)
{
    const dae_problem *p = r->problem;
    const dae_options *o = &r->options;
    const layout *l = &r->layout;
    dae_status st;
    if ((st = weights_init(&r->weights, p, l, o->rtol, o->atol, &r->memory)))
        return st;
    if ((st = iteration_create(
             p, l, o->linear, r->allocator, r->ds, &r->matrix)))
        return st;
    if ((st = newton_init(&r->newton, p, l, r->matrix, &r->stats, &r->memory)))
        return st;
    int max_order = o->max_order > 0 ? o->max_order : f->max_order;
    if ((st = stepper_init(&r->stepper, f, l, &r->weights, &r->newton,
             &r->stats, max_order, &r->memory)))
        return st;
    r->scratch = ARENA_ARRAY(&r->memory, double, l->unknowns);
    return r->scratch ? DAE_OK : DAE_MEMORY;
}

/* Facts of the problem and its matrix, as far as they are known. */
static void describe_matrix(run *r)
{
    const linear *lin = iteration_linear(r->matrix);
    r->stats.unknowns = (int64_t)r->layout.states;
    r->stats.condensed = (int64_t)r->layout.unknowns;
    r->stats.nonzeros = iteration_nonzeros(r->matrix);
    if (!lin) return;
    r->stats.linear = linear_name(lin);
    r->stats.fill = linear_fill(lin);
}

static dae_status check_problem(const dae_problem *p)
{
    return p && p->residual && p->unknown_count > 0 ? DAE_OK : DAE_ARGUMENT;
}

dae_status run_init(run *r, const dae_problem *problem,
    const dae_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds)
{
    const formula *f;
    dae_status st;
    *r = (run){.problem = problem, .ds = ds};
    r->allocator = alloc_or_default(allocator);
    r->options = options ? *options : dae_options_default();
    if ((st = check_problem(problem))) return st;
    if ((st = options_check(&r->options, ds, &f))) return st;
    arena_init(&r->memory, r->allocator, 0);
    r->stats.method = f->name;
    if ((st = layout_init(&r->layout, problem, r->allocator))) goto failed;
    if ((st = init_parts(r, f))) goto failed;
    describe_matrix(r);
    return DAE_OK;
failed:
    if (st == DAE_MEMORY)
        report(ds, DIAG_E0003, NULL, (text_span){0, 0},
            "out of memory for an integrator of %zu unknowns",
            problem->unknown_count);
    run_clear(r);
    return st;
}

void run_clear(run *r)
{
    iteration_free(r->matrix);
    r->matrix = NULL;
    layout_clear(&r->layout);
    arena_clear(&r->memory);
}

/* --- start --- */

static void begin_stepping(run *r)
{
    const dae_options *o = &r->options;
    stepper *s = &r->stepper;
    double t0 = r->t0;
    bool has_end = o->t_end != t0;
    s->t_end = has_end ? o->t_end : HUGE_VAL * r->direction;
    double longest = has_end ? fabs(o->t_end - t0) / steps_at_least : HUGE_VAL;
    /* Where t is coarse beside the interval, the steps it can tell are few. */
    if (longest < coarse_time * fabs(t0)) longest = HUGE_VAL;
    s->h_max = o->max_step > 0 ? o->max_step : longest;
}

/* Puts the stepper at a start once the direction is known; `towards` is the
 * end of the interval or the first output asked for. */
static void set_direction(run *r, double towards)
{
    r->direction = towards < r->t0 ? -1 : 1;
    begin_stepping(r);
    stepper_start(&r->stepper, r->t0, r->stepper.point.x, r->stepper.point.xp,
        r->direction, r->options.first_step, fabs(towards - r->t0));
}

/* Begins at t0 with the values in stepper.point. */
static void begin(run *r, double t0)
{
    r->t0 = t0;
    r->direction = 0;
    r->phase = RUN_STARTED;
    r->steps_before = r->stats.steps;
    newton_reset(&r->newton);
    double end = r->options.t_end;
    set_direction(r, end != t0 ? end : t0 + 1);
    if (end == t0) r->direction = 0;
}

static dae_status consistent(run *r, double t0, const uint8_t *x_fixed,
    const uint8_t *xp_fixed, bool use_conditions)
{
    init_request q = {.problem = r->problem,
        .layout = &r->layout,
        .matrix = r->matrix,
        .t0 = t0,
        .rtol = r->options.rtol,
        .atol = r->weights.atol,
        .x_fixed = x_fixed,
        .xp_fixed = xp_fixed,
        .use_conditions = use_conditions,
        .allocator = r->allocator,
        .ds = r->ds,
        .interrupt = r->options.interrupt,
        .interrupt_context = r->options.interrupt_context};
    point *p = &r->stepper.point;
    return init_consistent(&q, p->x, p->xp, &r->start_report, &r->stats);
}

/* Without index reduction, a higher index is refused before the first step
 * instead of creeping or drifting later. */
static dae_status check_limit(run *r, double t0)
{
    point *p = &r->stepper.point;
    weights_update(&r->weights, p->x, 1);
    limit_request q = {.problem = r->problem,
        .layout = &r->layout,
        .matrix = r->matrix,
        .t0 = t0,
        .x = p->x,
        .xp = p->xp,
        .weights = r->weights.plain,
        .scratch = r->scratch,
        .allocator = r->allocator,
        .ds = r->ds,
        .residuals = &r->stats.residual_evals,
        .jacobians = &r->stats.jacobian_evals,
        .factorizations = &r->stats.factorizations};
    return limit_check(&q);
}

static dae_status tell_memory(run *r, double t0, dae_status st)
{
    if (st == DAE_MEMORY)
        report(r->ds, DIAG_E0003, NULL, (text_span){0, 0},
            "out of memory for the start at t = %.10g", t0);
    return st;
}

dae_status run_initialize(run *r)
{
    const dae_start *start = r->problem->start;
    if (!start || !start->x || !start->xp) return DAE_ARGUMENT;
    point *p = &r->stepper.point;
    memcpy(p->x, start->x, r->layout.states * sizeof *p->x);
    memcpy(p->xp, start->xp, r->layout.unknowns * sizeof *p->xp);
    r->phase = RUN_CREATED;
    dae_status st = check_limit(r, start->t0);
    if (!st) {
        st = consistent(r, start->t0, start->x_fixed, start->xp_fixed, true);
    }
    if (st) return tell_memory(r, start->t0, st);
    begin(r, start->t0);
    return DAE_OK;
}

/* Holds x of differential unknowns, frees the algebraic ones and xp. */
static dae_status free_algebraic(run *r, double t0)
{
    const layout *l = &r->layout;
    const dae_allocator *a = r->allocator;
    uint8_t *fixed = alloc_zeroed(a, l->states, 1);
    uint8_t *open = alloc_zeroed(a, l->unknowns, 1);
    dae_status st = DAE_MEMORY;
    if (fixed && open) {
        for (size_t j = 0; j < l->unknowns; j++)
            for (size_t s = l->first[j]; s < l->first[j + 1]; s++)
                fixed[s] = l->order[j] > 0;
        st = consistent(r, t0, fixed, open, false);
    }
    alloc_free(a, open, l->unknowns, 1);
    alloc_free(a, fixed, l->states, 1);
    return st;
}

static bool all_finite(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

dae_status run_start(
    run *r, double t0, const double *x, const double *xp, bool make_consistent)
{
    const layout *l = &r->layout;
    point *p = &r->stepper.point;
    if (!x || !xp || !isfinite(t0)) return DAE_ARGUMENT;
    if (!all_finite(x, l->states)) return DAE_ARGUMENT;
    r->phase = RUN_CREATED;
    memcpy(p->x, x, l->states * sizeof *x);
    for (size_t j = 0; j < l->unknowns; j++)
        p->xp[j] = l->order[j] > 0 ? xp[j] : 0;
    if (!all_finite(p->xp, l->unknowns)) return DAE_ARGUMENT;
    dae_status st = check_limit(r, t0);
    if (!st && make_consistent) st = free_algebraic(r, t0);
    if (st) return tell_memory(r, t0, st);
    begin(r, t0);
    return DAE_OK;
}

/* --- steps --- */

static dae_status check_limits(run *r)
{
    const dae_options *o = &r->options;
    int64_t taken = r->stats.steps - r->steps_before;
    if (o->max_steps > 0 && taken >= o->max_steps)
        return failure_too_many_steps(r);
    if (o->max_steps == 0 && r->stats.steps >= steps_in_all)
        return failure_too_many_steps(r);
    if (o->interrupt && o->interrupt(o->interrupt_context))
        return failure_interrupted(r);
    return DAE_OK;
}

dae_status run_step(run *r, double towards)
{
    stepper *s = &r->stepper;
    if (r->phase == RUN_CREATED) return DAE_ARGUMENT;
    if (s->history.t == s->t_end) return DAE_ARGUMENT;
    if (r->direction == 0) set_direction(r, towards);
    dae_status st = check_limits(r);
    if (st) return st;
    step_failure why = stepper_step(s);
    if (why == STEP_FINE) {
        if (r->stats.steps == 1) describe_matrix(r);
        r->phase = RUN_STARTED;
        if (s->history.t == s->t_end) {
            failure_note_bounds(r);
            failure_note_rounding(r);
        }
        return DAE_OK;
    }
    st = failure_report(r, why);
    stepper_restore(s);
    r->phase = RUN_FAILED;
    return st;
}

bool run_covers(const run *r, double t)
{
    const stepper *s = &r->stepper;
    double now = s->history.t, before = now - s->last_h;
    /* The last bits of before are those of a difference. */
    double slack = 4 * DBL_EPSILON * (fabs(now) + fabs(before));
    if (s->last_h == 0) return t == now;
    return s->last_h > 0 ? t >= before - slack && t <= now
                         : t <= before + slack && t >= now;
}

/* Whether the run has come to tout or beyond it. */
static bool is_beyond(const run *r, double tout)
{
    double now = r->stepper.history.t;
    if (now == tout) return true;
    return r->direction != 0 && (now - tout) * r->direction > 0;
}

dae_status run_cover(run *r, double tout)
{
    if (r->phase == RUN_CREATED || !isfinite(tout)) return DAE_ARGUMENT;
    const stepper *s = &r->stepper;
    bool has_end = isfinite(s->t_end) && r->direction != 0;
    if (has_end && (tout - s->t_end) * r->direction > 0) return DAE_ARGUMENT;
    r->steps_before = r->stats.steps;
    while (!is_beyond(r, tout)) {
        dae_status st = run_step(r, tout);
        if (st) return st;
    }
    return run_covers(r, tout) ? DAE_OK : DAE_ARGUMENT;
}

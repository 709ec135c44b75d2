/* The methods there are, what may be asked of them, and putting an integrator together
 * for one problem. */
#include "run/engine.h"

#include "base/intern.h"
#include "base/report.h"
#include "methods/bdf.h"
#include "methods/bdf_flc.h"
#include "methods/euler.h"
#include "methods/leapfrog.h"
#include "methods/leapfrog_turning.h"
#include "methods/ndf.h"
#include "methods/radau.h"
#include "methods/rk4.h"
#include "methods/sdirk4.h"
#include "methods/trapezoid.h"
#include "reduce/thresholds.h"
#include "run/algebraic.h"
#include "start/report_names.h"
#include "step/between.h"
#include "step/parts.h"
#include "step/starter.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- methods ------------------------------------------------------------------------- */

/* Every method that the step machine knows. A method does not know its fellows; here
 * they meet. NULL after the last one. */
static const formula *method_at(size_t index)
{
    static const formula *(*const all[])(void) = {bdf_formula, bdf_flc_formula,
        ndf_formula, trapezoid_formula, euler_linear_formula, euler_formula,
        symplectic_euler_formula, verlet_formula, leapfrog_1_formula,
        leapfrog_2_formula, leapfrog_3_formula, rk4_formula, radau_formula};
    return index < sizeof all / sizeof *all ? all[index]() : NULL;
}

/* NULL: there is none of this name. */
static const formula *find_method(const char *name)
{
    const formula *f;
    for (size_t i = 0; (f = method_at(i)); i++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

dae_integrator dae_integrator_at(size_t index)
{
    const formula *f = method_at(index);
    if (!f) return (dae_integrator){.name = NULL};
    return (dae_integrator){.name = f->name,
        .formula = f->text,
        .max_order = f->max_order,
        .max_order_fixed = f->max_order_fixed,
        .orders = f->one_step ? f->one_step->orders : NULL};
}

/* ---- checks --------------------------------------------------------------------------- */

static dae_status refuse_method(dae_diagnostics *ds, const char *name)
{
    enum { METHODS_MOST = 32 };
    const char *names[METHODS_MOST] = {"auto"}, *near;
    text list = {.length = 0};
    const formula *f;
    size_t count = 1;
    for (; count < METHODS_MOST && (f = method_at(count - 1)); count++)
        names[count] = f->name;
    for (size_t i = 0; i < count; i++)
        text_add(&list, "%s%s", i ? ", " : "", names[i]);
    report(ds, DIAG_E0505, NULL, (text_span){0, 0}, "there is no method `%s`",
        name);
    if ((near = nearest_name(name, names, count)))
        report_help(ds, "did you mean `%s`? The methods are: %s", near, list.s);
    else report_help(ds, "the methods are: %s", list.s);
    return DAE_ARGUMENT;
}

static dae_status refuse(
    dae_diagnostics *ds, const char *what, double value, const char *allowed)
{
    report(ds, DIAG_E0505, NULL, (text_span){0, 0}, "`%s` cannot be %g", what,
        value);
    report_help(ds, "%s", allowed);
    return DAE_ARGUMENT;
}

/* Below this every step is rounding. */
static double least_rtol(void)
{
    return 10 * DBL_EPSILON;
}

double engine_rtol(const dae_options *o)
{
    const bool is_zero = !(o->rtol > 0) && o->rtol >= 0;
    return is_zero && o->atol > 0 ? least_rtol() : o->rtol;
}

/* With an rtol of 1 no digit is required. */
static dae_status check_values(const dae_options *o, dae_diagnostics *ds)
{
    const struct {
        bool is_fine;
        const char *what;
        double value;
        const char *allowed;
    } row[] = {
        {o->rtol >= least_rtol() && o->rtol < 1, "rtol", o->rtol,
            "choose 3e-15 <= rtol < 1, or 0 with an atol above 0"},
        {o->atol >= 0 && isfinite(o->atol), "atol", o->atol,
            "choose a finite atol >= 0"},
        {o->first_step >= 0 && isfinite(o->first_step), "first_step",
            o->first_step, "0: chosen by itself"},
        {o->max_step >= 0, "max_step", o->max_step, "0: no limit"},
        {o->max_steps >= 0, "max_steps", (double)o->max_steps,
            "0: 10^7 in all"},
        {o->step >= 0 && isfinite(o->step), "step", o->step,
            "0: the error chooses"},
        {o->start >= DAE_START_FINE && o->start <= DAE_START_RAMP, "start",
            o->start, "choose fine, exact or ramp"},
        {isfinite(o->t_end), "t_end", o->t_end, "choose a finite end"},
        {o->reduce >= DAE_REDUCE_AUTO && o->reduce <= DAE_REDUCE_NEVER,
            "reduce", o->reduce, "choose auto, project, stabilize or never"},
        {o->condense >= DAE_CONDENSE_AUTO && o->condense <= DAE_CONDENSE_NEVER,
            "condense", o->condense, "choose auto or never"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        if (!row[k].is_fine)
            return refuse(ds, row[k].what, row[k].value, row[k].allowed);
    return DAE_OK;
}

static dae_status check_order(
    const dae_options *o, const formula *f, dae_diagnostics *ds)
{
    text orders = {.length = 0};
    const bool is_fixed = o->step > 0;
    const int most = is_fixed ? f->max_order_fixed : f->max_order;
    const int *k = f->one_step ? f->one_step->orders : NULL;
    bool is_one = !f->one_step && o->max_order >= 0 && o->max_order <= most;
    if (k) is_one = o->max_order == 0;
    else if (f->one_step) is_one = is_fixed || method_estimates(f);
    for (; k && *k > 0; k++) {
        is_one = is_one || *k == o->max_order;
        text_add(&orders, "%s%d", orders.length ? ", " : "", *k);
    }
    if (is_one) return DAE_OK;
    if (f->one_step && !f->one_step->orders) {
        report(ds, DIAG_E0505, NULL, (text_span){0, 0},
            "`%s` cannot choose its step: it has no estimate of its error",
            f->name);
        report_help(ds, "give the length of all steps: --step H");
        return DAE_ARGUMENT;
    }
    if (!f->one_step)
        text_add(&orders, "1 to %d%s", most,
            is_fixed || f->max_order_fixed == most
                ? ""
                : ", and more at fixed steps");
    report(ds, DIAG_E0505, NULL, (text_span){0, 0}, "`order` cannot be %d",
        o->max_order);
    report_help(ds, "`%s` has the orders %s", f->name, orders.s);
    return DAE_ARGUMENT;
}

/* What takes the caller's exact solution needs it. */
static dae_status check_start(const dae_options *o, dae_diagnostics *ds)
{
    if (!(o->step > 0) || o->start != DAE_START_EXACT || o->exact)
        return DAE_OK;
    report(ds, DIAG_E0505, NULL, (text_span){0, 0},
        "`start` cannot be exact without an exact solution");
    return DAE_ARGUMENT;
}

/* ---- the choice of "auto" ------------------------------------------------------------- */

/* Whether times of events follow from the solution. */
static bool has_searched(const dae_events *e)
{
    if (!e) return false;
    for (size_t k = 0; k < e->switch_count; k++)
        if (e->switches[k].domain == DAE_DOMAIN_POINT) return true;
    return false;
}

static bool has_stages(
    const dae_problem *p, const dae_options *o, const char **reason)
{
    const bool is_few = p->unknown_count <= STAGES_UNKNOWNS_FEW;
    const double most = STAGES_RTOL_MOST * (is_few ? STAGES_RTOL_FEW : 1);
    *reason = NULL;
    if (o->step > 0) *reason = "steps of one length";
    else if (o->max_order > 0) *reason = "an order is given";
    else if (has_searched(p->events)) *reason = "there are events";
    else if (p->unknown_count > STAGES_UNKNOWNS_MOST)
        *reason = "there are more than 64 unknowns";
    else if (!p->jacobian) *reason = "there is no Jacobian";
    else if (o->rtol > most)
        *reason = is_few ? "the tolerance is large"
                         : "the tolerance is large for so many unknowns";
    if (*reason) return false;
    *reason = "few unknowns, no events";
    return true;
}

static const formula *choose_method(
    const dae_problem *p, const dae_options *o, const char **reason)
{
    *reason = NULL;
    if (!o->method) return bdf_formula();
    if (strcmp(o->method, "auto") != 0) return find_method(o->method);
    return has_stages(p, o, reason) ? radau_formula() : bdf_formula();
}

dae_status engine_check_options(const dae_problem *problem,
    const dae_options *o, dae_diagnostics *ds, const formula **f,
    const char **reason)
{
    assert(problem && o && f && reason);
    dae_status st;
    *f = choose_method(problem, o, reason);
    if (!*f) return refuse_method(ds, o->method);
    if ((st = check_values(o, ds))) return st;
    if ((st = check_start(o, ds))) return st;
    return check_order(o, *f, ds);
}

/* ---- parts ----------------------------------------------------------------------------- */

static dae_status init_parts(engine *e, const dae_options *o, const formula *f,
    const engine *like, dae_stats *stats, dae_diagnostics *ds)
{
    const dae_problem *p = e->problem;
    const layout *l = &e->layout;
    dae_status st;
    if ((st = layout_init(&e->layout, p, e->allocator))) return st;
    if ((st = weights_init(&e->weights, p, l, o->rtol, o->atol, &e->memory)))
        return st;
    const bool is_given_up = stats->linear_fallbacks > 0
        && (o->linear == DAE_LINEAR_AUTO || o->linear == DAE_LINEAR_GMRES);
    if ((st = iteration_create(p, l,
             is_given_up ? DAE_LINEAR_DIRECT : o->linear,
             like ? like->matrix : NULL, e->allocator, ds, &e->matrix)))
        return st;
    if (o->condense == DAE_CONDENSE_NEVER) iteration_keep_whole(e->matrix);
    if ((st = newton_init(&e->newton, p, l, e->matrix, stats, &e->memory)))
        return st;
    /* of those at fixed steps alone bdf has one more, for lessons, by request */
    const bool is_fixed = o->step > 0
        && (o->max_order > 0 || f->max_order == 0);
    const int highest = is_fixed ? f->max_order_fixed : f->max_order;
    const bool is_chosen = o->max_order > 0 && o->max_order < highest;
    /* a one-step method keeps a cubic: two rows more than an order of 2 */
    const int max_order = f->one_step ? 2 : is_chosen ? o->max_order : highest;
    if ((st = stepper_init(&e->stepper, f, l, &e->weights, &e->newton, stats,
             max_order, &e->memory)))
        return st;
    if (f->one_step && f->one_step->orders)
        e->stepper.asked_order = o->step > 0 && o->max_order == 0
            ? f->one_step->order
            : o->max_order;
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
    const formula *f, const engine *like, dae_stats *stats,
    const dae_allocator *allocator, dae_diagnostics *ds, engine **out)
{
    assert(problem && options && f && stats && out);
    *out = NULL;
    engine *e = alloc_zeroed(allocator, 1, sizeof *e);
    if (!e) return DAE_MEMORY;
    e->problem = problem;
    e->allocator = allocator;
    e->linear = options->linear;
    arena_init(&e->memory, allocator, 0);
    const dae_status st = init_parts(e, options, f, like, stats, ds);
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

dae_status engine_match(
    const engine *e, const uint8_t *present, arena *a, dae_matching *m)
{
    const layout *l = &e->layout;
    const dae_pattern *p = iteration_pattern(e->matrix);
    const size_t n = l->unknowns;
    const size_t entries = (size_t)p->column_start[l->states + n];
    int64_t *start, at = 0;
    int32_t *row;
    *m = (dae_matching){.rank = 0};
    if (!TAKE(a, m->row_of, n) || !TAKE(a, m->column_of, n)
        || !TAKE(a, m->row_part, n) || !TAKE(a, m->column_part, n))
        return DAE_MEMORY;
    const arena_position mark = arena_mark(a);
    if (!TAKE(a, start, n) || !TAKE(a, row, entries)) return DAE_MEMORY;
    for (size_t j = 0; j < n; j++) {
        const int64_t *column = p->column_start + layout_highest(l, j);
        for (int64_t k = column[0]; k < column[1]; k++)
            if (!present || present[k]) row[at++] = p->row[k];
        start[j + 1] = at;
        m->row_of[j] = m->column_of[j] = DAE_UNMATCHED;
    }
    const dae_incidence pattern = {n, n, start, row};
    const dae_status st = dae_structure_match(&pattern, e->allocator, m);
    arena_release(a, mark);
    return st;
}

#include "run.h"
#include "console.h"
#include "memory.h"
#include "names.h"
#include "walk.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- setting up ---- */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static dae_status
refuse(run *r, const char *format, ...)
{
    char text[300];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    messages_add(r->messages, "E0505", DAE_ERROR, NULL, NULL, "%s", text);
    return DAE_ARGUMENT;
}

/* So many steps a run takes where nothing is said. */
static const double MOST_FIXED_STEPS = 1e7 * (1 + 1e-9);

static double number_or(double given, double otherwise)
{
    return isnan(given) ? otherwise : given;
}

/* A run up to one place in the interval; to its start, where that is all. */
static dae_status choose_place(run *r)
{
    const double at = number_or(r->args->at, r->t0);
    if ((at - r->t0) * (at - r->t1) > 0)
        return refuse(r,
            "--at %.10g is outside of the interval from %.10g to %.10g (--to "
            "makes it longer)",
            at, r->t0, r->t1);
    r->t1 = fabs(at - r->t0) > 0 ? at : r->t0 + 1;
    return DAE_OK;
}

static dae_status choose_interval(run *r, const dae_settings *s)
{
    const args *a = r->args;
    double start = r->model ? r->problem.start->t0 : 0;
    r->t0 = number_or(a->from, s->has_solve ? s->t0 : start);
    bool has_end = s->has_solve || !isnan(a->to);
    if (!has_end && a->command & (COMMAND_RUN | COMMAND_ORDERS))
        return refuse(r,
            "the model has no `solve` line: say where the run "
            "ends with --to");
    /* without an end the start still wants a direction and a scale */
    r->t1 = number_or(
        a->to, s->has_solve ? s->t1 : number_or(a->at, r->t0 + 1));
    if (a->command == COMMAND_STABILITY) return choose_place(r);
    if (fabs(r->t1 - r->t0) > 0) return DAE_OK;
    if (a->command & (COMMAND_RUN | COMMAND_TEST | COMMAND_ORDERS))
        return refuse(r, "the run ends where it starts, at %.17g", r->t0);
    r->t1 = r->t0 + 1;
    return DAE_OK;
}

static dae_status choose_linear(run *r, const char *name)
{
    static const char *const names[] = {
        "auto", "dense", "klu", "umfpack", "list", "direct", "gmres"};
    if (r->args->has_linear) r->options.linear = r->args->linear;
    if (r->args->has_linear || !name) return DAE_OK;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            r->options.linear = (dae_linear)i;
            return DAE_OK;
        }
    return refuse(r, "linear = %s is not available", name);
}

static double positive_or(double given, double otherwise)
{
    return given > 0 ? given : otherwise;
}

static dae_status choose_options(run *r, const dae_settings *s)
{
    const args *a = r->args;
    dae_options *o = &r->options;
    *o = dae_options_default();
    o->rtol = number_or(a->rtol, positive_or(s->rtol, o->rtol));
    o->atol = number_or(a->atol, positive_or(s->atol, o->atol));
    o->rtol *= r->tolerance_factor;
    o->atol *= r->tolerance_factor;
    o->first_step = number_or(a->first_step, s->first_step);
    o->max_step = number_or(a->max_step, s->max_step);
    if (a->max_steps) o->max_steps = a->max_steps;
    if (s->order) o->max_order = s->order;
    if (a->order) o->max_order = a->order;
    if (s->method) o->method = s->method;
    if (a->method) o->method = a->method;
    if (a->step > 0 && a->command != COMMAND_STABILITY) o->step = a->step;
    o->start = a->start;
    o->reduce = a->reduce;
    o->condense = a->condense;
    o->homotopy = a->homotopy;
    o->t_end = r->t1;
    o->interrupt = limits_stop;
    o->interrupt_context = r->limits;
    o->on_event = walk_event;
    o->event_context = r;
    return choose_linear(r, s->linear);
}

/* Steps that are given are counted before the first of them is made. */
static dae_status check_step_count(run *r)
{
    const bool is_run = (r->args->command & (COMMAND_RUN | COMMAND_TEST)) != 0;
    const dae_options *o = &r->options;
    if (!is_run || !(o->step > 0) || o->max_steps > 0) return DAE_OK;
    if (fabs(r->t1 - r->t0) / o->step <= MOST_FIXED_STEPS) return DAE_OK;
    return refuse(r,
        "--step %.10g: there would be more than 10^7 steps from %.10g to %.10g "
        "(--max-steps allows more)",
        o->step, r->t0, r->t1);
}

static dae_status choose_grid(run *r, const dae_settings *s)
{
    const args *a = r->args;
    grid *g = &r->grid;
    *g = (grid){.kind = GRID_DENSE, .t0 = r->t0, .t1 = r->t1};
    g->first = s->log_first;
    g->count = a->points ? a->points : s->points;
    if (g->count) g->kind = GRID_POINTS;
    if (s->log_grid) {
        g->kind = GRID_LOG;
        if (!g->count) g->count = GRID_LEAST_POINTS;
    }
    if (a->all_steps) g->kind = GRID_STEPS;
    if (!isnan(a->every)) {
        g->kind = GRID_EVERY;
        g->every = a->every;
    }
    if (!(fabs(r->t1 - r->t0) > 0)) g->kind = GRID_STEPS;
    const char *why;
    return grid_prepare(g, &why) ? DAE_OK : refuse(r, "%s", why);
}

/* Values are called at most this uncertain, beside 1 and their size. */
static const double narrow = 1e-3;

/* The model's closed form for the first points. */
static dae_status choose_exact(run *r)
{
    dae_options *o = &r->options;
    if (!(o->step > 0) || o->start != DAE_START_EXACT) return DAE_OK;
    o->exact = closed_form_at;
    o->exact_context = &r->exact;
    return closed_form_init(
        &r->exact, r->model, &r->problem, r->t0, r->t1, narrow);
}

/* ---- tolerances of single unknowns ---- */

/* `name` means this unknown, or it is an element of the array `name`. */
static bool is_named(const char *unknown, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(unknown, name, n) != 0) return false;
    return unknown[n] == '\0' || (unknown[n] == '[' && !strchr(name, '['));
}

static dae_status set_atol(run *r, const dae_override *o)
{
    char name[256];
    bool found = false;
    double value = (double)NAN;
    if (!parse_number(o->value, &value))
        return refuse(r, "--atol %s wants a number", o->name);
    for (size_t j = 0; j < r->unknown_count; j++) {
        (void)r->problem.name(
            r->problem.self, DAE_NAME_UNKNOWN, j, name, sizeof name);
        if (!is_named(name, o->name)) continue;
        r->atols[j] = value;
        found = true;
    }
    if (found) return DAE_OK;
    return refuse(r, "--atol: the model has no unknown `%s`", o->name);
}

/* The problem's own tolerances, those of --atol, and all of them scaled for a
 * run to compare with; the model is left as it is. */
static dae_status choose_atols(run *r)
{
    const dae_scales *given = r->problem.scales;
    bool is_scaled = fabs(r->tolerance_factor - 1) > 0 && given && given->atol;
    if (r->args->atols.count == 0 && !is_scaled) return DAE_OK;
    r->atols = memory_take(r->unknown_count + 1, sizeof *r->atols);
    if (!r->atols) return DAE_MEMORY;
    if (given) r->scales = *given;
    for (size_t j = 0; j < r->unknown_count; j++)
        r->atols[j] = given && given->atol ? given->atol[j] : (double)NAN;
    for (size_t i = 0; i < r->args->atols.count; i++) {
        dae_status st = set_atol(r, &r->args->atols.items[i]);
        if (st) return st;
    }
    for (size_t j = 0; j < r->unknown_count; j++)
        r->atols[j] *= r->tolerance_factor;
    r->scales.atol = r->atols;
    r->problem.scales = &r->scales;
    return DAE_OK;
}

double runner_rtol(const run *r)
{
    return r->options.rtol / r->tolerance_factor;
}

double runner_atol(const run *r, size_t j)
{
    const dae_scales *s = r->problem.scales;
    const double general = r->options.atol / r->tolerance_factor;
    if (s && s->atol && s->atol[j] >= 0)
        return s->atol[j] / r->tolerance_factor;
    return s && s->nominal && s->nominal[j] > 0 ? general * s->nominal[j]
                                                : general;
}

/* So near to the end, of the interval, is at the end. */
static const double NEAR = 1e-3;

bool runner_ends_at_event(const run *r)
{
    return r->event_count > 0
        && fabs(r->t - r->last_event) <= NEAR * fabs(r->t1 - r->t0);
}

/* ---- life ---- */

static double *vector(size_t count)
{
    return memory_take(count + 1, sizeof(double));
}

static dae_status make_vectors(run *r)
{
    r->unknown_count = r->problem.unknown_count;
    r->state_count = dae_problem_state_count(&r->problem);
    r->observation_count = dae_model_observation_count(r->model);
    r->x = vector(r->state_count);
    r->xp = vector(r->unknown_count);
    const dae_events *events = r->problem.events;
    r->discrete_count = events ? events->discrete_count : 0;
    r->unknown_at = name_text_order(r->model);
    r->discrete_at = name_text_order_of(
        &r->problem, DAE_NAME_DISCRETE, r->discrete_count);
    r->discretes = vector(r->discrete_count);
    r->observed = vector(r->observation_count);
    r->observed_before = vector(r->observation_count);
    r->start_observed = vector(r->observation_count);
    const bool has_all = r->x && r->xp && r->observed && r->observed_before
        && r->start_observed && r->unknown_at && r->discrete_at && r->discretes;
    return has_all ? DAE_OK : DAE_MEMORY;
}

void runner_rest(const dae_problem *problem)
{
    const dae_events *e = problem->events;
    if (!e) return;
    for (size_t d = 0; d < e->discrete_count; d++)
        e->held[d] = e->discrete_start[d];
    for (size_t k = 0; k < e->switch_count; k++)
        e->held[e->discrete_count + k] = (double)NAN;
}

dae_status runner_init(run *r, const args *a, limits *l, messages *m,
    dae_model *model, double tolerance_factor)
{
    *r = (run){.args = a,
        .limits = l,
        .messages = m,
        .model = model,
        .stop = SIZE_MAX};
    r->tolerance_factor = tolerance_factor;
    r->problem = *dae_model_problem(model);
    const dae_settings *s = dae_model_settings(model);
    dae_status st;
    if ((st = choose_interval(r, s))) return st;
    if ((st = choose_options(r, s))) return st;
    if ((st = check_step_count(r))) return st;
    if ((st = choose_grid(r, s))) return st;
    if ((st = make_vectors(r))) return st;
    if ((st = choose_exact(r))) return st;
    r->start = *r->problem.start;
    r->start.t0 = r->t0;
    r->problem.start = &r->start;
    r->t = r->t0;
    runner_rest(&r->problem);
    return choose_atols(r);
}

void runner_clear(run *r)
{
    dae_solver_free(r->solver);
    memory_drop(r->atols);
    memory_drop(r->unknown_at);
    memory_drop(r->discrete_at);
    memory_drop(r->discretes);
    memory_drop(r->observed_before);
    memory_drop(r->x);
    memory_drop(r->xp);
    memory_drop(r->observed);
    memory_drop(r->start_observed);
    memory_drop(r->places);
    closed_form_clear(&r->exact);
    runner_rest(&r->problem);
    memset(r, 0, sizeof *r);
}

/* ---- the start ---- */

static bool start_was_warned_of(const run *r)
{
    const dae_diagnostics *ds = r->messages->library;
    if (dae_solver_start_report(r->solver)->degrees_missing > 0) return true;
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++)
        if (messages_is_about_start(dae_diagnostics_at(ds, i))) return true;
    return false;
}

static dae_status make_start(run *r)
{
    double before = console_clock();
    dae_status st = dae_solver_create(&r->problem, &r->options,
        &r->limits->allocator, r->messages->library, &r->solver);
    double created = console_clock();
    r->times.analyse = created - before;
    if (st) return st;
    st = dae_solver_initialize(r->solver);
    r->times.initialize = console_clock() - created;
    return st;
}

static void copy_solution(run *r)
{
    memcpy(r->x, dae_solver_x(r->solver), r->state_count * sizeof *r->x);
    memcpy(r->xp, dae_solver_xp(r->solver), r->unknown_count * sizeof *r->xp);
    if (r->discrete_count)
        memcpy(r->discretes, r->problem.events->held,
            r->discrete_count * sizeof *r->discretes);
}

dae_status runner_start(run *r)
{
    dae_status st = make_start(r);
    if (st) return st;
    copy_solution(r);
    if ((st = dae_model_set_start(r->model, r->t0, r->x, r->xp))) return st;
    st = dae_model_observe(r->model, r->t0, r->x, r->xp, r->start_observed);
    if (st) return st;
    memcpy(r->observed, r->start_observed,
        r->observation_count * sizeof *r->observed);
    r->has_start = true;
    if (r->args->strict && start_was_warned_of(r)) return DAE_INCONSISTENT;
    return walk_show_start(r);
}

#include "run/solution.h"
#include "base/intern.h"
#include "run/walk.h"
#include <dae/names.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- setting up ---- */

static bool is_given(const solution *r, setting_id first, setting_id last)
{
    for (setting_id id = first; id <= last; id++)
        if (settings_are_given(&r->request->settings, id)) return true;
    return false;
}

/* A request that cannot be met is the `solve` line's where the caller has asked for
 * nothing of it. */
static dae_status place_refusal(
    const solution *r, bool is_callers, dae_status st)
{
    const dae_settings *s = dae_model_settings(r->model);
    if (s->has_solve && !is_callers
        && (st == DAE_ARGUMENT || st == DAE_UNSUPPORTED))
        report_place(r->ds, DIAG_E0505, &s->span);
    return st;
}

/* So many steps a run takes where nothing is said. */
static const double MOST_FIXED_STEPS = 1e7 * (1 + 1e-9);

static double number_of(const solution *r, setting_id id)
{
    return settings_number(&r->request->settings, r->model, id);
}

static int choice_of(const solution *r, setting_id id)
{
    return settings_choice(&r->request->settings, r->model, id);
}

/* Without an end the start still wants a direction and a scale. */
static dae_status choose_interval(solution *r, bool is_whole)
{
    r->t0 = number_of(r, SETTING_FROM);
    r->t1 = number_of(r, SETTING_TO);
    if (isnan(r->t1) && is_whole)
        return RUN_REFUSE(r->ds,
            "the model has no `solve` line: say where the run ends with %sto",
            r->request->prefix);
    if (fabs(r->t1 - r->t0) > 0) return DAE_OK;
    if (is_whole)
        return RUN_REFUSE(
            r->ds, "the run ends where it starts, at %.17g", r->t0);
    r->t1 = r->t0 + 1;
    return DAE_OK;
}

static dae_status choose_linear(solution *r)
{
    const int k = choice_of(r, SETTING_LINEAR);
    if (k < 0) return settings_refuse(SETTING_LINEAR, r->ds);
    r->options.linear = (dae_linear)k;
    return DAE_OK;
}

static dae_status choose_options(solution *r)
{
    const run_request *q = r->request;
    dae_options *o = &r->options;
    *o = dae_options_default();
    o->rtol = number_of(r, SETTING_RTOL) * r->factors.rtol;
    o->atol = number_of(r, SETTING_ATOL) * r->factors.atol;
    o->first_step = number_of(r, SETTING_FIRST_STEP);
    o->max_step = number_of(r, SETTING_MAX_STEP);
    o->max_steps = (int64_t)number_of(r, SETTING_MAX_STEPS);
    o->max_order = (int)fmin(number_of(r, SETTING_ORDER), INT_MAX);
    const char *method = settings_word(&q->settings, r->model, SETTING_METHOD);
    if (method) o->method = method;
    o->step = number_of(r, SETTING_STEP);
    o->start = (dae_start_points)choice_of(r, SETTING_START);
    o->reduce = (dae_reduce)choice_of(r, SETTING_REDUCE);
    o->condense = (dae_condense)choice_of(r, SETTING_CONDENSE);
    o->homotopy = number_of(r, SETTING_HOMOTOPY) > 0;
    o->t_end = r->t1;
    o->interrupt = q->interrupt;
    o->interrupt_context = q->interrupt_context;
    o->on_event = walk_event;
    o->event_context = r;
    r->given_max_steps = o->max_steps;
    return choose_linear(r);
}

/* Steps that are given are counted before the first of them is made. */
static dae_status check_step_count(solution *r)
{
    const dae_options *o = &r->options;
    if (!(o->step > 0) || o->max_steps > 0) return DAE_OK;
    if (fabs(r->t1 - r->t0) / o->step <= MOST_FIXED_STEPS) return DAE_OK;
    return RUN_REFUSE(r->ds,
        "%sstep %.10g: there would be more than 10^7 steps from %.10g to %.10g "
        "(%smax-steps allows more)",
        r->request->prefix, o->step, r->t0, r->t1, r->request->prefix);
}

static dae_status choose_grid(solution *r)
{
    const dae_settings *s = dae_model_settings(r->model);
    grid *g = &r->grid;
    *g = (grid){.kind = GRID_DENSE, .t0 = r->t0, .t1 = r->t1};
    g->first = s->log_first;
    g->count = (int64_t)number_of(r, SETTING_POINTS);
    if (g->count) g->kind = GRID_POINTS;
    if (s->log_grid) {
        g->kind = GRID_LOG;
        if (!g->count) g->count = GRID_LEAST_POINTS;
    }
    if (number_of(r, SETTING_ALL_STEPS) > 0) g->kind = GRID_STEPS;
    if (settings_are_given(&r->request->settings, SETTING_EVERY)) {
        g->kind = GRID_EVERY;
        g->every = number_of(r, SETTING_EVERY);
    }
    const char *why;
    const bool is_callers = is_given(r, SETTING_FROM, SETTING_TO)
        || is_given(r, SETTING_POINTS, SETTING_ALL_STEPS);
    if (grid_prepare(g, &why)) return DAE_OK;
    return place_refusal(r, is_callers, RUN_REFUSE(r->ds, "%s", why));
}

/* Values are called at most this uncertain, beside 1 and their size. */
static const double narrow = 1e-3;

/* The model's closed form for the first points. */
static dae_status choose_exact(solution *r)
{
    dae_options *o = &r->options;
    if (!(o->step > 0) || o->start != DAE_START_EXACT) return DAE_OK;
    const dae_status st = dae_closed_form_create(r->model, &r->problem, r->t0,
        r->t1, narrow, r->request->allocator, &r->exact);
    o->exact = dae_closed_form_at;
    o->exact_context = r->exact;
    return st;
}

/* ---- tolerances of single unknowns ---- */

/* `name` means this unknown, or it is an element of the array `name`. */
static bool is_named(const char *unknown, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(unknown, name, n) != 0) return false;
    return unknown[n] == '\0' || (unknown[n] == '[' && !strchr(name, '['));
}

static dae_status set_atol(solution *r, const own_atol *o)
{
    char name[256], near[256] = "";
    bool found = false;
    for (size_t j = 0; j < r->unknown_count; j++) {
        (void)r->problem.name(
            r->problem.self, DAE_NAME_UNKNOWN, j, name, sizeof name);
        const char *const two[] = {*near ? near : name, name};
        if (nearest_name(o->name, two, 2) == name)
            memcpy(near, name, sizeof near);
        if (!is_named(name, o->name)) continue;
        r->atols[j] = o->value;
        found = true;
    }
    if (found) return DAE_OK;
    (void)RUN_REFUSE(r->ds, "%satol: the model has no unknown `%s`",
        r->request->prefix, o->name);
    if (*near) report_help(r->ds, "did you mean `%s`?", near);
    return DAE_ARGUMENT;
}

/* The problem's own tolerances, those of the caller, and all of them scaled for a
 * run to compare with; the model is left as it is. */
static dae_status choose_atols(solution *r)
{
    const settings *s = &r->request->settings;
    const dae_scales *given = r->problem.scales;
    bool is_scaled = fabs(r->factors.atol - 1) > 0 && given && given->atol;
    if (s->atols.count == 0 && !is_scaled) return DAE_OK;
    r->atols = ARENA_ARRAY(&r->memory, double, r->unknown_count);
    if (!r->atols) return DAE_MEMORY;
    if (given) r->scales = *given;
    for (size_t j = 0; j < r->unknown_count; j++)
        r->atols[j] = given && given->atol ? given->atol[j] : (double)NAN;
    for (size_t i = 0; i < s->atols.count; i++) {
        dae_status st = set_atol(r, &s->atols.items[i]);
        if (st) return st;
    }
    for (size_t j = 0; j < r->unknown_count; j++)
        r->atols[j] *= r->factors.atol;
    r->scales.atol = r->atols;
    r->problem.scales = &r->scales;
    return DAE_OK;
}

double solution_rtol(const solution *r)
{
    return r->options.rtol / r->factors.rtol;
}

double solution_atol(const solution *r, size_t j)
{
    const dae_scales *s = r->problem.scales;
    const double general = r->options.atol / r->factors.atol;
    if (s && s->atol && s->atol[j] >= 0) return s->atol[j] / r->factors.atol;
    return s && s->nominal && s->nominal[j] > 0 ? general * s->nominal[j]
                                                : general;
}

/* So near to the end, of the interval, is at the end. */
static const double NEAR = 1e-3;

bool solution_ends_at_event(const solution *r)
{
    return r->event_count > 0
        && fabs(r->t - r->last_event) <= NEAR * fabs(r->t1 - r->t0);
}

const char *solution_last_error(const dae_diagnostics *ds)
{
    const char *text = NULL;
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(ds, i);
        if (d->severity == DAE_ERROR) text = d->message;
    }
    return text;
}

/* ---- life ---- */

static double *vector(solution *r, size_t count)
{
    return ARENA_ARRAY(&r->memory, double, count);
}

static bool is_as_it_is(const size_t *at, size_t count)
{
    size_t k = 0;
    while (k < count && at[k] == k) k++;
    return k == count;
}

size_t solution_unknown_at(const solution *r, size_t k)
{
    return r->unknown_at ? r->unknown_at[k] : k;
}

static dae_status find_orders(solution *r)
{
    const size_t unknowns = dae_model_unknown_count(r->model);
    r->discrete_at = ARENA_ARRAY(&r->memory, size_t, r->discrete_count);
    const arena_position before = arena_mark(&r->memory);
    r->unknown_at = ARENA_ARRAY(&r->memory, size_t, unknowns);
    if (!r->unknown_at || !r->discrete_at) return DAE_MEMORY;
    dae_text_order_unknowns(r->model, r->unknown_at);
    if (is_as_it_is(r->unknown_at, unknowns)) {
        arena_release(&r->memory, before);
        r->unknown_at = NULL;
    }
    return dae_text_order(&r->problem, DAE_NAME_DISCRETE, r->discrete_count,
        r->request->allocator, r->discrete_at);
}

static dae_status make_vectors(solution *r)
{
    const dae_events *events = r->problem.events;
    r->unknown_count = r->problem.unknown_count;
    r->state_count = dae_problem_state_count(&r->problem);
    r->observation_count = dae_model_observation_count(r->model);
    r->discrete_count = events ? events->discrete_count : 0;
    r->x = vector(r, r->state_count);
    r->xp = vector(r, r->unknown_count);
    r->discretes = vector(r, r->discrete_count);
    r->observed = vector(r, r->observation_count);
    r->observed_before = vector(r, r->observation_count);
    r->start_observed = vector(r, r->observation_count);
    const bool has_all = r->x && r->xp && r->observed && r->observed_before
        && r->start_observed && r->discretes;
    return has_all ? find_orders(r) : DAE_MEMORY;
}

void solution_rest(const dae_problem *problem)
{
    const dae_events *e = problem->events;
    if (!e) return;
    for (size_t d = 0; d < e->discrete_count; d++)
        e->held[d] = e->discrete_start[d];
    for (size_t k = 0; k < e->switch_count; k++)
        e->held[e->discrete_count + k] = (double)NAN;
}

dae_status solution_init(solution *r, const run_request *q,
    tolerance_factors factors, bool is_whole, dae_diagnostics *ds)
{
    *r = (solution){.request = q,
        .ds = ds,
        .model = q->model,
        .factors = factors,
        .step_end = (double)NAN,
        .stop = SIZE_MAX};
    arena_init(&r->memory, q->allocator, 0);
    r->problem = *dae_model_problem(q->model);
    dae_status st;
    if ((st = choose_interval(r, is_whole))) return st;
    if ((st = choose_options(r)))
        return place_refusal(
            r, is_given(r, SETTING_LINEAR, SETTING_LINEAR), st);
    if (is_whole && (st = check_step_count(r))) return st;
    if ((st = choose_grid(r))) return st;
    if ((st = make_vectors(r))) return st;
    if ((st = choose_exact(r))) return st;
    r->start = *r->problem.start;
    r->start.t0 = r->t0;
    r->problem.start = &r->start;
    r->t = r->t0;
    solution_rest(&r->problem);
    return choose_atols(r);
}

void solution_limit_steps(solution *r, double most)
{
    dae_options *o = &r->options;
    if (o->max_steps > 0 && (double)o->max_steps <= most) return;
    o->max_steps = (int64_t)most;
}

void solution_clear(solution *r)
{
    if (!r->request) return;
    dae_solver_free(r->solver);
    dae_closed_form_free(r->exact);
    if (dae_model_taker(r->model) == r->request)
        solution_rest(dae_model_problem(r->model));
    arena_clear(&r->memory);
    memset(r, 0, sizeof *r);
}

/* ---- the start ---- */

static bool start_was_warned_of(const solution *r)
{
    if (dae_solver_start_report(r->solver)->degrees_missing > 0) return true;
    for (size_t i = 0; i < dae_diagnostics_count(r->ds); i++)
        if (dae_diagnostic_is_of_start(dae_diagnostics_at(r->ds, i)))
            return true;
    return false;
}

/* Takes the solver's values. */
static void solution_copy(solution *r)
{
    memcpy(r->x, dae_solver_x(r->solver), r->state_count * sizeof *r->x);
    memcpy(r->xp, dae_solver_xp(r->solver), r->unknown_count * sizeof *r->xp);
    if (r->discrete_count)
        memcpy(r->discretes, r->problem.events->held,
            r->discrete_count * sizeof *r->discretes);
}

dae_status solution_create(solution *r)
{
    return place_refusal(r, is_given(r, SETTING_RTOL, SETTING_CONDENSE),
        dae_solver_create(&r->problem, &r->options, r->request->allocator,
            r->ds, &r->solver));
}

dae_status solution_start(solution *r)
{
    dae_status st = r->solver ? DAE_OK : solution_create(r);
    if (!st) st = dae_solver_initialize(r->solver);
    if (st) return st;
    solution_copy(r);
    if ((st = dae_model_set_start(r->model, r->t0, r->x, r->xp))) return st;
    st = dae_model_observe(r->model, r->t0, r->x, r->xp, r->start_observed);
    if (st) return st;
    memcpy(r->observed, r->start_observed,
        r->observation_count * sizeof *r->observed);
    r->has_start = true;
    const bool is_strict = number_of(r, SETTING_STRICT) > 0;
    if (is_strict && start_was_warned_of(r)) return DAE_INCONSISTENT;
    return walk_show_start(r);
}

/* ---- a run that begins anew where it stands ---- */

/* What is integrated is given, the rest is guessed: as at an event that changes what the
 * equations determine. */
static void mark_given(const solution *r, restart_room *to)
{
    const uint8_t *order = r->problem.order;
    memset(to->xp_guessed, DAE_GUESS_STATED, r->unknown_count);
    for (size_t j = 0, s = 0; j < r->unknown_count; j++) {
        const size_t high = order ? order[j] : 1;
        const size_t end = s + (high > 1 ? high : 1);
        for (; s < end; s++) {
            to->x_fixed[s] = high > 0;
            to->x_guessed[s] = high > 0 ? DAE_GUESS_OWN : DAE_GUESS_STATED;
        }
    }
}

/* Conditions are compared with what they were; whens at the start have had theirs, unless
 * nothing has been dealt with yet. */
static void copy_whens(const solution *r, restart_room *to)
{
    const dae_events *e = dae_model_problem(r->model)->events;
    const uint8_t *truths = dae_solver_truths(r->solver);
    const bool is_start = r->event_count == 0 && !(fabs(r->t - r->t0) > 0);
    for (size_t w = 0; truths && w < e->when_count; w++) {
        to->whens[w] = e->whens[w];
        to->whens[w].at_start = e->whens[w].at_start && is_start;
        to->truths[w] = truths[w];
    }
}

static dae_status make_room(solution *r)
{
    restart_room *to = &r->again;
    const dae_events *e = r->problem.events;
    arena *a = &r->memory;
    if (to->x) return DAE_OK;
    to->xp = ARENA_ARRAY(a, double, r->unknown_count);
    to->discretes = ARENA_ARRAY(a, double, r->discrete_count);
    to->x_fixed = ARENA_ARRAY(a, uint8_t, r->state_count);
    to->x_guessed = ARENA_ARRAY(a, uint8_t, r->state_count);
    to->xp_fixed = ARENA_ARRAY(a, uint8_t, r->unknown_count);
    to->xp_guessed = ARENA_ARRAY(a, uint8_t, r->unknown_count);
    to->whens = ARENA_ARRAY(a, dae_when, e ? e->when_count : 0);
    to->truths = ARENA_ARRAY(a, uint8_t, e ? e->when_count : 0);
    if (!to->xp || !to->discretes || !to->x_fixed || !to->x_guessed
        || !to->xp_fixed || !to->xp_guessed || !to->whens || !to->truths)
        return DAE_MEMORY;
    to->x = ARENA_ARRAY(a, double, r->state_count);
    if (!to->x) return DAE_MEMORY;
    mark_given(r, to);
    return DAE_OK;
}

/* The problem's start is where the run stands. */
static void give_values(solution *r)
{
    restart_room *to = &r->again;
    memcpy(to->x, r->x, r->state_count * sizeof *to->x);
    memcpy(to->xp, r->xp, r->unknown_count * sizeof *to->xp);
    r->start = (dae_start){.t0 = r->t,
        .is_of_run = 1,
        .x = to->x,
        .xp = to->xp,
        .x_fixed = to->x_fixed,
        .xp_fixed = to->xp_fixed,
        .x_guessed = to->x_guessed,
        .xp_guessed = to->xp_guessed};
    if (!r->problem.events) return;
    memcpy(to->discretes, r->discretes, r->discrete_count * sizeof(double));
    r->events = *r->problem.events;
    r->events.discrete_start = to->discretes;
    copy_whens(r, to);
    r->events.whens = to->whens;
    r->events.truth_start = to->truths;
    r->problem.events = &r->events;
}

dae_status solution_restart(solution *r)
{
    dae_solver *solver = NULL;
    dae_status st = make_room(r);
    if (st) return st;
    give_values(r);
    st = dae_solver_create(
        &r->problem, &r->options, r->request->allocator, r->ds, &solver);
    if (!st) st = dae_solver_initialize(solver);
    if (st) {
        dae_solver_free(solver);
        return st;
    }
    dae_solver_free(r->solver);
    r->solver = solver;
    solution_copy(r);
    return DAE_OK;
}

/* The public face of runs, as far as they are told what to do: checks what it is given, and
 * delegates. results.c is about what can be asked of them. */
#include "run/run_object.h"

#include "base/intern.h"
#include "run/global.h"
#include "run/solution.h"
#include "run/walk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- who may call ---- */

/* What is called from a callback finds the run in the middle of something. */
static bool is_free(dae_run *r)
{
    if (r && r->is_busy)
        (void)RUN_REFUSE(r->ds,
            "called from a callback, where a run can be asked but not changed");
    return r && !r->is_busy;
}

static bool enter(dae_run *r)
{
    const bool may = is_free(r);
    if (may) r->is_busy = true;
    return may;
}

static dae_status leave(dae_run *r, dae_status st)
{
    r->is_busy = false;
    return st;
}

static bool has_model(const dae_run *r)
{
    return dae_model_taker(r->request.model) == &r->request;
}

/* Another run of the model would see its params and discrete variables change. A copy has
 * the params of its original, which starts again before it goes on. */
static dae_status take_model(dae_run *r, bool keeps)
{
    dae_model *m = r->request.model;
    if (r->of && dae_model_taker(m) == &r->of->request) dae_model_give_back(m);
    if (!dae_model_take(m, &r->request, keeps)) return DAE_OK;
    return RUN_REFUSE(r->ds,
        "another run of the same model has changed params or goes on: free it "
        "before, or load the model once more");
}

/* Its params and discrete variables may be another run's. */
static dae_status want_model(dae_run *r)
{
    if (has_model(r)) return DAE_OK;
    return RUN_REFUSE(r->ds,
        "another run of the same model has begun since this one was prepared: "
        "start this one again");
}

/* Of a solution that goes on from where it stands. */
static dae_status keep_model(dae_run *r)
{
    const dae_status st = want_model(r);
    return st ? st : take_model(r, true);
}

/* ---- life ---- */

static dae_status run_make(
    const dae_allocator *allocator, dae_diagnostics *ds, dae_run **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    dae_run *r = alloc_zeroed(a, 1, sizeof *r);
    *out = r;
    if (!r) return DAE_MEMORY;
    r->request.allocator = a;
    r->request.prefix = "";
    settings_init(&r->request.settings, a);
    arena_init(&r->texts, a, 0);
    arena_init(&r->results, a, 0);
    r->watched.keep = "";
    r->ds = ds;
    r->factor = 1;
    r->global = (dae_global_error){.factor = 1, .estimate = (double)NAN};
    return DAE_OK;
}

static void forget_solution(dae_run *r)
{
    monitor_clear(&r->monitor);
    tape_clear(&r->tape);
    solution_clear(&r->solution);
    arena_clear(&r->results);
    r->verdicts = (dae_verdicts){0};
    r->estimate = (dae_estimate){.count = 0};
    r->atol_check = (dae_atol_check){.is_made = 0};
    r->is_begun = r->is_changed = r->is_forgotten = false;
    r->status = DAE_OK;
}

/* Where it does not compile the run goes on with the model that it has. */
static dae_status compile_again(dae_run *r)
{
    dae_model *model;
    const double *given = r->request.settings.number;
    const dae_status st = model_source_compile(
        &r->source, given[SETTING_FROM], given[SETTING_TO], r->ds, &model);
    if (st == DAE_MODEL) r->is_stale = false;
    if (st) return st;
    forget_solution(r);
    columns_forget(&r->columns);
    dae_model_free(r->request.model);
    r->request.model = model;
    r->inputs.count = 0;
    r->is_stale = false;
    return take_model(r, false);
}

/* What inputs have changed. */
static dae_status restore_inputs(dae_run *r)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; !st && k < r->inputs.count; k++)
        st = dae_model_set_param(r->request.model, r->inputs.items[k].name,
            r->inputs.items[k].before);
    if (!st) r->inputs.count = 0;
    return st;
}

static dae_status make_own(const char *name, const char *text, size_t length,
    const dae_model_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_run **out)
{
    dae_run *r;
    if (out) *out = NULL;
    if (!out || !name) return DAE_ARGUMENT;
    dae_status st = run_make(allocator, ds, &r);
    if (!st)
        st = model_source_keep(
            &r->source, name, text, length, options, r->request.allocator);
    if (!st) st = compile_again(r);
    if (st) dae_run_free(r);
    else *out = r;
    return st;
}

dae_status dae_run_load(const char *path, const dae_model_options *options,
    const dae_allocator *allocator, dae_diagnostics *ds, dae_run **out)
{
    return make_own(path, NULL, 0, options, allocator, ds, out);
}

dae_status dae_run_parse(const char *file_name, const char *text, size_t length,
    const dae_model_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_run **out)
{
    if (out) *out = NULL;
    if (!text && length) return DAE_ARGUMENT;
    return make_own(
        file_name, text ? text : "", length, options, allocator, ds, out);
}

dae_status dae_run_create(dae_model *model, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_run **out)
{
    if (out) *out = NULL;
    if (!out || !model) return DAE_ARGUMENT;
    const dae_status st = run_make(allocator, ds, out);
    if (!st) (*out)->request.model = model;
    return st;
}

dae_status dae_run_copy(const dae_run *r, dae_diagnostics *ds, dae_run **out)
{
    if (out) *out = NULL;
    if (!out || !r || r->is_stale) return DAE_ARGUMENT;
    const run_request *q = &r->request;
    dae_run *copy;
    dae_status st = run_make(q->allocator, ds, &copy);
    if (st) return st;
    copy->of = r->of ? r->of : r;
    copy->request.model = q->model;
    copy->request.prefix = q->prefix;
    copy->request.interrupt = q->interrupt;
    copy->request.interrupt_context = q->interrupt_context;
    copy->watched.keep = NULL;
    st = settings_copy(&copy->request.settings, &q->settings);
    if (st) dae_run_free(copy);
    else *out = copy;
    return st;
}

/* The caller's model is without inputs again. */
static void give_back(dae_run *r)
{
    const void *taker = dae_model_taker(r->request.model);
    if (taker && taker != &r->request) return;
    (void)restore_inputs(r);
    dae_model_give_back(r->request.model);
}

void dae_run_free(dae_run *r)
{
    if (!is_free(r)) return;
    const dae_allocator *a = r->request.allocator;
    forget_solution(r);
    columns_forget(&r->columns);
    if (r->source.name) dae_model_free(r->request.model);
    else give_back(r);
    model_source_clear(&r->source);
    settings_clear(&r->request.settings);
    ARRAY_FREE(a, &r->watched.drifts);
    ARRAY_FREE(a, &r->inputs);
    arena_clear(&r->texts);
    arena_clear(&r->results);
    alloc_free(a, r, 1, sizeof *r);
}

dae_model *dae_run_model(const dae_run *r)
{
    return r ? r->request.model : NULL;
}

dae_diagnostics *dae_run_diagnostics(const dae_run *r)
{
    return r ? r->ds : NULL;
}

/* ---- params and initial values ---- */

static const char *run_nearer(
    dae_run *r, const char *name, const char *best, const char *other)
{
    const char *const two[] = {best ? best : other, other};
    if (nearest_name(name, two, 2) != other) return best;
    return arena_copy(&r->texts, other, strlen(other));
}

static bool is_unknown(const dae_model *m, const char *name)
{
    dae_name_buffer b = {0};
    bool is_one = false;
    for (size_t j = 0; j < dae_model_unknown_count(m) && !is_one; j++)
        is_one = strcmp(dae_name_unknown(m, j, &b), name) == 0;
    (void)dae_name_done(&b);
    return is_one;
}

static dae_status refuse_param(dae_run *r, const char *name)
{
    const dae_model *m = r->request.model;
    const char *near = NULL;
    char text[100];
    for (size_t k = 0; k < dae_model_param_count(m); k++) {
        (void)dae_model_param_name(m, k, text, sizeof text);
        near = run_nearer(r, name, near, text);
    }
    (void)RUN_REFUSE(r->ds, "the model has no param `%s`", name);
    if (is_unknown(m, name))
        report_help(r->ds, "`%s(0)` is the initial value of `%s`", name, name);
    else if (near) report_help(r->ds, "did you mean `%s`?", near);
    return DAE_ARGUMENT;
}

static dae_status refuse_number(dae_run *r, const char *name)
{
    return RUN_REFUSE(
        r->ds, "the value of `%s` is to be a finite number", name);
}

static dae_status refuse_compiling(dae_run *r, const char *name)
{
    (void)RUN_REFUSE(r->ds,
        "`%s` wants the model compiled again, which a run does with one that "
        "it has loaded itself",
        name);
    return DAE_UNSUPPORTED;
}

/* Parentheses make an initial value of it. */
static bool may_be_set(const dae_run *r, const char *name)
{
    return strchr(name, '(')
        || dae_model_param_find(r->request.model, name) != SIZE_MAX;
}

/* What goes on between parts asks for what is gone. */
static dae_status forget_between(dae_run *r)
{
    const bool was_begun = r->solution.has_start || r->is_forgotten;
    forget_solution(r);
    r->is_forgotten = was_begun;
    return restore_inputs(r);
}

dae_status dae_run_set_text(dae_run *r, const char *name, const char *value)
{
    if (!name || !value || !is_free(r)) return DAE_ARGUMENT;
    if (!r->source.name) return refuse_compiling(r, name);
    if (!may_be_set(r, name)) return refuse_param(r, name);
    dae_status st = forget_between(r);
    if (!st) st = model_source_set(&r->source, name, value);
    if (!st) r->is_stale = true;
    return st;
}

static bool is_free_param(const dae_run *r, const char *name)
{
    const size_t k = dae_model_param_find(r->request.model, name);
    return k != SIZE_MAX && dae_model_param_is_free(r->request.model, k);
}

/* Without compiling where that is enough. */
dae_status dae_run_set(dae_run *r, const char *name, double value)
{
    char text[40];
    if (!name || !is_free(r)) return DAE_ARGUMENT;
    if (!isfinite(value)) return refuse_number(r, name);
    if (!may_be_set(r, name)) return refuse_param(r, name);
    if (!r->source.name && !is_free_param(r, name))
        return refuse_compiling(r, name);
    if (take_model(r, true)) return DAE_ARGUMENT;
    (void)snprintf(text, sizeof text, "%.17g", value);
    dae_status st = forget_between(r);
    if (st) return st;
    st = r->is_stale ? DAE_UNSUPPORTED
                     : dae_model_set_param(r->request.model, name, value);
    if (st == DAE_MEMORY || !r->source.name) return st;
    if (!st) return model_source_note(&r->source, name, text);
    r->is_stale = true;
    return model_source_set(&r->source, name, text);
}

/* ---- settings ---- */

dae_status dae_run_set_number(dae_run *r, const char *name, double value)
{
    if (!name || !is_free(r)) return DAE_ARGUMENT;
    const dae_status st = settings_set(
        &r->request.settings, name, value, NULL, r->ds);
    const setting_id id = settings_find(name);
    if (!st && r->source.name && (id == SETTING_FROM || id == SETTING_TO))
        r->is_stale = true;
    return st;
}

dae_status dae_run_set_word(dae_run *r, const char *name, const char *word)
{
    if (!name || !is_free(r)) return DAE_ARGUMENT;
    return settings_set(&r->request.settings, name, (double)NAN, word, r->ds);
}

dae_status dae_run_set_atol(dae_run *r, const char *unknown, double value)
{
    if (!unknown || !is_free(r)) return DAE_ARGUMENT;
    return settings_set_atol(&r->request.settings, unknown, value, r->ds);
}

size_t dae_run_setting_count(const dae_run *r)
{
    return r ? SETTING_COUNT : 0;
}

dae_status dae_run_setting_at(const dae_run *r, size_t k, dae_setting *out)
{
    if (!r || !out || k >= SETTING_COUNT) return DAE_ARGUMENT;
    *out = settings_at(&r->request.settings, r->request.model, (setting_id)k);
    return DAE_OK;
}

dae_status dae_run_setting(const dae_run *r, const char *name, dae_setting *out)
{
    return name ? dae_run_setting_at(r, settings_find(name), out)
                : DAE_ARGUMENT;
}

void dae_run_call_settings(dae_run *r, const char *prefix)
{
    if (r && prefix) r->request.prefix = prefix;
}

void dae_run_on_interrupt(
    dae_run *r, dae_interrupt_fn *interrupt, void *context)
{
    if (!r) return;
    r->request.interrupt = r->source.options.interrupt = interrupt;
    r->request.interrupt_context = context;
    r->source.options.interrupt_context = context;
}

void dae_run_on_step(dae_run *r, dae_step_fn *see, void *context)
{
    if (!r) return;
    r->request.on_step = see;
    r->request.step_context = context;
}

/* ---- solving ---- */

static dae_status keep_status(dae_run *r, dae_status st)
{
    r->status = st;
    return st;
}

static tolerance_factors factors_of(const dae_run *r)
{
    const double factor = r->factor * r->global.factor;
    return (tolerance_factors){factor, factor};
}

static dae_status prepare(dae_run *r, unsigned flags)
{
    const bool is_whole = !(flags & DAE_RUN_START_ALONE);
    if (take_model(r, false)) return DAE_ARGUMENT;
    forget_solution(r);
    dae_status st = restore_inputs(r);
    if (!st && r->is_stale) st = compile_again(r);
    if (!st)
        st = solution_init(
            &r->solution, &r->request, factors_of(r), is_whole, r->ds);
    if (!st && !(flags & DAE_RUN_UNWATCHED))
        st = monitor_init(&r->monitor, &r->watched, &r->solution);
    r->flags = flags;
    return keep_status(r, st);
}

dae_status dae_run_prepare(dae_run *r, unsigned flags)
{
    return enter(r) ? leave(r, prepare(r, flags)) : DAE_ARGUMENT;
}

dae_options *dae_run_options(dae_run *r)
{
    return is_prepared(r) ? &r->solution.options : NULL;
}

dae_status dae_run_scale_tolerances(dae_run *r, double factor)
{
    if (!(factor > 0) || !isfinite(factor) || !is_free(r)) return DAE_ARGUMENT;
    r->factor = factor;
    return DAE_OK;
}

static dae_status make_solver(dae_run *r)
{
    if (!is_prepared(r) || r->solution.solver) return DAE_ARGUMENT;
    if (want_model(r)) return DAE_ARGUMENT;
    return keep_status(r, solution_create(&r->solution));
}

dae_status dae_run_make_solver(dae_run *r)
{
    return enter(r) ? leave(r, make_solver(r)) : DAE_ARGUMENT;
}

static dae_status start(dae_run *r)
{
    const bool is_ready = is_prepared(r) && !r->is_begun && !r->status
        && has_model(r);
    const dae_status st = is_ready ? DAE_OK : prepare(r, r->flags);
    if (st) return st;
    r->is_begun = true;
    dae_status begun = solution_start(&r->solution);
    if (!begun && !(r->flags & (DAE_RUN_UNWATCHED | DAE_RUN_START_ALONE)))
        begun = atol_check_begin(&r->tape, &r->solution);
    return keep_status(r, begun);
}

dae_status dae_run_start(dae_run *r)
{
    return enter(r) ? leave(r, start(r)) : DAE_ARGUMENT;
}

dae_status run_refuse_to_go_on(dae_run *r)
{
    const bool is_alone = r->solution.has_start;
    (void)RUN_REFUSE(r->ds,
        is_alone              ? "the run was prepared for its start alone"
            : r->is_forgotten ? "the run was forgotten when a param was set"
                              : "the run has no start yet");
    report_help(r->ds,
        r->is_forgotten
            ? "between parts of a run dae_run_input gives a param another value"
            : "dae_run_start makes one");
    return DAE_ARGUMENT;
}

/* The inputs count from where the run stands on, after all that happens there. */
static dae_status change(dae_run *r)
{
    solution *s = &r->solution;
    dae_status st = walk_end_event(s);
    if (st || s->has_ended) return st;
    if ((st = solution_restart(s))) return st;
    r->is_changed = false;
    return walk_show_restart(s);
}

static dae_status advance(dae_run *r, double t, bool to_event)
{
    dae_status st = DAE_OK;
    if (!r->solution.has_start || r->flags & DAE_RUN_START_ALONE)
        return run_refuse_to_go_on(r);
    if (keep_model(r)) return DAE_ARGUMENT;
    if (r->is_changed) st = change(r);
    if (!st) st = solution_advance(&r->solution, t, to_event);
    return keep_status(r, st);
}

static dae_status go_to(dae_run *r, double t)
{
    const double direction = r->solution.t1 - r->solution.t0;
    const bool is_behind = !isfinite(t) || direction * (t - r->solution.t) < 0;
    if (r->solution.has_start && is_behind)
        return RUN_REFUSE(r->ds,
            "t = %.10g is not ahead of the run, which stands at %.10g and ends "
            "at %.10g",
            t, r->solution.t, r->solution.t1);
    return advance(r, t, false);
}

dae_status dae_run_to(dae_run *r, double t)
{
    return enter(r) ? leave(r, go_to(r, t)) : DAE_ARGUMENT;
}

static dae_status go_to_event(dae_run *r)
{
    return advance(r, r->solution.t1, true);
}

dae_status dae_run_to_event(dae_run *r)
{
    return enter(r) ? leave(r, go_to_event(r)) : DAE_ARGUMENT;
}

static dae_status find_global_error(dae_run *r)
{
    dae_status st = r->is_stale ? compile_again(r) : take_model(r, false);
    r->global = (dae_global_error){.factor = 1, .estimate = (double)NAN};
    if (st || !global_is_asked(&r->request)) return st;
    forget_solution(r);
    st = restore_inputs(r);
    if (!st) st = global_find(&r->global, &r->request, r->ds);
    return keep_status(r, st);
}

dae_status dae_run_find_global_error(dae_run *r)
{
    return enter(r) ? leave(r, find_global_error(r)) : DAE_ARGUMENT;
}

/* The run's own analysis has told, or another one does, without its warnings: what
 * it finds wrong is no news after a run. */
static dae_status judge_structure(dae_run *r)
{
    dae_analysis *a = NULL;
    dae_index_report found = *dae_solver_index_report(r->solution.solver);
    if (!expect_asks_structure(r->request.model)) return DAE_OK;
    if (!found.is_known) {
        solution_rest(&r->solution.problem);
        const dae_status st = dae_run_analyse(r, 0, NULL, &a);
        if (st) return st;
        found = dae_analysis_report(a);
    }
    expect_structure(r->request.model, &found, r->ds, &r->verdicts);
    dae_analysis_free(a);
    return DAE_OK;
}

/* Once; a second run would not have inputs at their times. */
static dae_status check_atol(dae_run *r)
{
    if (!r->solution.tape || r->inputs.count > 0) return DAE_OK;
    r->solution.tape = NULL;
    return atol_check_make(&r->atol_check, &r->solution, &r->tape);
}

static dae_status finish(dae_run *r)
{
    const solution *s = &r->solution;
    const bool is_complete = s->has_ended && !r->status;
    if (!r->monitor.run) return r->status;
    r->verdicts = (dae_verdicts){0};
    expect_finish(&r->monitor.expectations, r->ds, is_complete,
        s->is_stopped ? s->t : (double)NAN, &r->verdicts);
    if (!is_complete) return DAE_OK;
    dae_solver_rest(s->solver); /* what follows takes as much */
    const dae_status st = check_atol(r);
    return st ? st : judge_structure(r);
}

dae_status dae_run_finish(dae_run *r)
{
    return enter(r) ? leave(r, finish(r)) : DAE_ARGUMENT;
}

static dae_status solve(dae_run *r)
{
    dae_status st = find_global_error(r);
    if (!st) st = prepare(r, 0);
    if (st) return st;
    st = start(r);
    if (!st) st = go_to(r, r->solution.t1);
    const dae_status judged = finish(r);
    return st ? st : judged;
}

dae_status dae_run_solve(dae_run *r)
{
    return enter(r) ? leave(r, solve(r)) : DAE_ARGUMENT;
}

/* ---- inputs ---- */

static dae_status note_input(dae_run *r, const char *name)
{
    for (size_t k = 0; k < r->inputs.count; k++)
        if (strcmp(r->inputs.items[k].name, name) == 0) return DAE_OK;
    const dae_model *m = r->request.model;
    const held_input i = {arena_copy(&r->texts, name, strlen(name)),
        dae_model_param_value(m, dae_model_param_find(m, name))};
    if (!i.name) return DAE_MEMORY;
    return ARRAY_PUSH(r->request.allocator, &r->inputs, i) ? DAE_OK
                                                           : DAE_MEMORY;
}

/* What events have made of it stays. An input for which there is no room is none. */
static dae_status change_param(dae_run *r, const char *name, double value)
{
    const dae_events *e = r->solution.problem.events;
    const size_t count = e ? e->discrete_count + e->switch_count : 0;
    double *held = alloc_zeroed(r->request.allocator, count, sizeof *held);
    if (!held) return DAE_MEMORY;
    if (count) memcpy(held, e->held, count * sizeof *held);
    dae_status st = note_input(r, name);
    if (!st) {
        st = dae_model_set_param(r->request.model, name, value);
        r->is_changed = true; /* of a failure, too */
    }
    if (count) memcpy(e->held, held, count * sizeof *held);
    alloc_free(r->request.allocator, held, count, sizeof *held);
    return st;
}

dae_status dae_run_input(dae_run *r, const char *param, double value)
{
    if (!param || !is_free(r)) return DAE_ARGUMENT;
    if (!isfinite(value)) return refuse_number(r, param);
    if (!r->solution.has_start) return run_refuse_to_go_on(r);
    if (keep_model(r)) return DAE_ARGUMENT;
    if (dae_model_param_find(r->request.model, param) == SIZE_MAX)
        return refuse_param(r, param);
    if (is_free_param(r, param)) return change_param(r, param, value);
    (void)RUN_REFUSE(r->ds,
        "the param `%s` cannot change during a run: the model's structure or "
        "another param decides it",
        param);
    return DAE_UNSUPPORTED;
}

/* ---- watching ---- */

void dae_run_on_row(dae_run *r, dae_point_fn *see, void *context)
{
    if (!r) return;
    r->watched.see = see;
    r->watched.see_context = context;
    if (r->monitor.run) monitor_attach(&r->monitor);
}

void dae_run_on_event(dae_run *r, dae_event_fn *hear, void *context)
{
    if (!r) return;
    r->watched.hear = hear;
    r->watched.hear_context = context;
    const bool is_bare = is_prepared(r) && !r->monitor.run;
    if (is_bare) r->solution.hear = hear, r->solution.context = context;
}

dae_status dae_run_keep(dae_run *r, const char *list)
{
    if (!is_free(r)) return DAE_ARGUMENT;
    const char *copy = list ? arena_copy(&r->texts, list, strlen(list)) : NULL;
    if (list && !copy) return DAE_MEMORY;
    r->watched.keep = copy;
    return DAE_OK;
}

dae_status dae_run_watch_drift(dae_run *r, const char *name)
{
    if (!name || !is_free(r)) return DAE_ARGUMENT;
    const char *copy = arena_copy(&r->texts, name, strlen(name));
    const bool is_kept = copy
        && ARRAY_PUSH(r->request.allocator, &r->watched.drifts, copy);
    return is_kept ? DAE_OK : DAE_MEMORY;
}

void dae_run_note_events(dae_run *r, int is_wanted)
{
    if (r) r->watched.notes_events = is_wanted;
}

/* ---- what else is found out ---- */

dae_verdicts dae_run_judge_structure(
    dae_run *r, const dae_index_report *found, int completed, int notes_values)
{
    if (!r || !found) return (dae_verdicts){0};
    const dae_model *model = r->request.model;
    r->verdicts = (dae_verdicts){0};
    expect_structure(model, found, r->ds, &r->verdicts);
    expect_of_check(model, r->ds, completed, notes_values, &r->verdicts);
    return r->verdicts;
}

dae_status dae_run_analyse(
    dae_run *r, int skip_start, dae_diagnostics *ds, dae_analysis **out)
{
    if (out) *out = NULL;
    if (!out || !is_prepared(r) || want_model(r)) return DAE_ARGUMENT;
    const dae_options *o = &r->solution.options;
    const dae_analysis_options options = {.rtol = o->rtol,
        .atol = o->atol,
        .skip_start = skip_start,
        .homotopy = o->homotopy,
        .interrupt = o->interrupt,
        .interrupt_context = o->interrupt_context};
    return dae_analyse(
        &r->solution.problem, &options, r->request.allocator, ds, out);
}

static dae_status estimate_error(dae_run *r)
{
    if (!r->solution.has_ended)
        return RUN_REFUSE(r->ds, "the run has not come to its end");
    if (r->inputs.count > 0)
        return RUN_REFUSE(r->ds,
            "the error is not estimated of a run that had inputs: the second "
            "run would not have them at their times");
    return r->global.is_asked
        ? estimate_try(&r->estimate, &r->solution, &r->results)
        : estimate_make(&r->estimate, &r->solution, r->ds, &r->results);
}

dae_status dae_run_estimate_error(dae_run *r)
{
    return enter(r) ? leave(r, estimate_error(r)) : DAE_ARGUMENT;
}

/* The public face of studies: checks what it is given, makes one part after the other. */
#include "orders/study.h"

#include "orders/adaptive.h"
#include "orders/events.h"
#include "orders/fixed.h"
#include "orders/reference.h"
#include "orders/roles.h"

#include <dae/names.h>
#include <math.h>
#include <string.h>

/* ---- life and settings ---- */

dae_status dae_orders_create(
    const dae_allocator *allocator, dae_diagnostics *ds, dae_orders **out)
{
    if (!out) return DAE_ARGUMENT;
    const dae_allocator *a = alloc_or_default(allocator);
    dae_orders *o = alloc_zeroed(a, 1, sizeof *o);
    *out = o;
    if (!o) return DAE_MEMORY;
    o->allocator = a;
    o->ds = ds;
    o->request.prefix = "";
    arena_init(&o->texts, a, 0);
    arena_init(&o->results, a, 0);
    arena_init(&o->scratch, a, 0);
    return DAE_OK;
}

static void forget_study(dae_orders *o)
{
    dae_closed_form_free(o->reference.closed);
    ARRAY_FREE(o->allocator, &o->events.times);
    arena_clear(&o->results);
    arena_clear(&o->scratch);
    memset(o->fixed, 0, sizeof o->fixed);
    o->reference = (reference){.closed = NULL};
    o->events = (event_times){.first = SIZE_MAX};
    o->of_runs = (dae_orders_reference){.method = NULL};
    o->run = NULL;
    o->unknowns = NULL;
    o->runs = NULL;
    o->unknown_count = o->run_count = 0;
    o->index = o->freedom = 0;
    o->is_solved = o->is_complete = false;
}

void dae_orders_free(dae_orders *o)
{
    if (!o) return;
    const dae_allocator *a = o->allocator;
    forget_study(o);
    ARRAY_FREE(a, &o->perturbs);
    arena_clear(&o->texts);
    alloc_free(a, o, 1, sizeof *o);
}

dae_status dae_orders_set(dae_orders *o, const char *name, const char *text)
{
    if (!o || !name) return DAE_ARGUMENT;
    const plan_setting k = plan_setting_find(name);
    if (k == PLAN_SETTINGS)
        return ORDERS_REFUSE(o, "a study has no setting `%s`", name);
    const char *copy = text ? arena_copy(&o->texts, text, strlen(text)) : NULL;
    if (text && !copy) return DAE_MEMORY;
    o->request.text[k] = copy;
    return DAE_OK;
}

dae_status dae_orders_perturb(
    dae_orders *o, const char *unknown, const char *by)
{
    if (!o || !unknown || !by) return DAE_ARGUMENT;
    const perturbation p = {arena_copy(&o->texts, unknown, strlen(unknown)),
        arena_copy(&o->texts, by, strlen(by))};
    if (!p.unknown || !p.by || !ARRAY_PUSH(o->allocator, &o->perturbs, p))
        return DAE_MEMORY;
    o->request.perturbs = true;
    return DAE_OK;
}

dae_status dae_orders_check(dae_orders *o)
{
    orders_plan plan;
    return o ? plan_read(&plan, &o->request, o->ds) : DAE_ARGUMENT;
}

void dae_orders_call_settings(dae_orders *o, const char *prefix)
{
    if (o && prefix) o->request.prefix = prefix;
}

void dae_orders_on_clock(dae_orders *o, dae_clock_fn *clock, void *context)
{
    if (!o) return;
    o->clock = clock;
    o->clock_context = context;
}

void dae_orders_on_progress(
    dae_orders *o, dae_orders_progress_fn *hear, void *context)
{
    if (!o) return;
    o->hear = hear;
    o->hear_context = context;
}

/* ---- what is studied ---- */

static int rank_of(const dae_orders_unknown *u)
{
    return u->index <= 1 && u->has_derivative
        ? 0
        : (int)(u->index < 1000 ? u->index : 1000) + 1;
}

/* By index, for it decides their orders; equal ones stay as they are. */
static void sort_unknowns(dae_orders *o)
{
    for (size_t i = 1; i < o->unknown_count; i++) {
        const dae_orders_unknown one = o->unknowns[i];
        size_t k = i;
        for (; k > 0 && rank_of(&o->unknowns[k - 1]) > rank_of(&one); k--)
            o->unknowns[k] = o->unknowns[k - 1];
        o->unknowns[k] = one;
    }
}

/* The states of an unknown, one behind the other from `first` on. */
static dae_status list_unknown(
    dae_orders *o, const dae_orders_unknown *first, size_t count)
{
    dae_name_buffer b = {0};
    bool has_room = true;
    for (const dae_orders_unknown *s = first;
         s < first + count && s->unknown == first->unknown; s++) {
        dae_orders_unknown *u = &o->unknowns[o->unknown_count++];
        const char *name = dae_name_derivative(
            dae_run_model(o->run), s->unknown, s->derivative, &b);
        *u = *s;
        u->name = arena_copy(&o->results, name, strlen(name));
        has_room = has_room && u->name;
    }
    return dae_name_done(&b) && has_room ? DAE_OK : DAE_MEMORY;
}

/* Those that the text has, in its order. */
static dae_status list_unknowns(
    dae_orders *o, const dae_orders_unknown *states, size_t count)
{
    size_t *first = ARENA_ARRAY(
        &o->scratch, size_t, dae_run_problem(o->run)->unknown_count);
    dae_status st = first ? DAE_OK : DAE_MEMORY;
    for (size_t s = count; !st && s-- > 0;) first[states[s].unknown] = s;
    for (size_t p = 0;
         !st && p < dae_model_unknown_count(dae_run_model(o->run)); p++) {
        const size_t at = first[dae_run_unknown_at(o->run, p)];
        st = list_unknown(o, &states[at], count - at);
    }
    return st;
}

static dae_status find_unknowns(dae_orders *o, const dae_analysis *a)
{
    const dae_problem *p = dae_run_problem(o->run);
    const size_t count = dae_problem_state_count(p);
    dae_orders_unknown *states = ARENA_ARRAY(
        &o->scratch, dae_orders_unknown, count);
    o->unknowns = ARENA_ARRAY(&o->results, dae_orders_unknown, count);
    if (!states || !o->unknowns) return DAE_MEMORY;
    dae_status st = orders_roles(a, p, &o->scratch, states);
    if (!st) st = list_unknowns(o, states, count);
    if (!st) sort_unknowns(o);
    return st;
}

static dae_status analyse(dae_orders *o)
{
    dae_analysis *a = NULL;
    dae_status st = dae_run_analyse(o->run, 1, dae_run_diagnostics(o->run), &a);
    if (!st && a->is_wrong) st = DAE_MODEL;
    if (!st) {
        const dae_index_report found = dae_analysis_report(a);
        o->index = found.index < 0 ? 0 : found.index;
        o->freedom = found.degrees_of_freedom;
        st = find_unknowns(o, a);
    }
    dae_analysis_free(a);
    return st;
}

/* A tolerance of the run is the one that is studied. */
static dae_status read_plan(dae_orders *o)
{
    dae_setting rtol;
    dae_status st = plan_read(&o->plan, &o->request, o->ds);
    if (!st) st = dae_run_setting(o->run, "rtol", &rtol);
    if (st || rtol.origin != DAE_FROM_CALLER) return st;
    if (o->request.text[PLAN_OF_TOLERANCES])
        return ORDERS_REFUSE(o, "%srtol and %stolerances exclude each other",
            o->request.prefix, o->request.prefix);
    o->plan.tolerances[0] = rtol.number;
    o->plan.tolerance_count = 1;
    return DAE_OK;
}

dae_status dae_orders_prepare(dae_orders *o, dae_run *run)
{
    if (!o || !run) return DAE_ARGUMENT;
    forget_study(o);
    o->run = run;
    dae_status st = read_plan(o);
    if (!st) st = dae_run_prepare(run, DAE_RUN_UNWATCHED);
    if (!st) st = analyse(o);
    /* once more, as it was before the analysis */
    if (!st) st = dae_run_prepare(run, DAE_RUN_UNWATCHED);
    if (!st) orders_plan_choose_steps(&o->plan, orders_length(o));
    arena_clear(&o->scratch);
    if (st) o->run = NULL;
    return st;
}

/* ---- the studies ---- */

static dae_status solve(dae_orders *o)
{
    dae_status st = DAE_OK;
    if (!dae_run_has_start(o->run)) st = dae_run_start(o->run);
    if (!st) st = orders_events_find(o);
    if (!st) st = orders_events_plan(o);
    if (!st && o->plan.has_steps)
        st = dae_model_note_switches(
            dae_run_model(o->run), dae_run_diagnostics(o->run));
    if (!st) st = reference_init(o);
    for (size_t k = 0; !st && k < o->unknown_count; k++)
        o->unknowns[k].has_closed_form =
            o->reference.is_held[o->unknowns[k].state];
    if (!st && o->plan.has_steps) st = orders_fixed(o);
    if (!st && o->plan.has_tolerances) st = orders_adaptive(o);
    o->is_complete = !st;
    if (st || dae_orders_has_any(o)) return st;
    st = orders_fixed_tell(o);
    return st ? st : orders_adaptive_tell(o);
}

dae_status dae_orders_solve(dae_orders *o, dae_run *run)
{
    dae_status st = DAE_OK;
    if (!o || !run) return DAE_ARGUMENT;
    if (o->run != run || o->is_solved) st = dae_orders_prepare(o, run);
    if (st) return st;
    o->is_solved = true;
    st = solve(o);
    arena_clear(&o->scratch);
    return st;
}

/* ---- what can be asked ---- */

int dae_orders_is_complete(const dae_orders *o)
{
    return o && o->is_complete;
}

int dae_orders_has_any(const dae_orders *o)
{
    return o
        && (fixed_study_has_any(&o->fixed[DAE_ORDERS_PLAN])
            || adaptive_has_any(o));
}

size_t dae_orders_unknown_count(const dae_orders *o)
{
    return o ? o->unknown_count : 0;
}

const dae_orders_unknown *dae_orders_unknown_at(const dae_orders *o, size_t k)
{
    return k < dae_orders_unknown_count(o) ? &o->unknowns[k] : NULL;
}

int64_t dae_orders_index(const dae_orders *o)
{
    return o ? o->index : 0;
}

const double *dae_orders_pattern(const dae_orders *o, size_t *count)
{
    if (count) *count = o ? o->plan.pattern_count : 0;
    return o && o->plan.pattern_count ? o->plan.pattern : NULL;
}

dae_orders_reference dae_orders_reference_of_steps(const dae_orders *o)
{
    return o ? o->reference.of : (dae_orders_reference){.method = NULL};
}

dae_orders_reference dae_orders_reference_of_runs(const dae_orders *o)
{
    return o ? o->of_runs : (dae_orders_reference){.method = NULL};
}

const dae_orders_steps *dae_orders_steps_of(
    const dae_orders *o, dae_orders_steps_kind kind)
{
    if (!o || (unsigned)kind >= DAE_ORDERS_STEPS_COUNT) return NULL;
    return o->fixed[kind].rows ? &o->fixed[kind] : NULL;
}

/* Any bytes as a model, and where it compiles: a consistent start and ten
 * steps, within limits of memory and time. */
#include "harness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 10

typedef struct trial {
    harness h;
    dae_model *model;
    const dae_problem *problem;
    dae_solver *solver;
    size_t states;
    double *x, *xp, *observed; /* of just their size */
} trial;

static void check_finite(const double *values, size_t count)
{
    for (size_t k = 0; k < count; k++)
        harness_require(isfinite(values[k]), "an accepted point is finite");
}

/* Both sides of an event are values, and time does not go back. */
static dae_status see_event(void *context, const dae_event *event)
{
    const trial *t = context;
    const size_t count = dae_model_discrete_count(t->model);
    check_finite(event->x, t->states);
    check_finite(event->x_before, t->states);
    check_finite(event->held, count);
    harness_require(isfinite(event->t), "an event has its time");
    return DAE_OK;
}

/* As the command takes them from the `solve` line. */
static dae_options choose_options(trial *t)
{
    const dae_settings *s = dae_model_settings(t->model);
    dae_options o = dae_options_default();
    if (s->rtol > 0) o.rtol = s->rtol;
    if (s->atol > 0) o.atol = s->atol;
    if (s->order) o.max_order = s->order;
    o.first_step = s->first_step;
    o.max_step = s->max_step;
    o.method = s->method;
    for (int k = DAE_LINEAR_AUTO; s->linear && k <= DAE_LINEAR_GMRES; k++) {
        static const char *const names[] = {
            "auto", "dense", "klu", "umfpack", "list", "direct", "gmres"};
        if (strcmp(s->linear, names[k]) == 0) o.linear = (dae_linear)k;
    }
    o.t_end = s->has_solve ? s->t1 : s->t0 + 1;
    o.interrupt = harness_stop;
    o.interrupt_context = &t->h;
    o.on_event = see_event;
    o.event_context = t;
    return o;
}

/* At the end of a step and inside it. */
static dae_status look(trial *t)
{
    const dae_solver *s = t->solver;
    double now = dae_solver_time(s), h = dae_solver_last_step(s);
    check_finite(dae_solver_x(s), t->states);
    dae_status st = dae_solver_interpolate(s, now - h / 3, t->x, t->xp);
    harness_require(!st, "the dense output covers the last step");
    return dae_model_observe(
        t->model, now, dae_solver_x(s), dae_solver_xp(s), t->observed);
}

static dae_status take_steps(trial *t, double t_end)
{
    double last = dae_solver_time(t->solver);
    double direction = t_end < last ? -1 : 1;
    dae_status st = DAE_OK;
    for (int k = 0; !st && k < STEPS; k++) {
        double now = dae_solver_time(t->solver);
        if (direction * (t_end - now) <= 0) break;
        st = dae_solver_step(t->solver);
        if (st == DAE_STOPPED) return DAE_OK; /* by the text's `stop` */
        if (st) break;
        now = dae_solver_time(t->solver);
        const double gone = direction * (now - last);
        harness_require(
            gone > 0 || (gone == 0 && dae_solver_stands_at_event(t->solver)),
            "time goes on");
        last = now;
        st = look(t);
    }
    return st;
}

static dae_status run(trial *t)
{
    dae_options options = choose_options(t);
    dae_status st = dae_solver_create(
        t->problem, &options, &t->h.allocator, t->h.ds, &t->solver);
    if (!st) st = dae_solver_initialize(t->solver);
    if (st) return st;
    check_finite(dae_solver_x(t->solver), t->states);
    st = dae_model_set_start(t->model, dae_solver_time(t->solver),
        dae_solver_x(t->solver), dae_solver_xp(t->solver));
    return st ? st : take_steps(t, options.t_end);
}

static void try_model(trial *t)
{
    t->problem = dae_model_problem(t->model);
    t->states = dae_problem_state_count(t->problem);
    t->x = harness_numbers(t->states);
    t->xp = harness_numbers(t->problem->unknown_count);
    t->observed = harness_numbers(dae_model_observation_count(t->model));
    harness_check_failure(&t->h, run(t));
    dae_solver_free(t->solver);
    free(t->x);
    free(t->xp);
    free(t->observed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    trial t = {.solver = NULL};
    if (!harness_start(&t.h)) return 0;
    const dae_model_options options = {.memory_limit = HARNESS_MEMORY / 8,
        .interrupt = harness_stop,
        .interrupt_context = &t.h};
    dae_status st = dae_model_parse("f.dae", (const char *)data, size, &options,
        &t.h.allocator, t.h.ds, &t.model);
    harness_check_failure(&t.h, st);
    /* texts that do not compile are for the target `compile` to keep */
    if (!t.model) harness_forget_reached();
    else try_model(&t);
    dae_model_free(t.model);
    harness_finish(&t.h);
    return 0;
}

/* Any bytes as a model: compile it, and where that works, make the start
 * consistent and take a few steps. */
#include <dae/dae.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* More would be a test of patience: `for i in 1..10^9` is a legal model. */
#define MEMORY_LIMIT ((size_t)64 << 20)
#define STATE_LIMIT 200
#define STEPS 5

static int discard(void *context, const char *text, size_t length)
{
    (void)context;
    (void)text;
    (void)length;
    return 0;
}

static void integrate(const dae_model *model, dae_diagnostics *ds)
{
    const dae_problem *problem = dae_model_problem(model);
    const dae_settings *settings = dae_model_settings(model);
    dae_solver *solver = NULL;
    if (dae_problem_state_count(problem) > STATE_LIMIT) return;
    dae_options options = dae_options_default();
    options.t_end = settings->has_solve ? settings->t1 : 1;
    dae_status st = dae_solver_create(problem, &options, NULL, ds, &solver);
    if (!st) st = dae_solver_initialize(solver);
    for (int k = 0; !st && k < STEPS; k++) st = dae_solver_step(solver);
    dae_solver_free(solver);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const dae_model_options options = {.memory_limit = MEMORY_LIMIT};
    dae_diagnostics *ds = NULL;
    dae_model *model = NULL;
    if (dae_diagnostics_create(NULL, &ds)) return 0;
    dae_status st = dae_model_parse(
        "f.dae", (const char *)data, size, &options, NULL, ds, &model);
    if (!st) {
        integrate(model, ds);
        for (dae_show what = DAE_SHOW_EQUATIONS; what <= DAE_SHOW_BYTECODE;
             what++)
            if (dae_model_show(model, what, discard, NULL) == DAE_IO) abort();
    } else if (!dae_diagnostics_error_count(ds)) {
        abort(); /* a failure without a word */
    }
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++)
        if (dae_diagnostic_render(dae_diagnostics_at(ds, i), 0, discard, NULL))
            abort();
    dae_model_free(model);
    dae_diagnostics_free(ds);
    return 0;
}

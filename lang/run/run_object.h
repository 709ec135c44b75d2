/* A run, as the two files of its public face have it. */
#ifndef RUN_OBJECT_H
#define RUN_OBJECT_H

#include "base/arena.h"
#include "run/monitor.h"
#include "run/tape.h"
#include <dae/model.h>

/* Where a run's own model comes from, so that it can be compiled again with other values. */

typedef ARRAY(dae_override) override_list;

typedef struct model_source {
    arena texts;
    const char *name; /* NULL: the model is the caller's */
    const char *text; /* NULL: `name` is a path */
    size_t length;
    dae_model_options options;
    override_list values; /* those of the options, and later ones */
    override_list good;   /* those that the model has */
} model_source;

/* Copies all but what `options` borrows for compiling. DAE_MEMORY. */
dae_status model_source_keep(model_source *s, const char *name,
    const char *text, size_t length, const dae_model_options *options,
    const dae_allocator *a);
void model_source_clear(model_source *s);
/* In place of what the same name had before. DAE_MEMORY. */
dae_status model_source_set(
    model_source *s, const char *name, const char *value);
/* The same of one that the model has already, without compiling. */
dae_status model_source_note(
    model_source *s, const char *name, const char *value);
/* From `from` to `to`, NaN: what options or text say. Of DAE_MODEL the values are again
 * those that the model has; after another failure it can be tried again. */
dae_status model_source_compile(model_source *s, double from, double to,
    dae_diagnostics *ds, dae_model **out);

/* What a run has changed on its way, to be undone before the next one. */
typedef struct held_input {
    const char *name;
    double before;
} held_input;

struct dae_run {
    run_request request;
    model_source source;
    monitor_request watched;
    solution solution;
    monitor monitor;
    const dae_run *of;    /* NULL, or that of which this is a copy */
    dae_columns *columns; /* the caller's own */
    arena texts;          /* names that the caller gave */
    arena results;        /* of the last solution */
    dae_diagnostics *ds;
    bool is_busy;      /* within a call that may call back */
    bool is_stale;     /* the model is to be compiled again */
    bool is_forgotten; /* a solution was, as a param was set */
    bool is_changed;   /* an input was, from where the run stands on */
    ARRAY(held_input) inputs;
    double factor; /* of the tolerances, by the caller */
    unsigned flags;
    bool is_begun; /* a start was looked for */
    dae_status status;
    dae_verdicts verdicts;
    dae_global_error global;
    dae_estimate estimate;
    tape tape; /* of the solution, where it may be checked */
    dae_atol_check atol_check;
};

/* It has been set up. */
static inline bool is_prepared(const dae_run *r)
{
    return r && r->solution.x;
}

/* E0505: there is no start that it could go on from, or be asked about. */
dae_status run_refuse_to_go_on(dae_run *r);

#endif

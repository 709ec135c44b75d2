/* A run, as the two files of its public face have it. */
#ifndef RUN_OBJECT_H
#define RUN_OBJECT_H

#include "run/atol_check.h"
#include "run/estimate.h"
#include "run/model_source.h"
#include "run/monitor.h"

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

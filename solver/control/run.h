/* A run: one problem from its start to the end of its interval. Owns every
 * part of the integrator and decides who does what when: start, steps,
 * limits, interrupts, reports of failures. solver.c only delegates to it. */
#ifndef CONTROL_RUN_H
#define CONTROL_RUN_H

#include "base/arena.h"
#include "step/step.h"
#include <dae/solver.h>

typedef enum run_phase {
    RUN_CREATED,
    RUN_STARTED, /* has a point; steps may be taken */
    RUN_FAILED,  /* has a point; stepping failed there */
} run_phase;

typedef struct run {
    const dae_problem *problem;
    const dae_allocator *allocator;
    dae_diagnostics *ds;
    dae_options options;
    arena memory; /* every vector of the integrator */
    layout layout;
    weights weights;
    iteration *matrix;
    newton newton;
    stepper stepper;
    dae_stats stats;
    dae_start_report start_report;
    run_phase phase;
    double t0;
    double direction;     /* +1, -1; 0 while not known */
    double *scratch;      /* n: reports of failures */
    int64_t steps_before; /* stats.steps when the present output began */
} run;

/* Everything a run needs is made here. On failure nothing is left to clear.
 * `r` is large and must not move afterwards. */
dae_status run_init(run *r, const dae_problem *problem,
    const dae_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds) DAE_MUST_CHECK;
void run_clear(run *r);

/* See dae_solver_initialize, dae_solver_start. */
dae_status run_initialize(run *r) DAE_MUST_CHECK;
dae_status run_start(run *r, double t0, const double *x, const double *xp,
    bool make_consistent) DAE_MUST_CHECK;

/* One accepted step; `towards` gives the direction where options do not. */
dae_status run_step(run *r, double towards) DAE_MUST_CHECK;
/* Steps until `tout` lies in the last step. */
dae_status run_cover(run *r, double tout) DAE_MUST_CHECK;
/* Whether the last step (or the start) covers t. */
bool run_covers(const run *r, double t);

#endif

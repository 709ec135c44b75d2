/* A run: one problem from its start to the end of its interval. Owns every
 * part of the integrator and decides who does what when: start, steps,
 * limits, interrupts, reports of failures. solver.c only delegates to it. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "linalg/naming.h"
#include "reduce/reduction.h"
#include "run/engine.h"
#include "run/regularity.h"
#include <dae/solver.h>

typedef enum run_phase {
    RUN_CREATED,
    RUN_STARTED, /* has a point; steps may be taken */
    RUN_FAILED,  /* has a point; stepping failed there */
    RUN_STOPPED, /* has a point; a `stop` has ended it there */
} run_phase;

/* What stepper.rounding and stepper.growth have come to in engines that are gone. */
typedef struct kept_notes {
    double ratio, t_ratio; /* the largest */
    named_place rounded;
    int64_t passed;
    double t_growth, tolerance; /* of the first; absolute */
    named_place grown;
} kept_notes;

typedef struct run {
    const dae_problem *problem; /* the caller's */
    const dae_allocator *allocator;
    dae_diagnostics *ds;
    dae_options options;
    const formula *formula;
    engine *engine; /* steps the problem, or what `reduction` makes of it */
    regularity regularity;
    reduction *reduction; /* NULL: the problem is solved as it stands */
    struct fine *fine;    /* run/points.h; NULL: none is needed */
    unreduced *unreduced; /* NULL: its index is below 2, or reduced */
    int64_t index_left; /* 2 where repairs alone say so and it is left; or 0 */
    struct event_loop *events; /* events/event_loop.h; NULL: there are none */
    dae_stats stats;
    dae_start_report start_report;
    dae_index_report index_report;
    run_phase phase;
    kept_notes kept;
    bool is_unwatched;   /* `regularity` is of states that are gone */
    bool is_described;   /* stats: the matrix, since it was factored */
    bool is_passed;      /* the last step went through a singular point */
    bool is_unfinished;  /* a step was accepted, but not all that follows it */
    bool is_looked_at;   /* of that: where it ends is known */
    step_failure failed; /* not reported yet, as memory ran out for it */
    double rescued_at;   /* when other states were taken after a failure; NaN */
    double t0;
    double end;           /* of the interval; infinite: none */
    double direction;     /* +1, -1; 0 while not known */
    int64_t steps_before; /* stats.steps when the present output began */
} run;

/* Everything a run needs is made here. On failure nothing is left to clear. */
dae_status run_init(run *r, const dae_problem *problem,
    const dae_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds) DAE_MUST_CHECK;
/* Gives back what only further steps need; they make it again. */
void run_rest(run *r);
void run_clear(run *r);

/* One accepted step; `towards` gives the direction where options do not. */
dae_status run_step(run *r, double towards) DAE_MUST_CHECK;
/* Whether it stands where something turns (dae_solver_stands_at_event). */
bool run_stands_at_event(const run *r);
/* As dae_solver_truths. */
const uint8_t *run_truths(const run *r);
/* Steps until `tout` lies in the last step. */
dae_status run_cover(run *r, double tout) DAE_MUST_CHECK;
/* The caller's x and xp at the end of the last step, as it left them. */
const double *run_x(const run *r);
const double *run_xp(const run *r);
/* The same at its end and inside it; of a reduced system held to its equations
 * (run/algebraic.h). DAE_MEMORY, said in `ds`, or a status of a callback. */
dae_status run_interpolate(
    const run *r, double t, double *x, double *xp) DAE_MUST_CHECK;
/* x alone at several places; DAE_UNSUPPORTED: more than a polynomial has to be asked,
 * as run_interpolate does. */
dae_status run_values(
    const run *r, const history_places *at, double *x) DAE_MUST_CHECK;
/* A point of the reduced problem. */
typedef struct shown_point {
    double t;
    const double *x, *xp;
} shown_point;
/* The one at the end of the last step, held likewise, in a run that has a
 * reduction; valid until the next of these calls. */
dae_status run_reduced_point(const run *r, shown_point *out) DAE_MUST_CHECK;
/* Whether the last step (or the start) covers t. */
bool run_covers(const run *r, double t);

#endif

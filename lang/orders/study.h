/* A study, as its modules share it. */
#ifndef ORDERS_STUDY_H
#define ORDERS_STUDY_H

#include "base/arena.h"
#include "base/report.h"
#include "orders/plan.h"
#include <dae/closed_form.h>
#include <dae/orders.h>

/* What cannot be studied: says why, as printf does, and is DAE_ARGUMENT. */
#define ORDERS_REFUSE(o, ...)                                                  \
    (report((o)->ds, DIAG_E0505, NULL, (text_span){0, 0}, __VA_ARGS__),        \
        DAE_ARGUMENT)

/* A wrong start, as requested. */
typedef struct perturbation {
    const char *unknown, *by;
} perturbation;

/* Times at which values jump, in the order of the run. */
typedef struct event_times {
    ARRAY(double) times;
    size_t first; /* the when that fires first; SIZE_MAX: none does */
    double first_at, last_at; /* when one fires */
    double rtol, atol;        /* of the run */
    bool is_stopped;
} event_times;

/* What errors are measured against. */
typedef struct reference {
    dae_orders_reference of; /* the studies at fixed steps */
    dae_closed_form *closed;
    bool *is_held; /* states: their closed forms are what is measured against */
    size_t held_count; /* of them */
    bool is_long;      /* studies are in extended precision */
    /* of runs at tight tolerance: that of the reference, one that none of those
     * studied has where there is such a one, and another that checks it */
    const char *method, *other_method;
} reference;

/* One formula at one step: what is shown of it, and where its lists are filled. */
typedef struct fixed_row {
    dae_orders_row of;
    double *errors[DAE_ORDERS_ERRORS], *doubts[DAE_ORDERS_ERRORS];
    double *early, *floors;
} fixed_row;

struct dae_orders_steps {
    dae_orders_formula *formulas;
    size_t formula_count, step_count, unknown_count;
    fixed_row *rows;   /* the steps of the first formula, then of the next */
    bool is_by_method; /* of the step machine, in double */
};
typedef dae_orders_steps fixed_study;

struct dae_orders {
    const dae_allocator *allocator;
    dae_diagnostics *ds;
    arena texts; /* of the settings */
    plan_request request;
    ARRAY(perturbation) perturbs;
    dae_clock_fn *clock;
    void *clock_context;
    dae_orders_progress_fn *hear;
    void *hear_context;
    /* the last study: `results` until the next, `scratch` of a pass */
    arena results, scratch;
    dae_run *run; /* NULL: nothing is prepared */
    orders_plan plan;
    int64_t index, freedom; /* of the model */
    dae_orders_unknown *unknowns;
    size_t unknown_count;
    event_times events;
    reference reference;
    fixed_study fixed[DAE_ORDERS_STEPS_COUNT];
    dae_orders_run *runs;
    size_t run_count;
    dae_orders_reference of_runs;
    bool is_solved, is_complete;
};

/* ---- runs of a study ---- */

/* A copy of the run that is studied (dae_run_copy), prepared at `factor` times its
 * tolerances; free also after failure. */
dae_status orders_run(
    const dae_orders *o, double factor, dae_diagnostics *ds, dae_run **out);
/* The same by a method (NULL: the run's) up to an order, for what is measured against: steps
 * are not bounded, and a higher index is reduced. */
dae_status orders_side_run(const dae_orders *o, double factor,
    const char *method, int max_order, dae_diagnostics *ds, dae_run **out);
/* The first error in `ds`. */
void failure_take(dae_orders_failure *f, const dae_diagnostics *ds);
/* Who watches is asked. */
bool orders_is_interrupted(const dae_orders *o);
dae_status orders_tell_progress(
    const dae_orders *o, const char *formula, double step, double rtol);

/* Whether a study goes on after this status of a run, and whether it means that method
 * and model do not fit. */
static inline bool orders_goes_on(dae_status st)
{
    return st == DAE_OK || st == DAE_NUMERIC || st == DAE_RETRY
        || st == DAE_LIMIT;
}
static inline bool orders_cannot_be(dae_status st)
{
    return st == DAE_ARGUMENT || st == DAE_UNSUPPORTED;
}
/* The equations as they stand are integrated up to index 3. */
static inline bool orders_has_unreduced(const dae_orders *o)
{
    return o->index > 1 && o->index <= 3;
}
/* 1 or -1, the way of the run. */
static inline double orders_way(const dae_orders *o)
{
    return dae_run_end(o->run) > dae_run_begin(o->run) ? 1 : -1;
}
static inline double orders_length(const dae_orders *o)
{
    const double way = dae_run_end(o->run) - dae_run_begin(o->run);
    return way < 0 ? -way : way;
}

#endif

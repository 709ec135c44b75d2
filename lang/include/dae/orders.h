/* Convergence studies of a model: errors of methods at fixed steps and at tolerances against a
 * reference, and the orders that they show. What `dae orders` does, for other programs.
 *
 *     dae_orders *o;
 *     dae_status st = dae_orders_create(NULL, ds, &o);
 *     if (!st) st = dae_orders_set(o, "methods", "radau,trapezoid");
 *     if (!st) st = dae_orders_solve(o, run);
 *     ... dae_orders_steps_of(o, DAE_ORDERS_PLAN), dae_orders_run_at(o, i) ...
 *     dae_orders_free(o);
 *
 * A study is of one thread. NULL for a study, or what is out of range, is answered by
 * DAE_ARGUMENT or, where no status is returned, by 0, NULL or NaN. Pointers that are
 * returned belong to the study and are valid until it is prepared again. */
#ifndef DAE_ORDERS_H
#define DAE_ORDERS_H

#include <dae/run.h>
#include <dae/study.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dae_orders dae_orders;

/* ---- making one ---------------------------------------------------------------- */

/* `allocator` NULL: malloc. What the study itself has to say is told in `ds`, which is
 * borrowed for its life and may be NULL; what runs say is told in the diagnostics of the
 * run that is studied. On failure *out is NULL. */
DAE_API dae_status dae_orders_create(const dae_allocator *allocator,
    dae_diagnostics *ds, dae_orders **out) DAE_MUST_CHECK;
DAE_API void dae_orders_free(dae_orders *o);

/* ---- settings -------------------------------------------------------------------- */

/* Settings are texts and have the names of the options of `dae orders`, without their
 * dashes:
 *
 *   study       steps, tolerances or both                       (both)
 *   methods     names with commas                               (bdf)
 *   orders      1..5 or 1,2,5                                   (1..5; of radau all)
 *   steps       0.1,0.05 or 0.1..0.001, which halves            (5 of the interval)
 *   pattern     factors of the steps of a study of BDF, repeated: 1,2
 *   tolerances  1e-3..1e-8, which divides by ten   (that; the run's rtol where it is set)
 *
 * NULL takes one back. DAE_ARGUMENT: there is no such setting. */
DAE_API dae_status dae_orders_set(
    dae_orders *o, const char *name, const char *text) DAE_MUST_CHECK;
/* A study of BDF from a wrong start is made, too: `by` is the text of the number that is
 * added to an unknown ("c3") at the start. */
DAE_API dae_status dae_orders_perturb(
    dae_orders *o, const char *unknown, const char *by) DAE_MUST_CHECK;
/* Whether they can be read and go together: DAE_ARGUMENT (E0505) says what does not. What is
 * studied is checked before it is. */
DAE_API dae_status dae_orders_check(dae_orders *o) DAE_MUST_CHECK;
/* What stands before names of settings in messages, as of dae_run_call_settings. */
DAE_API void dae_orders_call_settings(dae_orders *o, const char *prefix);
/* Seconds of a clock that goes forward: dae_orders_run.seconds are by it. NULL: they are 0. */
typedef double dae_clock_fn(void *context);
DAE_API void dae_orders_on_clock(
    dae_orders *o, dae_clock_fn *clock, void *context);
/* Hears which row is begun: of a formula at a step, or of a method at a tolerance, with NaN
 * for what it has not. Not DAE_OK: the status ends the study; DAE_INTERRUPTED is the one to
 * cancel with. The run's dae_run_on_interrupt is asked within rows. */
typedef dae_status dae_orders_progress_fn(
    void *context, const char *formula, double step, double rtol);
DAE_API void dae_orders_on_progress(
    dae_orders *o, dae_orders_progress_fn *hear, void *context);

/* ---- making the studies ------------------------------------------------------------ */

/* Prepares the run (dae_run_prepare), of which its settings are taken, and analyses its
 * structure: unknowns and their indices are known then. The run is borrowed until the study
 * is freed or of another one, and is not to be set meanwhile. */
DAE_API dae_status dae_orders_prepare(
    dae_orders *o, dae_run *run) DAE_MUST_CHECK;
/* The studies, of a run that has been prepared so or is here; it is started, if need be, and
 * makes no step. A row that fails says so and stops nothing; only where there is nothing
 * else the status is that of the first, whose messages are then the run's. Statuses beside
 * those of dae_run_solve: DAE_ARGUMENT (E0505), what cannot be studied. After DAE_INTERRUPTED
 * the rows that were made can be asked for. */
DAE_API dae_status dae_orders_solve(dae_orders *o, dae_run *run) DAE_MUST_CHECK;
/* All rows were made, whatever failed in them; a row came to its end. */
DAE_API int dae_orders_is_complete(const dae_orders *o);
DAE_API int dae_orders_has_any(const dae_orders *o);

/* ---- what is studied ----------------------------------------------------------------- */

/* An unknown, or a derivative of one below its highest, grouped by index. Of index n is what
 * follows from equations of which one has been differentiated n - 1 times; 0: nothing but
 * its past determines it. */
typedef struct dae_orders_unknown {
    const char *name; /* "x", "x'" */
    size_t unknown;   /* the model's */
    int derivative;
    size_t state; /* of the problem */
    int64_t index;
    int has_derivative; /* in the equations: with index <= 1 it is differential */
    int has_closed_form; /* its errors are against an `expect` line */
} dae_orders_unknown;

DAE_API size_t dae_orders_unknown_count(const dae_orders *o);
DAE_API const dae_orders_unknown *dae_orders_unknown_at(
    const dae_orders *o, size_t k);
/* The index of the model. Equations of index 2 and 3 are studied with the index reduced and
 * as they stand. */
DAE_API int64_t dae_orders_index(const dae_orders *o);
/* Factors of the steps, as requested; *count 0: equal steps. */
DAE_API const double *dae_orders_pattern(const dae_orders *o, size_t *count);

typedef enum dae_orders_reference_kind {
    DAE_REFERENCE_EXPECT, /* closed forms of all states */
    DAE_REFERENCE_POINTS, /* no degree of freedom: the values at a time follow from
                             the equations and their derivatives there */
    DAE_REFERENCE_RADAU, /* Radau IIA of order 9 at parts of steps: index 0 and 1 */
    DAE_REFERENCE_TIGHT /* a run at tight tolerance, with the index reduced */
} dae_orders_reference_kind;

/* What errors are against. */
typedef struct dae_orders_reference {
    dae_orders_reference_kind kind;
    int is_mixed;   /* but of some unknowns against closed forms */
    int is_refuted; /* closed forms of all were not what runs find */
    int is_by_steps; /* TIGHT was tried by fixed steps of radau of order 13 first */
    int was_too_long; /* steps of radau came to no end somewhere: runs stood in */
    int is_long;      /* in extended precision */
    const char *method; /* of a run at tolerance `rtol`; NULL: there is none */
    double
        rtol; /* of that; of RADAU of runs that of the run whose steps it halves */
} dae_orders_reference;

/* Of the studies at fixed steps, and of that at tolerances. */
DAE_API dae_orders_reference dae_orders_reference_of_steps(const dae_orders *o);
DAE_API dae_orders_reference dae_orders_reference_of_runs(const dae_orders *o);

/* Why something came to no end: the first error of its run. */
typedef struct dae_orders_failure {
    char code[8]; /* "E0512"; "": nothing was said */
    char text[400];
} dae_orders_failure;

/* ---- fixed steps ------------------------------------------------------------------------ */

/* Every formula at every step: of BDF from exact values (<dae/study.h>), or of methods by
 * the step machine, where `methods` were requested. */
typedef struct dae_orders_steps dae_orders_steps;
typedef enum dae_orders_steps_kind {
    DAE_ORDERS_PLAN, /* as requested */
    DAE_ORDERS_UNEQUAL, /* beside it with steps h, 2h, h, ..., of index 3 and above */
    DAE_ORDERS_PERTURBED, /* from a wrong start */
    DAE_ORDERS_STEPS_COUNT
} dae_orders_steps_kind;
/* NULL: it was not made. */
DAE_API const dae_orders_steps *dae_orders_steps_of(
    const dae_orders *o, dae_orders_steps_kind kind);

typedef struct dae_orders_formula {
    char name[36];      /* "bdf3", "rk4" */
    const char *method; /* of the step machine; NULL: BDF from exact values */
    int order;          /* that it is expected to have */
    int past;           /* points that it begins from */
    int is_unreduced;   /* the equations as they stand */
} dae_orders_formula;

/* What is kept of a run. */
typedef enum dae_orders_error {
    DAE_ORDERS_END,      /* at the end of the run */
    DAE_ORDERS_ONE_STEP, /* of one step from exact values: of BDF the last, else the
                            first */
    DAE_ORDERS_LARGEST, /* in modulus, of the run */
    DAE_ORDERS_SETTLED, /* the same from the point on where all values that a formula
                            differentiates are its own */
    DAE_ORDERS_ERRORS
} dae_orders_error;

/* What an error is worth. */
typedef enum dae_orders_worth {
    DAE_WORTH_NOTHING,   /* there is none */
    DAE_WORTH_ROUNDING,  /* no more than rounding */
    DAE_WORTH_REFERENCE, /* less than 10 times what the reference is wrong by */
    DAE_WORTH_BELIEVED
} dae_orders_worth;

/* Computed points behind the start that are kept one by one. */
enum { DAE_ORDERS_EARLY = 16 };

/* One formula at one step. Lists have a number for each unknown; NaN: there is none. */
typedef struct dae_orders_row {
    const dae_orders_formula *formula;
    double step;
    int64_t steps;
    int is_short; /* fewer points than the formula needs */
    dae_status status;
    dae_orders_failure failure;
    size_t unknown_count;
    const double *errors[DAE_ORDERS_ERRORS]; /* signed */
    const double
        *doubts[DAE_ORDERS_ERRORS]; /* what another reference makes of them:
                                                how far each is known */
    const double
        *early; /* DAE_ORDERS_EARLY lists: errors of the first points */
    const double *floors; /* errors below are rounding */
    dae_study_counts counts;
} dae_orders_row;

DAE_API size_t dae_orders_formula_count(const dae_orders_steps *f);
DAE_API size_t dae_orders_step_count(const dae_orders_steps *f);
DAE_API const dae_orders_formula *dae_orders_formula_at(
    const dae_orders_steps *f, size_t formula);
/* Steps descend; each is the longest of which whole ones fill the interval. */
DAE_API const dae_orders_row *dae_orders_row_at(
    const dae_orders_steps *f, size_t formula, size_t step);
DAE_API dae_orders_worth dae_orders_worth_of(
    const dae_orders_row *row, dae_orders_error list, size_t unknown);
/* The order that errors at two steps show; NaN: one of them is not believed. */
DAE_API double dae_orders_between(const dae_orders_row *coarse,
    const dae_orders_row *fine, dae_orders_error list, size_t unknown);
/* Of the shortest pair of steps that shows one; NaN: none does. */
DAE_API double dae_orders_observed(const dae_orders_steps *f, size_t formula,
    dae_orders_error list, size_t unknown);

/* Whether the two shortest pairs of steps that show an order agree on it, within 0.35; one
 * pair does where there are no two. Also where none shows one. */
DAE_API int dae_orders_is_settled(const dae_orders_steps *f, size_t formula,
    dae_orders_error list, size_t unknown);

/* ---- tolerances --------------------------------------------------------------------------- */

/* One run of the step machine. Those that differ by their tolerance alone follow each
 * other; orders that a method does not have are left out. */
typedef struct dae_orders_run {
    const char *method;
    int is_unreduced;
    int max_order; /* the highest, or where `is_held` the only one; 0: it chooses them */
    int is_held;
    double rtol;
    dae_status status;
    dae_orders_failure failure;
    double error; /* largest of the run and of all unknowns, each by its largest
                           modulus; NaN: it failed */
    double uncertainty; /* of the reference: the largest in the same sense */
    int is_doubted;     /* the error is less than ten times that */
    dae_stats stats;
    double seconds; /* dae_orders_on_clock */
} dae_orders_run;

DAE_API size_t dae_orders_run_count(const dae_orders *o);
DAE_API const dae_orders_run *dae_orders_run_at(const dae_orders *o, size_t i);
/* Runs that differ from the i-th by their tolerance alone, from it on, with it. */
DAE_API size_t dae_orders_series(const dae_orders *o, size_t i);
/* Residual evaluations of that series at an error, between two of its runs by powers; NaN:
 * it has no run on one side, or that failed or is doubted. */
DAE_API double dae_orders_cost(const dae_orders *o, size_t i, double error);

#ifdef __cplusplus
}
#endif
#endif

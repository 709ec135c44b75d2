/* Runs of a model: settings, params, start, steps, results by name, events, expectations,
 * the error of the solution; as often as wanted. What `dae run` does, for other programs.
 *
 *     dae_run *run;
 *     dae_status st = dae_run_load("tank.dae", NULL, NULL, ds, &run);
 *     if (!st) st = dae_run_set(run, "k", 0.3);
 *     if (!st) st = dae_run_solve(run);
 *     if (!st) st = dae_run_final(run, "level", &level);
 *     dae_run_free(run);
 *
 * A run is of one thread. NULL for a run, or what is out of range, is answered by
 * DAE_ARGUMENT or, where no status is returned, by 0, "", NULL or NaN. What goes wrong is
 * told in the diagnostics that the run was made with, with places in the model's text.
 * Within a callback a run is asked alone: what would change it is DAE_ARGUMENT (E0505), and
 * dae_run_free does nothing.
 * Pointers that are returned belong to the run and are valid until it is solved again. */
#ifndef DAE_RUN_H
#define DAE_RUN_H

#include <dae/model.h>
#include <dae/names.h>
#include <dae/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dae_run dae_run;

/* ---- making one ---------------------------------------------------------------- */

/* Compiles the model at `path`. `options` (NULL: none) and `allocator` (NULL: malloc) as
 * for dae_model_load; `read` and `interrupt` may be called again where the model is
 * compiled again. `ds` is borrowed for the run's life, and NULL: nothing is told.
 * On failure *out is NULL. */
DAE_API dae_status dae_run_load(const char *path,
    const dae_model_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_run **out) DAE_MUST_CHECK;
/* The same of a text, which messages call `file_name`. */
DAE_API dae_status dae_run_parse(const char *file_name, const char *text,
    size_t length, const dae_model_options *options,
    const dae_allocator *allocator, dae_diagnostics *ds,
    dae_run **out) DAE_MUST_CHECK;
/* The same of a model that is the caller's and outlives the run. Params and discrete
 * variables are the model's: another run of it is refused (DAE_ARGUMENT, E0505) from where
 * one goes on, or changes a param, until that one is freed. Inputs are then taken back.
 * What was prepared before another run began dae_run_start prepares again, with the options
 * that the settings say. */
DAE_API dae_status dae_run_create(dae_model *model,
    const dae_allocator *allocator, dae_diagnostics *ds,
    dae_run **out) DAE_MUST_CHECK;
/* Another run of the same model with the same settings, tolerances of its own unknowns and
 * dae_run_on_interrupt, to compare with: no rows, nobody who watches. It is told of in `ds`
 * and ends before the first one does. DAE_ARGUMENT: a dae_run_set wants the model compiled
 * again. */
DAE_API dae_status dae_run_copy(
    const dae_run *run, dae_diagnostics *ds, dae_run **out) DAE_MUST_CHECK;
DAE_API void dae_run_free(dae_run *run);
/* The diagnostics that it was made with. */
DAE_API dae_diagnostics *dae_run_diagnostics(const dae_run *run);
/* The model: its names, units, expectations and listings (dae/model.h). One that the run
 * has made goes where it is compiled again: with the next solution after a dae_run_set that
 * wants it, or after a change of from or to; so do its problem and pointers from both. */
DAE_API dae_model *dae_run_model(const dae_run *run);

/* ---- params and initial values --------------------------------------------------- */

/* Gives a param ("k", "R[3]") or an initial value ("x(0)", "x'(0)", "T[1,2](0)") another
 * value from the next solution on; the last one is forgotten. Initial values, and params
 * that others are computed from or that decide sizes and ranges, want the model compiled
 * again, which is done then; only one that the run has made itself can be (else
 * DAE_UNSUPPORTED). Where it does not compile, the solution's status is DAE_MODEL, and
 * the values of before are there again; after another failure (DAE_INTERRUPTED) the next
 * solution compiles it. DAE_ARGUMENT: not finite; no such param (E0505).
 * Between steps of a solution: dae_run_input. */
DAE_API dae_status dae_run_set(
    dae_run *run, const char *name, double value) DAE_MUST_CHECK;
/* The same; `value` is the text of a constant expression ("3*pi", "x0/2"). */
DAE_API dae_status dae_run_set_text(
    dae_run *run, const char *name, const char *value) DAE_MUST_CHECK;

/* ---- settings ------------------------------------------------------------------- */

/* Settings have the names of the options of `dae run`, without their dashes:
 *
 *   from, to                  interval, in the model's unit of time
 *   rtol, atol                tolerances; 0 or more
 *   error                     what they are for: local (a step), global (the solution)
 *   check-atol                auto, never: whether a second run may show what atol hides
 *   method, order, step       formula; its highest order; length of fixed steps
 *   start                     first points of fixed steps: fine, exact, ramp
 *   first-step, max-step, max-steps
 *   linear, reduce, condense  auto or one of those of dae_linear, dae_reduce, dae_condense
 *   homotopy, strict          1: on. Strict: a warning about the start ends the run
 *   points, every, all-steps  output times: their number, their distance, all steps (1)
 */
typedef enum dae_origin {
    DAE_FROM_DEFAULT,
    DAE_FROM_MODEL, /* its `solve` line */
    DAE_FROM_CALLER
} dae_origin;

typedef struct dae_setting {
    const char *name;
    double number;    /* NaN: it has a word, or (`to`) there is none */
    const char *word; /* NULL: it has a number */
    dae_origin origin;
} dae_setting;

/* From the next solution on. NaN and NULL: again what the model says, or the default.
 * DAE_ARGUMENT: no such setting, or one that cannot have this value. */
DAE_API dae_status dae_run_set_number(
    dae_run *run, const char *name, double value) DAE_MUST_CHECK;
DAE_API dae_status dae_run_set_word(
    dae_run *run, const char *name, const char *word) DAE_MUST_CHECK;
/* The absolute tolerance of one unknown, or of all elements of an array, above 0 or 0. */
DAE_API dae_status dae_run_set_atol(
    dae_run *run, const char *unknown, double value) DAE_MUST_CHECK;
DAE_API size_t dae_run_setting_count(const dae_run *run);
DAE_API dae_status dae_run_setting_at(
    const dae_run *run, size_t k, dae_setting *out) DAE_MUST_CHECK;
DAE_API dae_status dae_run_setting(
    const dae_run *run, const char *name, dae_setting *out) DAE_MUST_CHECK;
/* What stands before names of settings in messages: "" at first; "--" in a command. The
 * text is the caller's. */
DAE_API void dae_run_call_settings(dae_run *run, const char *prefix);
/* Asked every so often, while a start is sought and between steps: not 0 ends the call at
 * hand with DAE_INTERRUPTED, after which it may be made again and goes on. */
DAE_API void dae_run_on_interrupt(
    dae_run *run, dae_interrupt_fn *interrupt, void *context);
/* Sees each step before its points are shown: where it ends, its length, and how many
 * there were (progress). Not DAE_OK: the status ends the call at hand; DAE_INTERRUPTED is
 * the one to cancel with. Steps of runs to compare with count, too. */
typedef dae_status dae_step_fn(
    void *context, double t, double step, int64_t steps);
DAE_API void dae_run_on_step(dae_run *run, dae_step_fn *see, void *context);

/* ---- solving -------------------------------------------------------------------- */

/* A whole solution, from the start to the end or to a `stop` of the model's (DAE_OK, too):
 * rows, events and expectations are those of this one. Where `error` is global, runs that
 * look for the tolerances come first. A second call begins anew. Statuses:
 * DAE_ARGUMENT (E0505: settings that do not fit the model), DAE_MODEL, DAE_INCONSISTENT,
 * DAE_NUMERIC, DAE_LIMIT, DAE_MEMORY, DAE_UNSUPPORTED, DAE_INTERRUPTED; what was computed
 * up to there can be asked for. An expectation that does not hold is no failure:
 * dae_run_verdicts. */
DAE_API dae_status dae_run_solve(dae_run *run) DAE_MUST_CHECK;

/* The same in parts. First, the settings are resolved; flags: */
enum {
    DAE_RUN_START_ALONE = 1, /* no steps, which want an end */
    DAE_RUN_UNWATCHED =
        2 /* no rows, expectations, drifts; events are not noted */
};
DAE_API dae_status dae_run_prepare(dae_run *run, unsigned flags) DAE_MUST_CHECK;
/* The integrator's options, which may be changed until the next call; NULL: nothing is
 * prepared. */
DAE_API dae_options *dae_run_options(dae_run *run);
/* So many times the tolerances that are requested, of the next dae_run_prepare. */
DAE_API dae_status dae_run_scale_tolerances(
    dae_run *run, double factor) DAE_MUST_CHECK;
/* Makes the integrator; dae_run_start does it where it was not done before. */
DAE_API dae_status dae_run_make_solver(dae_run *run) DAE_MUST_CHECK;
/* The consistent start; prepares, if need be. */
DAE_API dae_status dae_run_start(dae_run *run) DAE_MUST_CHECK;
/* On to `t`, to the end where that comes first, or to a `stop`. */
DAE_API dae_status dae_run_to(dae_run *run, double t) DAE_MUST_CHECK;
/* On to the next event, or to the end. */
DAE_API dae_status dae_run_to_event(dae_run *run) DAE_MUST_CHECK;
/* After the last step: judges the expectations, and whether absolute tolerances decided
 * the result, as dae_run_solve does at its end. */
DAE_API dae_status dae_run_finish(dae_run *run) DAE_MUST_CHECK;
/* The integrator, to be asked or stepped by the caller; NULL: there is none yet. */
DAE_API dae_solver *dae_run_solver(const dae_run *run);

/* Why a point is shown, bits. */
enum {
    DAE_POINT_START = 1,
    DAE_POINT_ROW = 2,  /* an output time */
    DAE_POINT_STEP = 4, /* the end of an accepted step */
    DAE_POINT_MARK = 8, /* where something asks for its time */
    DAE_POINT_END = 16, /* the end was reached, or a `stop` */
    DAE_POINT_BEFORE =
        32, /* something turns or fires at this time: nothing has */
    DAE_POINT_AFTER = 64,  /* everything has */
    DAE_POINT_INSIDE = 128 /* within a step, whatever the output times */
};

/* Valid during the call that shows it. */
typedef struct dae_point {
    unsigned why;
    double t;
    const double *x, *xp;    /* as the problem lays them out */
    const double *discretes; /* every discrete variable */
    const double *observed;  /* every observation of the model */
} dae_point;

/* Where the run stands. */
DAE_API double dae_run_time(const dae_run *run);
DAE_API double dae_run_begin(const dae_run *run);
DAE_API double dae_run_end(const dae_run *run);
DAE_API int dae_run_has_start(const dae_run *run);  /* it has values */
DAE_API int dae_run_has_ended(const dae_run *run);  /* at the end, or stopped */
DAE_API int dae_run_is_stopped(const dae_run *run); /* by a `stop` */
/* The when that has stopped it, of those of the problem; SIZE_MAX: none. */
DAE_API size_t dae_run_stop(const dae_run *run);
/* The values there, as the problem lays them out: states, slopes, discrete variables,
 * observations (dae/model.h). */
DAE_API const double *dae_run_x(const dae_run *run);
DAE_API const double *dae_run_xp(const dae_run *run);
DAE_API const double *dae_run_discretes(const dae_run *run);
DAE_API const double *dae_run_observed(const dae_run *run);
/* All of these. */
DAE_API dae_point dae_run_point(const dae_run *run);
/* The output times, where they are known before: their number, 0 where they are not. */
DAE_API int64_t dae_run_output_count(const dae_run *run);
DAE_API double dae_run_output_time(const dae_run *run, int64_t i);
/* They are even in the logarithm. */
DAE_API int dae_run_is_logarithmic(const dae_run *run);
/* The problem that is solved: the model's, with the run's start and tolerances. */
DAE_API const dae_problem *dae_run_problem(const dae_run *run);
/* The number of the unknown, of the discrete variable, that the text has as its k-th. */
DAE_API size_t dae_run_unknown_at(const dae_run *run, size_t k);
DAE_API size_t dae_run_discrete_at(const dae_run *run, size_t k);
/* The tolerances that were requested, of the problem's unknown j. */
DAE_API double dae_run_rtol(const dae_run *run);
DAE_API double dae_run_atol(const dae_run *run, size_t j);

/* ---- inputs from outside ---------------------------------------------------------- */

/* Gives a param that no size, range or initial value depends on another value from where
 * the run stands on: the unknowns keep their values, slopes and unknowns without
 * derivatives are found anew, and a `when` fires whose condition turns true by it. So the
 * value is held until the next call (a sampled input). DAE_ARGUMENT: no such param, or the run stands nowhere; DAE_UNSUPPORTED: it is
 * structural or computed from others. It takes effect when the run goes on, whose status is
 * DAE_INCONSISTENT or DAE_NUMERIC where the unknowns cannot keep their values: it stands
 * where it stood, and goes on with another input. Counters of the integrator begin again. */
DAE_API dae_status dae_run_input(
    dae_run *run, const char *param, double value) DAE_MUST_CHECK;

/* ---- points as they come ----------------------------------------------------------- */

/* Not DAE_OK: the status ends the call at hand, and the run stands there; after
 * DAE_INTERRUPTED or DAE_MEMORY it goes on behind the point or event, which is not shown
 * again. But of DAE_MEMORY an event, and the row after it, are shown again. */
typedef dae_status dae_point_fn(void *context, const dae_point *point);
/* Shows the rows of the next solutions; NULL: no more. */
DAE_API void dae_run_on_row(dae_run *run, dae_point_fn *see, void *context);
/* Every event when it has been dealt with; likewise. */
DAE_API void dae_run_on_event(dae_run *run, dae_event_fn *hear, void *context);

/* ---- results by name ---------------------------------------------------------------- */

typedef enum dae_column_kind {
    DAE_COLUMN_TIME,
    DAE_COLUMN_UNKNOWN,
    DAE_COLUMN_DISCRETE,
    DAE_COLUMN_OBSERVED /* a let or an output */
} dae_column_kind;

/* Where a value stands. */
typedef struct dae_column {
    dae_column_kind kind;
    size_t
        number; /* of the model's unknowns, discrete variables or observations */
} dae_column;
/* NaN: there is no such value. */
DAE_API double dae_point_value(
    const dae_model *model, dae_column column, const dae_point *point);

/* Its name as those of <dae/names.h>, and its unit as written, "": none. */
DAE_API const char *dae_column_name(
    const dae_model *model, dae_column column, dae_name_buffer *b);
DAE_API const char *dae_column_unit(const dae_model *model, dae_column column);

/* What a run has values of: unknowns, discrete variables, lets and outputs, in the order
 * of the text. */
typedef struct dae_columns dae_columns;
/* `list` is "A,B[2],C", where the name of an array asks for all of its elements; NULL:
 * all there are. The run has been prepared; they have no columns any more where its model
 * is compiled again or the run is freed. DAE_ARGUMENT: E0505
 * says which name there is not; `asker` (such as "columns") stands before it. */
DAE_API dae_status dae_columns_create(dae_run *run, const char *list,
    const char *asker, dae_columns **out) DAE_MUST_CHECK;
DAE_API void dae_columns_free(dae_columns *columns);
DAE_API size_t dae_columns_count(const dae_columns *columns);
DAE_API dae_column dae_columns_at(const dae_columns *columns, size_t k);
/* Valid until the next call; "?": memory ran out. The unit is as written, "": none. */
DAE_API const char *dae_columns_name(dae_columns *columns, size_t k);
/* Not 0: memory ran out for a name that was requested. */
DAE_API int dae_columns_lost(const dae_columns *columns);
DAE_API const char *dae_columns_unit(const dae_columns *columns, size_t k);
/* The column of just this name; SIZE_MAX: there is none. */
DAE_API size_t dae_columns_find(dae_columns *columns, const char *name);

/* Rows are kept unless `list` is NULL: those of the columns of `list`, "" for all of
 * them; of the next solutions. At first: "". */
DAE_API dae_status dae_run_keep(dae_run *run, const char *list) DAE_MUST_CHECK;
/* Those that are kept; NULL: none are, or nothing is prepared. */
DAE_API dae_columns *dae_run_columns(dae_run *run);
/* Rows: one at each output time, of an event two, before and after it. */
DAE_API size_t dae_run_row_count(const dae_run *run);
DAE_API double dae_run_row_time(const dae_run *run, size_t row);
DAE_API double dae_run_value(const dae_run *run, size_t row, size_t column);
/* The value of one name where the run stands. DAE_ARGUMENT: there is none. */
DAE_API dae_status dae_run_final(
    dae_run *run, const char *name, double *value) DAE_MUST_CHECK;

/* ---- events as records ---------------------------------------------------------------- */

typedef enum dae_change_kind {
    DAE_CHANGE_UNKNOWN, /* derivative `order` of the model's unknown `index` */
    DAE_CHANGE_DISCRETE,
    DAE_CHANGE_SWITCH
} dae_change_kind;

typedef struct dae_change {
    uint8_t kind, order;
    uint32_t index;
    double before, after;
} dae_change;

/* Of an instant at which whens fire each of these, with what it assigns; of another one
 * the switches that turned. What jumped beside that, and switches that turned by what is
 * assigned, are told with all of the instant. */
typedef struct dae_occurrence {
    double t;
    uint32_t index;  /* of a when or a switch of the problem: dae_name_of */
    uint8_t is_when; /* else a switch */
    uint8_t times;   /* that a when fired there, 255: or more; of a switch 1 */
    uint32_t own_count, shared_count; /* changes: its own, then the instant's */
    size_t own, shared;               /* of the run's changes, the first ones */
} dae_occurrence;

/* Events are noted where it was requested, from the next solution on. */
DAE_API void dae_run_note_events(dae_run *run, int is_wanted);
DAE_API int dae_run_notes_events(const dae_run *run);
DAE_API size_t dae_run_event_count(const dae_run *run);
/* Those of too many, which have no record. */
DAE_API int64_t dae_run_events_left_out(const dae_run *run);
DAE_API const dae_occurrence *dae_run_event_at(const dae_run *run, size_t k);
/* Change i of event k, from 0: its own ones come first. */
DAE_API const dae_change *dae_run_change_at(
    const dae_run *run, size_t k, size_t i);

/* ---- expectations and drifts ------------------------------------------------------------ */

/* The `expect` lines of the model. Those that do not hold are E0601, with place and both
 * values. */
typedef struct dae_verdicts {
    size_t held, failed;
    size_t unchecked; /* values, where nothing was solved */
    size_t codes;     /* expect "E0301" lines */
    size_t codes_missing;
} dae_verdicts;
/* Of the last solution that came to its end, or was given up. */
DAE_API dae_verdicts dae_run_verdicts(const dae_run *run);
/* Judges without solving: what the model says of structure (`index`, `dof`, NULL: is not
 * known) and codes; `completed`: a code that did not arise is told; `notes_values`:
 * values, too, as unchecked. */
DAE_API dae_verdicts dae_run_judge_structure(dae_run *run,
    const dae_index_report *found, int completed, int notes_values);
/* What an analysis has found of it. */
DAE_API dae_index_report dae_analysis_report(const dae_analysis *analysis);
/* What dae_analyse says of the problem as the run would solve it. */
DAE_API dae_status dae_run_analyse(dae_run *run, int skip_start,
    dae_diagnostics *ds, dae_analysis **out) DAE_MUST_CHECK;
/* A warning that `strict` makes an error. */
DAE_API int dae_diagnostic_is_of_start(const dae_diagnostic *d);

/* How far an output, an unknown or a discrete variable goes from its value at the start,
 * within steps, too. Of the next solutions. */
typedef struct dae_drift {
    const char *name;
    int has_any;
    double first;       /* the value at the start */
    double largest, at; /* in modulus, and when */
    double mean;        /* of the modulus, over time */
    double last;        /* signed: at the last point seen */
} dae_drift;
DAE_API dae_status dae_run_watch_drift(
    dae_run *run, const char *name) DAE_MUST_CHECK;
DAE_API size_t dae_run_drift_count(const dae_run *run);
DAE_API dae_status dae_run_drift_at(
    const dae_run *run, size_t k, dae_drift *out) DAE_MUST_CHECK;

/* ---- the error of the solution ------------------------------------------------------------ */

/* What `error` = global has found. */
typedef struct dae_global_error {
    int is_asked;
    int runs;        /* made to find the factor */
    double factor;   /* of the tolerances of the run that is shown */
    double estimate; /* of its largest error, in tolerances; NaN: not known */
} dae_global_error;
DAE_API dae_global_error dae_run_global_error(const dae_run *run);
/* Finds it before a solution in parts, which then has the factor; the last one is
 * forgotten. */
DAE_API dae_status dae_run_find_global_error(dae_run *run) DAE_MUST_CHECK;

/* A second run at a tenth of the tolerances, and how far the first one is from it. */
typedef struct dae_estimate {
    int is_known;
    int has_sides; /* the runs are at different sides of an event, and nothing is known */
    double last_events[2]; /* times, of the two runs */
    double end; /* of runs that a `stop` ended: what their ends differ by */
    const double *differences; /* of each unknown, first run minus second */
    size_t count;
    /* root of the mean square of difference / (rtol |x| + atol), with the first run's
     * tolerances: 1 means an error as large as the tolerance */
    double norm;
} dae_estimate;
/* Of a run that has reached its end, without inputs. Where nobody has written its tolerances (`error` is
 * global) a second run that fails is a warning. */
DAE_API dae_status dae_run_estimate_error(dae_run *run) DAE_MUST_CHECK;
DAE_API dae_estimate dae_run_estimate(const dae_run *run);

/* What the second run has shown that `check-atol` allows: one of the same rtol and a
 * millionth of every absolute tolerance, after a run in which one of these was large beside
 * its unknown. Where the two differ by more than 500 tolerances W0533 tells. */
typedef struct dae_atol_check {
    int is_made;
    int is_known;  /* it came to its end, with the same events or far apart */
    int64_t steps; /* it took */
    double difference; /* the largest, in tolerances; NaN: not known */
} dae_atol_check;
/* Of the last solution that dae_run_finish was called for, as dae_run_solve does. */
DAE_API dae_atol_check dae_run_atol_check(const dae_run *run);

#ifdef __cplusplus
}
#endif
#endif

/* What a model is, found without integrating it: what `dae check` reports, as data. The
 * numbers are those of dae_analyse (dae/analysis.h); a report adds what the text has to do
 * with them: its order, names and lines, hidden constraints as formulas, why the index is
 * what it is.
 *
 *     st = dae_run_prepare(run, DAE_RUN_START_ALONE);
 *     if (!st) st = dae_report_create(run, 0, NULL, ds, &report);
 *     if (!st) index = dae_report_analysis(report)->index;
 *
 * NULL for a report, or what is out of range, is answered by DAE_ARGUMENT or, where no
 * status is returned, by 0, SIZE_MAX or NULL. */
#ifndef DAE_REPORT_H
#define DAE_REPORT_H

#include <dae/analysis.h>
#include <dae/run.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dae_report dae_report;

/* Analyses a prepared run's model as the run would solve it; `skip_start`: not its start.
 * DAE_OK: there is a report, whatever it says; errors and warnings about the model are in
 * `ds` (NULL: told nowhere). Other statuses: as of dae_analyse. The model is borrowed: it
 * is to outlive the report, and not to be compiled again (dae_run_model). */
DAE_API dae_status dae_report_create(dae_run *run, int skip_start,
    const dae_allocator *allocator, dae_diagnostics *ds,
    dae_report **out) DAE_MUST_CHECK;
DAE_API void dae_report_free(dae_report *r);
DAE_API const dae_analysis *dae_report_analysis(const dae_report *r);
/* What it means: DAE_OK; DAE_MODEL: no index, or errors about structure (redundant
 * equations that agree are none); DAE_INCONSISTENT: also too few conditions; DAE_NUMERIC:
 * no start was found. */
DAE_API dae_status dae_report_status(const dae_report *r);
/* Which equations and unknowns do not go together with the values that the params have;
 * NULL: all do. Of a model that does not compile: dae_model_options.singular. */
DAE_API const dae_singular *dae_report_singular(const dae_report *r);

/* ---- the order of the text -------------------------------------------------------- */

/* The number of its k-th equation, unknown, general initial condition. What the compiler
 * made has greater numbers and is not in the text. */
DAE_API size_t dae_report_equation_at(const dae_report *r, size_t k);
DAE_API size_t dae_report_unknown_at(const dae_report *r, size_t k);
DAE_API size_t dae_report_condition_at(const dae_report *r, size_t k);
/* The k-th place of the order of evaluation, in row_at and column_at of the repaired
 * structure, where each fine block's are as the text has its unknowns. */
DAE_API size_t dae_report_place_at(const dae_report *r, size_t k);

/* ---- hidden constraints ------------------------------------------------------------ */

/* One of analysis->hidden, as the text has it. */
typedef struct dae_constraint {
    size_t equation;
    uint32_t line;      /* 0: the compiler has made it */
    int differentiated; /* how often */
    int is_combination; /* of several equations, by a repair */
    int restricts_start;
    int follows; /* others of its block are differentiated more often, and it restricts
                    nothing: x' = u becomes x'' = u' with them */
    int is_alone; /* by itself, not with others of its block */
} dae_constraint;

DAE_API size_t dae_report_constraint_count(const dae_report *r);
DAE_API dae_status dae_report_constraint_at(
    const dae_report *r, size_t k, dae_constraint *out) DAE_MUST_CHECK;
/* What it determines, alone or with others, as its formula shows it; unknown -1: it
 * restricts the start, or nothing that has a name. */
DAE_API dae_status dae_report_constraint_determines(
    const dae_report *r, size_t k, dae_slot *out) DAE_MUST_CHECK;
/* "2*x*x' + 2*y*y' = 0": as dae_model_formula writes it, at most `limit` bytes. */
DAE_API dae_status dae_report_constraint_formula(const dae_report *r, size_t k,
    size_t limit, dae_write_fn *write, void *context) DAE_MUST_CHECK;

/* ---- why the index is what it is ----------------------------------------------------- */

typedef enum dae_reason_kind {
    DAE_REASON_NONE,     /* there is no index */
    DAE_REASON_AS_IT_IS, /* 0: the equations determine every highest derivative */
    DAE_REASON_ALGEBRAIC, /* no equation is to be differentiated; `unknowns` occur
                             without derivatives */
    DAE_REASON_DIFFERENTIATED, /* `equations` are, `times` times, before `unknowns` are
                                  determined */
    DAE_REASON_RANKS /* ranks say so, and structure says something else */
} dae_reason_kind;

/* Of many the first ones of the text. */
enum { DAE_REASON_NAMED = 4 };
typedef struct dae_reason {
    dae_reason_kind kind;
    int64_t times;
    size_t equation_count, unknown_count;
    size_t equations[DAE_REASON_NAMED], unknowns[DAE_REASON_NAMED];
} dae_reason;

DAE_API dae_status dae_report_reason(
    dae_report *r, dae_reason *out) DAE_MUST_CHECK;

/* ---- the start ---------------------------------------------------------------------- */

/* The start that was found, or of conditions that contradict each other the last values
 * (dae_report_status), as the problem lays it out: x (N) and xp (n), NaN where nothing
 * determines a value. DAE_INCONSISTENT: none was found, or it was not looked for. The other
 * findings are in analysis->start. */
DAE_API dae_status dae_report_start(
    const dae_report *r, double *x, double *xp) DAE_MUST_CHECK;
/* On which side each switch of a problem is at a point, into `sides` (switch_count): what is
 * held already, else what the point says: 0 or 1 of a condition, the sign, floor or ceiling;
 * NaN: at an edge, or not known. Statuses: as of the problem's `roots`. */
DAE_API dae_status dae_switch_sides(const dae_problem *problem, double t,
    const double *x, const double *xp, double *sides) DAE_MUST_CHECK;

/* ---- the consistent start of a run ----------------------------------------------------- */

/* What `dae init` lists: values of all derivatives that occur, also in derivatives of the
 * equations, the guesses that they were found from, the residuals. */
typedef struct dae_found_start dae_found_start;

/* Of a run that stands at its start (dae_run_start), and is borrowed. `finds_missing`: also
 * which values would have to be given for the start to be the only one, by an analysis.
 * DAE_ARGUMENT: the run does not stand there; else as of dae_solver_reduced and dae_analyse. */
DAE_API dae_status dae_found_start_create(dae_run *run, int finds_missing,
    const dae_allocator *allocator, dae_found_start **out) DAE_MUST_CHECK;
DAE_API void dae_found_start_free(dae_found_start *f);
/* The highest derivative of the model's unknown j that counts; -1: no such unknown. */
DAE_API int dae_found_order(const dae_found_start *f, size_t j);
/* Its derivative `order` there, and what it was sought from; NaN: nothing of its own. */
DAE_API double dae_found_value(const dae_found_start *f, size_t j, int order);
DAE_API double dae_found_guess(const dae_found_start *f, size_t j, int order);
/* What the text says of it, bits. */
enum {
    DAE_FOUND_CONDITION = 1, /* it gives it */
    DAE_FOUND_MISSING = 2,   /* it should, for the start to be the only one */
    DAE_FOUND_GUESSED = 4    /* a line of `init` guesses it alone */
};
DAE_API unsigned dae_found_kind(const dae_found_start *f, size_t j, int order);

/* An equation, a derivative of one that counts, or a general condition, in the order of the
 * text. */
typedef struct dae_found_row {
    dae_party party; /* dae_name_party */
    double residual;
    int is_of_text; /* else the compiler has made it */
} dae_found_row;

DAE_API size_t dae_found_row_count(const dae_found_start *f);
DAE_API dae_status dae_found_row_at(
    const dae_found_start *f, size_t k, dae_found_row *out) DAE_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif

/* A model: the text of a .dae file compiled to a dae_problem, with what a
 * command needs around it: names, outputs, settings, checks, listings. */
#ifndef DAE_MODEL_H
#define DAE_MODEL_H

#include <dae/analysis.h>
#include <dae/diag.h>
#include <dae/memory.h>
#include <dae/problem.h>
#include <dae/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dae_model dae_model;

/* What a question has no answer for (NULL for a model or for what is to be written, a
 * number that is none of the model's) is DAE_ARGUMENT or, where no status is returned,
 * 0, "", NULL or NaN. */

/* One `--set name=value`. `name` is a param ("k", "R[3]") or an initial value
 * ("x(0)", "x'(0)", "T[1,2](0)"); `value` is the text of a constant
 * expression ("2", "3*pi", "1e-3"). */
typedef struct dae_override {
    const char *name, *value;
} dae_override;

/* An equation or an unknown of the text: the line it stands in, 0: none. */
typedef struct dae_named {
    const char *name;
    uint32_t line;
} dae_named;

/* Equations and unknowns that do not go together: the smallest set that shows
 * it, then the rest of their kind, each in the model's order. */
typedef struct dae_singular_part {
    const dae_named *equations, *unknowns;
    size_t equation_count, unknown_count;
    size_t equation_witness, unknown_witness; /* of the smallest set */
} dae_singular_part;

/* Why a model's equations cannot determine its unknowns whatever the numbers
 * are (E0301, E0302). */
typedef struct dae_singular {
    size_t equations, unknowns; /* of the whole model, counted as scalars */
    dae_singular_part over;     /* more equations than unknowns */
    dae_singular_part under;    /* more unknowns than equations */
} dae_singular;
DAE_API void dae_singular_free(dae_singular *singular);

/* The text of the file that the model calls `path`, which is in the model's folder unless
 * it begins with "/": *length bytes at *text, read before the next call. Not 0: there is
 * no such file. */
typedef int dae_read_fn(
    void *context, const char *path, const char **text, size_t *length);

typedef struct dae_model_options {
    const dae_override *overrides;
    size_t override_count;
    size_t memory_limit; /* bytes the compiled model may take; 0: 4 GiB */
    int has_start; /* `start` takes the place of the `solve` line's start */
    double start;  /* finite */
    dae_interrupt_fn *interrupt; /* asked while compiling; NULL: never */
    void *interrupt_context;
    /* Where the reason for E0301 and E0302 goes, the caller's to free; NULL
     * there where it was another one. NULL: not wanted. */
    dae_singular **singular;
    /* Number unknowns, equations and conditions by what the text says instead
     * of where it says it: lines in another order then make the same problem,
     * to the last bit of all its values, and only names by lines ("L12") and
     * places differ. dae_model_unknown_position and its fellows tell where the
     * text has them. */
    int canonical;
    /* `end` takes the place of the `solve` line's end: measured signals are
     * refused that do not go as far. */
    int has_end;
    double end; /* finite */
    /* Programs that are run often do not become machine code (they do on x86-64 only),
     * the interpreter runs them all. No value depends on it. */
    int interpreted;
    /* No file is read for its text: `table` is refused. For texts of unknown origin. */
    int sealed;
    /* Gives the files that the text names (tables), from memory or from elsewhere. NULL:
     * they are read from disk. */
    dae_read_fn *read;
    void *read_context;
} dae_model_options;

/* Compiles a file ("-" is not special here) or a text. `options` may be NULL.
 * All errors found are in `ds`. DAE_MODEL: the model is wrong; DAE_IO: the
 * file cannot be read; DAE_LIMIT: nesting, size; DAE_INTERRUPTED: `interrupt`
 * said so, without a diagnostic. On failure *out is NULL. */
DAE_API dae_status dae_model_load(const char *path,
    const dae_model_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_model **out) DAE_MUST_CHECK;
DAE_API dae_status dae_model_parse(const char *file_name, const char *text,
    size_t length, const dae_model_options *options,
    const dae_allocator *allocator, dae_diagnostics *ds,
    dae_model **out) DAE_MUST_CHECK;
DAE_API void dae_model_free(dae_model *model);

/* Title (never NULL, "" where none) and name: the file's without folder and
 * ending. */
DAE_API const char *dae_model_title(const dae_model *model);
DAE_API const char *dae_model_name(const dae_model *model);

/* The k-th file that was read for it, from 0: its own, where it was loaded from one,
 * then those that its text names, as they were opened. NULL: there are not so many. */
DAE_API const char *dae_model_file(const dae_model *model, size_t k);

/* The problem, borrowed from the model. */
DAE_API const dae_problem *dae_model_problem(const dae_model *model);

/* Unknowns as the user counts them (internal ones of the problem are not
 * among them): name of the j-th, and where its value stands in x. */
DAE_API size_t dae_model_unknown_count(const dae_model *model);
DAE_API size_t dae_model_equation_count(const dae_model *model);
DAE_API size_t dae_model_unknown_name(
    const dae_model *model, size_t j, char *text, size_t size);
/* The name of equation i of the problem: its label with indices, or "L12". */
DAE_API size_t dae_model_equation_name(
    const dae_model *model, size_t i, char *text, size_t size);
/* Which one of the text's unknowns, equations or general conditions this is,
 * from 0: the same number unless the model was made canonical, and for what the
 * text does not have. */
DAE_API size_t dae_model_unknown_position(const dae_model *model, size_t j);
DAE_API size_t dae_model_equation_position(const dae_model *model, size_t i);
DAE_API size_t dae_model_condition_position(const dae_model *model, size_t c);
/* The line, from 1, of equation i, of the declaration of unknown j and of
 * general condition c of the problem; 0: there is no text. */
DAE_API uint32_t dae_model_equation_line(const dae_model *model, size_t i);
DAE_API uint32_t dae_model_unknown_line(const dae_model *model, size_t j);
DAE_API uint32_t dae_model_condition_line(const dae_model *model, size_t c);
/* The text of general condition c as the model has it, in one line: each run of
 * blanks and line ends is one blank. As snprintf; "" where there is none. */
DAE_API size_t dae_model_condition_text(
    const dae_model *model, size_t c, char *text, size_t size);
/* The line that gives derivative `order` of unknown j its value at the start;
 * 0: none does. */
DAE_API uint32_t dae_model_start_line(
    const dae_model *model, size_t j, int order);
/* Highest derivative order of unknown j that occurs: 0 algebraic. */
DAE_API int dae_model_unknown_order(const dae_model *model, size_t j);
/* The value of derivative `order` of unknown j, 0..its highest order. */
DAE_API double dae_model_unknown_value(const dae_model *model, size_t j,
    int order, const double *x, const double *xp);
/* Unit and description as written, "" where none. */
DAE_API const char *dae_model_unknown_unit(const dae_model *model, size_t j);
DAE_API const char *dae_model_unknown_doc(const dae_model *model, size_t j);
/* What the declaration or init says of it. */
typedef enum dae_given {
    DAE_GIVEN_NOTHING,
    DAE_GIVEN_GUESS,
    DAE_GIVEN_CONDITION
} dae_given;
DAE_API dae_given dae_model_unknown_given(const dae_model *model, size_t j);

/* Discrete variables: numbers that events alone change, in the order of the
 * problem's `held`; names with indices, unit and description as written ("" where
 * none), the line of the declaration. The value is that of the moment: the
 * solver writes it. */
DAE_API size_t dae_model_discrete_count(const dae_model *model);
DAE_API size_t dae_model_discrete_name(
    const dae_model *model, size_t k, char *text, size_t size);
DAE_API uint32_t dae_model_discrete_line(const dae_model *model, size_t k);
DAE_API const char *dae_model_discrete_unit(const dae_model *model, size_t k);
DAE_API const char *dae_model_discrete_doc(const dae_model *model, size_t k);
DAE_API double dae_model_discrete_value(const dae_model *model, size_t k);

/* The `when` blocks, as the problem's `whens` has them; one inside loops is one
 * for every turn. Name: the label with indices, or "L12"; the line of the
 * condition, and its text in one line. */
DAE_API size_t dae_model_when_count(const dae_model *model);
DAE_API size_t dae_model_when_name(
    const dae_model *model, size_t w, char *text, size_t size);
DAE_API uint32_t dae_model_when_line(const dae_model *model, size_t w);
DAE_API size_t dae_model_when_text(
    const dae_model *model, size_t w, char *text, size_t size);
/* What assignment `a` of the problem's `assignments` gives a value: "n",
 * "x[2]", "x'". */
DAE_API size_t dae_model_assignment_name(
    const dae_model *model, size_t a, char *text, size_t size);

/* Observations: every scalar `let`, `input` and `output` in the model's order
 * (an array gives one per element), then plot expressions, then the sides of
 * `expect` lines. Evaluated together. */
typedef enum dae_observed {
    DAE_OBSERVED_LET,
    DAE_OBSERVED_INPUT,
    DAE_OBSERVED_OUTPUT,
    DAE_OBSERVED_PLOT,
    DAE_OBSERVED_EXPECT
} dae_observed;
DAE_API size_t dae_model_observation_count(const dae_model *model);
DAE_API dae_observed dae_model_observation_kind(
    const dae_model *model, size_t k);
DAE_API size_t dae_model_observation_name(
    const dae_model *model, size_t k, char *text, size_t size);
/* The unit as written: of a let, input or output its own, of a plot expression
 * that is a name, an element of it or the negative of one that of the
 * declaration; "" where there is none. */
DAE_API const char *dae_model_observation_unit(
    const dae_model *model, size_t k);
/* All observations at a point. Non-finite values are left as they are. */
DAE_API dae_status dae_model_observe(dae_model *model, double t,
    const double *x, const double *xp, double *values) DAE_MUST_CHECK;
/* Some observations alone, for many points: less work, the same bits. Borrows the
 * model, and is freed before it. */
typedef struct dae_observer dae_observer;
DAE_API dae_status dae_observer_create(dae_model *model,
    const size_t *observations, size_t count,
    dae_observer **out) DAE_MUST_CHECK;
DAE_API void dae_observer_free(dae_observer *observer);
/* Whether it reads xp, which may be NULL below otherwise. */
DAE_API int dae_observer_reads_slopes(const dae_observer *observer);
/* Which values of x it reads, ascending; NULL: all `*count`. Of the observer. */
DAE_API const size_t *dae_observer_slots(
    const dae_observer *observer, size_t *count);
/* `values` is what dae_model_observe has made at any point with these params: what was
 * not asked for, or reads params alone, may be left as it is. */
DAE_API dae_status dae_observer_run(dae_observer *observer, double t,
    const double *x, const double *xp, double *values) DAE_MUST_CHECK;
/* The same at `count` points, as dae_solver_values gives x; `values` likewise has all
 * observations of one point after the other. DAE_UNSUPPORTED: it reads xp. */
DAE_API dae_status dae_observer_run_values(dae_observer *observer, size_t count,
    const double *t, const double *x, double *values) DAE_MUST_CHECK;
/* All observations in extended precision: t, x, xp, the arithmetic and the numbers of
 * the text, as docs/numerics.md ("Studies at given steps") says. */
DAE_API dae_status dae_model_observe_long(dae_model *model, dae_long t,
    const dae_long *x, const dae_long *xp, dae_long *values) DAE_MUST_CHECK;
/* Fixes what initial(e) means: call once with the consistent start. */
DAE_API dae_status dae_model_set_start(dae_model *model, double t,
    const double *x, const double *xp) DAE_MUST_CHECK;

/* Switches (`if`, `sign`, `floor`, `ceil`, `mod` of what varies in the run) are
 * located by runs, but not by studies at fixed steps (<dae/study.h>): tells N0508
 * at the first, nothing where there is none. */
DAE_API dae_status dae_model_note_switches(
    const dae_model *model, dae_diagnostics *ds) DAE_MUST_CHECK;

/* Equations and their time derivatives as formulas in the user's names:
 * "2*x*x' + 2*y*y' = 0". Writes the derivative of order `order` of the sum over
 * `terms` of weight * D^(term.order) of the term's equation. The derivative of
 * one equation keeps its two sides (`c2 = gamma` gives "c2' = gamma'") unless
 * one of them vanishes; a sum of several stands on one side. A let or input
 * keeps its name, what the compiler made of the text is shown in full.
 *
 * `independent` are slots that are known to cancel in the sum: the text is
 * written without them. With `substitute`, equations of the form x' = u, or
 * x' = -u, with one unknown or let u, are used to write u for x', u' for x''
 * and so on; those among `terms` are not used.
 *
 * At most `limit` bytes, then " ..." (0: only the bound on the work ends it).
 * The text is in the notation of the language and reads back as an equation
 * where it is not cut. DAE_ARGUMENT: no such equation or slot, a negative
 * order, a weight that is not finite; DAE_UNSUPPORTED: the
 * derivative has an order above 250 or grows beyond the bound; DAE_IO: `write`
 * refused. */
DAE_API dae_status dae_model_formula(const dae_model *model,
    const dae_term *terms, size_t term_count, const dae_slot *independent,
    size_t independent_count, int order, int substitute, size_t limit,
    dae_write_fn *write, void *context) DAE_MUST_CHECK;

/* What stands in the formula of derivative `times` of an equation, written with
 * `substitute`, in place of a slot that it determines: u' for x'' where x' = u
 * is an equation; x'' where it is this equation itself and u' is written as
 * something else. Left as it is where no unknown takes its place. DAE_ARGUMENT: no such
 * slot; DAE_MEMORY. */
DAE_API dae_status dae_model_formula_slot(const dae_model *model,
    int32_t equation, int times, dae_slot *slot) DAE_MUST_CHECK;

/* `plot` lines: curves of one plot follow each other. */
typedef struct dae_plot {
    size_t plot;        /* which plot line, from 0 */
    size_t observation; /* the value drawn */
    size_t over;        /* the abscissa's observation, SIZE_MAX: time */
} dae_plot;
DAE_API size_t dae_model_plot_count(const dae_model *model);
DAE_API dae_plot dae_model_plot(const dae_model *model, size_t k);

/* `expect` lines. */
typedef enum dae_expect_kind {
    DAE_EXPECT_NEAR,  /* a ~ b within c: |a - b| <= c */
    DAE_EXPECT_TRUE,  /* a relation: its observation is non-zero */
    DAE_EXPECT_INDEX, /* index == n: not a value */
    DAE_EXPECT_DOF,   /* dof == n */
    DAE_EXPECT_CODE   /* expect "E0301" */
} dae_expect_kind;
typedef enum dae_expect_place {
    DAE_EXPECT_FINAL, /* also the default */
    DAE_EXPECT_AT,    /* at the time `at` */
    DAE_EXPECT_ALWAYS /* at every time of the run */
} dae_expect_place;
typedef struct dae_expect {
    dae_expect_kind kind;
    dae_expect_place place;
    double at;
    size_t left, right, within; /* observations; NEAR uses all, TRUE left */
    /* TRUE: where the relation is a comparison, its two sides for the
     * message, else SIZE_MAX */
    size_t compare_left, compare_right;
    /* TRUE: the sides of every comparison in it, consecutive observations; a
     * NaN in one of them fails the check, whatever the relation gives */
    size_t operands, operand_count;
    const char *code; /* CODE */
    double number;    /* INDEX, DOF */
    const char *text; /* the line as written */
    /* of a line about arrays: the element's indices; rank 0: no array */
    uint32_t rank;
    const int64_t *indices;
    dae_span span;
} dae_expect;
DAE_API size_t dae_model_expect_count(const dae_model *model);
DAE_API const dae_expect *dae_model_expect_at(const dae_model *model, size_t k);

/* The `solve` line and its options. */
typedef struct dae_settings {
    int has_solve;
    dae_span span;           /* of the line, where there is one */
    const char *independent; /* "t" */
    double t0, t1;
    double rtol;                 /* NaN: not given */
    double atol;                 /* 0: not given */
    double first_step, max_step; /* 0: not given */
    const char *method;          /* NULL: not given */
    int order;                   /* 0: not given */
    int64_t points;              /* 0: not given */
    int log_grid;
    double log_first;   /* `first`; 0: not given */
    const char *linear; /* NULL: not given */
    int sliding;        /* `sliding = on`: signs and conditions may slide */
    int global_error; /* `error = global`: the tolerances are for the solution,
                           not for a step */
} dae_settings;
DAE_API const dae_settings *dae_model_settings(const dae_model *model);

/* Params, an array's elements one after the other: name with indices, the value that it
 * has now, unit and description as written. One that is not free is structural (a size,
 * a range, a branch of the compiler's depends on it) or computed from others: another
 * value of it wants an override, and compiling again. */
DAE_API size_t dae_model_param_count(const dae_model *model);
DAE_API size_t dae_model_param_name(
    const dae_model *model, size_t k, char *text, size_t size);
DAE_API double dae_model_param_value(const dae_model *model, size_t k);
DAE_API int dae_model_param_is_free(const dae_model *model, size_t k);
DAE_API const char *dae_model_param_unit(const dae_model *model, size_t k);
DAE_API const char *dae_model_param_doc(const dae_model *model, size_t k);
/* The number of the param of this name; SIZE_MAX: there is none. */
DAE_API size_t dae_model_param_find(const dae_model *model, const char *name);

/* Sets a param that is free, without compiling again. DAE_ARGUMENT: no such param;
 * DAE_UNSUPPORTED: it is not free. */
DAE_API dae_status dae_model_set_param(
    dae_model *model, const char *name, double value) DAE_MUST_CHECK;

/* Params and what events have made of a model are those of one solution: who makes one
 * takes the model before, and `keeps` it, where it is to go on or params are changed,
 * until it gives it back. DAE_ARGUMENT: another one keeps it. */
DAE_API dae_status dae_model_take(
    dae_model *model, const void *taker, int keeps) DAE_MUST_CHECK;
DAE_API void dae_model_give_back(dae_model *model);
/* Who has taken it last; NULL: nobody, or it was given back. */
DAE_API const void *dae_model_taker(const dae_model *model);

/* Listings (`dae show`). TOKENS and AST need only dae_show_text. */
typedef enum dae_show {
    DAE_SHOW_TOKENS,
    DAE_SHOW_AST,
    DAE_SHOW_EQUATIONS,
    DAE_SHOW_JACOBIAN,
    DAE_SHOW_BYTECODE
} dae_show;
DAE_API dae_status dae_model_show(const dae_model *model, dae_show what,
    dae_write_fn *write, void *context) DAE_MUST_CHECK;
DAE_API dae_status dae_show_text(const char *file_name, const char *text,
    size_t length, dae_show what, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_write_fn *write, void *context) DAE_MUST_CHECK;

/* Canonical layout (`dae fmt`): comments kept, idempotent; a text with syntax
 * errors is refused with DAE_MODEL. */
DAE_API dae_status dae_format_text(const char *file_name, const char *text,
    size_t length, const dae_allocator *allocator, dae_diagnostics *ds,
    dae_write_fn *write, void *context) DAE_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif

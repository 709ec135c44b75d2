/* The integrator: consistent start, variable-order variable-step BDF, dense
 * output, counters. Works on any dae_problem, also without the language. */
#ifndef DAE_SOLVER_H
#define DAE_SOLVER_H

#include <dae/diag.h>
#include <dae/memory.h>
#include <dae/problem.h>
#include <dae/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dae_solver dae_solver;

/* DENSE (above 32 unknowns) and UMFPACK load LAPACK and a BLAS when they are
 * first used; DAE_IO (E0007) where these are missing. Where the BLAS is
 * OpenBLAS, it is set to one thread for the whole process: with more, results
 * would have other last digits with every number of threads, and take longer. */
typedef enum dae_linear {
    DAE_LINEAR_AUTO, /* by counts: size, entries, fill; never by clocks */
    DAE_LINEAR_DENSE,
    DAE_LINEAR_KLU,
    DAE_LINEAR_UMFPACK,
    DAE_LINEAR_LIST,   /* of small matrices; else as AUTO */
    DAE_LINEAR_DIRECT, /* as AUTO, without GMRES */
    DAE_LINEAR_GMRES,  /* for the corrector's systems: incomplete factors and
                          iterations; where they fail, DIRECT for the rest of the run */
} dae_linear;

/* What is done with an index of 2 or more. docs/numerics.md compares them. */
typedef enum dae_reduce {
    DAE_REDUCE_AUTO,      /* dummy derivatives [MS93], whatever the index */
    DAE_REDUCE_PROJECT,   /* all derivatives integrated; after each step the
                             nearest point on all constraints [Eic93] */
    DAE_REDUCE_STABILIZE, /* all derivatives integrated, the constraints held
                             by multipliers of their own [GLG85] */
    DAE_REDUCE_NEVER,     /* the equations as they stand, of index 3 at most:
                             hidden constraints hold to the order of the
                             formula only, multipliers are not tested */
} dae_reduce;

/* Whether unknowns that constants determine are taken out of linear systems
 * before these are factorized. docs/numerics.md says which. */
typedef enum dae_condense {
    DAE_CONDENSE_AUTO,  /* where counts say that it saves time */
    DAE_CONDENSE_NEVER, /* for comparison */
} dae_condense;

/* A method that a problem can be integrated with. */
typedef struct dae_integrator {
    const char *name;    /* "bdf-flc" */
    const char *formula; /* one line for people, h the step, f the slope x' */
    int max_order;       /* with the step chosen by the error; 0: it is not */
    int max_order_fixed; /* at fixed steps */
    const int
        *orders; /* the only ones that it has and that can be held, ascending,
                            0 at the end; NULL: all from 1 on, or one */
} dae_integrator;
/* Every one of them; `name` is NULL behind the last. */
DAE_API dae_integrator dae_integrator_at(size_t index);

/* Where the points come from that a formula of order k needs at fixed steps
 * beside the start: the k - 1 that follow it. */
typedef enum dae_start_points {
    DAE_START_FINE,  /* an integration at tight tolerances */
    DAE_START_EXACT, /* dae_options.exact */
    DAE_START_RAMP,  /* orders 1 to k - 1 with the same step */
} dae_start_points;

/* A solution known in closed form: x (N values) and xp (unknown_count) at t. A NaN
 * in x: this one is not known; needed are those that have slopes, of a reduced
 * problem those that are states of it, and all where a higher index is stepped as
 * it stands. DAE_RETRY: not known
 * there; anything else stops the run. */
typedef dae_status dae_exact_fn(void *context, double t, double *x, double *xp);

/* What is told of an instant at which something turns. */
typedef enum dae_event_phase {
    DAE_EVENT_BEFORE, /* nothing has changed yet: x, xp and `held` are those just
                         before, and belong to the step that ends here */
    DAE_EVENT_AFTER,  /* all has: switches turned, assignments made, and the
                         point is consistent again */
} dae_event_phase;

/* Everything that happens at one instant. Arrays are borrowed for the call. */
typedef struct dae_event {
    dae_event_phase phase;
    double t;
    const double *x, *xp; /* N and unknown_count values, of this phase */
    const double *held;   /* of dae_events, of this phase */
    const double *x_before, *xp_before, *held_before; /* in both */
    /* In the phase AFTER: which switches turned and which whens fired, ascending.
     * Both empty: data asked for the end of a step, and nothing is told. */
    const size_t *switches, *whens;
    size_t switch_count, when_count;
    int is_restart; /* the formula begins anew behind it */
    /* Of each when of the problem, how often it fired at this instant, 255: or
     * more often. */
    const uint8_t *when_times;
} dae_event;
/* Anything but DAE_OK stops the run with that status. */
typedef dae_status dae_event_fn(void *context, const dae_event *event);

/* Options. Start from dae_options_default(); a field at its default value
 * means "the solver chooses". Times in the problem's unit of time. */
typedef struct dae_options {
    double rtol; /* relative tolerance, 1e-6; 0: atol alone, which is above 0 */
    double atol; /* absolute, 1e-9; scales->atol wins */
    double first_step; /* 0: chosen */
    double max_step;   /* 0: a twentieth of the interval */
    int64_t max_steps; /* between two outputs' ends; 0: 10^7 in all */
    int max_order; /* 0: the highest of the method, or its choice; 1..5; of "radau" 5,
                      9 or 13, which is held */
    double step; /* > 0: every step has this length and order max_order, up to 6
                    for "bdf", whatever the error; Newton's method goes on to
                    rounding. A last step that is left may be shorter (N0515).
                    0: the error chooses */
    dae_start_points start; /* with `step` */
    dae_exact_fn *exact;    /* with DAE_START_EXACT; also gives the start, where
                               dae_solver_initialize looks for one */
    void *exact_context;
    const char *
        method; /* see dae_integrator_at; NULL: "bdf"; "auto": "radau" or "bdf",
                           by size, events and tolerance */
    dae_linear linear;
    dae_reduce reduce;
    dae_condense condense;
    double t_end; /* end of the interval: direction, first step */
    int homotopy; /* the start by homotopy from the guesses first; else that is
                     the second try */
    dae_interrupt_fn *interrupt;
    void *interrupt_context;
    dae_event_fn *on_event; /* called twice at every instant, BEFORE and AFTER;
                               NULL: nobody asks */
    void *event_context;
} dae_options;

DAE_API dae_options dae_options_default(void);

/* Counters since create. */
typedef struct dae_stats {
    int64_t steps, rejected_steps;
    int64_t residual_evals, jacobian_evals, factorizations;
    int64_t newton_iterations;
    int64_t linear_iterations; /* of GMRES; 0 with direct solvers */
    int64_t linear_fallbacks;  /* returns from GMRES to a direct solver */
    int64_t error_test_failures, convergence_failures, nonfinite_failures;
    int64_t restarts, events, state_changes;
    int64_t steps_at_order[16]; /* [k]: accepted steps of order k */
    int max_order;              /* highest order used */
    double last_step;           /* signed */
    const char *method;
    const char *method_reason;  /* why "auto" took it; NULL: it was requested */
    const char *linear;         /* "list", "dense", "klu", "umfpack", "gmres" */
    int64_t unknowns;           /* N */
    int64_t columns;            /* of the iteration matrix */
    int64_t nonzeros;           /* its entries */
    int64_t whole_fill;         /* of its L + U; where it is condensed what
                                  counts expect, -1: not known */
    int64_t condensed;          /* columns of the matrix that is factorized */
    int64_t condensed_nonzeros; /* its entries */
    int64_t fill;               /* of its L + U */
} dae_stats;

/* Makes a solver. `problem` and `ds` are borrowed for its life. Everything a
 * step needs is allocated here, but for what the first one finds out about the
 * matrix, and what a change of states needs. On failure *out is NULL.
 *
 * KLU and UMFPACK allocate through SuiteSparse_config's hooks, which are the
 * process's and have no context, so not from `allocator`; a step that factors
 * may meet DAE_MEMORY for that reason. A call below that gives DAE_MEMORY, or
 * a status of a callback, can be made again: it goes on where it was stopped,
 * and gives what it would have given. */
DAE_API dae_status dae_solver_create(const dae_problem *problem,
    const dae_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_solver **out) DAE_MUST_CHECK;
DAE_API void dae_solver_free(dae_solver *solver);
/* At the end of a run: gives back factorizations and what goes with them, most of what
 * a large problem takes. All that is told stays the same. */
DAE_API void dae_solver_rest(dae_solver *solver);

/* Finds consistent x(t0), xp(t0) from problem->start: conditions held, the
 * rest free, least weighted change from the guesses. DAE_INCONSISTENT and
 * DAE_NUMERIC leave a diagnostic that names equations and conditions.
 * DAE_OK with a warning in `ds` where conditions were too few. */
DAE_API dae_status dae_solver_initialize(dae_solver *solver) DAE_MUST_CHECK;

/* Starts from the caller's values at t0 instead; `x` has N values, `xp`
 * unknown_count. With `make_consistent`, F(t0, x, xp) = 0 is solved for xp
 * and the algebraic unknowns, x of differential unknowns held. */
DAE_API dae_status dae_solver_start(dae_solver *solver, double t0,
    const double *x, const double *xp, int make_consistent) DAE_MUST_CHECK;

/* Takes one accepted step (towards options.t_end, never past it unless the
 * dense output can be used: steps may overshoot t_end by at most one step;
 * residuals are not evaluated beyond t_end). A step ends where something turns;
 * what happens there is dealt with when the next one is requested. DAE_STOPPED: a
 * `stop` has ended the run, whose point is the one after that event. */
DAE_API dae_status dae_solver_step(dae_solver *solver) DAE_MUST_CHECK;

/* Steps until `tout` is covered and interpolates there: x (N values) and xp
 * (unknown_count values), either may be NULL. */
DAE_API dae_status dae_solver_advance(
    dae_solver *solver, double tout, double *x, double *xp) DAE_MUST_CHECK;

/* Whether the last step ends where something turns that has not been dealt with
 * yet: time, x, xp, dense output and `held` are those before it. The next step
 * begins with what happens there; so does dae_solver_advance to another time,
 * and an advance to options.t_end ends with it. */
DAE_API int dae_solver_stands_at_event(const dae_solver *solver);
/* Of each when, whether its condition was true when it was evaluated last: what
 * dae_events.truth_start says of a run that goes on from here. NULL: there are none. */
DAE_API const uint8_t *dae_solver_truths(const dae_solver *solver);

/* Values of the dense output at `t` inside the last step (or at its end). Where
 * a system of higher index is reduced, slopes and what only last derivatives of
 * constraints determine are solved for there, so that constraints and hidden
 * constraints hold with them; that takes two residuals or three, which the
 * statistics do not count, and at first memory (DAE_MEMORY, said in `ds`). */
DAE_API dae_status dae_solver_interpolate(
    const dae_solver *solver, double t, double *x, double *xp) DAE_MUST_CHECK;

/* The same of x alone at `count` places, in the order of the run: N values each, one
 * place after the other. Those in `slots` alone are told, slot_count of them, and others
 * that have bounds may change; NULL: all. DAE_UNSUPPORTED where a place takes more than
 * a polynomial: dae_solver_interpolate then tells it. */
DAE_API dae_status dae_solver_values(const dae_solver *solver,
    const size_t *slots, size_t slot_count, size_t count, const double *t,
    double *x) DAE_MUST_CHECK;

/* The end of the last step, its length, its order, and the solution there as
 * the step left it (borrowed, valid until the next call that steps): slopes with
 * what Newton's method left of their states, divided by the step. */
DAE_API double dae_solver_time(const dae_solver *solver);
DAE_API double dae_solver_last_step(const dae_solver *solver);
/* No step is longer: `max_step`, or where nothing is said a part of the interval, in the
 * unit of time; the length of all steps where that is given. INFINITY: nothing bounds
 * them; 0 for NULL. */
DAE_API double dae_solver_longest_step(const dae_solver *solver);
DAE_API int dae_solver_last_order(const dae_solver *solver);
DAE_API const double *dae_solver_x(const dae_solver *solver);
DAE_API const double *dae_solver_xp(const dae_solver *solver);
DAE_API const dae_stats *dae_solver_stats(const dae_solver *solver);

/* The state with the largest part in the error test of the last step: a key that
 * stays its own for the whole run, and *error in tolerances (may be NULL). -1: no step
 * was made, or its error was 0 everywhere. One pass over the states. */
DAE_API int64_t dae_solver_largest_error(
    const dae_solver *solver, double *error);
/* The state of such a key, "v" or "x'", as snprintf writes; 0 where there is none. */
DAE_API size_t dae_solver_error_name(
    const dae_solver *solver, int64_t key, char *text, size_t size);

/* How the start came about: number of free values, conditions, whether
 * bounds were active; valid after initialize. */
typedef struct dae_start_report {
    int64_t conditions;      /* fixed values and general conditions */
    int64_t degrees_missing; /* values taken from guesses without being asked;
                                0 where the conditions determine the start */
    int64_t redundant;       /* conditions or equations that follow from
                                the others */
    int64_t iterations;
    double residual; /* weighted, at the end */
} dae_start_report;
DAE_API const dae_start_report *dae_solver_start_report(
    const dae_solver *solver);

/* What the analysis that has found the start says of the equations: what dae_analyse
 * says with the run's tolerances. `is_known` 0: there was none, or it did not ask. */
typedef struct dae_index_report {
    int is_known, is_certified;
    int64_t index, degrees_of_freedom; /* -1: none */
} dae_index_report;
DAE_API const dae_index_report *dae_solver_index_report(
    const dae_solver *solver);

/* How a system of index 2 or more is integrated; valid after initialize. */
typedef struct dae_reduction_report {
    int64_t index;       /* differentiation index, 2 or more; 0: nothing had to
                            be done about it, and the rest is 0 */
    const char *method;  /* "dummy derivatives", "projection", "stabilization",
                            "none" */
    size_t state_count;  /* states at hand; of "none": 0 */
    int64_t constraints; /* projected or stabilized: how many */
} dae_reduction_report;
DAE_API dae_reduction_report dae_solver_reduction(const dae_solver *solver);
/* The name of one of those states, as snprintf writes; 0 where there is none. */
DAE_API size_t dae_solver_state_name(
    const dae_solver *solver, size_t state, char *text, size_t size);

/* The iteration matrix of the step that comes next, and what is factorized in
 * its place: itself where nothing is taken out. */
typedef struct dae_condensation {
    double t, step;
    int64_t columns, nonzeros;
    int64_t fill; /* entries of L + U; -1: it is singular */
    int64_t condensed_columns, condensed_nonzeros, condensed_fill;
    const char *linear, *condensed_linear; /* what factorizes them */
    size_t taken;                          /* unknowns that are taken out */
} dae_condensation;

/* Valid after initialize or start. Evaluates the Jacobian and factorizes both;
 * the Jacobian is then evaluated again at the next step. DAE_ARGUMENT: there is
 * no start yet; DAE_MEMORY; what callbacks say. Where a value is not finite
 * nothing is taken out. */
DAE_API dae_status dae_solver_condensation(
    dae_solver *solver, dae_condensation *out) DAE_MUST_CHECK;
/* The names of the unknown that is taken out `taken`-th (DAE_NAME_UNKNOWN) and
 * of the equation that gives it (DAE_NAME_EQUATION), as snprintf writes; 0 where
 * there is none. */
DAE_API size_t dae_solver_taken_name(const dae_solver *solver,
    dae_name_kind kind, size_t taken, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif

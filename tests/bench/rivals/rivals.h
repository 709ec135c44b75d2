/* The comparison with other solvers: the problems, written by hand in C, and
 * one function per solver that runs a problem at one tolerance.
 *
 * Every problem is M x' = f(t, x) from t = 0 with a constant M, so that codes
 * for F(t, x, x') = 0 and for linearly implicit systems get the same
 * equations and the same derivatives. */
#ifndef RIVALS_H
#define RIVALS_H

#include <stdbool.h>

enum { UNKNOWNS_MAX = 160, OUTPUTS = 40, STEPS_MAX = 1000000 };

typedef struct mass_entry {
    int row, column;
    double value;
} mass_entry;

/* A derivative of one of the model's unknowns. */
typedef struct model_slot {
    int unknown, order;
} model_slot;

typedef struct rival_problem rival_problem;
struct rival_problem {
    const char *name;
    const char *model; /* the same problem in our language, below the
                                project's root */
    const model_slot
        *slots; /* where its unknowns are; NULL: in the same order */
    int n;
    int shown;       /* so many of the first unknowns are compared; 0: all */
    int by_index[3]; /* unknowns of index 1, 2, 3, in this order; 0: all of 1 */
    double t1;
    double atol_factor;     /* atol = atol_factor*rtol */
    double first_log;       /* first output where they are spaced by factors;
                           0: spaced evenly */
    const mass_entry *mass; /* NULL: identity */
    int mass_count, mass_band;
    const double *end;     /* published or confirmed values at t1 */
    double reference_rtol; /* at which RADAU5 makes the reference; of index 2
                              and 3 our Radau IIA does, on the model */
    double reference_off;  /* what it may be off the published values; 0: a
                              common bound */
    const rival_problem *reference_form; /* other equations for it; NULL */
    void (*start)(double *x, double *xp);
    /* f(t, x); non-zero where it has no value */
    int (*f)(double t, const double *x, double *f);
    /* df[i + n*j] = df_i/dx_j; zero on entry */
    void (*slope)(double t, const double *x, double *df);
};

extern const rival_problem *const rival_problems[]; /* ends in NULL */
extern const rival_problem pendulum, car_axis, andrews, fekete, wheelset,
    slider_crank; /* constrained.c; without f: the model alone is run */

void constrained_init(void);

int problem_index(const rival_problem *p);
int problem_shown(const rival_problem *p);
/* Whether unknown j is outside of error tests: algebraic ones of index 2, and of
 * index 3 all that are not of index 1. */
bool problem_is_untested(const rival_problem *p, int j);

/* f - M x' and its matrix M c - df/dx with the signs of F = M x' - f. */
int problem_residual(const rival_problem *p, double t, const double *x,
    const double *xp, double *res);
void problem_matrix(
    const rival_problem *p, double t, double c, const double *x, double *a);
/* Marks (n*n, by columns) the entries that df/dx may have. */
void problem_pattern(const rival_problem *p, bool *has);
void problem_outputs(const rival_problem *p, double *t);

typedef struct run_result {
    bool ok;
    char message[160];
    long steps, residuals, jacobians, factorizations, iterations;
    long error_failures, convergence_failures;
    double given; /* seconds of this run for what the other codes are given */
    double x[OUTPUTS][UNKNOWNS_MAX]; /* at problem_outputs() */
} run_result;

typedef void rival_run(
    const rival_problem *p, double rtol, double atol, run_result *r);

rival_run run_ida_dense, run_ida_klu; /* SUNDIALS */
rival_run run_daspk, run_radau5;      /* Fortran codes of deSolve's library */
rival_run run_mebdfi;                 /* of a library that a user has */
rival_run run_ours, run_ours_radau, run_ours_model, run_ours_auto;
/* The integration alone: the analysis of the model and of its start is not counted, and
 * steps may be as long as the interval, as those of the other codes. */
rival_run run_warm_bdf, run_warm_auto;
rival_run run_ours_model_radau; /* for references */

/* Processor time, seconds. */
double now(void);

/* Opens what may be missing; false with a message on stderr. */
bool fortran_open(const char *library);
/* The same of the library named by RIVALS_MEBDFI; false where there is none. */
bool mebdfi_open(void);
/* Where the models are; compiles the problem's, false where there is none. */
bool ours_load(const char *root, const rival_problem *p);
void ours_unload(void);

#endif

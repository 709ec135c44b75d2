/* Consistent initial values for index 0 and 1: F(t0, x, xp) = 0 and the
 * conditions, fixed values held, the least weighted change of the others from
 * their guesses. The search is start/solve.c; where it fails, a thorough request
 * also gets the set of conditions that cannot be satisfied together. */
#ifndef START_INIT_H
#define START_INIT_H

#include "linalg/iteration_matrix.h"
#include "start/findings.h"
#include <dae/solver.h>

typedef struct init_request {
    const dae_problem *problem;
    const layout *layout;
    iteration *matrix; /* gets the digest of the constant entries; NULL: none */
    bool is_matrix_free; /* it may be evaluated and factorized here */
    double t0, rtol;
    const double *atol;      /* N */
    const uint8_t *x_fixed;  /* N */
    const uint8_t *xp_fixed; /* n */
    bool use_conditions;     /* the problem's general conditions too */
    /* rows of F, where they are not as many as the unknowns: `residual` writes
     * so many values, the pattern's rows are below; 0: unknown_count. Then
     * all unknowns should be algebraic. */
    size_t equation_count;
    /* N: the order of the derivative that an algebraic unknown stands for;
     * those of order 0 that are not inner keep nearer to their guesses than
     * the others. NULL: as laid out */
    const uint8_t *stands_for;
    init_findings *findings; /* filled, to be cleared by the caller whatever
                                the status; NULL: not wanted */
    /* Also ranks, inconsistent sets, and further methods if the first search
     * fails; else only the fast methods, as a run must not take long. */
    bool is_thorough;
    /* For the findings, N + n each: slots that may be proposed for conditions,
     * 0: never, 1: the first choice, 2 the next, ... (NULL: 1 + the order of
     * the derivative), and inner ones: if these stay open, no condition is
     * missing (NULL: the highest derivatives of unknowns that have one). An
     * inner slot is proposed if no direction of inner slots alone moves it. */
    const uint8_t *may_be_given, *is_inner;
    /* homotopy from the guesses precedes any other search; after other searches
     * have failed it is tried if `is_thorough` */
    bool is_homotopy_first;
    /* no conflicts are searched for a start that fails; nor is homotopy tried then */
    bool is_brief, is_trial;
    /* The equations may lack constraints: at most as many conditions are
     * missing as they are counted, and no more than there are degrees of
     * freedom, where these are known. */
    bool is_count_bound;
    size_t freedom; /* SIZE_MAX: not known */
    const dae_allocator *allocator;
    dae_interrupt_fn *interrupt;
    void *interrupt_context;
} init_request;

/* x (N) and xp (n): guesses and fixed values in, consistent values out (left
 * as they were on failure). Counters are added to `stats`. Derivatives that
 * F alone leaves open (index-1 systems with a singular dF/dx') are found from
 * the differentiated constraints by a short difference in time. */
dae_status init_consistent(const init_request *request, double *x, double *xp,
    dae_start_report *report, dae_stats *stats) DAE_MUST_CHECK;

#endif

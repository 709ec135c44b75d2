/* The uncoupled parts of a model: its weakly connected components. Results for one must
 * not depend on the others, so index, degrees of freedom and certificates are found for
 * each. */
#ifndef ANALYSIS_COMPONENTS_H
#define ANALYSIS_COMPONENTS_H

#include "analysis/analysis.h"

struct component {
    /* As many of both, ascending: some of the transversal's pairs. */
    const int32_t *equations, *unknowns;
    size_t count;
    /* By structure, after the repairs: the bound of the index, and the worst
     * certificate of the blocks. */
    int64_t index, freedom;
    dae_certificate blocks;
    bool
        is_trusted; /* no block is SINGULAR at generic points; after repairs: all
                       are CERTIFIED */
    bool is_attained; /* numbers show that the index is not below the bound */
    /* The results, as in dae_analysis. */
    dae_index_verdict verdict;
    dae_certificate certificate;
    int64_t found_index, found_freedom;
    array_findings array; /* in numbers of the whole */
};

/* Fills a->components with equations, unknowns and their structural results, after the
 * repairs. A model without a pattern or a Jacobian stays whole.
 * DAE_MEMORY. */
dae_status components_find(analysis *a) DAE_MUST_CHECK;
/* Recomputes `blocks` from the current certificates; discards results of arrays. */
void components_take_blocks(analysis *a);
void components_clear(analysis *a);

/* ---- a component as a problem of its own -------------------------------------- */

/* What subproblems of one problem share. All of the problem is evaluated for each,
 * with the other unknowns where they are left; what that takes is counted. */
typedef struct subproblems {
    const dae_problem *whole; /* with a pattern and a Jacobian */
    const layout *layout;     /* of it */
    const double *x, *xp;     /* where the other unknowns are */
    double work, work_most;   /* multiplications, roughly: done and allowed */
    arena memory;
    double *all_x, *all_xp, *res, *values; /* room for all of it */
    int32_t *row_at; /* equations of the subproblem: where in it, + 1; else 0 */
    arena series;    /* the rest: for so many terms */
    size_t terms, stride;
    double *curve, *coefficients, *entries;
} subproblems;

/* Everything is borrowed; to be cleared whatever comes. */
dae_status subproblems_init(subproblems *all, const dae_problem *whole,
    const layout *l, const double *x, const double *xp, double work_most,
    const dae_allocator *allocator) DAE_MUST_CHECK;
void subproblems_clear(subproblems *all);

typedef struct subproblem {
    dae_problem problem; /* without names, conditions and roots. Its functions
                            return DAE_LIMIT if the budget is used up */
    subproblems *all;
    size_t count;
    const int32_t *equations, *unknowns; /* count: borrowed */
    arena memory;
    size_t states, entries;
    /* of the whole: count, states, entries */
    size_t *row, *slot, *entry;
    double *x, *xp; /* where `all` leaves its unknowns */
    uint8_t *order, *group;
    dae_pattern pattern;
    dae_start start;
    dae_scales scales;
} subproblem;

/* Equations and unknowns ascend. One at a time, to be closed whatever comes. */
dae_status subproblem_open(subproblem *p, subproblems *all,
    const int32_t *equations, const int32_t *unknowns,
    size_t count) DAE_MUST_CHECK;
void subproblem_close(subproblem *p);

#endif

/* A part of a problem that nothing else has to do with, as a problem of its own:
 * some equations and as many unknowns, which occur in no others. All of the
 * problem is evaluated for it, with the other unknowns where they are left; what
 * that takes is counted. */
#ifndef ANALYSIS_COMPONENT_PROBLEM_H
#define ANALYSIS_COMPONENT_PROBLEM_H

#include "base/arena.h"
#include "linalg/layout.h"
#include <dae/problem.h>

/* What subproblems of one problem share. */
typedef struct subproblems {
    const dae_problem *whole; /* with a pattern and a Jacobian */
    const layout *layout;     /* of it */
    const double *x, *xp;     /* where the other unknowns are */
    double work, work_most;   /* multiplications, roughly: done and allowed */
    arena memory;
    double *all_x, *all_xp, *res, *values; /* room for all of it */
    int32_t *row_at; /* equations of the subproblem: where in it, + 1; else 0 */
    size_t terms;    /* of `curve` and the two below */
    size_t stride;
    double *curve, *coefficients, *entries;
    const dae_allocator *allocator;
} subproblems;

/* Everything is borrowed; to be cleared whatever comes. */
dae_status subproblems_init(subproblems *all, const dae_problem *whole,
    const layout *l, const double *x, const double *xp, double work_most,
    const dae_allocator *allocator) DAE_MUST_CHECK;
void subproblems_clear(subproblems *all);

typedef struct subproblem {
    dae_problem problem; /* without names, conditions and roots. Its functions
                            say DAE_LIMIT where more work is not allowed */
    subproblems *all;
    size_t count;
    const int32_t *equations, *unknowns; /* count: borrowed */
    arena memory;
    size_t states, entries;
    size_t *slot; /* states: of the whole */
    int64_t *entry;
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

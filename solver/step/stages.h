/* The stages of an implicit Runge-Kutta method, solved together: on F(t, x, x') = 0 with
 * x_i = x + z_i and h x'_i = sum of (A^-1)_ik z_k,
 *
 *   F(t + c_i h, x + z_i, x'_i) = 0,   i = 1..s.
 *
 * A^-1 has one real eigenvalue and pairs of complex ones; transformed to them Newton's
 * method takes one real system and one complex one for each pair, all with the Jacobian
 * of the last point [HW96 IV.8]. Below the highest state of x'' and above, z follows
 * from the state above: z = h A (x' + z of x'), which the systems hold as powers of
 * their alpha, so that no unknown is added.
 *
 * For methods in solver/methods, inside an attempt (step/one_step.h). */
#ifndef STEP_STAGES_H
#define STEP_STAGES_H

#include "step/transition.h"

#include <assert.h>

enum { STAGES_MOST = 7 };

/* Calls a function that is unrolled for each number of stages (base/unrolled.h). */
#define BY_STAGES(function, s, ...)                                            \
    switch (s) {                                                               \
    case 3: function(3, __VA_ARGS__); break;                                   \
    case 5: function(5, __VA_ARGS__); break;                                   \
    default:                                                                   \
        assert((s) == 7);                                                      \
        function(7, __VA_ARGS__);                                              \
        break;                                                                 \
    }

/* A method whose last stage is the new point: c_s = 1, the last row of A is b. Square
 * matrices by rows. */
typedef struct stage_rule {
    int stages; /* s <= STAGES_MOST, odd */
    double node[STAGES_MOST];
    double lagrange[STAGES_MOST]; /* 1/(c_k product of c_k - c_m), m != k */
    double
        bubble[STAGES_MOST + 1]; /* (1 - x/c_1)...(1 - x/c_s), by powers of x */
    double integral[STAGES_MOST + 1]; /* of that from 0 on, over x */
    /* the largest size of x (x - c_1)...(x - c_s) halfway between two of 0 and the nodes */
    double product;
    double matrix[STAGES_MOST * STAGES_MOST];  /* A */
    double inverse[STAGES_MOST * STAGES_MOST]; /* A^-1 */
    double real;                               /* eigenvalues of that */
    double re[ITERATION_PAIRS], im[ITERATION_PAIRS];
    /* T, T^-1: A^-1 = T D T^-1, D of the blocks real, [[re, -im], [im, re]] */
    double from[STAGES_MOST * STAGES_MOST], to[STAGES_MOST * STAGES_MOST];
    /* of the method's estimate: what z_k/h count for beside the slope */
    double error[STAGES_MOST];
} stage_rule;

/* Rows of transition.work that stages_solve takes. */
enum { STAGES_WORK = 3 * STAGES_MOST };

typedef struct stage_task {
    const stage_rule *rule;
    double *const *z; /* s rows of N: a guess, then the solution */
    double *share;    /* room: s s, for A^-1/h, */
    double *at;       /* and s, for times of the stages */
    /* rate/(1 - rate) of the step before, 1: not known; then of this one */
    double factor;
    double rate; /* measured; 0: one iteration was enough */
    double first, last,
        left;      /* corrections; what is left of the solution: tolerances */
    bool is_first; /* there is no step behind this one */
    bool is_confirmed; /* the Jacobian is that of the end */
    int iterations, most;
    /* where it would take more than the most: the part of the length with which it would
     * not; 0: not known */
    double shorter;
} stage_task;

/* The system of lower states is kept: z of those is made of the guess. As newton_solve
 * says. task.alpha is that of the real system afterwards, with its factors. */
newton_outcome stages_solve(transition *s, stage_task *t);

/* out_i = sum of m_ik rows_k over [0, n), i, k < s, a row `step` behind the last one. */
void stages_transform(const stage_rule *r, const double *m, const double *rows,
    size_t step, size_t n, double *out);

/* What the stages say of the new point: task.x, task.xp and new_slope.
 * NEWTON_NONFINITE: it is too large. */
newton_outcome stages_finish(transition *s, const stage_task *t);

/* The estimate of order s: (alpha M + K)^-1 M (x' + sum of error_k z_k/h) with the
 * factors at hand [HW96 IV.8 (8.20)], into `error` (N); `is_twice` filters it once
 * more, for steps in which the slope itself is far from smooth [(8.21)]. `room`: N. */
newton_outcome stages_estimate(transition *s, const stage_task *t,
    bool is_twice, double *room, double *error);

#endif

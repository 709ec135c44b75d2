/* The matrix of an implicit system of one or more stages, in double.
 *
 * A stage i gives the slots of unknown j from its highest derivative z_ij by
 * x_o,i = base_o + sum over m of C_im x_(o+1),m; an unknown without derivatives
 * is z_ij itself. So the derivative of F at stage i by z_mj is the sum over the
 * slots of (C^(q_j - o))_im dF/d(slot). BDF is one stage with C = 1/alpha, a
 * Runge-Kutta method with the coefficients A has C = h A. */
#ifndef STUDY_MATRIX_H
#define STUDY_MATRIX_H

#include "linalg/layout.h"
#include "linalg/linear.h"
#include <dae/study.h>

enum { STUDY_STAGES_MOST = 5 };

typedef struct matrix matrix;

/* The layout is borrowed. */
dae_status matrix_create(const dae_problem *problem, const layout *l,
    int stages, dae_linear choice, const dae_allocator *allocator,
    matrix **out) DAE_MUST_CHECK;
void matrix_free(matrix *m);

/* Evaluates the Jacobian at a stage, where F has the values `res`. DAE_RETRY:
 * it is not finite there; DAE_MEMORY; what the problem answered. */
dae_status matrix_evaluate(matrix *m, int stage, double t, const double *x,
    const double *xp, const double *res,
    dae_study_counts *counts) DAE_MUST_CHECK;
/* Assembles with C (stages squared, by rows) and factorizes. DAE_NUMERIC:
 * singular; DAE_RETRY: an entry is not finite. */
dae_status matrix_factor(
    matrix *m, const double *c, dae_study_counts *counts) DAE_MUST_CHECK;
/* b: unknown_count values for each stage. */
dae_status matrix_solve(matrix *m, double *b) DAE_MUST_CHECK;

/* After DAE_NUMERIC: an equation and an unknown taking part; -1: not known. */
void matrix_singular_at(const matrix *m, int64_t *equation, int64_t *unknown);
/* The sum of |dF_i/d(slot) slot| over the slots, for each equation: rounding
 * errors of F are some units in the last place of that. */
void matrix_weigh(const matrix *m, int stage, const double *x, const double *xp,
    double *size);

#endif

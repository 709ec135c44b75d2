/* Values and partial derivatives of a view at a point. */
#ifndef REPAIR_REPAIRED_VALUES_H
#define REPAIR_REPAIRED_VALUES_H

#include "repair/repaired_problem.h"

/* The callbacks of view.problem. Where the weights of a row vary, their
 * derivatives are found by differences of sixth order; DAE_RETRY also where
 * these cannot be trusted. */
dae_residual_fn view_residual;
dae_jacobian_fn view_jacobian;

/* The sum of parts, and of their magnitudes, where the view was moved last. */
double view_sum(
    const view *v, const view_part *parts, size_t count, double *magnitude);
/* The value of terms of a plan, likewise (VIEW_VALUES). */
double view_value(
    const view *v, const dae_term *terms, size_t count, double *magnitude);

#endif

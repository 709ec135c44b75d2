/* The study at fixed steps: every order at every step, from exact values. */
#ifndef ORDERS_FIXED_H
#define ORDERS_FIXED_H

#include "orders_view.h"

/* A wrong start: so much is added to a state. */
typedef struct disturbance {
    size_t at;
    double by;
} disturbance;

/* What a study does beside the plan. */
typedef struct fixed_options {
    const double *pattern; /* factors of the step; 0 of them: equal */
    size_t pattern_count;
    const disturbance *disturbances;
    size_t disturbance_count;
} fixed_options;

/* Fills `f`. A formula that fails at a step leaves its status in the row; what
 * stops the command is the answer. Clear also after failure. */
dae_status fixed_study_make(
    fixed_study *f, orders_view *v, const fixed_options *o);
void fixed_study_clear(fixed_study *f);

/* The row of the order's place and the step's. */
static inline const fixed_row *fixed_row_at(
    const fixed_study *f, size_t order, size_t step)
{
    return &f->rows[order * f->step_count + step];
}
/* The order that two errors at two steps show; NaN: one is below its floor. */
double fixed_order_between(const fixed_study *f, size_t variable,
    const fixed_row *coarse, size_t coarse_step, double coarse_error,
    const fixed_row *fine, size_t fine_step, double fine_error);

/* All studies at fixed steps that the view's plan asks for. */
dae_status orders_fixed(orders_view *v);

#endif

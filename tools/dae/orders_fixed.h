/* The study at fixed steps: every formula at every step. BDF goes from exact
 * values, whatever the index. */
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
    const fixed_formula *formulas; /* NULL: BDF of the orders asked for */
    size_t formula_count;
    messages *tell; /* hears of failures; NULL: the rows alone do */
} fixed_options;

/* Fills `f`. A formula that fails at a step leaves its status in the row; what
 * stops the command is the answer. */
dae_status fixed_study_make(
    fixed_study *f, orders_view *v, const fixed_options *o);
/* All studies at fixed steps that the view's plan asks for. */
dae_status orders_fixed(orders_view *v);
/* Where no formula came to an end: the first failure as the library tells it, with
 * its status; DAE_OK where there is none. */
dae_status orders_fixed_tell(orders_view *v);

#endif

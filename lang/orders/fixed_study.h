/* Errors of formulas at fixed steps: what was found, and the orders that it
 * shows. */
#ifndef ORDERS_FIXED_STUDY_H
#define ORDERS_FIXED_STUDY_H

#include "orders/study.h"

/* Room in the study's results for the formulas, which are copied, at these steps. */
dae_status fixed_study_init(fixed_study *f, dae_orders *o,
    const dae_orders_formula *formulas, size_t formula_count,
    const double *steps, size_t step_count);

/* The row of the formula's place and the step's. */
static inline fixed_row *fixed_row_at(
    const fixed_study *f, size_t formula, size_t step)
{
    return &f->rows[formula * f->step_count + step];
}
/* The error of an unknown at a computed point, `index` of the grid; values that
 * the formula differentiates are its own from point `depth` * past on. */
void fixed_study_note(
    fixed_row *row, size_t unknown, size_t index, int64_t depth, double error);
/* How far it is known, of a run whose last point is `last`. */
void fixed_study_doubt(fixed_row *row, size_t unknown, size_t index,
    int64_t depth, size_t last, double doubt);
/* Of a run that failed no error is kept, but that of one step. */
void fixed_study_forget(fixed_row *row);
/* A row that was left in its midst is as if it had not been begun. */
void fixed_study_abandon(fixed_row *row);
/* Whether a row came to its end. */
bool fixed_study_has_any(const fixed_study *f);

#endif

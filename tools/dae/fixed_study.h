/* Errors of formulas at fixed steps: what was found, and the orders that it
 * shows. */
#ifndef FIXED_STUDY_H
#define FIXED_STUDY_H

#include "orders_plan.h"
#include "orders_run.h"
#include <dae/study.h>

/* Computed points behind the start that are kept one by one. */
enum { STUDY_EARLY = 2 * PLAN_HIGHEST + 4 };

/* What is kept of a run. */
typedef enum error_list {
    ERROR_END,     /* at the end of the run */
    ERROR_FIRST,   /* of one step from exact values: of BDF of <dae/study.h> the
                      last step, else the first */
    ERROR_LARGEST, /* in modulus, of the run */
    ERROR_SETTLED, /* the same from the point on where all values that a formula
                      differentiates are its own */
    ERROR_LISTS
} error_list;

/* What an error is worth. */
typedef enum error_worth {
    WORTH_NOTHING,   /* there is none */
    WORTH_ROUNDING,  /* no more than rounding */
    WORTH_REFERENCE, /* no more than what it is measured against is wrong by */
    WORTH_BELIEVED,
} error_worth;

typedef struct fixed_formula {
    char name[PLAN_NAME + 4]; /* "bdf3", "rk4" */
    const char *method; /* of the step machine; NULL: BDF of <dae/study.h> */
    int order;
    int past; /* points that it begins from */
    double
        growth; /* rounding of what it differentiates grows by so much, and by
                      1/h */
    bool is_unreduced;
    int table; /* its number, of those that formulas are told in */
} fixed_formula;

/* One formula at one step. Errors are signed, one for each variable, NaN where
 * there are none. */
typedef struct fixed_row {
    const fixed_formula *formula;
    double step;
    int64_t steps;
    bool is_short; /* fewer points than the formula needs */
    dae_status status;
    orders_failure failure;
    double *errors[ERROR_LISTS];
    double *doubts[ERROR_LISTS]; /* what another reference makes of them: how
                                    far each is known */
    double *early;  /* STUDY_EARLY times variables: of the first points
                       computed */
    double *floors; /* errors below are rounding */
    dae_study_counts counts;
} fixed_row;

/* Observed orders of one formula, one for each variable: of the shortest pair
 * of steps whose errors are believed; NaN: there is none. */
typedef struct observed_row {
    const fixed_formula *formula;
    double *orders[ERROR_LISTS];
} observed_row;

typedef struct fixed_study {
    fixed_formula *formulas;
    size_t formula_count, step_count, variable_count;
    fixed_row *rows; /* the steps of the first formula, then of the next */
    observed_row *observed;
    bool is_by_method; /* of the step machine, in double */
} fixed_study;

/* Room for the formulas, which are copied, at these steps. False: memory ran
 * out. */
bool fixed_study_init(fixed_study *f, const fixed_formula *formulas,
    size_t formula_count, const double *steps, size_t step_count,
    size_t variable_count);

/* The row of the formula's place and the step's. */
static inline fixed_row *fixed_row_at(
    const fixed_study *f, size_t formula, size_t step)
{
    return &f->rows[formula * f->step_count + step];
}
/* The error of a variable at a computed point, `index` of the grid; values that
 * the formula differentiates are its own from point `depth` * past on. */
void fixed_study_note(const fixed_study *f, fixed_row *row, size_t variable,
    size_t index, int64_t depth, double error);
/* How far it is known, of a run whose last point is `last`. */
void fixed_study_doubt(fixed_row *row, size_t variable, size_t index,
    int64_t depth, size_t last, double doubt);
/* Of a run that failed no error is kept, but that of one step. */
void fixed_study_forget(const fixed_study *f, fixed_row *row);
/* A row that was left in its midst is as if it had not been begun. */
void fixed_study_abandon(const fixed_study *f, fixed_row *row);
/* Whether a row came to its end. */
bool fixed_study_has_any(const fixed_study *f);

error_worth fixed_worth(const fixed_row *row, error_list list, size_t variable);
/* The order that a list's errors at two steps show; NaN: one is not believed. */
double fixed_order_between(const fixed_row *coarse, const fixed_row *fine,
    error_list list, size_t variable);
/* Fills the observed orders. */
void fixed_study_observe(fixed_study *f);

#endif

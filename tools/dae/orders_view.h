/* What `dae orders` has found, for text, document and picture. */
#ifndef ORDERS_VIEW_H
#define ORDERS_VIEW_H

#include "orders_plan.h"
#include "orders_reference.h"
#include "orders_roles.h"
#include "phrase.h"
#include <dae/study.h>

/* Computed points behind the start that are kept one by one. */
enum { VIEW_EARLY = 2 * PLAN_HIGHEST + 4 };

/* A state that the user knows: an unknown, or a derivative of one. */
typedef struct orders_variable {
    size_t unknown; /* the model's */
    int order;
    size_t at; /* among the problem's states */
    orders_role role;
} orders_variable;

/* One order at one step. Errors are signed, one for each variable, NaN where
 * there are none. */
typedef struct fixed_row {
    int order;
    double step;
    int64_t steps;
    dae_status status; /* DAE_ARGUMENT: fewer points than the order needs */
    double *end;       /* at the end of the run */
    double *first;     /* of one step from exact values, at the same time */
    double *largest;   /* in modulus, of the run */
    double *settled;   /* the same from the point on where all values that a
                          formula differentiates are its own */
    double
        *early; /* VIEW_EARLY times variables: of the first points computed */
    dae_study_counts counts;
} fixed_row;

/* Observed orders of one formula, one for each variable: of the shortest pair
 * of steps whose errors are no rounding; NaN: there is none. */
typedef struct observed_row {
    int order;
    double *local, *global, *largest, *settled;
} observed_row;

typedef struct fixed_study {
    size_t order_count, step_count, variable_count;
    fixed_row *rows; /* the steps of the first order, then of the next */
    observed_row *observed;
    double *floors;  /* steps times variables: errors below are rounding, or
                          the reference's */
    double *numbers; /* owns what the rows point to */
    bool is_cut;     /* a step does not divide the interval */
} fixed_study;

/* One run of the step machine. */
typedef struct adaptive_row {
    const char *method; /* borrowed from the plan */
    bool is_unreduced;
    int max_order;
    double rtol;
    dae_status status;
    double error; /* largest of the run and of all variables, each by its
                     largest modulus */
    dae_stats stats;
    double seconds;
} adaptive_row;

typedef struct orders_view {
    const args *args;
    session *session;
    orders_plan plan;
    reference reference;
    int64_t index;              /* of the model */
    orders_variable *variables; /* by role, then as the text has them */
    size_t variable_count;
    fixed_study fixed;
    fixed_study
        unequal;       /* the same with steps h, 2h, h, ...; empty: not made */
    fixed_study wrong; /* the same as `fixed` from a start with --perturb */
    adaptive_row *adaptive;
    size_t adaptive_count;
} orders_view;

/* The variables and the reference, for a session that has been analysed and
 * started. Clear also after failure. */
dae_status orders_view_init(
    orders_view *v, const args *a, session *s, const orders_plan *plan);
void orders_view_clear(orders_view *v);

/* The name of a variable, in a buffer as names.h has them. */
struct name_buffer;
const char *orders_view_name(
    const orders_view *v, size_t variable, struct name_buffer *b);
/* The highest index among the variables. */
int64_t orders_view_highest(const orders_view *v);

#endif

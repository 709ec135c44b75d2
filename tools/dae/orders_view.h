/* What `dae orders` has found, for text, document and picture. */
#ifndef ORDERS_VIEW_H
#define ORDERS_VIEW_H

#include "fixed_study.h"
#include "orders_events.h"
#include "orders_reference.h"
#include "orders_roles.h"
#include "phrase.h"
#include "picture.h"
#include "write_json.h"

/* A state that the user knows: an unknown, or a derivative of one. */
typedef struct orders_variable {
    size_t unknown; /* the model's */
    int order;
    size_t at; /* among the problem's states */
    orders_role role;
} orders_variable;

/* One run of the step machine. */
typedef struct adaptive_row {
    const char *method; /* borrowed from the plan */
    bool is_unreduced;
    int max_order; /* of a method with a list of orders the one that is held; 0: it
                      chooses them */
    double rtol;
    dae_status status;
    orders_failure failure;
    double error;       /* largest of the run and of all variables, each by its
                     largest modulus */
    double uncertainty; /* of the reference: the largest in the same sense */
    bool is_doubted;    /* the error is less than ten times that */
    dae_stats stats;
    double seconds;
} adaptive_row;

typedef struct orders_view {
    const args *args;
    session *session;
    orders_plan plan;
    orders_events events;
    reference reference;
    int64_t index;              /* of the model */
    orders_variable *variables; /* by role, then as the text has them */
    size_t variable_count;
    dae_columns *drawn; /* unknowns of --plot; NULL: the picture chooses */
    fixed_study fixed;  /* of BDF, or of the methods that were requested */
    fixed_study
        unequal;       /* the same with steps h, 2h, h, ...; empty: not made */
    fixed_study wrong; /* the same as `fixed` from a start with --perturb */
    adaptive_row *adaptive;
    size_t adaptive_count;
    reference_use adaptive_use; /* where their errors are from */
    bool is_complete; /* the studies are made, whatever failed in them */
    bool is_part;     /* the time limit ended them, something is known */
} orders_view;

/* The variables and the reference, for a session that has been analysed and
 * started. Clear also after failure. */
dae_status orders_view_init(
    orders_view *v, const args *a, session *s, const orders_plan *plan);
void orders_view_clear(orders_view *v);

/* For people: tables and sentences. */
void orders_text(const orders_view *v, FILE *file);
/* Members of the document of --json: docs/cli.md has their meaning. */
void orders_json(const orders_view *v, json *j);
/* Errors against the step, with triangles of the orders, and errors against the work: fills
 * an empty picture. */
void orders_picture_make(const orders_view *v, picture *p);

/* The name of a variable, until the next name of anything. */
const char *orders_view_name(const orders_view *v, size_t variable);
/* Fixed steps were taken in extended precision. */
bool orders_view_is_long(const orders_view *v);
/* The highest index among the variables. */
int64_t orders_view_highest(const orders_view *v);

#endif

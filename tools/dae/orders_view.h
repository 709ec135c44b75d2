/* What `dae orders` shows of a study: text, document and picture. */
#ifndef ORDERS_VIEW_H
#define ORDERS_VIEW_H

#include "phrase.h"
#include "picture.h"
#include "session.h"
#include "write_json.h"
#include <dae/orders.h>

typedef struct orders_view {
    const args *args;
    session *session;
    const dae_orders *orders;
    /* of BDF or of methods, with unequal steps, from a wrong start; NULL: not made */
    const dae_orders_steps *fixed, *unequal, *wrong;
    bool is_by_method;
    const double *pattern;
    size_t pattern_count, variable_count, run_count;
    int64_t index;      /* of the model */
    dae_columns *drawn; /* unknowns of --plot; NULL: the picture chooses */
    bool is_complete;   /* the studies are made, whatever failed in them */
    bool is_part;       /* the time limit ended them, something is known */
} orders_view;

/* Takes what the study has found. */
void orders_view_fill(orders_view *v);
/* For people: tables and sentences. */
void orders_text(const orders_view *v, FILE *file);
/* Errors against the step, with triangles of the orders, and errors against the work: fills
 * an empty picture. */
void orders_picture_make(const orders_view *v, picture *p);

static inline const dae_orders_unknown *orders_variable(
    const orders_view *v, size_t k)
{
    return dae_orders_unknown_at(v->orders, k);
}

static inline const dae_orders_run *orders_run(const orders_view *v, size_t i)
{
    return dae_orders_run_at(v->orders, i);
}

static inline const char *orders_view_name(const orders_view *v, size_t k)
{
    return orders_variable(v, k)->name;
}

/* "differential", "index 1", "index 2", ... */
snippet orders_role(const orders_view *v, size_t variable);
/* Fixed steps were taken in extended precision. */
bool orders_view_is_long(const orders_view *v);
/* The equations were studied as they stand, too. */
bool orders_view_has_ways(const orders_view *v);
/* Formulas of a method and a way follow each other: how many from this one on. */
size_t orders_formulas_alike(const dae_orders_steps *f, size_t first);
/* What may be put in a table of a failure; else what `otherwise` says. */
const char *orders_failure_code(
    const dae_orders_failure *f, const char *otherwise);
/* "expect", "expression" or "tight run", as documents have it; what it is, as
 * sentences have it. */
const char *orders_reference_text(const orders_view *v);
const char *orders_reference_sentence(const orders_view *v);
/* The same of the study at tolerances. */
void orders_runs_sentence(const orders_view *v, char *text, size_t size);

/* What is seen, in sentences: every one follows from numbers that were
 * measured and from the index. */

/* A paragraph each, "" where there is nothing to tell: the orders of the
 * variables, what a wrong start does, notes on the study. */
void orders_tell_steps(const orders_view *v, phrase *p);
void orders_tell_methods(const orders_view *v, phrase *p);
void orders_tell_wrong(const orders_view *v, phrase *p);
void orders_tell_notes(const orders_view *v, phrase *p);
/* The cheapest way to an error, and the equations as they stand beside the
 * reduced ones. */
void orders_tell_runs(const orders_view *v, phrase *p);
/* "bdf up to order 5", "radau of order 9", "radau". */
snippet orders_series_name(const dae_orders_run *row);
/* "backward Euler", "BDF3". */
snippet orders_method_name(int order);
/* Takes a blank at the end away. */
void orders_tell_end(phrase *p);
/* All of them, one behind the other. */
void orders_tell(const orders_view *v, phrase *p);

#endif

/* What is seen, in sentences: every one follows from numbers that were
 * measured and from the index. */
#ifndef ORDERS_TELL_H
#define ORDERS_TELL_H

#include "orders_view.h"

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
void orders_tell_series(const dae_orders_run *row, phrase *p);
/* "backward Euler", "BDF3". */
void orders_tell_method(int order, phrase *p);
/* "1", or what is no whole number: "1.6". */
void orders_tell_order(double order, phrase *p);
/* Takes a blank at the end away. */
void orders_tell_end(phrase *p);
/* All of them, one behind the other. */
void orders_tell(const orders_view *v, phrase *p);

/* ---- between the rooms of the sentences ---- */

/* Wherever there is an order pairs of steps agree on it. */
bool orders_is_settled(const orders_view *v, size_t formula, size_t variable);
/* A rule in k, or a sentence about a formula, says what a variable does. */
bool orders_is_told(const orders_view *v, size_t variable);
void orders_tell_unsettled(const orders_view *v, phrase *p);
void orders_tell_rest(const orders_view *v, phrase *p);

#endif

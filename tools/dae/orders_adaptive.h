/* The study at tolerances: what each method and highest order makes of them, and
 * at which cost, with step and order chosen by the step machine. */
#ifndef ORDERS_ADAPTIVE_H
#define ORDERS_ADAPTIVE_H

#include "orders_view.h"

/* Fills the view's rows: per method and highest order one for each tolerance,
 * with the index reduced and then, where there is one to reduce, as it stands. A
 * run that fails leaves its status in the row; what stops the command is the
 * answer. */
dae_status orders_adaptive(orders_view *v);

/* Where no run came to its end: the first failure as the library tells it, with
 * its status; DAE_OK where there is none. */
dae_status orders_adaptive_tell(orders_view *v);

/* Whether a run came to its end. */
bool adaptive_has_any(const orders_view *v);

/* Rows that differ by their tolerance alone follow each other: how many from
 * this one on. */
size_t adaptive_series(const orders_view *v, size_t row);

#endif

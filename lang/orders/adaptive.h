/* The study at tolerances: what each method and highest order makes of them, and
 * at which cost, with step and order chosen by the step machine. */
#ifndef ORDERS_ADAPTIVE_H
#define ORDERS_ADAPTIVE_H

#include "orders/study.h"

/* Fills the study's runs: per method and highest order one for each tolerance,
 * with the index reduced and then, where there is one to reduce, as it stands. A
 * run that fails leaves its status there; what stops the study is the answer. */
dae_status orders_adaptive(dae_orders *o);

/* Where no run came to its end: the first failure as the library tells it, with
 * its status; DAE_OK where there is none. */
dae_status orders_adaptive_tell(dae_orders *o);

/* Whether a run came to its end. */
bool adaptive_has_any(const dae_orders *o);

#endif

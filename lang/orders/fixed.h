/* The study at fixed steps: every formula at every step. BDF goes from exact
 * values, whatever the index. */
#ifndef ORDERS_FIXED_H
#define ORDERS_FIXED_H

#include "orders/fixed_study.h"

/* All studies at fixed steps that the plan asks for. A formula that fails at a step leaves
 * its status in the row; what stops the study is the answer. */
dae_status orders_fixed(dae_orders *o);
/* Where no formula came to an end: the first failure as the library tells it, with
 * its status; DAE_OK where there is none. */
dae_status orders_fixed_tell(dae_orders *o);

#endif

/* A run of `dae orders` for itself: what it says on its way is not of the command's run. */
#ifndef ORDERS_RUN_H
#define ORDERS_RUN_H

#include "session.h"

typedef struct orders_run {
    dae_run *run;
    messages quiet;
} orders_run;

/* At `factor` times the tolerances, by a method (NULL: the command's) up to an order.
 * Bounds of steps are those of the runs that are measured, and a higher index is reduced.
 * End also after failure. */
dae_status orders_run_begin(orders_run *r, session *s, double factor,
    const char *method, int max_order);
void orders_run_end(orders_run *r);

#endif

/* The times at which errors of runs that choose their steps are looked for: where
 * a run goes slowly something happens, be it in a part of the interval that even
 * times do not see. */
#ifndef ORDERS_TIMES_H
#define ORDERS_TIMES_H

#include "orders/study.h"
#include <dae/long.h>

typedef struct orders_times {
    dae_long *times; /* at which errors are looked for, from start to end */
    size_t count;
    dae_long *grid; /* these and all steps of the run, for a method with given
                       steps */
    size_t grid_count;
    bool has_steps; /* the run came to its end */
} orders_times;

/* For a run that has been started: even times, times even in the logarithm of
 * the time since the start, those of the model's own grid where it is even in the
 * logarithm, and steps of a run; none of them near an event. In the study's scratch. */
dae_status orders_times_init(orders_times *k, dae_orders *o);

/* The relative tolerance of that run. */
double orders_times_tolerance(void);

#endif

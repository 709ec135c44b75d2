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

/* Why a run of a study came to no end: a failed run is a row of its own there and
 * stops nothing. */
typedef struct orders_failure {
    char code[8]; /* "E0512"; "": nothing has been said */
    char text[400];
} orders_failure;

/* The library's first error. */
void orders_failure_take(orders_failure *f, const messages *m);
/* Where it may be put in a table; else what `otherwise` says. */
const char *orders_failure_code(const orders_failure *f, const char *otherwise);

#endif

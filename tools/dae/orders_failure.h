/* Why a run of a study came to no end: a failed run is a row of its own there and
 * stops nothing. */
#ifndef ORDERS_FAILURE_H
#define ORDERS_FAILURE_H

#include "messages.h"

typedef struct orders_failure {
    char code[8]; /* "E0512"; "": nothing has been said */
    char text[400];
} orders_failure;

/* The library's first error. */
void orders_failure_take(orders_failure *f, const messages *m);
/* Where it may be put in a table; else what `otherwise` says. */
const char *orders_failure_code(const orders_failure *f, const char *otherwise);

#endif

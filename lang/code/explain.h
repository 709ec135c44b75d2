/* Where a value that is not finite arises. */
#ifndef CODE_EXPLAIN_H
#define CODE_EXPLAIN_H

#include "code/compile.h"

size_t explain_equation(compiled *c, size_t equation, double t, const double *x,
    const double *xp, char *text, size_t size);

/* A dae_event_explain_fn. */
size_t explain_event(void *self, int kind, size_t index, double t,
    const double *x, const double *xp, char *text, size_t size);

#endif

/* Where a value that is not finite arises. */
#ifndef CODE_EXPLAIN_H
#define CODE_EXPLAIN_H

#include "code/compile.h"

/* A dae_explain_fn of a compiled system. */
size_t explain_nonfinite(void *self, dae_name_kind kind, size_t index, double t,
    const double *x, const double *xp, char *text, size_t size);

#endif

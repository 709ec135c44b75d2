/* Why a term of an equation's series, or of its Jacobian's, is missing. */
#ifndef CODE_SERIES_EXPLAIN_H
#define CODE_SERIES_EXPLAIN_H

#include "code/compile.h"

/* What problem.h calls series_explain. */
size_t series_explain(void *self, size_t equation, size_t terms, double t0,
    const double *x, size_t stride, char *text, size_t size);

#endif

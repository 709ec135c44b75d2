/* Units of rows and columns in which the entries of a sparse matrix are as alike as can
 * be: a second opinion where pivots look like rounding beside the others of
 * their rows. A mass of 1e-9 stands beside a force of 1e8 and has lost nothing by
 * that. */
#ifndef LINALG_UNITS_H
#define LINALG_UNITS_H

#include "linalg/backend.h"

/* Powers of 2, so that nothing is rounded; all NULL before units_take. */
typedef struct units {
    double *row, *column; /* n: factors */
    double *power;        /* entries: room */
    double *sum;          /* n: room */
    int32_t *count;       /* n: room */
    double *values;       /* entries: in these units */
} units;

/* Fine twice. DAE_MEMORY. */
dae_status units_take(units *u, const linear_system *s) DAE_MUST_CHECK;
void units_clear(units *u, const linear_system *s);
/* The means of the logarithms of what is not 0 become near 0 in every row and
 * column [CR72]; u->values. False: a value is not finite. */
bool units_make(units *u, const linear_system *s, const double *values);

#endif

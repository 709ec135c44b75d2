/* Eigenvalues of a dense matrix pencil lambda M + B. */
#ifndef LINALG_PENCIL_H
#define LINALG_PENCIL_H

#include "base/arena.h"
#include <dae/stability.h>

/* Asked before each pass of cubic cost; NULL: never. */
typedef struct pencil_stop {
    dae_interrupt_fn *ask;
    void *context;
} pencil_stop;

/* The finite eigenvalues, sorted as dae_eigenvalues says, into finite[] (room
 * for n), the number of the others, and the index. M and B, n x n by columns,
 * are spent; scratch is from `a`. DAE_NUMERIC: the pencil is singular, or QZ
 * does not converge. DAE_MEMORY, DAE_INTERRUPTED. */
dae_status pencil_eigenvalues(size_t n, double *m, double *b, arena *a,
    const pencil_stop *stop, dae_eigenvalues *out) DAE_MUST_CHECK;

#endif

/* Square complex linear systems of one pattern, whose values change: several at a time,
 * each with factors of its own. Operation lists, dense LU with partial pivoting, or KLU,
 * whose symbolic analysis all of them share. */
#ifndef LINALG_COMPLEX_LINEAR_H
#define LINALG_COMPLEX_LINEAR_H

#include "base/alloc.h"
#include <dae/solver.h>
#include <dae/stability.h>
#include <dae/status.h>

typedef struct complex_linear complex_linear;

/* `systems` of them, of n equations each; the pattern (columns, rows ascending) is
 * borrowed. `kind`: that of the real system of that pattern (linear_kind); KLU in place of
 * UMFPACK, and of a list that pivots make too long. DAE_MEMORY, DAE_LIMIT: too large. */
dae_status complex_linear_create(size_t n, const int64_t *column_start,
    const int32_t *row, dae_linear kind, int systems,
    const dae_allocator *allocator, complex_linear **out) DAE_MUST_CHECK;
void complex_linear_free(complex_linear *c);

/* Factorizes system k, with the values of the pattern's entries. DAE_NUMERIC:
 * singular, and there are no factors; DAE_MEMORY. */
dae_status complex_linear_factor(
    complex_linear *c, int k, dae_complex *values) DAE_MUST_CHECK;
/* Solves system k in place: real and imaginary parts, n each. */
dae_status complex_linear_solve(
    complex_linear *c, int k, double *re, double *im) DAE_MUST_CHECK;

#endif

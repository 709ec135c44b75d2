/* Ranks, solutions and null vectors of the derivative array: dense matrices, by
 * columns, scaled. */
#ifndef INDEX_DERIVATIVE_ARRAY_RANK_H
#define INDEX_DERIVATIVE_ARRAY_RANK_H

#include "base/alloc.h"
#include <dae/status.h>

/* The rank. Entries are known to `error`; `is_sure` becomes false (else it stays)
 * if pivots are not clearly separated into large ones and ones within the
 * error. */
dae_status ranks_count(const double *a, size_t rows, size_t columns,
    double error, const dae_allocator *allocator, size_t *rank,
    bool *is_sure) DAE_MUST_CHECK;
/* The least-squares solution of a*x = b of least norm; b has room for the larger of
 * rows and columns and becomes x. */
dae_status ranks_solve(const double *a, size_t rows, size_t columns,
    double error, double *b, const dae_allocator *allocator) DAE_MUST_CHECK;
/* How far (0 to 1) each unit vector of the columns lies in the null space. */
dae_status ranks_null(const double *a, size_t rows, size_t columns,
    double error, const dae_allocator *allocator, double *share) DAE_MUST_CHECK;
/* The first row that the rows before it determine, and the factors with which
 * it and they add up to 0, its own being 1 and those after it 0: no smaller
 * set of these rows depends. `*row` is `rows` where all are independent. Rows
 * are to have length near 1. */
dae_status ranks_dependency(const double *a, size_t rows, size_t columns,
    const dae_allocator *allocator, size_t *row, double *factor) DAE_MUST_CHECK;

#endif

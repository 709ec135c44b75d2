/* Numerical ranks with doubt: pivots of dense matrices have to separate into large ones
 * and ones that are 0 but for the errors of entries. Matrices are by columns, scaled. */
#ifndef LINALG_RANKS_H
#define LINALG_RANKS_H

#include "linalg/scale.h"
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

/* ---- a square matrix ------------------------------------------------------------ */

typedef enum ranks_verdict {
    RANKS_REGULAR,
    RANKS_SINGULAR,
    RANKS_DOUBTFUL
} ranks_verdict;

/* The diagonal of R, whose product is the determinant but for its sign, the largest
 * first, of a square matrix with these factors of rows and columns. */
dae_status ranks_pivots(const matrix_view *m, const double *row,
    const double *column, arena *memory, double *pivot) DAE_MUST_CHECK;
/* A pivot of n rows that is 0 where entries have the relative error `noise`, which add
 * up as those of a random walk. */
double ranks_zero(size_t n, double noise);
/* How many pivots are above `zero`. */
size_t ranks_above(const double *pivot, size_t n, double zero);
/* REGULAR if all are `regular` at least; SINGULAR if those above `zero` are clear of it;
 * *rank: their number. */
ranks_verdict ranks_judge(
    const double *pivot, size_t n, double zero, double regular, size_t *rank);

#endif

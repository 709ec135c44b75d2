/* Rank and null vectors of a sparse matrix of any shape, for parts too large for
 * linalg/rank_revealing_qr.h. Elimination with Markowitz pivots finds as many independent
 * rows P and columns C as there are; the square matrix of these is factorized
 * by linalg/linear.h, and gives the others in terms of them:
 *
 *     row i = sum of y[k] row P[k],   column j = sum of z[k] column C[k].
 *
 * Weaker than QR: threshold pivoting reveals the rank where pivots do not
 * shrink step by step. What it gives is checked: DAE_NUMERIC where it fails. */
#ifndef LINALG_SPARSE_RANK_H
#define LINALG_SPARSE_RANK_H

#include "linalg/scale.h"
#include <dae/status.h>

typedef struct sparse_rank sparse_rank;

/* The matrix is scaled (linalg/scale.h), by compressed columns with rows
 * ascending, and borrowed. A row of which less than `zero` of its largest entry
 * is left depends on others. DAE_MEMORY; DAE_LIMIT: more than
 * SPARSE_RANK_WORK; DAE_NUMERIC: the rows and columns chosen are singular. */
dae_status sparse_rank_create(const matrix_view *m, double zero,
    const dae_allocator *allocator, sparse_rank **out) DAE_MUST_CHECK;
void sparse_rank_free(sparse_rank *s);
size_t sparse_rank_count(const sparse_rank *s);
/* Whether row i, or column j, is one of those chosen. */
bool sparse_rank_has_row(const sparse_rank *s, size_t i);
bool sparse_rank_has_column(const sparse_rank *s, size_t j);
/* u (rows): the left null vector with u[i] = 1 for a row that was not chosen, 0
 * for the others of these; x (columns): the same on the right. DAE_NUMERIC: what
 * it leaves is more than half of the digits; the rank is not to be relied
 * upon. */
dae_status sparse_rank_left_null_vector(
    sparse_rank *s, size_t i, double *u) DAE_MUST_CHECK;
dae_status sparse_rank_null_vector(
    sparse_rank *s, size_t j, double *x) DAE_MUST_CHECK;

#endif

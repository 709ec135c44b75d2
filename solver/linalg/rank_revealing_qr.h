/* Rank-revealing QR of a dense matrix by Householder reflections with column
 * pivoting [GVL13 5.4], lexicographic in classes of columns: pivots are
 * taken from class 0 as long as its columns are independent, then from class
 * 1, and so on. A column is dependent if its rest is at most `zero`
 * times its own length, so factors of columns do not matter; rows are to be scaled
 * (linalg/scale.h).
 *
 *     A P = Q [ R ]    and, after rrqr_complete, within each class,
 *             [ 0 ]
 *     [ R11 R12 ] = [ R' 0 ] Z,   Z orthogonal [GVL13 5.4.7]:
 *
 * from these, solutions of least norm, bases of null spaces, dependencies
 * and bounds of the forward error. */
#ifndef LINALG_RANK_REVEALING_QR_H
#define LINALG_RANK_REVEALING_QR_H

#include "base/arena.h"
#include <dae/status.h>

enum { RRQR_CLASSES = 4 };

typedef struct rrqr {
    size_t rows, columns;
    double *a;      /* rows x columns, by columns: A, then its factors */
    uint8_t *class; /* columns: below RRQR_CLASSES; 0 unless set */
    int32_t *order; /* columns: the columns in order of class; within each
                       the pivots come first */
    int32_t *pivot; /* rank: the columns that are pivots, as taken */
    size_t *depth;  /* columns: pivots taken before it was left out, or its
                       own place among them */
    double *tau;    /* min(rows, columns): of the reflections of Q */
    double *tau_z;  /* the same, of those of Z */
    double *length; /* columns: of A */
    double *rest;   /* columns: what of that is left */
    double *work;   /* the larger of rows and columns */
    size_t rank;
    size_t first[RRQR_CLASSES + 1]; /* place in `order` of each class */
    size_t upto[RRQR_CLASSES + 1];  /* rank before each class, then in all */
    double least;   /* of rest / length of the columns taken; 1: none */
    double dropped; /* the largest of it among those left out */
    bool is_complete;
} rrqr;

/* Room for a matrix; `a` is zero. False: no memory. */
bool rrqr_init(rrqr *f, arena *memory, size_t rows, size_t columns);
/* Factorizes what the caller has put into `a` (and `class`), finite; columns
 * of 0 are dependent. rrqr_factor may be called again after `a` is refilled. */
void rrqr_factor(rrqr *f, double zero);
/* The same, but the rest of a column is compared with the longest column: rows and
 * columns are scaled, and rounding relative to the largest is 0. */
void rrqr_factor_scaled(rrqr *f, double zero);
/* The same without exchanges: columns are taken in their order, the first
 * first. Those left out depend on the pivots before them. */
void rrqr_factor_in_order(rrqr *f, double zero);
/* The right orthogonal factors; needed before solutions and null vectors
 * where the rank is below the columns; done only once. */
void rrqr_complete(rrqr *f);

/* b (rows) := Q^T b; beyond the rank, the part of b that no x makes 0. */
void rrqr_apply_transposed(const rrqr *f, double *b);
/* x (columns) of least norm, by classes (the last first), among those with
 * least |A x - b|; b is spent, and becomes Q^T b. Complete. */
void rrqr_solve(const rrqr *f, double *b, double *x);
/* x (columns): the null vector number k < columns - rank. With one class they
 * are orthonormal. Complete. */
void rrqr_null_vector(const rrqr *f, size_t k, double *x);
/* c (columns): column j as sum of c[p] times pivot column p. Not complete;
 * j is not a pivot. */
void rrqr_dependency(const rrqr *f, size_t j, double *c);
bool rrqr_is_pivot(const rrqr *f, size_t j);
/* How far each unknown is moved by the null space: the length of its row in
 * the null vectors, to `moved` (columns). */
dae_status rrqr_null_shares(
    rrqr *f, arena *memory, double *moved) DAE_MUST_CHECK;
/* A bound of the forward error componentwise, |A^+| bound, for an error of
 * `bound` (rows, >= 0) in A x - b: with bound = |residual| + rounding it
 * holds for the x at hand [Hig02 7.2]. Complete. Time: that of a
 * factorization, and a third, where all bounds are above 0. */
dae_status rrqr_forward_error(const rrqr *f, arena *memory, const double *bound,
    double *error) DAE_MUST_CHECK;

/* An orthonormal basis of the x with A x = 0, `columns` long each, from
 * `memory`; the matrix is left as it is. By
 * rrqr_factor_scaled. */
dae_status rrqr_null_space(arena *memory, const double *matrix, size_t rows,
    size_t columns, double zero, double **basis,
    size_t *dimension) DAE_MUST_CHECK;

/* An orthonormal basis that grows by one vector after the other, by the method of Gram
 * and Schmidt, taken twice against cancellation [GVL13 5.2]: finds the first row that depends on
 * those before it. */
typedef struct row_basis {
    double *q; /* width x count: orthonormal */
    size_t width, count, room;
} row_basis;

/* Room for `room` vectors, at most `width`; false: no memory. */
bool row_basis_init(row_basis *b, arena *a, size_t width, size_t room);
/* Subtracts from `row` (width) its projection on the basis; the rest joins the basis if
 * it is longer than `zero` and there is room; else false. */
bool row_basis_add(row_basis *b, double *row, double zero);

#endif

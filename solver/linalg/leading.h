/* The leading matrix of a problem, as far as its rank may change: those of its
 * strongly connected blocks in which an entry varies. Its determinant is
 * the product of theirs, and of others that stay what they are. */
#ifndef LINALG_LEADING_H
#define LINALG_LEADING_H

#include "base/arena.h"
#include "linalg/gauss_jordan.h"
#include <dae/problem.h>

/* Columns and rows of a pattern that make a square matrix. */
typedef struct leading_request {
    const dae_pattern *pattern;
    size_t rows; /* of the pattern */
    size_t n;
    const int32_t *column, *row; /* n */
    size_t full_most; /* unknowns of a block that is eliminated as it is;
                         larger ones are factorized sparsely */
    const dae_allocator *allocator;
} leading_request;

typedef struct sparse_block sparse_block; /* leading.c */

typedef struct leading {
    size_t total;               /* unknowns of the whole matrix */
    size_t blocks;              /* 0: nothing varies, or it is too large */
    int32_t *start;             /* blocks + 1: into the next lists */
    int32_t *column, *row;      /* of the pattern */
    int32_t *row_at;            /* rows of the pattern: here; -1: none */
    const dae_pattern *pattern; /* borrowed */
    double *row_factor, *column_factor; /* that scale the first matrix */
    double *matrix;                     /* of the largest full block */
    sparse_block *sparse;               /* blocks: those that are not full */
    uint8_t *is_done;                   /* elimination */
    int32_t *order;                     /* the row of each column's pivot */
} leading;

/* The determinant of one block in the units of the first matrix, its row and column
 * in the lists. Of a block that is not full `pivot` is its distance from being
 * singular, 1 / |A^-1 b| for one vector b with entries +-1, and `size` the logarithm of
 * that. */
typedef determinant leading_view;

/* Nothing is watched of what has no matching. DAE_MEMORY, DAE_LIMIT; in any
 * case there is something to clear. */
dae_status leading_init(
    leading *l, const leading_request *q, arena *a) DAE_MUST_CHECK;
void leading_clear(leading *l);
bool leading_is_full(const leading *l, size_t block);
/* This matrix makes the units of all blocks. */
void leading_begin(leading *l, const double *values);
leading_view leading_look(leading *l, const double *values, size_t block);

#endif

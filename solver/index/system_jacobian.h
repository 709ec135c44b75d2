/* The system Jacobian dF_i^(c_i)/dx_j^(d_j) as matrices: of its fine blocks,
 * one at a time, or of the whole. */
#ifndef INDEX_SYSTEM_JACOBIAN_H
#define INDEX_SYSTEM_JACOBIAN_H

#include "index/block_regularity.h"
#include "linalg/rank_revealing_qr.h"
#include "linalg/scale.h"

typedef struct cell {
    int32_t row;   /* in its block */
    int32_t entry; /* of the problem's pattern */
} cell;

typedef struct bundle {
    const dae_structure *structure;
    arena memory; /* of all this, and for factorizations */
    const dae_block *blocks;
    size_t block_count;
    int64_t *start; /* n + 1: of the column at each position */
    cell *cells;
    size_t largest, most_entries; /* of a block */
    /* the block loaded last: room for any */
    int64_t *column_start;
    int32_t *row;
    double *values, *scaled;
    double *r, *c, *work, *pivot; /* `largest` each */
} bundle;

/* `is_whole`: all equations and unknowns are one block, in the order of the fine
 * ones. */
dae_status bundle_init(
    bundle *b, const blocks_request *q, bool is_whole) DAE_MUST_CHECK;
/* Fine on a zeroed one. */
void bundle_clear(bundle *b);

size_t bundle_size(const bundle *b, size_t block);
/* The entry of the pattern that a block of size 1 consists of. */
int64_t bundle_single(const bundle *b, size_t block);
/* The block with values from those of all entries. Lives until the next. */
matrix_view bundle_load(bundle *b, size_t block, const double *values);

/* About the reciprocal condition of a scaled by r and c, from solutions for
 * random right sides [KL94]; 0: singular; NaN: the factorization would take
 * more than 50 * WORK_OF_SECOND operations. */
dae_status bundle_condition(
    bundle *b, const matrix_view *a, double *rcond) DAE_MUST_CHECK;

#endif

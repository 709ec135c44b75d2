/* The transversal of the highest value of square patterns with integer
 * weights, and the potentials that prove it to be one. */
#ifndef GRAPH_ASSIGN_H
#define GRAPH_ASSIGN_H

#include "base/alloc.h"
#include <dae/status.h>

/* A block diagonal pattern by rows: the entries of rows start[b] ..
 * start[b + 1] - 1 lie in the same columns. */
typedef struct weighted {
    size_t n, block_count;
    const int32_t *start; /* block_count + 1 */
    /* entries of row i: row_start[i] .. row_end[i] - 1 */
    const int64_t *row_start, *row_end;
    const int32_t *column;
    const int32_t *weight; /* 0 or more */
} weighted;

/* On entry each block has a perfect matching in row_of and column_of, to begin
 * from; on return one of the highest value, and u and v (rows, columns) with
 * u[i] + v[j] >= weight, equal on the matching. The potentials change at most
 * in the order of root(n * highest weight) times, since each change takes the
 * number of free rows from a sum that is n * highest weight at first; between
 * two changes there are rounds of matching, each linear, few as a rule.
 * `interrupt` may be NULL. */
dae_status assign_highest(const weighted *w, const dae_allocator *allocator,
    dae_interrupt_fn *interrupt, void *interrupt_context, int32_t *row_of,
    int32_t *column_of, int64_t *u, int64_t *v) DAE_MUST_CHECK;

#endif

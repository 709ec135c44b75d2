/* Sparse elimination of a wide matrix, row by row, with a pivot column for
 * each row: of entries not much smaller than the largest of their row the one
 * that fills least [Mar57]. For matrices too large for linalg/pivot_exchange.h. */
#ifndef LINALG_MARKOWITZ_H
#define LINALG_MARKOWITZ_H

#include "base/arena.h"
#include <dae/status.h>

typedef struct wide_entry {
    int32_t row, column;
    double value;
} wide_entry;

typedef struct wide_matrix {
    size_t rows, columns;
    const wide_entry *entry; /* by rows; no place twice */
    size_t count;
    double zero; /* of its row's largest entry: a smaller one is no pivot */
    double work; /* operations at most, else DAE_LIMIT; 0: any number */
    const uint8_t *is_allowed; /* columns that may be pivots; NULL: all */
    /* gets, in the same order each time, what the leverage is the largest of;
       NULL: not wanted */
    void (*take)(void *to, double entry);
    void *to;
} wide_matrix;

/* pivot[rows]: the column of each row; -1: it depends on the others. `leverage`
 * is raised to the largest entry of a row, once the pivots before it are
 * eliminated, over its pivot; HUGE_VAL where a row has no pivot left, the first
 * of which is *lost (else SIZE_MAX; may be NULL). *rank (may be NULL): the
 * pivots found. DAE_MEMORY, DAE_LIMIT. */
dae_status markowitz_eliminate(const wide_matrix *m,
    const dae_allocator *allocator, int32_t *pivot, double *leverage,
    size_t *lost, size_t *rank) DAE_MUST_CHECK;

#endif

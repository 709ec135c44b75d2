/* Pivots of a wide matrix, a column for each row, and its rank: Gauss-Jordan
 * elimination with exchanges where it is small, sparse elimination where it is large. */
#ifndef LINALG_WIDE_MATRIX_H
#define LINALG_WIDE_MATRIX_H

#include "base/arena.h"
#include "linalg/scale.h"
#include <dae/status.h>

typedef struct wide_entry {
    int32_t row, column;
    double value;
} wide_entry;

typedef struct wide_matrix {
    size_t rows, columns;
    const wide_entry *entry; /* no place twice */
    size_t count;
    double zero; /* of its row's largest entry: a smaller one is no pivot */
    double work; /* operations at most, else DAE_LIMIT; 0: any number */
    const uint8_t *is_allowed; /* columns that may be pivots; NULL: all */
    /* receives the entries whose maximum is the leverage, in a fixed order;
       NULL: not wanted */
    void (*take)(void *to, double entry);
    void *to;
} wide_matrix;

/* Divides a list of entries by the sizes of their rows (linalg/scale.h); `row`: room
 * for these. */
void wide_scale_rows(wide_entry *entry, size_t count, size_t rows, double *row);

/* Row by row: of entries not much smaller than the largest of their row the one that
 * fills least [Mar57].
 * pivot[rows]: the column of each row; -1: it depends on the others. `leverage`
 * is raised to the largest entry of a row, once the pivots before it are
 * eliminated, over its pivot; HUGE_VAL where a row has no pivot left, the first
 * of which is *lost (else SIZE_MAX; may be NULL). *rank (may be NULL): the
 * pivots found. DAE_MEMORY, DAE_LIMIT. */
dae_status markowitz_eliminate(const wide_matrix *m,
    const dae_allocator *allocator, int32_t *pivot, double *leverage,
    size_t *lost, size_t *rank) DAE_MUST_CHECK;

/* Gauss-Jordan elimination of a small matrix with complete pivoting, then exchanges of
 * pivot columns until no exchange enlarges the determinant noticeably (by 1.05)
 * [Knu85]: every entry of what the pivots are in terms of the other columns is then
 * near 1 or below.
 * As markowitz_eliminate, but the leverage is that of all rows together, and columns are
 * exchanged only if all are allowed; otherwise the allowed ones become pivots in their
 * order as long as they are independent. *rank (may be
 * NULL): the pivots found. */
dae_status exchange_wide(const wide_matrix *m, const dae_allocator *allocator,
    int32_t *pivot, double *leverage, size_t *lost,
    size_t *rank) DAE_MUST_CHECK;

/* The rank of a sparse matrix of any shape, for parts too large for
 * linalg/rank_revealing_qr.h; scaled (linalg/scale.h), by compressed columns with rows
 * ascending. Elimination with Markowitz pivots finds as many independent rows and
 * columns; the square matrix of these is factorized to confirm them. A row of which
 * less than `zero` of its largest entry is left depends on others. Weaker than QR:
 * threshold pivoting reveals the rank where pivots do not shrink step by step.
 * DAE_MEMORY; DAE_LIMIT: more than WORK_OF_SECOND / 10; DAE_NUMERIC: the rows and columns
 * found are singular. */
dae_status sparse_rank(const matrix_view *m, double zero,
    const dae_allocator *allocator, size_t *rank) DAE_MUST_CHECK;

#endif

/* Incomplete factors of a sparse matrix: L and U on the matrix's own pattern, or with
 * fill up to a level [Saa03 10.3]. In rows that look like those of an M-matrix what is
 * dropped goes to the diagonal, so that the factors keep the row's sum: for a discrete
 * Laplacian the condition falls from that of 1/h^2 to that of 1/h [Gus78]. Rows are
 * renumbered by levels, in which they do not wait for each other; the factors are those
 * of the order given. */
#ifndef LINALG_INCOMPLETE_H
#define LINALG_INCOMPLETE_H

#include "base/arena.h"
#include "linalg/backend.h"

/* By rows, columns ascending. */
typedef struct sparse_rows {
    int32_t *start; /* n + 1 */
    int32_t *column;
    double *value;
} sparse_rows;

/* Where no product of the elimination has a place but on the diagonal, as where no three
 * unknowns are connected with each other, L and U differ from A in pivots alone, and
 * stand in A's values: "bare". */
typedef struct incomplete {
    size_t n;
    int32_t *old;       /* n: of a row and column here, those of the caller */
    sparse_rows matrix; /* A, renumbered */
    int32_t *from;      /* its entries' places in the caller's values */
    sparse_rows
        factors; /* L, with ones on its diagonal, which is not stored, and U, with
                            1 over its diagonal's; without fill on the rows of A.
                            Values of all rows of L come before those of U, so that
                            a pass reads its own alone; bare: those of A, as its
                            columns, and `from` */
    bool is_bare;
    double *inverse; /* bare, n: 1 over U's diagonal */
    int32_t *
        upper; /* n + 1: where the values of U's rows begin, each with its pivot's */
    int32_t *place; /* n: room for one row */
    arena memory;
} incomplete;

/* Whether it can be done. DAE_UNSUPPORTED: a diagonal entry is missing; DAE_LIMIT: too
 * many entries. */
dae_status incomplete_check(const linear_system *s) DAE_MUST_CHECK;
/* The pattern with fill up to `level` (0: none), of a system that has passed the check.
 * Nothing is borrowed. On failure *f is cleared. DAE_LIMIT: too much fill. */
dae_status incomplete_init(
    incomplete *f, const linear_system *s, int level) DAE_MUST_CHECK;
/* Fine on a zeroed one. */
void incomplete_clear(incomplete *f);
/* False where a pivot is 0 or not finite. `room`: n. */
bool incomplete_factor(incomplete *f, const double *values, double *room);
/* In the order here: b becomes (L U)^-1 b; y = (L U)^-1 A x. */
void incomplete_solve(const incomplete *f, double *b);
void incomplete_apply(const incomplete *f, const double *x, double *y);
int64_t incomplete_fill(const incomplete *f); /* entries of L + U */

#endif

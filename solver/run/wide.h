/* A large block of the leading matrix (run/leading.h), by a sparse
 * factorization: the sign of its determinant, and how far it is from being
 * singular. The determinant itself is no measure of that where there are
 * hundreds of unknowns; the size of A^-1 b is, for one vector b with entries +-1. */
#ifndef RUN_WIDE_H
#define RUN_WIDE_H

#include "base/arena.h"
#include "linalg/linear.h"
#include <dae/problem.h>

/* Columns and rows of a pattern: the block, n each. */
typedef struct wide_request {
    const dae_pattern *pattern;
    const int32_t *column; /* n: of the pattern */
    const int32_t *row_at; /* rows of the pattern: where in the block, from
                              `first` on */
    size_t first, n;
    const dae_allocator *allocator;
} wide_request;

typedef struct wide {
    size_t n;
    int64_t *start; /* n + 1 */
    int32_t *row;   /* entries */
    int64_t *from;  /* entries: in the pattern */
    double *values; /* entries */
    double *b;      /* n */
    linear *linear;
} wide;

/* Arrays from `a`. DAE_MEMORY, DAE_LIMIT. */
dae_status wide_init(wide *w, const wide_request *q, arena *a) DAE_MUST_CHECK;
void wide_clear(wide *w);

/* Factors that bring the largest entries of the rows, then of the columns, near
 * 1 (linalg/scale.h). */
void wide_scale(
    const wide *w, const double *values, double *row, double *column);
/* The sign of the determinant of the block so scaled; 0: singular, or no
 * memory. *distance is 1 / |A^-1 b|, and *column the one that has the largest
 * part in A^-1 b: near a singular matrix what is not determined. */
int wide_look(wide *w, const double *values, const double *row_factor,
    const double *column_factor, double *distance, size_t *column);

#endif

/* Interface of a back end of linalg/linear.h. Status and meaning of each
 * function are those of its namesake there. */
#ifndef LINALG_BACKEND_H
#define LINALG_BACKEND_H

#include "base/alloc.h"
#include "linalg/linear.h"
#include <dae/solver.h>
#include <dae/status.h>

/* The system to solve; the pattern is borrowed. */
typedef struct linear_system {
    size_t n;
    const int64_t *column_start; /* n + 1 */
    const int32_t *row;          /* ascending in each column */
    const dae_allocator *allocator;
} linear_system;

typedef struct linear_backend {
    const char *name;
    dae_linear choice;
    dae_status (*create)(const linear_system *s, void **out);
    void (*free)(void *state);
    dae_status (*factor)(void *state, const double *values);
    void (*release)(void *state); /* NULL: nothing to give back */
    dae_status (*solve)(void *state, double *b);
    int64_t (*fill)(const void *state);
    double (*rcond)(const void *state);
    int (*sign)(const void *state); /* NULL: never known */
    /* NULL: solutions are exact. Of any status but DAE_OK b is left alone;
     * DAE_NUMERIC: that goal is not reached, or not soon. */
    dae_status (*solve_within)(void *state, double *b, const linear_goal *goal);
} linear_backend;

extern const linear_backend dense_backend, klu_backend, list_backend,
    gmres_backend;
#ifdef DAE_HAVE_UMFPACK
extern const linear_backend umfpack_backend;
/* Loads the library now and not at the first factorization. DAE_IO: it is missing. */
dae_status umfpack_find(void *state) DAE_MUST_CHECK;
/* Floating point operations of the last factorization. */
double umfpack_work(const void *state);
#endif

/* The least ratio of a pivot (of rows scaled by `row_scale`) to the largest
 * entry of its column of A. `pivot[j]` belongs to column j. If the
 * pivots are above 0.01 the columns are not examined: entries are at most 1.
 * *column is where it occurs. */
double least_pivot_ratio(const linear_system *s, const double *values,
    const double *row_scale, const double *pivot, size_t *column);

/* The symbolic counts of KLU: floating point operations of a factorization
 * and entries of L + U; upper bounds that take no pivoting into account. */
void klu_estimate(const void *state, double *flops, double *entries);
/* Since they were last asked for. */
int64_t gmres_take_iterations(void *state);
/* See linear_lend. */
void gmres_lend(void *state, double *room);
/* The values of the last factorization, as they were given. */
void gmres_values(const void *state, double *values);
/* The column with the least pivot of the last, failed, factorization. */
int64_t klu_failed_column(const void *state);

#endif

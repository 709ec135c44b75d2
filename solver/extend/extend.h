/* The equations of a problem together with their time derivatives,
 *
 *     F_i^(k) = 0,  k = 0 .. c_i,   in the unknowns  x_j^(l),  l = 0 .. d_j,
 *
 * at one time: what a start has to satisfy [Pry01], or for equal c_i the
 * derivative array [BCP96 2.5]. Each x_j^(l) is an unknown of its own, and the
 * equations are made by Taylor arithmetic (dae_series_fn), or by programs.
 *
 * `extended.problem` presents them as a dae_problem with algebraic unknowns
 * only, whose equations may be fewer or more than its unknowns: `rows` of them
 * instead of unknown_count. */
#ifndef EXTEND_EXTEND_H
#define EXTEND_EXTEND_H

#include "base/alloc.h"
#include <dae/problem.h>

typedef struct extended {
    /* order all 0; residual writes `rows` values, jacobian one per entry of
     * the pattern, row numbers below `rows`; names: "rod'", "x''"; places are
     * those of the equation and of the unknown; start (with the original's
     * given values as x_fixed, its guesses, 0 for what it does not know, its
     * general conditions) where the original has one; scales. */
    dae_problem problem;
    size_t rows, columns;
    size_t unknowns;            /* of the original */
    const size_t *row_first;    /* unknowns + 1: F_i^(k) is row_first[i] + k */
    const size_t *column_first; /* unknowns + 1: x_j^(l) likewise */
    int32_t *row_equation, *column_unknown; /* back */
} extended;

/* Entries of its pattern. */
static inline size_t extended_entries(const extended *e)
{
    return (size_t)e->problem.pattern->column_start[e->columns];
}
/* The unknown, and which derivative of it, that a column is. */
static inline dae_slot extended_slot(const extended *e, size_t column)
{
    const int32_t j = e->column_unknown[column];
    return (dae_slot){j, (int32_t)(column - e->column_first[j])};
}

/* `c` and `d` have unknown_count numbers >= 0; d NULL: the largest order that
 * occurs. A d_j below that, or below q_j, is raised to it. DAE_LIMIT: more
 * than DAE_SERIES_TERMS_MAX terms, or more entries than `entry_limit`;
 * DAE_UNSUPPORTED: the problem has no series and some c_i > 0. */
dae_status extended_create(const dae_problem *problem, const int32_t *c,
    const int32_t *d, size_t entry_limit, const dae_allocator *allocator,
    extended **out) DAE_MUST_CHECK;
void extended_free(extended *e);
/* From here on it is evaluated many times: those of derivatives then come
 * from programs (`derive`) where the problem makes them. */
void extended_ask_often(extended *e);

#endif

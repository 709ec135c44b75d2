/* The signature of a problem with honest zeros: the highest derivative of each
 * unknown in each equation whose partial derivative is not zero everywhere.
 * Entries that are 0 at every point of index/generic_points.h do not count
 * (x' - x', 0*y', a param that is 0); one that is zero at the start alone
 * does. */
#ifndef INDEX_SIGNATURE_H
#define INDEX_SIGNATURE_H

#include "base/arena.h"
#include "linalg/layout.h"
#include <dae/problem.h>
#include <dae/structure.h>

typedef struct signature {
    dae_signature table; /* borrows what is here */
    int64_t *column_start;
    int32_t *row, *order;
    int32_t *entry; /* of the problem's pattern, for each entry */
    /* Dropped entries that may count in other runs: those that the value of a
     * parameter makes 0 (kind PARAMETER), and those that were 0 wherever they were
     * evaluated (VARYING; a factor may be a parameter). By unknown, the highest
     * derivative first. */
    int32_t *zero_row, *zero_column, *zero_order;
    uint8_t *zero_varies; /* VARYING */
    size_t zero_count;
    bool is_sampled; /* false: no point with values was found, so every entry
                          of the pattern counts */
    size_t entries;
    /* The first of the points of index/generic_points.h; NULL: it has no values. */
    double t, *x, *xp;
    arena memory; /* of all this */
} signature;

/* For a problem without a pattern every order of every unknown is examined, and
 * `entry` counts those of a full one by columns. DAE_LIMIT: too large; a callback's
 * status other than DAE_RETRY. */
dae_status signature_create(const dae_problem *problem, const layout *l,
    const dae_allocator *allocator, signature **out) DAE_MUST_CHECK;
void signature_free(signature *s);

#endif

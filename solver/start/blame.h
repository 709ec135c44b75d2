/* Which rows contradict one another at a point where no values of the free
 * slots satisfy them, and which given values take part. */
#ifndef START_BLAME_H
#define START_BLAME_H

#include "start/split.h"

/* A combination of the rows' residuals that no free slot changes, yet is not
 * zero. */
typedef struct blame {
    int32_t *rows;  /* those in it, ascending; none: nothing was found */
    int32_t *slots; /* given ones that would change it, ascending */
    size_t row_count, slot_count;
    /* without these bounds the rest could hold (start/fences.h); ascending */
    const int32_t *fences;
    size_t fence_count;
    bool is_sought;  /* not too large to be looked for */
    bool is_lasting; /* no free slot changes it aside of the point either:
                          a contradiction for all values */
} blame;

/* At s->z with s->res. Looks at all rows, where there are too many (see
 * RANK_LIMIT) at those of `part`; finds nothing where these are too many,
 * too. Changes the Jacobian and its measures; memory from the arena. */
dae_status blame_find(
    init_system *s, const split_part *part, blame *out) DAE_MUST_CHECK;
/* The same with a smallest set of rows and given values, looked for where the
 * work is less than COUNT_WORK. `is_held` (slots): free ones that count as if
 * they were not, but take no part. */
dae_status blame_find_smallest(init_system *s, const split_part *part,
    const uint8_t *is_held, blame *out) DAE_MUST_CHECK;

#endif

/* Which rows contradict one another at a point where no values of the free
 * slots satisfy them, and which given values take part. */
#ifndef INIT_BLAME_H
#define INIT_BLAME_H

#include "init/split.h"

/* A combination of the rows' residuals that no free slot changes, yet is not
 * zero. */
typedef struct blame {
    int32_t *rows;  /* those in it, ascending; none: nothing was found */
    int32_t *slots; /* given ones that would change it, ascending */
    size_t row_count, slot_count;
    bool is_lasting; /* no free slot changes it aside of the point either:
                          a contradiction for all values */
} blame;

/* At s->z with s->res. Looks at all rows, where there are too many (see
 * RANK_LIMIT) at those of `part`; finds nothing where these are too many,
 * too. Changes the Jacobian and its measures; memory from the arena. */
dae_status blame_find(
    init_system *s, const split_part *part, blame *out) DAE_MUST_CHECK;

#endif

/* Which rows determine which slots, by the pattern: the parts of Dulmage and
 * Mendelsohn, and the block triangular form of the square one [PF90]. */
#ifndef START_ORDER_H
#define START_ORDER_H

#include "start/system.h"

typedef struct order {
    subset over, well, under; /* more rows than slots, as many, fewer */
    subset checks;            /* rows without a free slot; no slots */
    bool is_loose;            /* a free slot stands in none of the rows */
    size_t count;             /* blocks of `well` */
    int32_t *start;           /* count + 1 */
    subset blocks;            /* block b: from start[b] on, ascending */
} order;

/* Of the rows with is_in[row] != 0 (NULL: all) and the free slots. Memory from
 * the system's arena; needs a Jacobian, for entries that stay 0. */
dae_status order_init(
    order *o, init_system *s, const uint8_t *is_in) DAE_MUST_CHECK;
/* Block b; its lists are borrowed. */
subset order_block(const order *o, size_t b);
/* `over`, `well` and `under` together, ascending. */
dae_status order_join(
    const order *o, init_system *s, subset *all) DAE_MUST_CHECK;
/* Of `all` what is connected with `from`, by slots that rows share. */
dae_status order_connect(init_system *s, const subset *all, const subset *from,
    subset *out) DAE_MUST_CHECK;

#endif

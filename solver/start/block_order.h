/* Which rows determine which slots, by the pattern: the parts of Dulmage and
 * Mendelsohn, and the block triangular form of the square one [PF90]. */
#ifndef START_BLOCK_ORDER_H
#define START_BLOCK_ORDER_H

#include "start/system.h"

typedef struct order {
    subset over, well, under; /* more rows than slots, as many, fewer */
    subset checks;            /* rows without a free slot; no slots */
    bool is_loose;            /* a free slot stands in none of the rows */
    size_t count;   /* blocks of `well`, once order_blocks has found them */
    int32_t *start; /* count + 1 */
    subset blocks;  /* block b: from start[b] on, ascending */
} order;

/* The coarse parts of some rows and slots, by a maximum matching and its size.
 * Memory from the system's arena; needs a Jacobian, for entries that stay 0. */
typedef struct coarse {
    subset over, well, under;
    size_t rank;
} coarse;
dae_status coarse_init(
    coarse *c, init_system *s, const subset *all) DAE_MUST_CHECK;

dae_status subset_init(
    subset *p, init_system *s, size_t rows, size_t slots) DAE_MUST_CHECK;
/* mark[row] := 1 for the rows with is_in[row] != 0 (NULL: all) that have an
 * entry in the free slot; false: there are none. */
bool rows_mark(
    const init_system *s, size_t slot, const uint8_t *is_in, uint8_t *mark);

/* Of the rows with is_in[row] != 0 (NULL: all) and the free slots. Memory from
 * the system's arena; needs a Jacobian, for entries that stay 0. */
dae_status order_init(
    order *o, init_system *s, const uint8_t *is_in) DAE_MUST_CHECK;
/* The blocks of `well`; before order_block. */
dae_status order_blocks(order *o, init_system *s) DAE_MUST_CHECK;
/* Block b; its lists are borrowed. */
subset order_block(const order *o, size_t b);
/* `over`, `well` and `under` together, ascending. */
dae_status order_join(
    const order *o, init_system *s, subset *all) DAE_MUST_CHECK;
/* The rows and slots of `all` connected with `from` through shared slots. */
dae_status order_connect(init_system *s, const subset *all, const subset *from,
    subset *out) DAE_MUST_CHECK;

#endif

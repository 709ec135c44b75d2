/* A square part of the start in the order of its solution, block by block. */
#ifndef START_ORDER_H
#define START_ORDER_H

#include "start/split.h"

typedef struct block_order {
    size_t count;
    int32_t *start; /* count + 1 */
    int32_t *slots; /* block b: slots[start[b]] .. slots[start[b + 1] - 1] */
    int32_t *rows;  /* the same of its rows; both ascend within a block */
} block_order;

/* Memory from the system's arena. count is 0 where the part is not square or
 * has no perfect matching. */
dae_status order_init(
    block_order *o, init_system *s, const split_part *part) DAE_MUST_CHECK;
/* Block b as a part; its lists are borrowed. */
split_part order_block(const block_order *o, size_t b);

#endif

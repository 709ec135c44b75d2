/* The nodes that a pass over some shapes has to visit, found at a cost that
 * depends on those nodes and not on the size of the pool. */
#ifndef IR_COLLECT_H
#define IR_COLLECT_H

#include "ir/shape.h"

/* The operand k (0, 1 or 2) of an operation. */
static inline node_id node_operand(const node *n, int k)
{
    return k == 0 ? n->a : k == 1 ? n->b : n->c;
}

/* Whether a pass that starts at a node goes on to its operand k. */
typedef bool collect_follow_fn(const shape_pool *p, node_id id, int k);

/* The roots and everything that can be reached from them through operands
 * that `follow` admits (NULL: all), ascending and each once. On success
 * *nodes is a block of exactly *count items from the pool's allocator; on
 * failure it is NULL. */
dae_status collect_nodes(const shape_pool *p, const node_id *roots,
    size_t root_count, collect_follow_fn *follow, node_id **nodes,
    size_t *count) DAE_MUST_CHECK;

/* The place of `id` in an ascending list that holds it. */
size_t collect_place(const node_id *nodes, size_t count, node_id id);

#endif

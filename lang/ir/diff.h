/* Derivatives of shapes, once per shape: local partials of every operation,
 * the gradient over leaves by reverse accumulation, the total time derivative
 * by forward accumulation. Kinked operations (abs, min, max, sign, floor,
 * ceil, mod, SELECT, comparisons) are differentiated branch by branch. */
#ifndef IR_DIFF_H
#define IR_DIFF_H

#include "ir/shape.h"

/* d(node)/d(operand k), k = 0.. arity-1, in terms of the node and its
 * operands; makers may reuse the node itself (exp). A constant 0 node where
 * there is none. */
node_id diff_partial(shape_pool *p, node_id id, int operand);

typedef struct gradient_entry {
    node_id leaf;  /* a HOLE node of kind UNKNOWN or DEFINITION */
    node_id value; /* d root / d leaf; never the constant 0 */
} gradient_entry;
/* All entries, ascending by leaf id. Free with alloc_free(items, count). */
dae_status diff_gradient(shape_pool *p, node_id root, gradient_entry **entries,
    size_t *count) DAE_MUST_CHECK;

/* d root / dt: UNKNOWN and DEFINITION holes of order o become order o + 1 of
 * the same hole, TIME becomes 1, PARAM 0. Remembered per root in the caller.
 * DAE_LIMIT where an order beyond 250 or more than `budget` new nodes would
 * arise. */
dae_status diff_time(
    shape_pool *p, node_id root, size_t budget, node_id *out) DAE_MUST_CHECK;

#endif

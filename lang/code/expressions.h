/* What a task computes as expressions of one pool: its program is run on nodes
 * instead of numbers, and definitions, temporaries and products of the chain
 * rule are put in. */
#ifndef CODE_EXPRESSIONS_H
#define CODE_EXPRESSIONS_H

#include "code/compile.h"

/* Holes: LEAF_UNKNOWN by unknown and order, LEAF_PARAM, LEAF_TIME and LEAF_HELD
 * by index. */
typedef struct expressions {
    shape_pool pool;
    const node_id *results; /* `count`, in `memory` */
    size_t count;
    size_t instructions; /* that made them, each row's for itself */
    arena memory;
} expressions;

/* Of the residual, or of the entries of the Jacobian. DAE_LIMIT: there are more
 * than `most` nodes, or loops over so many rows that blocks serve better. Clear
 * it whatever is returned. */
dae_status expressions_make(const compiled *c, bool is_jacobian, size_t most,
    expressions *out) DAE_MUST_CHECK;
void expressions_clear(expressions *e);

#endif

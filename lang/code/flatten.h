/* A kernel's expressions as one list in order of evaluation: operands before
 * their users, each node once, every output's nodes before the next output's.
 * Small powers become multiplications here. */
#ifndef CODE_FLATTEN_H
#define CODE_FLATTEN_H

#include "code/bytecode.h"

#define FLAT_CONST OP_COUNT
#define FLAT_LEAF (OP_COUNT + 1)

typedef struct flat_item {
    uint32_t op;      /* opcode, FLAT_CONST or FLAT_LEAF */
    uint32_t a, b, c; /* positions in the list; operand k in b;
                         FLAT_LEAF: a is the kernel's column */
    double value;     /* FLAT_CONST */
} flat_item;

typedef struct flattener {
    const dae_allocator *allocator;
    const shape_pool *pool;
    uint32_t *stamps; /* by node: the kernel in which `places` holds */
    uint32_t *places; /* by node: position in items, or a column */
    uint32_t stamp;
    ARRAY(uint32_t) stack;
    ARRAY(flat_item) items;
    ARRAY(uint32_t) roots; /* by output: position in items */
} flattener;

dae_status flatten_init(flattener *f, const shape_pool *pool,
    const dae_allocator *allocator) DAE_MUST_CHECK;
void flatten_clear(flattener *f);
/* Fills items and roots. DAE_ARGUMENT: a root that is no node, a column twice
 * or not of a hole, a hole without a column. */
dae_status flatten_kernel(flattener *f, const kernel *k) DAE_MUST_CHECK;

#endif

/* A kernel's expressions as one list in order of evaluation: operands before
 * their users, each node once, every output's nodes before the next output's.
 * Small powers become multiplications here. Another kernel over as many rows may
 * be put behind it: what its items have in common with those before is there once. */
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
    bool varies;      /* from row to row */
} flat_item;

typedef struct flattener {
    const dae_allocator *allocator;
    const shape_pool *pool;
    uint32_t *stamps; /* by node: the kernel in which `places` holds */
    uint32_t *places; /* by node: position in items, or a column */
    uint32_t stamp;
    const kernel *kernel; /* the one that is put in */
    const uint32_t
        *column_map; /* its columns in the first one's list; NULL: itself */
    ARRAY(uint32_t) stack;
    ARRAY(flat_item) items;
    ARRAY(uint32_t) roots; /* by output: position in items */
    uint32_t
        *table; /* open addressing over items + 1, once kernels are joined */
    size_t table_size;
    size_t joined_from; /* items of the kernels before */
    size_t
        saved; /* passes over a block that need not be made twice, in halves */
} flattener;

dae_status flatten_init(flattener *f, const shape_pool *pool,
    const dae_allocator *allocator) DAE_MUST_CHECK;
void flatten_clear(flattener *f);
/* Fills items and roots. DAE_ARGUMENT: a root that is no node, a column twice
 * or not of a hole, a hole without a column. */
dae_status flatten_kernel(flattener *f, const kernel *k) DAE_MUST_CHECK;
/* Puts `k` behind what is there, its column j being `column_map`[j]. `is_worth`: what
 * it has in common is more than a pair of operations would do in one pass anyway; if
 * not, all is as before. */
dae_status flatten_join(flattener *f, const kernel *k,
    const uint32_t *column_map, bool *is_worth) DAE_MUST_CHECK;
/* Operands of an item that are items; how many. */
int flat_operands(const flat_item *item, uint32_t operands[3]);

#endif

/* Shapes as text in the user's notation, with the leaves' names filled in:
 * the fewest parentheses that read back as the same tree. */
#ifndef IR_PRINT_H
#define IR_PRINT_H

#include "ir/shape.h"
#include <dae/diag.h>

/* Writes a leaf's name; order primes are added by the printer for UNKNOWN and
 * DEFINITION (x''), except when the name needs parentheses, which the callback
 * does itself. PARAM leaves print their name or number. */
typedef dae_status print_leaf_fn(void *context, leaf_kind kind, uint32_t number,
    unsigned order, dae_write_fn *write, void *write_context);
/* Texts longer than `limit` bytes end in " ..." (0: no limit). An explicit
 * stack, no recursion. A shared subexpression is printed where it occurs. */
dae_status shape_print(const shape_pool *p, node_id root, size_t limit,
    print_leaf_fn *leaf, void *leaf_context, dae_write_fn *write,
    void *context) DAE_MUST_CHECK;

#endif

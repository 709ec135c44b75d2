/* Index columns of a block kernel, compressed. */
#ifndef CODE_COLUMNS_H
#define CODE_COLUMNS_H

#include "code/bytecode.h"

/* Whether all rows have the same index. */
bool column_is_uniform(const uint32_t *index, size_t rows);

/* Fills in the section's segments and its ports' `is_affine`, `is_direct` and
 * `first`; appends segments, runs and indices to the program. `columns` are
 * the ports' index columns (s->rows each), in order. */
dae_status columns_pack(program *p, section *s, const uint32_t *const *columns,
    const dae_allocator *allocator) DAE_MUST_CHECK;

#endif

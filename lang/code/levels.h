/* Which definitions are needed, for what, and in which order. */
#ifndef CODE_LEVELS_H
#define CODE_LEVELS_H

#include "code/compile.h"

dae_status levels_init(compiled *c) DAE_MUST_CHECK;
/* Marks with `bit` every definition that the rows of some sets need, and what
 * these need; levels and dependence are set where they were not. With
 * `use_border` the internal unknowns stand for their definitions. */
dae_status levels_mark(compiled *c, const row_sets *sets, uint16_t bit,
    bool use_border) DAE_MUST_CHECK;
/* The same for what the leaves of gradients need; definition rows count where
 * their definition has the bit `of` (0: all rows count). */
dae_status levels_mark_gradients(compiled *c, const row_sets *sets, uint16_t of,
    uint16_t bit) DAE_MUST_CHECK;
/* Definitions with `bit`, by level, then by number; in the scratch arena. */
dae_status levels_order(
    compiled *c, uint16_t bit, uint32_t **order, size_t *count) DAE_MUST_CHECK;

#endif

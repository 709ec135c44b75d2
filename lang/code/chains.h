/* Gradients of definitions, and which definitions become internal unknowns.
 *
 * Level by level, each definition gets its gradient over columns: values that
 * its own shapes give, plus (factor * gradient value) for what it uses. So the
 * chain rule is a list of products in a fixed order. A definition of f columns
 * that u rows use would cost f*u products and entries; as an internal unknown
 * it costs f + u + 1. */
#ifndef CODE_CHAINS_H
#define CODE_CHAINS_H

#include "code/compile.h"

/* A definition becomes an internal unknown where that saves this factor ... */
#define BORDER_RATIO 8
/* ... and the products are so many that it matters: an unknown more is not
 * worth a few microseconds. */
#define BORDER_PRODUCTS 4096

/* Gradients of the definitions with NEED_MODEL, some of which become internal
 * unknowns. Sets codes of their rows, which must have room. */
dae_status chains_build(compiled *c) DAE_MUST_CHECK;
/* Those with `bit` that have none yet; none becomes an unknown. */
dae_status chains_extend(compiled *c, uint16_t bit) DAE_MUST_CHECK;

#endif

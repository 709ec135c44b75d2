/* The valid programs that the target `verify` damages: those of a few models,
 * compiled once. */
#ifndef FUZZ_PROGRAMS_H
#define FUZZ_PROGRAMS_H

#include "code/bytecode.h"

/* The k-th of them, k taken modulo their number; NULL without memory. */
const program *programs_get(size_t k);

#endif

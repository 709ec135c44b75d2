/* Primes of what jumps. */
#ifndef CODE_JUMPS_H
#define CODE_JUMPS_H

#include "code/compile.h"
#include <dae/diag.h>

/* W0308 for definitions whose prime the equations use, of the text and not
 * vouched for, that jump: their derivative branch by branch is not that of
 * what they are. A kink, and an `if` whose branches meet where it switches, is
 * none. After definitions have their levels. */
dae_status jumps_tell(compiled *c, dae_diagnostics *ds) DAE_MUST_CHECK;

#endif

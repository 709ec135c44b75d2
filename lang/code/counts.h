/* Do equations and unknowns agree in number, and do they meet at all? */
#ifndef CODE_COUNTS_H
#define CODE_COUNTS_H

#include "code/compile.h"

/* E0301 where the numbers differ, E0302 where an equation contains no unknown
 * or an unknown occurs in no equation. After slots_init. */
dae_status counts_check(compiled *c, dae_diagnostics *ds) DAE_MUST_CHECK;

#endif

/* Do equations and unknowns agree in number, and can the ones determine the
 * others? */
#ifndef CODE_COUNTS_H
#define CODE_COUNTS_H

#include "code/singular.h"

/* E0301 where the numbers differ, with the equations or unknowns left over;
 * E0302 where some equations cannot determine unknowns whatever the numbers
 * are, with those equations and unknowns, which `singular` gets as well. After
 * slots_init. */
dae_status counts_check(compiled *c, const singular_request *singular,
    dae_diagnostics *ds) DAE_MUST_CHECK;

#endif

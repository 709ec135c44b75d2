/* The certificate of a start that was found: how many conditions were given, are
 * missing and are redundant, by ranks. */
#ifndef START_CERTIFICATE_H
#define START_CERTIFICATE_H

#include "start/solve.h"
#include <dae/solver.h>

/* Counts the conditions: exactly, if findings are requested and the system is small
 * enough; otherwise by the ranks of the Jacobian at the solution. `report` may be NULL. */
dae_status certificate_make(init_system *s, const solution *found,
    dae_start_report *report) DAE_MUST_CHECK;

#endif

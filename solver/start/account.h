/* The account of a start that was found: how much of it was given, and what of
 * that is missing or redundant. */
#ifndef START_ACCOUNT_H
#define START_ACCOUNT_H

#include "start/solve.h"
#include <dae/solver.h>

/* By rank where findings are asked for and that is possible, else by pattern,
 * and advice in either case; `report` may be NULL. */
dae_status account_start(init_system *s, const solution *found,
    dae_start_report *report) DAE_MUST_CHECK;

#endif

/* Runs programs in the arithmetic of power series: every value, in memory and
 * in registers, is terms + 1 doubles; params and constants are plain
 * numbers. */
#ifndef CODE_SERIES_RUN_H
#define CODE_SERIES_RUN_H

#include "code/bytecode.h"
#include "code/series_core.h"

/* Series of scratch that a run needs. */
size_t series_run_scratch(const program *p);
/* `at`: arrays of series, those of the definitions twice (AT_DEF and
 * AT_OUT_DEF); at[AT_SLOT] is scratch, the others beyond AT_JAC are not used.
 * All temporaries. */
void series_run(const series_room *m, const program *p, const double *params,
    double *const at[AT_COUNT]);

#endif

/* What an analysis has found, in diagnostics. */
#ifndef ANALYSIS_REPORT_H
#define ANALYSIS_REPORT_H

#include "base/arena.h"
#include <dae/analysis.h>

/* Everything, once: W0307; E0302 and no more where there is no
 * transversal; E0303; the messages of start/report.h, or E0402 if the search has
 * recorded no reason of its failure; W0305 or E0304 where there is no index;
 * W0306; W0411 and N0529. DAE_MEMORY. */
dae_status analysis_report(
    dae_analysis *found, dae_diagnostics *ds) DAE_MUST_CHECK;

/* `text` of each repair, from `memory`. DAE_MEMORY. */
dae_status report_repairs(const dae_problem *p, dae_repair *repairs,
    size_t count, arena *memory) DAE_MUST_CHECK;

#endif

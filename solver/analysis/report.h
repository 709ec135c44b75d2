/* What an analysis has found, in diagnostics. */
#ifndef ANALYSIS_REPORT_H
#define ANALYSIS_REPORT_H

#include <dae/analysis.h>

/* Everything, once: W0307; E0302 and no more where there is no
 * transversal; E0303; what start/report.h has of the start, or E0402 where that
 * does not know why there is none; W0305 or E0304 where there is no index;
 * W0306; W0411 and N0529. DAE_MEMORY. */
dae_status analysis_report(
    dae_analysis *found, dae_diagnostics *ds) DAE_MUST_CHECK;

#endif

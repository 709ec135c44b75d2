/* What a run says where its equations lose rank (control/rank.h). */
#ifndef CONTROL_LOST_H
#define CONTROL_LOST_H

#include "control/run.h"

/* E0502 with the place, the equation and the unknown: of a point the solution
 * has gone through, or of the last one. DAE_NUMERIC. */
dae_status lost_report(run *r, bool is_passed) DAE_MUST_CHECK;

#endif

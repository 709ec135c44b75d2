/* A copy of the point, to return to after a try that failed; failures are
 * reported at this point. */
#ifndef START_SNAPSHOT_H
#define START_SNAPSHOT_H

#include "start/system.h"

typedef struct snapshot {
    double *z;       /* slots */
    bool has_values; /* every row that counts had a residual */
} snapshot;

/* Memory from the system's arena. */
dae_status snapshot_take(snapshot *m, init_system *s) DAE_MUST_CHECK;
/* With residuals, Jacobian and measures; DAE_RETRY as for unknowns_jacobian. */
dae_status snapshot_return(const snapshot *m, init_system *s) DAE_MUST_CHECK;

#endif

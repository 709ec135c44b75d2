/* What a failure is told from, to go back to where another try has failed. */
#ifndef START_SNAPSHOT_H
#define START_SNAPSHOT_H

#include "start/system.h"

typedef struct snapshot {
    double *z, *res, *tolerance, *noise;
} snapshot;

/* Memory from the system's arena. */
dae_status snapshot_take(snapshot *m, init_system *s) DAE_MUST_CHECK;
void snapshot_return(const snapshot *m, init_system *s);

#endif

/* What a failure is told from, to go back to where another try has failed. */
#ifndef START_MOMENT_H
#define START_MOMENT_H

#include "start/system.h"

typedef struct moment {
    double *z, *res, *tolerance, *noise;
} moment;

/* Memory from the system's arena. */
dae_status moment_take(moment *m, init_system *s) DAE_MUST_CHECK;
void moment_return(const moment *m, init_system *s);

#endif

/* One line on a terminal for runs that take more than two seconds. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "args.h"
#include <dae/run.h>

typedef struct progress {
    const dae_run *run;
    bool enabled, shown;
    double began, next; /* clock at the start, and when to write again */
} progress;

void progress_start(progress *p, const args *a, const dae_run *run);
/* Whose context is the progress. */
dae_progress_fn progress_update;
/* Wipes the line. */
void progress_finish(progress *p);

#endif

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
void progress_update(progress *p, double t, double h, int64_t steps);
/* Wipes the line. */
void progress_finish(progress *p);

#endif

/* One line on a terminal for runs that take more than two seconds. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "args.h"

typedef struct progress {
    bool enabled, shown;
    double began, next; /* clock at the start, and when to write again */
    double t0, t1;
} progress;

void progress_start(progress *p, const args *a, double t0, double t1);
void progress_update(progress *p, double t, double h, int64_t steps);
/* Wipes the line. */
void progress_finish(progress *p);

#endif

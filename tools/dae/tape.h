/* The states of a run at some of its times, and how far two runs are apart. The
 * first tape chooses the times, from the steps of its run; others follow it. */
#ifndef TAPE_H
#define TAPE_H

#include "run.h"

typedef struct tape {
    const run *run; /* while it is made */
    size_t state_count, count, room;
    size_t stride;   /* every so many steps are kept */
    size_t passed;   /* steps since the last that was kept */
    double *times;   /* `room` */
    double *x;       /* `room` rows of the states */
    int64_t *events; /* behind each time */
    double rtol;     /* as the user has asked for */
    double *atol;    /* likewise, of each state */
    /* at its last time */
    bool is_stopped, ends_at_event;
} tape;

/* Before the run starts: it is to be recorded at the times of `like`, whose tape
 * outlives the run, or (NULL) at times of its own. */
dae_status tape_attach(tape *k, run *r, const tape *like);
/* The run has come to its end, which is the last time. */
void tape_end(tape *k, const run *r);
void tape_clear(tape *k);
/* The largest |a - b|/(rtol |x| + atol) of all states and times. |x| is the
 * largest value nearby, so that a passage through 0 asks for no more than what is
 * around it. Infinite where the events are not the same. */
double tape_difference(const tape *a, const tape *b);

#endif

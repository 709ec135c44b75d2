/* Everything that a run looks at on its way: expectations, drifts, events, the rows that
 * are kept, and whoever of the caller's wants to see. */
#ifndef RUN_MONITOR_H
#define RUN_MONITOR_H

#include "run/between.h"
#include "run/columns.h"
#include "run/event_log.h"
#include "run/expect.h"

/* What it is to look at, of all solutions of a run. */
typedef struct monitor_request {
    const char *keep; /* a list of names, "": all; NULL: no rows */
    ARRAY(const char *) drifts;
    bool notes_events;
    dae_point_fn *see; /* rows; NULL: nobody */
    void *see_context;
    dae_event_fn *hear;
    void *hear_context;
} monitor_request;

/* o(t) - o(t0) of an output, an unknown or a discrete variable. */
typedef struct watched {
    const char *name;
    dae_column column;
    double first;
    drift drift;
} watched;

typedef struct monitor {
    const monitor_request *request;
    solution *run; /* whose memory it takes */
    expectations expectations;
    watched *drifts;
    size_t drift_count;
    between between;   /* for `always` and drifts */
    dae_observer *few; /* what these two ask of a point; NULL where none does */
    bool
        looks_within; /* else at a formula's own points alone: the curve between
                          them has errors of its own */
    event_log events;
    bool keeps;
    dae_columns columns; /* of rows that are kept */
    ARRAY(double) rows;  /* of each its time and the columns */
} monitor;

/* Of a solution that has been set up, whose points are shown to the monitor from now on.
 * Clear also after failure, and before the solution. */
dae_status monitor_init(monitor *w, const monitor_request *q, solution *r);
/* Again, after a change of who sees. */
void monitor_attach(monitor *w);
void monitor_clear(monitor *w);

#endif

/* What happened at the events of a run: when, what fired or turned, and what
 * changed by it. Kept in bounded memory; what comes after that is counted.
 */
#ifndef RUN_EVENT_LOG_H
#define RUN_EVENT_LOG_H

#include "run/solution.h"

/* Bounds of what is kept: 40 MiB and 96 MiB. */
enum { EVENTS_MOST = 1 << 20, EVENT_CHANGES_MOST = 1 << 22 };

typedef struct event_log {
    const solution *run;
    ARRAY(dae_occurrence) entries;
    ARRAY(dae_change) changes;
    int64_t left_out;                /* entries that came too late */
    size_t *when_at, *switch_at;     /* in the order of the text, */
    size_t *when_rank, *switch_rank; /* and where each is in it */
    size_t *ranks;                   /* scratch: of an instant */
    uint64_t *assigned;              /* scratch: orders of each unknown */
    uint8_t *assigned_discretes;
    uint8_t *needed; /* scratch: who looks at what is held */
} event_log;

/* Of a run that has been set up. Clear also after failure (DAE_MEMORY). */
dae_status event_log_init(event_log *l, solution *r);
void event_log_clear(event_log *l);
/* An event in its phase AFTER. */
dae_status event_log_add(event_log *l, const dae_event *e);

#endif

/* What happened at the events of a run: when, what fired or turned, and what
 * changed by it. Kept in bounded memory; what comes after that is counted.
 *
 * Of an instant at which whens fire these are told, each with what it assigns;
 * of another one the switches that turned. What jumped beside that, and switches that
 * turned by what is assigned, are told with all of the instant. */
#ifndef EVENT_LOG_H
#define EVENT_LOG_H

#include "run.h"

/* Bounds of what is kept: 40 MiB and 96 MiB. */
enum { EVENTS_MOST = 1 << 20, EVENT_CHANGES_MOST = 1 << 22 };

typedef enum change_kind {
    CHANGE_UNKNOWN, /* derivative `order` of the model's unknown `index` */
    CHANGE_DISCRETE,
    CHANGE_SWITCH
} change_kind;

typedef struct event_change {
    uint8_t kind, order;
    uint32_t index;
    double before, after;
} event_change;

typedef struct event_entry {
    double t;
    uint32_t index; /* when or switch */
    bool is_when;
    uint8_t
        times; /* that a when fired there, 255: or more; that a switch is told
                      as one that turned: 1 */
    uint32_t own_count, shared_count;
    size_t own, shared; /* the first of its changes, and of its instant's */
} event_entry;

typedef struct event_log {
    const run *run;
    event_entry *entries;
    event_change *changes;
    size_t count, capacity, change_count, change_capacity;
    int64_t left_out;                /* entries that came too late */
    size_t *when_at, *switch_at;     /* in the order of the text, */
    size_t *when_rank, *switch_rank; /* and where each is in it */
    size_t *ranks;                   /* scratch: of an instant */
    uint64_t *assigned;              /* scratch: orders of each unknown */
    uint8_t *assigned_discretes;
    uint8_t *needed; /* scratch: who looks at what is held */
} event_log;

/* Of a run that has been set up. Clear also after failure (DAE_MEMORY). */
dae_status event_log_init(event_log *l, const run *r);
void event_log_clear(event_log *l);
/* An event in its phase AFTER. */
dae_status event_log_add(event_log *l, const dae_event *e);

#endif

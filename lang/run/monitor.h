/* Everything that a run looks at on its way: expectations, drifts, events, the rows that
 * are kept, and whoever of the caller's wants to see. */
#ifndef RUN_MONITOR_H
#define RUN_MONITOR_H

#include "run/expect.h"
#include "run/solution.h"
#include <dae/names.h>

/* What is asked of a whole run, `expect ... always` and --drift, is asked within
 * its steps too: at places that the step alone decides, and where a curve that
 * must stay small has its peak between them. So no answer depends on output
 * times, and a bound that is passed between two points is seen. */

/* Who asks. Of `count` curves the peaks are looked for that may rise above what
 * is of interest. */
typedef struct between_asker {
    void *context;
    size_t count;
    /* The value of each curve at a point. */
    void (*measure)(void *context, const dae_point *p, double *values);
    /* Above what a peak of each is of interest: INFINITY, none is. */
    void (*interest)(void *context, double *least);
    /* Places, in the order of the run; or a peak, which is not. */
    void (*see)(void *context, const dae_point *p, size_t count);
    void (*see_peak)(void *context, const dae_point *p);
} between_asker;

typedef struct between {
    arena *memory; /* the solution's */
    between_asker asker;
    size_t room;          /* places */
    double *t;            /* of the places, the step's ends among them */
    double *rise;         /* [places * count]: their values */
    double *first;        /* [count]: at the point seen last */
    double *least, *peak; /* [count] */
} between;

dae_status between_init(between *b, const between_asker *asker, arena *memory);
/* A step begins here, or ends; of both sides of an event the second one counts. */
void between_note(between *b, const dae_point *p);
/* Looks at the run's last step, from `before` to `end`. Its end itself is measured
 * and not shown. */
dae_status between_look(between *b, solution *r, double before, double end);

/* What happened at the events of a run: when, what fired or turned, and what
 * changed by it. Kept in bounded memory; what comes after that is counted.
 */

typedef struct event_log {
    const solution *run;
    ARRAY(dae_occurrence) entries;
    ARRAY(dae_change) changes;
    int64_t left_out; /* entries that came too late */
    size_t *at[2],
        *rank[2];       /* of switches, and of whens: in the order of the text,
                                and where each is in it */
    size_t *ranks;      /* scratch: of an instant */
    uint64_t *assigned; /* scratch: orders of each unknown */
    uint8_t *assigned_discretes;
    uint8_t *needed; /* scratch: who looks at what is held */
} event_log;

/* Of a run that has been set up. Clear also after failure (DAE_MEMORY). */
dae_status event_log_init(event_log *l, solution *r);
void event_log_clear(event_log *l);
/* An event in its phase AFTER. */
dae_status event_log_add(event_log *l, const dae_event *e);

/* The columns of a run: what it has values of at each time. */

struct dae_columns {
    const dae_model *model;
    arena memory;
    dae_column *sources;
    size_t count;
    dae_name_buffer name;
    dae_columns *next, **link; /* of a list, and what leads to it there */
};

/* As dae_columns_create does, of a solution that has been set up. Clear in any case. */
dae_status columns_init(dae_columns *c, const solution *r, const char *list,
    const char *asker, dae_diagnostics *ds);
/* E0505: `asker` wants a name that is none of its columns; which one was meant. */
dae_status columns_refuse(dae_columns *c, const char *asker, const char *name,
    size_t length, dae_diagnostics *ds);
void columns_clear(dae_columns *c);
/* Puts it at the front of a list, from which dae_columns_free takes it. */
void columns_link(dae_columns *c, dae_columns **list);
/* The model of all of a list goes: they have no columns any more, and no list. */
void columns_forget(dae_columns **list);

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

/* Everything that watches a run: files, expectations, drifts, pictures. */
#ifndef WATCH_H
#define WATCH_H

#include "between.h"
#include "drift.h"
#include "event_report.h"
#include "expect.h"
#include "output.h"
#include "run_picture.h"

/* o(t) - o(t0) of an output, an unknown or a discrete variable. */
typedef struct watched {
    const char *name;
    size_t observation, unknown, discrete; /* one; the others SIZE_MAX */
    double first;
    drift drift;
} watched;

typedef struct watch {
    const dae_model *model;
    outputs outputs;
    expectations expectations;
    watched *drifts;
    size_t drift_count;
    between between;   /* for `always` and --drift */
    dae_observer *few; /* what these two ask of a point; NULL where none does */
    bool
        looks_within; /* else at a formula's own points alone: the curve between
                          them has errors of its own */
    run_picture picture; /* where `collects` */
    bool collects;
    bool draws; /* on the terminal */
    const dae_problem *problem;
    event_log events; /* where `logs` */
    bool logs;
    FILE *prints; /* where texts of `print` go; NULL: nowhere */
} watch;

/* Opens the files of -o. A failure is in the messages; clear also after it. */
dae_status watch_init(watch *w, const args *a, run *r, messages *m, bool draws);
void watch_clear(watch *w);
/* Makes the run show its points to the watch. */
void watch_attach(watch *w, run *r);

/* The panels in characters, after what was seen. */
void watch_draw(const watch *w, limits *l, FILE *file);
/* The pictures of -o; the statuses of gnuplot_draw. */
dae_status watch_draw_files(const watch *w, limits *l, bool is_whole);
/* --events; the members of the document about events. */
void watch_print_events(const watch *w, FILE *file);
void watch_json_events(const watch *w, json *j);
void watch_print_drifts(const watch *w, FILE *file);
void watch_json_drifts(const watch *w, json *j);

#endif

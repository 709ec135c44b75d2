/* Everything that watches a run: files, expectations, drifts, pictures. */
#ifndef WATCH_H
#define WATCH_H

#include "drift.h"
#include "expect.h"
#include "output.h"
#include "run_picture.h"

/* o(t) - o(t0) of an output or an unknown. */
typedef struct watched {
    const char *name;
    size_t observation, unknown; /* one of them; the other SIZE_MAX */
    double first;
    drift drift;
} watched;

typedef struct watch {
    const dae_model *model;
    outputs outputs;
    expectations expectations;
    watched *drifts;
    size_t drift_count;
    bool checks_steps_alone; /* of a formula's own points: what `always` and
                                --drift see is not the curve between them */
    run_picture picture;     /* where `collects` */
    bool collects;
    bool draws; /* on the terminal */
} watch;

/* Opens the files of -o. A failure is in the messages; clear also after it. */
dae_status watch_init(watch *w, const args *a, run *r, messages *m, bool draws);
void watch_clear(watch *w);
/* Makes the run show its points to the watch. */
void watch_attach(watch *w, run *r);

/* The panels in characters, after what was seen. */
void watch_draw(const watch *w, limits *l, FILE *file);
/* The pictures of -o; the statuses of gnuplot_draw. */
dae_status watch_draw_files(const watch *w, limits *l);
void watch_print_drifts(const watch *w, FILE *file);
void watch_json_drifts(const watch *w, json *j);

#endif

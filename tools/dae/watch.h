/* What the command shows of a run on its way: files, pictures, texts of `print`. */
#ifndef WATCH_H
#define WATCH_H

#include "limits.h"
#include "output.h"
#include "picture.h"
#include "run_picture.h"
#include "run_profiles.h"
#include <stdio.h>

typedef struct watch {
    dae_run *run;
    outputs outputs;
    run_picture picture; /* where `collects` */
    bool collects;
    run_profiles profiles; /* none, but with --profile */
    size_t curves, panels; /* of the pictures that were drawn */
    bool draws;            /* on the terminal */
    FILE *prints;          /* where texts of `print` go; NULL: nowhere */
} watch;

/* Opens the files of -o, of a run that is prepared, and lets it show its points. A failure
 * is in the messages; clear also after it. */
dae_status watch_init(
    watch *w, const args *a, dae_run *r, limits *l, messages *m, bool draws);
void watch_clear(watch *w);
/* The run's way from its start to its end. */
dae_status watch_solve(watch *w);
/* The panels in characters, after what was seen. */
void watch_draw(const watch *w, limits *l, FILE *file);
/* The pictures of -o; the statuses of gnuplot_draw. */
dae_status watch_draw_files(watch *w, limits *l, bool is_whole);

#endif

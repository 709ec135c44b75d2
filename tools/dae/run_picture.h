/* A picture of a run: its points are collected as they come, with what the
 * model's `plot` lines name, and become a panel for each line. */
#ifndef RUN_PICTURE_H
#define RUN_PICTURE_H

#include "messages.h"
#include "picture.h"
#include <dae/run.h>
#include <dae/table.h>
#include <stdint.h>

/* A curve that is kept in bounded memory however many points it has: where
 * there are many, neighbours form groups, of which the first point, the last
 * one and the extremes of x and y stay. So a peak of one point is still seen,
 * and groups are equally long all along the curve. */

enum { THIN_KEPT = 6 };

typedef struct thin_group {
    double x[THIN_KEPT], y[THIN_KEPT]; /* in their order */
    int count;
    bool is_broken; /* the curve breaks in it: behind its last point */
} thin_group;

typedef struct thin {
    thin_group *groups; /* room grows up to a bound */
    size_t count, capacity;
    thin_group pending; /* points of a group that is not complete */
    int64_t pending_count, group_size;
} thin;

/* One that is not finite breaks the curve. Begins as zero; false without
 * memory. */
bool thin_add(thin *t, double x, double y);
/* Adds what was kept to a curve. */
void thin_put(const thin *t, picture_curve *curve);

/* Of a longer `plot` line so many curves are drawn, evenly picked. */
enum { RUN_CURVES_MOST = 60 };

/* A file with curves to add. */
typedef struct overlay {
    const char *label; /* its name, borrowed, without its ending so long */
    int label_length;
    dae_table *table; /* while it is read */
} overlay;

typedef struct run_curve {
    dae_column source;
    thin points, bridge; /* bridge: the two sides of jumps */
    double last_x, last_y;
    size_t panel;      /* of a curve from a file */
    const char *label; /* that file's name; NULL: it is the run's own */
    int label_length;
} run_curve;

typedef struct run_panel {
    dae_column over;
    size_t curves_asked; /* at least as many as there are */
    size_t first, count; /* among the curves */
} run_panel;

typedef struct run_picture {
    const dae_model *model;
    bool is_log; /* times are even in the logarithm */
    run_panel *panels;
    run_curve *curves;
    size_t panel_count, panel_capacity, curve_count, capacity;
    run_curve *others; /* of files */
    size_t other_count, other_capacity;
    picture_span times;     /* of the files; NaN: there are none */
    double t_first, t_last; /* NaN: no point yet */
} run_picture;

/* `asked` (NULL: nothing is) takes the place of the `plot` lines, in one panel. Without
 * either all unknowns are drawn, a panel for each unit, and a panel
 * of the discrete variables. DAE_MEMORY. */
dae_status run_picture_init(run_picture *r, const dae_model *model, bool is_log,
    const dae_columns *asked);
/* Adds the curves that a table has columns for, those of a panel over time over its first
 * column, and counts them in *added. DAE_ARGUMENT: cells are no numbers; why is in `m`. */
dae_status run_picture_overlay(
    run_picture *r, const overlay *o, size_t *added, messages *m);
/* Two points at one time are the sides of a jump. */
dae_status run_picture_add(run_picture *r, const dae_point *p);
/* Makes the picture, which starts empty. */
void run_picture_make(const run_picture *r, picture *p);

#endif

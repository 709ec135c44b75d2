/* The times at which a run puts out. */
#ifndef RUN_GRID_H
#define RUN_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum grid_kind {
    GRID_DENSE, /* the solver's steps, divided so that no gap is longer than
                   the interval / 500 */
    GRID_STEPS, /* the solver's steps as they are */
    GRID_POINTS,
    GRID_EVERY,
    GRID_LOG
} grid_kind;

typedef struct grid {
    grid_kind kind;
    double t0, t1;
    double every;  /* GRID_EVERY: > 0 */
    double first;  /* GRID_LOG from 0: distance of the second point, > 0 */
    int64_t count; /* of the last three kinds: all times, the ends included */
} grid;

enum { GRID_LEAST_POINTS = 500 };

/* Makes `count` and checks; false, with *why, where it cannot be. For
 * GRID_POINTS and GRID_LOG `count` is set before, for GRID_EVERY `every`. */
bool grid_prepare(grid *g, const char **why);
/* Whether the times are known beforehand: grid_time answers. */
bool grid_is_listed(const grid *g);
/* The i-th time, 0 <= i < count; the last one is t1 exactly. */
double grid_time(const grid *g, int64_t i);
/* Into how many parts the step from `before` to `end` is divided. */
int64_t grid_parts(const grid *g, double before, double end);

#endif

/* A curve that is kept in bounded memory however many points it has: where
 * there are many, neighbours form groups, of which the first point, the last
 * one and the extremes of x and y stay. So a peak of one point is still seen,
 * and groups are equally long all along the curve. */
#ifndef THIN_H
#define THIN_H

#include "picture.h"
#include <stdint.h>

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

#endif

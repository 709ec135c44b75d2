/* The course of one root function along a piece of a step, s in [-1, 1]: whether
 * it passes a threshold of its region, and where first. */
#ifndef EVENTS_COURSE_H
#define EVENTS_COURSE_H

#include "base/region.h"
#include "events/fit.h"

/* Writes g of this course at s, as it is; false: the polynomial's is to do. */
typedef bool course_look_fn(void *self, double s, double *g);

typedef struct course {
    double y[FIT_POINTS];  /* g at fit_points, */
    double check, check_y; /* and at one point more */
    region within;
    double noise;      /* of g: nearer to a threshold it is at the threshold */
    bool is_start;     /* -1 is the start of the step */
    bool is_end;       /* 1 is the end of the step */
    bool is_whole;     /* the piece cannot be divided */
    bool is_returning; /* it turned at the start of the step, and has not been
                            inside its new region yet. In and out */
    course_look_fn *look;
    void *self;
} course;

typedef enum course_kind {
    COURSE_INSIDE, /* it does not pass */
    COURSE_PASSES,
    COURSE_UNSURE, /* the polynomial is no good: to be looked at by halves */
    COURSE_LOST    /* no value at `hi`; before it nothing passes */
} course_kind;

/* Between lo and hi it is inside (or at the threshold) at lo and beyond at hi, once. */
typedef struct course_passing {
    int direction;
    double threshold;
    double lo, hi, at_lo, at_hi; /* at: how far beyond the threshold */
    double root, blur;           /* blur: of the root */
    double slope;                /* |dg/ds| */
    double spread;               /* of a root, by the noise */
    bool is_exact;
} course_passing;

course_kind course_judge(course *c, course_passing *p);

#endif

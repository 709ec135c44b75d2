/* The course of one root function along a piece of a step, s in [-1, 1]: whether
 * it passes a threshold of its region, and where first. */
#ifndef EVENTS_COURSE_H
#define EVENTS_COURSE_H

#include "base/region.h"
#include <stddef.h>

enum { FIT_DEGREE = 8, FIT_POINTS = FIT_DEGREE + 1 };

/* Where values are wanted, ascending from -1 to 1; every other one is a point of
 * the polynomial of half the degree. */
extern const double fit_points[FIT_POINTS];
/* How far that one, of the points with even numbers, is from the line through its ends,
 * with what its last two terms leave open. */
double course_bend(const double y[FIT_POINTS]);

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

/* A switch that passes a threshold: at lo, which comes first, it is inside or at the
 * threshold, at hi beyond, once. In s or in time. */
typedef struct passing {
    size_t index;
    int direction;
    double threshold;
    double lo, hi, at_lo, at_hi; /* at: how far beyond the threshold */
    double root, blur;           /* as far as it is known; blur: of the root, */
    double spread; /* and where it has been located, by the noise */
    double slope;  /* |dg/ds| */
    double noise;  /* of g: nearer to the threshold it is at the threshold */
    bool is_exact; /* the root has been located */
    bool is_void;  /* there is none, after all */
    bool is_jump;  /* g is not continuous there: a pole, a branch's end */
    bool is_lost;  /* behind the root g has no value, before it is inside */
} passing;

course_kind course_judge(course *c, passing *p);

#endif

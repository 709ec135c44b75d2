/* How far something has gone from where it should be: largest, on the mean over
 * time, and at last. Of an output from its start (--drift), and of the two sides
 * of an `expect ... always`. */
#ifndef DRIFT_H
#define DRIFT_H

#include <stdbool.h>

typedef struct drift {
    double largest, at; /* in modulus, and when */
    double last;        /* signed: at the last point seen */
    /* private: the integral of the modulus, by trapezoids */
    double integral, begin, t;
    bool has_any;
} drift;

/* The distance at t, in the order of the run. Once not a number, always not a
 * number. */
void drift_see(drift *d, double t, double distance);
/* A place out of their order: a peak between two of them. */
void drift_see_peak(drift *d, double t, double distance);
/* Of the modulus over the time seen; that of a single point where there is none. */
double drift_mean(const drift *d);

#endif

/* How far something has gone from where it should be: largest, on the mean over
 * time, and at last. Of an output from its start (--drift), and of the two sides
 * of an `expect ... always`. */
#ifndef RUN_DRIFT_H
#define RUN_DRIFT_H

#include <math.h>
#include <stdbool.h>

typedef struct drift {
    double largest, at; /* in modulus, and when */
    double last;        /* signed: at the last point seen */
    /* private: the integral of the modulus, by trapezoids */
    double integral, begin, t;
    bool has_any;
} drift;

/* A place out of the order of the run: a peak between two others. */
static inline void drift_see_peak(drift *d, double t, double distance)
{
    const double away = fabs(distance);
    if (!(away > d->largest) && !isnan(away)) return;
    d->largest = away;
    d->at = t;
}

/* The distance at t, in the order of the run. Once not a number, always not a
 * number. */
static inline void drift_see(drift *d, double t, double distance)
{
    const double away = fabs(distance);
    if (!d->has_any) d->begin = t;
    else d->integral += fabs(t - d->t) * (fabs(d->last) + away) / 2;
    if (!d->has_any) d->largest = -1;
    drift_see_peak(d, t, distance);
    d->t = t;
    d->last = distance;
    d->has_any = true;
}
/* Of the modulus over the time seen; that of a single point where there is none. */
static inline double drift_mean(const drift *d)
{
    const double length = fabs(d->t - d->begin);
    return length > 0 ? d->integral / length : fabs(d->last);
}

#endif

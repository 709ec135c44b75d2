/* The `expect` lines of a model, checked while it runs. */
#ifndef RUN_EXPECT_H
#define RUN_EXPECT_H

#include "base/arena.h"
#include <dae/run.h>
#include <math.h>
#include <stdbool.h>

/* How far something has gone from where it should be: largest, on the mean over
 * time, and at last. Of an output from its start (--drift), and of the two sides
 * of an `expect ... always`. */

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

typedef struct expectation {
    bool is_checked, has_failed;
    double t, left, right, within; /* where it was first seen to fail */
    drift gap;                     /* left - right, of `always` */
} expectation;

typedef struct expectations {
    const dae_model *model;
    expectation *items;
    size_t count;
    size_t *always;               /* those that hold `always` */
    const dae_expect **always_at; /* and what they say */
    size_t always_count;
    double *marks; /* times of `at`, in the run's order */
    size_t mark_count;
    size_t curve_count; /* of `always`: what must stay at or below 0 */
} expectations;

dae_status expect_init(expectations *e, const dae_model *model, double t0,
    double t1, arena *memory);
/* The kinds of points that `expect_see` has a use for. */
unsigned expect_wants(const expectations *e);
/* The observations that an `always` reads, and how many there are at most. */
size_t expect_observation_count(const expectations *e);
size_t expect_observations(const expectations *e, size_t *observations);
void expect_see(expectations *e, const dae_point *p);
/* Places within a step, in that order. */
void expect_see_inside(expectations *e, const dae_point *p, size_t count);
/* A place out of the order of the run, which `always` alone is asked of. */
void expect_see_peak(expectations *e, const dae_point *p);
/* [curve_count]: what comes to 0 where an `always` ceases to hold, from below: of
 * each comparison minus the distance of its sides, of `~` what that is beyond the
 * allowed one. And above what a peak of each still tells something. */
void expect_measure(const expectations *e, const dae_point *p, double *values);
void expect_interest(const expectations *e, double *least);
/* Counts those about values and codes, and adds a diagnostic E0601 for each
 * that failed. `completed`: the run reached its end; where it did
 * not, what was never reached counts for nothing. `stopped`: when a `stop` ended
 * it, else NaN. */
void expect_finish(const expectations *e, dae_diagnostics *ds, bool completed,
    double stopped, dae_verdicts *counts);
/* Some are about index or degrees of freedom. */
bool expect_asks_structure(const dae_model *model);
/* Counts those, with E0601 for each that failed. */
void expect_structure(const dae_model *model, const dae_index_report *found,
    dae_diagnostics *ds, dae_verdicts *counts);
/* Where nothing is solved: adds codes that arise in compiling and starting;
 * `completed` as above. With `notes_values` values, which are not checked then,
 * count as such and are noted with N0602. */
void expect_of_check(const dae_model *model, dae_diagnostics *ds,
    bool completed, bool notes_values, dae_verdicts *counts);

#endif

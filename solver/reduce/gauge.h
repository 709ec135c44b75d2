/* How soon a pick may become bad: how far the entries that make its leverage have
 * turned since they were looked at before, and how far they may turn on.
 * An entry is the tangent of an angle: constraints that turn evenly change it
 * evenly, while the entry itself grows without bound. The largest one alone does
 * not tell: it may be one that never changes. */
#ifndef REDUCE_GAUGE_H
#define REDUCE_GAUGE_H

#include "base/arena.h"

typedef struct gauge {
    double *before, *now; /* room: entries as they were looked at last; as
                             they are being looked at */
    size_t count, room;
    bool has_before; /* of the same pick */
    double limit;    /* entries up to here are wanted */
    double left;     /* tangent of what is left up to the limit, at most 1: the
                        least of the entries that have turned, or of all where
                        there is no before */
    double turned;   /* tangent of what an entry has turned at most */
} gauge;

/* Room for `room` entries from `a`; false: no memory. */
bool gauge_init(gauge *g, arena *a, size_t room);
/* Forgets the entries: another pick. */
void gauge_clear(gauge *g);
/* Before the entries of a point, which come in the same order each time, and
 * after the last of them: without it they are looked at as if for the first
 * time again. */
void gauge_begin(gauge *g, double limit);
void gauge_take(gauge *g, double entry);
void gauge_end(gauge *g);
/* The time in which a distance `left` is gone at such a speed, by time, that grows or
 * falls by `acceleration`; HUGE_VAL: never. */
double gauge_time_left(double left, double speed, double acceleration);

#endif

/* Events that do not come to an end: a watch over instants.
 *
 * A ball that comes to rest turns at intervals that shrink by one factor; their sum
 * is finite and no step gets beyond it (Zeno). A relay that both sides push back
 * turns to and fro where it stands (chattering). Both are judged only when nothing
 * else can come: the rest of the series is below what time can tell apart, or so many
 * events long that the run would never come to its end. */
#ifndef EVENTS_RECURRENCE_H
#define EVENTS_RECURRENCE_H

#include "base/arena.h"
#include "events/search.h"
#include <dae/status.h>

typedef enum recurrence_kind {
    RECURRENCE_NONE,
    RECURRENCE_ZENO,
    RECURRENCE_CHATTERING
} recurrence_kind;

typedef struct recurrence_verdict {
    recurrence_kind kind;
    double limit; /* the time beyond which no event leads */
    double ratio; /* Zeno: of one interval to the one before */
    double last;  /* Zeno: the last interval that rounding leaves whole, time */
    int64_t turns; /* how often `first` has turned in the series, and come back:
                      at one place; in one direction for Zeno */
    double up,
        down; /* chattering: slopes of g with which it turned last; 0: it has
                        not, that way */
    bool is_small; /* chattering: g has stayed within its noise */
    size_t first;  /* the switch that brought the verdict */
} recurrence_verdict;

typedef struct recurrence recurrence;

/* Room for `count` switches. DAE_MEMORY. */
dae_status recurrence_init(
    recurrence **out, size_t count, arena *a) DAE_MUST_CHECK;
/* A run begins at t: nothing has turned. */
void recurrence_begin(recurrence *r, double t);
/* Switches have turned at t; every instant once, also where the run stood already.
 * `still`: a time in which nothing moves by
 * more than a tolerance, 0: not known; `noise`: by switch, what tolerances make of g,
 * NULL: not known. */
void recurrence_note(recurrence *r, double t, double still, const double *noise,
    const search_crossing *turned, size_t count, recurrence_verdict *v);
/* Whether what switch i has done up to t was a series that ends there. */
bool recurrence_ends(
    const recurrence *r, size_t i, double t, recurrence_verdict *v);
#endif

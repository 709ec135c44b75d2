/* Modes in the order in which they are tried. A mode is a side for every switch that
 * may change it, told by whether it differs from the mode at hand. */
#ifndef BASE_MODES_H
#define BASE_MODES_H

#include "base/arena.h"
#include <dae/events.h>

typedef struct modes {
    size_t count, most; /* switches; modes tried at most */
    size_t tried_count;
    uint8_t *tried;  /* count bytes each */
    uint8_t *mode;   /* the one to be tried: 1 for a switch on its other side */
    size_t *flipped; /* of the systematic part: these switches, ascending, */
    size_t distance; /* so many */
    uint8_t *proposal;
    bool has_proposal;
    size_t fewest; /* switches that contradict the nearest mode so far */
} modes;

/* What is left of a search in vain: of the mode with values that the fewest switches
 * contradict, of equals the first, one of these and its root function. */
typedef struct modes_outcome {
    size_t tried;
    size_t nearest; /* a switch; SIZE_MAX: not known */
    double g;       /* 0: it is on its threshold, and leaves it */
} modes_outcome;

/* For `count` switches, at most `most` modes (0: TRIED_LEAST, or TRIED_PER_SWITCH for
 * each). DAE_MEMORY. */
dae_status modes_init(
    modes *m, size_t count, size_t most, arena *a) DAE_MUST_CHECK;
/* From the start again; the mode at hand counts as tried if `has_first`. */
void modes_begin(modes *m, bool has_first);
/* Into m->mode: what has been proposed (m->proposal, m->has_proposal), if it has not been
 * tried, else the next of those that differ from the mode at hand in no, one, two, ...
 * switches. It counts as tried. false: all have been, or as many as the budget allows. */
bool modes_next(modes *m);

/* Whether fewer switches contradict m->mode, as what it has proposed tells, than any
 * mode before; then *first is one of them. */
bool modes_is_nearer(modes *m, size_t *first);

/* The other side of a switch of this kind; NaN: there is none, or more than one. */
double modes_other_side(uint8_t kind, double side);

#endif

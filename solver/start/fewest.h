/* Of all sets of some members that cannot hold together, one with the fewest. */
#ifndef START_FEWEST_H
#define START_FEWEST_H

#include "base/arena.h"
#include "start/hitting.h"
#include <dae/status.h>

/* Whoever knows what holds together. Both questions: *all is every member that
 * holds where those of `set` were found to; 0 and false: they were not. */
typedef struct fewest_oracle {
    void *self;
    /* At length. */
    dae_status (*ask)(void *self, uint64_t set, bool *holds, uint64_t *all);
    /* At a glance, from the last place where a set was found to hold. */
    dae_status (*glance)(void *self, uint64_t set, bool *holds, uint64_t *all);
    /* That place is the witness that these hold, until the end. */
    dae_status (*keep)(void *self, uint64_t set);
    /* No more questions: what is answered from now on says nothing. */
    bool (*is_spent)(void *self);
} fewest_oracle;

typedef enum fewest_outcome {
    FEWEST_FOUND,  /* none is smaller, as far as what was asked shows */
    FEWEST_UNSURE, /* the work was too much: it is as it was */
    FEWEST_HOLDS,  /* the set holds after all, at the last place */
} fewest_outcome;

/* `set` cannot hold; `members` (at most HITTING_MEMBERS) are what it and others
 * may consist of. It becomes one with the fewest of them, of several such
 * sets the first (hitting_is_before). What holds leaves out some members, and
 * no set that lacks these all can contradict itself: the smallest set that meets
 * all that was left out so far is asked next, and if it does not hold it is the
 * smallest there is [Ign15]. */
dae_status fewest_find(const fewest_oracle *o, size_t members, arena *a,
    uint64_t *set, fewest_outcome *out) DAE_MUST_CHECK;

#endif

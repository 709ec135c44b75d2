/* One round of repairs: steps in all singular blocks at once, and whether they
 * are for the better. */
#ifndef REPAIR_ROUND_H
#define REPAIR_ROUND_H

#include "repair/stage.h"

typedef struct repair_work {
    blocks_request given;                /* with an allocator */
    const dae_certificate *certificates; /* given */
    stage now;
    arena arena; /* plans, steps, texts */
    ARRAY(dae_repair) repairs;
    dae_repair dead_end;
} repair_work;

/* Looks for steps of these kinds (step_request.kinds) in w->now, and makes
 * them where the value of the transversal falls: then `now` and `repairs` move
 * on. *is_over: a dead end was met. What fails for other reasons than memory or
 * an interrupt is not made. */
dae_status round_try(repair_work *w, unsigned kinds, bool *is_better,
    bool *is_over) DAE_MUST_CHECK;

/* Fine on a zeroed one. */
void round_clear_repair(dae_repair *r, const dae_allocator *a);

#endif

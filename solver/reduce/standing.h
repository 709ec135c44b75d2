/* Equations of index 2 or 3 that are integrated as they stand: the problem with
 * what its variables of higher index ask of the error test. */
#ifndef REDUCE_STANDING_H
#define REDUCE_STANDING_H

#include "reduce/reduction.h"

typedef struct standing {
    dae_problem problem; /* the user's, with index groups */
    uint8_t *group;      /* its states: 1, 2 or 3 */
    int64_t index;
    const dae_allocator *allocator;
    size_t states, unknowns;
    uint8_t *unknown_group;
} standing;

/* From an analysis whose mode is `never`. DAE_ARGUMENT with E0505: the index is
 * too high. Says what to expect (N0510). */
dae_status standing_create(const reduction *r, const dae_allocator *allocator,
    dae_diagnostics *ds, standing **out) DAE_MUST_CHECK;
void standing_free(standing *s);
/* Prepares a stepper that has been made for its problem. */
void standing_attach(const standing *s, stepper *to);

#endif

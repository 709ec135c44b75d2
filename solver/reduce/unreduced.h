/* Equations of index 2 or 3 that are integrated as they stand: the problem with
 * what its variables of higher index ask of the error test. */
#ifndef REDUCE_UNREDUCED_H
#define REDUCE_UNREDUCED_H

#include "reduce/reduction.h"

typedef struct unreduced {
    dae_problem problem; /* the user's, with index groups */
    uint8_t *group;      /* its states: 1, 2 or 3 */
    int64_t index;
    const dae_allocator *allocator;
    size_t states, unknowns;
    uint8_t *unknown_group;
} unreduced;

/* From an analysis whose mode is `never`. DAE_ARGUMENT with E0505: the index is
 * too high. Says what to expect (N0510). */
dae_status unreduced_create(const reduction *r, const dae_allocator *allocator,
    dae_diagnostics *ds, unreduced **out) DAE_MUST_CHECK;
void unreduced_free(unreduced *s);
/* Prepares a stepper that has been made for its problem. */
void unreduced_attach(const unreduced *s, stepper *to);

/* N0510: an index above 1 is left as it is. */
void unreduced_note(int64_t index, const char *help, dae_diagnostics *ds);
/* How often equations have to be differentiated for each value: the index of a
 * variable, less one, as implicit methods see it when they are given the equations
 * as they stand [HLR89 ch. 1]. depth (columns of `e`, which extends by the offsets
 * of `s`): x_j^(d_j - k) follows from the equations F_i^(c_i - k) of its block and
 * from what is in them; the most derivatives of an equation on this way. 0 for a
 * value that no equation determines, or none that is differentiated. DAE_MEMORY. */
dae_status unreduced_depths(const extended *e, const dae_structure *s,
    const dae_allocator *allocator, int32_t *depth) DAE_MUST_CHECK;

#endif

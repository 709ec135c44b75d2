/* Bounds of unknowns as members of what cannot hold together: those without
 * which the others could. */
#ifndef START_FENCES_H
#define START_FENCES_H

#include "start/system.h"

/* A bound in a list: of slot `fence_slot`, its maximum or its minimum. */
static inline int32_t fence_of(size_t slot, bool is_maximum)
{
    return (int32_t)(2 * slot + is_maximum);
}
static inline size_t fence_slot(int32_t fence)
{
    return (size_t)fence / 2;
}
static inline bool fence_is_maximum(int32_t fence)
{
    return fence % 2 != 0;
}
double fence_value(const init_system *s, int32_t fence);

/* Whether the set holds with the bounds as they are in the system just then;
 * *is_spent: nothing more can be asked. */
typedef dae_status fences_ask(void *self, bool *holds, bool *is_spent);

/* Of the bounds of slots marked in `is_in` (slots): *list needs all of them, in
 * the order of slots; none where the set does not hold without bounds either,
 * or where there are too many of them or too much to ask. The system's bounds
 * are as before afterwards; memory from its arena. */
dae_status fences_find(init_system *s, const uint8_t *is_in, fences_ask *ask,
    void *self, int32_t **list, size_t *count) DAE_MUST_CHECK;

#endif

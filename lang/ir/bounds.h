/* Which values an expression can have at all, whatever its unknowns are:
 * interval arithmetic over shapes. Shows of 1 + x^2 or exp(t) that it is never 0. */
#ifndef IR_BOUNDS_H
#define IR_BOUNDS_H

#include "ir/system.h"

typedef struct bounds {
    double low, high;
    bool is_never_zero; /* also where 0 is an end, as of exp */
    bool is_total;      /* it has a value wherever its leaves have one */
} bounds;

/* Of a node of s->shapes whose holes are filled by `holes` (the objects of a
 * row). Unknowns, time and params, whose values may be set later, can be
 * anything; numbers are known, and definitions of one row are looked into. What
 * takes too much to look at can be anything as well, and is not total. */
bounds bounds_of(const system_tables *s, node_id id, const uint32_t *holes);
/* The same while unknowns (not their derivatives) are above 0 and params are as they are
 * set: `is_used`, of each unknown, says which of them are looked at. */
bounds bounds_above_zero(const system_tables *s, node_id id,
    const uint32_t *holes, uint8_t *is_used);

#endif

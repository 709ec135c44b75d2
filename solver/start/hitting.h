/* The smallest set that meets every one of some sets (a minimum hitting set),
 * of at most 64 members. */
#ifndef START_HITTING_H
#define START_HITTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HITTING_MEMBERS = 64 };

/* How many members a set has. */
int hitting_size(uint64_t set);
/* Is `set` smaller than `other` or, of the same size, does it have the first
 * member that they do not share? */
bool hitting_is_before(uint64_t set, uint64_t other);
/* *least meets all of `sets` and becomes the first set that does, in the order
 * of hitting_is_before. False: that takes too long, and *least is only the best
 * that was seen. */
bool hitting_find(const uint64_t *sets, size_t count, uint64_t *least);

#endif

/* Lists of equations, unknowns, slots and conditions in the order in which
 * reports show them (dae_problem.position). Computations number them otherwise,
 * and their results are sorted by this. */
#ifndef LINALG_LISTING_H
#define LINALG_LISTING_H

#include "base/arena.h"
#include <stddef.h>

/* Where one item of a list belongs: kinds one after the other, then positions,
 * then orders of derivatives. `from` is the caller's place of it. */
typedef struct listed {
    size_t kind, position, order, from;
} listed;

/* The keys for a list of `count` items, and room for a copy of them. */
typedef struct listing {
    listed *items;
    void *copy;
} listing;
/* Takes both from `a`, which the caller marks and releases. */
dae_status listing_init(
    listing *l, arena *a, size_t count, size_t size) DAE_MUST_CHECK;
/* Sorts the keys, then the list of items of `size` bytes by them. */
void listing_arrange(listing *l, void *list, size_t count, size_t size);

#endif

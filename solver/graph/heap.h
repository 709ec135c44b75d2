/* A binary heap of integers 0 .. n - 1 by keys that the caller holds: the
 * smallest key on top, of equal ones the smallest integer, so that the order
 * of what comes out does not depend on how it went in. */
#ifndef GRAPH_HEAP_H
#define GRAPH_HEAP_H

#include "base/alloc.h"
#include <dae/status.h>

typedef struct heap {
    const int64_t *key; /* of each item, borrowed */
    int32_t *items;
    int32_t *place; /* of each item in items, -1: not in the heap */
    size_t count, n;
    const dae_allocator *allocator;
} heap;

dae_status heap_init(heap *h, size_t n, const int64_t *key,
    const dae_allocator *allocator) DAE_MUST_CHECK;
/* Fine on a zeroed one. */
void heap_clear(heap *h);

/* Puts `item` in, or moves it up after its key became smaller. */
void heap_push(heap *h, int32_t item);
static inline bool heap_has(const heap *h, int32_t item)
{
    return h->place[item] >= 0;
}
/* Takes out the top; the heap must not be empty. */
int32_t heap_pop(heap *h);
/* Takes out everything. */
void heap_empty(heap *h);

#endif

#include "graph/heap.h"

#include <assert.h>

enum { OUTSIDE = -1 };

dae_status heap_init(
    heap *h, size_t n, const int64_t *key, const dae_allocator *allocator)
{
    const dae_allocator *a = alloc_or_default(allocator);
    *h = (heap){.key = key, .n = n, .allocator = a};
    h->items = alloc_zeroed(a, n, sizeof *h->items);
    h->place = alloc_zeroed(a, n, sizeof *h->place);
    if (!h->items || !h->place) {
        heap_clear(h);
        return DAE_MEMORY;
    }
    for (size_t k = 0; k < n; k++) h->place[k] = OUTSIDE;
    return DAE_OK;
}

void heap_clear(heap *h)
{
    if (!h->allocator) return;
    alloc_free(h->allocator, h->items, h->n, sizeof *h->items);
    alloc_free(h->allocator, h->place, h->n, sizeof *h->place);
    *h = (heap){0};
}

static bool is_before(const heap *h, int32_t a, int32_t b)
{
    if (h->key[a] != h->key[b]) return h->key[a] < h->key[b];
    return a < b;
}

static void put(heap *h, size_t at, int32_t item)
{
    h->items[at] = item;
    h->place[item] = (int32_t)at;
}

/* From the free place `at` up to where the item belongs. */
static void rise(heap *h, size_t at, int32_t item)
{
    while (at > 0) {
        const size_t up = (at - 1) / 2;
        if (!is_before(h, item, h->items[up])) break;
        put(h, at, h->items[up]);
        at = up;
    }
    put(h, at, item);
}

void heap_push(heap *h, int32_t item)
{
    const int32_t place = h->place[item];
    rise(h, place == OUTSIDE ? h->count++ : (size_t)place, item);
}

/* The free place goes down to the end before the last item is put there, which mostly
 * belongs near it: one comparison on each way down for two. */
int32_t heap_pop(heap *h)
{
    assert(h->count > 0);
    const int32_t top = h->items[0], last = h->items[--h->count];
    h->place[top] = OUTSIDE;
    if (h->count == 0) return top;
    size_t at = 0;
    for (size_t down; (down = 2 * at + 1) < h->count; at = down) {
        if (down + 1 < h->count
            && is_before(h, h->items[down + 1], h->items[down]))
            down++;
        put(h, at, h->items[down]);
    }
    rise(h, at, last);
    return top;
}

void heap_empty(heap *h)
{
    while (h->count > 0) h->place[h->items[--h->count]] = OUTSIDE;
}

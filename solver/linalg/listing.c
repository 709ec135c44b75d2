#include "linalg/listing.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare(const void *left, const void *right)
{
    const listed *a = left, *b = right;
    int order = compare_sizes(a->kind, b->kind);
    if (!order) order = compare_sizes(a->position, b->position);
    if (!order) order = compare_sizes(a->order, b->order);
    return order ? order : compare_sizes(a->from, b->from);
}

/* By kind, position and order, then `from`. */
static void listing_sort(listed *items, size_t count)
{
    bool is_sorted = true;
    for (size_t k = 1; k < count && is_sorted; k++)
        is_sorted = compare(&items[k - 1], &items[k]) <= 0;
    if (!is_sorted) qsort(items, count, sizeof *items, compare);
}

dae_status listing_init(listing *l, arena *a, size_t count, size_t size)
{
    l->items = ARENA_ARRAY(a, listed, count + 1);
    l->copy = arena_take(a, count + 1, size);
    return l->items && l->copy ? DAE_OK : DAE_MEMORY;
}

void listing_arrange(listing *l, void *list, size_t count, size_t size)
{
    char *to = list;
    const char *from = l->copy;
    assert(count == 0 || (l->items && l->copy));
    if (count == 0) return;
    for (size_t k = 0; k < count; k++) l->items[k].from = k;
    listing_sort(l->items, count);
    memcpy(l->copy, list, count * size);
    for (size_t k = 0; k < count; k++)
        memcpy(to + k * size, from + l->items[k].from * size, size);
}

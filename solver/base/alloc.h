/* Checked allocation over one dae_allocator. Sizes are multiplied with
 * overflow checks; nothing else in the library multiplies sizes for memory. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <dae/memory.h>
#include <stdbool.h>
#include <stdint.h>

/* `allocator` or the default one where it is NULL. */
const dae_allocator *alloc_or_default(const dae_allocator *allocator);

/* Zeroes a block, and touches no more than it has to. */
void alloc_clear(void *block, size_t bytes);
/* count * size bytes, zeroed; NULL on overflow or failure. A count of 0 gives
 * a valid block. */
void *alloc_zeroed(const dae_allocator *a, size_t count, size_t size);
/* Resizes from old_count to count items; NULL leaves `block` as it was. */
void *alloc_resize(const dae_allocator *a, void *block, size_t old_count,
    size_t count, size_t size);
/* Frees what alloc_zeroed or alloc_resize gave; NULL is fine. */
void alloc_free(const dae_allocator *a, void *block, size_t count, size_t size);

/* true and the result, or false on overflow. */
static inline bool size_add(size_t a, size_t b, size_t *sum)
{
    if (b > SIZE_MAX - a) return false;
    *sum = a + b;
    return true;
}
static inline bool size_mul(size_t a, size_t b, size_t *product)
{
    if (a != 0 && b > SIZE_MAX / a) return false;
    *product = a * b;
    return true;
}

/* Growing arrays: ARRAY(type) declares {items, count, capacity}. */
#define ARRAY(type)                                                            \
    struct {                                                                   \
        type *items;                                                           \
        size_t count, capacity;                                                \
    }
/* Makes room for `more` further items; false on failure. */
#define ARRAY_RESERVE(alloc, array, more)                                      \
    array_reserve((alloc), (void **)&(array)->items, (array)->count,           \
        &(array)->capacity, (more), sizeof *(array)->items)
/* Appends one item; false on failure. */
#define ARRAY_PUSH(alloc, array, ...)                                          \
    ((array)->count < (array)->capacity || ARRAY_RESERVE((alloc), (array), 1)  \
            ? ((array)->items[(array)->count++] = __VA_ARGS__, true)           \
            : false)
/* Gives back room for items to come, where there is some and it can be. */
#define ARRAY_TRIM(alloc, array)                                               \
    array_trim((alloc), (void **)&(array)->items, (array)->count,              \
        &(array)->capacity, sizeof *(array)->items)
#define ARRAY_FREE(alloc, array)                                               \
    (alloc_free(                                                               \
         (alloc), (array)->items, (array)->capacity, sizeof *(array)->items),  \
        (array)->items = NULL, (array)->count = (array)->capacity = 0)
void array_trim(const dae_allocator *a, void **items, size_t count,
    size_t *capacity, size_t size);
bool array_reserve(const dae_allocator *a, void **items, size_t count,
    size_t *capacity, size_t more, size_t size);

#endif

/* An arena: many small blocks freed together, or back to a mark. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/alloc.h"

typedef struct arena_chunk arena_chunk;
typedef struct arena {
    const dae_allocator *allocator;
    arena_chunk *head;  /* newest chunk */
    arena_chunk *spare; /* an empty one, or NULL */
    size_t limit;       /* bytes it may take in all; 0: none */
    size_t taken;       /* bytes taken from the allocator */
} arena;
typedef struct arena_position {
    arena_chunk *chunk;
    size_t used;
} arena_position;

void arena_init(arena *a, const dae_allocator *allocator, size_t limit);
void arena_clear(arena *a); /* gives everything back */
/* Zeroed, aligned to 16; NULL on failure or at the limit. */
void *arena_take(arena *a, size_t count, size_t size);
/* A NUL-terminated copy; NULL on failure. */
char *arena_copy(arena *a, const char *text, size_t length);
char *arena_printf(arena *a, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
arena_position arena_mark(const arena *a);
/* One chunk that is released may stay with the arena, counted in `taken`. */
void arena_release(arena *a, arena_position to);

#define ARENA_NEW(arena, type) ((type *)arena_take((arena), 1, sizeof(type)))
#define ARENA_ARRAY(arena, type, count)                                        \
    ((type *)arena_take((arena), (count), sizeof(type)))
/* Room for so many of what `to` points at, and one: nothing is NULL. Whether there is. */
#define TAKE(arena, to, count)                                                 \
    (((to) = arena_take((arena), (count) + 1, sizeof *(to))) != NULL)

#endif

/* Chunks in a list, the newest first; each twice as large as the one before,
 * up to a bound, so that small arenas stay small and large ones ask seldom. */
#include "base/arena.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ALIGNMENT ((size_t)16)
#define CHUNK_FIRST ((size_t)4096)
#define CHUNK_LARGEST ((size_t)1 << 20)

struct arena_chunk {
    arena_chunk *previous;
    size_t size;         /* bytes from the allocator, this header included */
    size_t used;         /* bytes of data in use, a multiple of ALIGNMENT */
    size_t capacity;     /* bytes of data */
    unsigned char *data; /* aligned */
};

/* What a chunk costs beyond its data: the header and the alignment. */
#define CHUNK_EXTRA (sizeof(arena_chunk) + ALIGNMENT - 1)

void arena_init(arena *a, const dae_allocator *allocator, size_t limit)
{
    a->allocator = alloc_or_default(allocator);
    a->head = a->spare = NULL;
    a->limit = limit;
    a->taken = 0;
}

static void drop(arena *a, arena_chunk **list)
{
    arena_chunk *chunk = *list;
    *list = chunk->previous;
    a->taken -= chunk->size;
    alloc_free(a->allocator, chunk, chunk->size, 1);
}

void arena_clear(arena *a)
{
    while (a->head) drop(a, &a->head);
    if (a->spare) drop(a, &a->spare);
}

/* One chunk of usual size is kept: a loop that releases across its edge each time
 * would else ask the allocator each time. */
static void release_head(arena *a)
{
    arena_chunk *chunk = a->head;
    if (a->spare || chunk->capacity > CHUNK_LARGEST) {
        drop(a, &a->head);
        return;
    }
    a->head = chunk->previous;
    chunk->previous = NULL;
    chunk->used = 0;
    a->spare = chunk;
}

static bool take_spare(arena *a, size_t bytes)
{
    arena_chunk *chunk = a->spare;
    if (!chunk || chunk->capacity < bytes) return false;
    assert(chunk->used == 0);
    chunk->previous = a->head;
    a->head = chunk;
    a->spare = NULL;
    return true;
}

static bool push_chunk(arena *a, size_t capacity)
{
    size_t size;
    if (!size_add(capacity, CHUNK_EXTRA, &size)) return false;
    if (a->limit && (size > a->limit || a->taken > a->limit - size))
        return false;
    arena_chunk *chunk = alloc_resize(a->allocator, NULL, 0, size, 1);
    if (!chunk) return false;
    unsigned char *data = (unsigned char *)(chunk + 1);
    size_t over = (size_t)((uintptr_t)data % ALIGNMENT);
    if (over) data += ALIGNMENT - over;
    *chunk = (arena_chunk){a->head, size, 0, capacity, data};
    a->head = chunk;
    a->taken += size;
    return true;
}

/* A chunk with room for `bytes`: the usual size first, else just enough. */
static bool make_room(arena *a, size_t bytes)
{
    if (take_spare(a, bytes)) return true;
    if (a->spare) drop(a, &a->spare);
    size_t usual = CHUNK_FIRST - CHUNK_EXTRA;
    if (a->head) usual = a->head->size * 2 - CHUNK_EXTRA;
    if (usual > CHUNK_LARGEST) usual = CHUNK_LARGEST;
    usual &= ~(ALIGNMENT - 1);
    if (usual > bytes && push_chunk(a, usual)) return true;
    return push_chunk(a, bytes);
}

/* A block whose content is not set. */
static void *take_raw(arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t rounded = (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    if (rounded == 0) rounded = ALIGNMENT;
    if (!a->head || a->head->capacity - a->head->used < rounded)
        if (!make_room(a, rounded)) return NULL;
    void *block = a->head->data + a->head->used;
    a->head->used += rounded;
    return block;
}

void *arena_take(arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (!size_mul(count, size, &bytes)) return NULL;
    void *block = take_raw(a, bytes);
    if (block) alloc_clear(block, bytes);
    return block;
}

char *arena_copy(arena *a, const char *text, size_t length)
{
    if (length == SIZE_MAX) return NULL;
    char *copy = take_raw(a, length + 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *arena_printf(arena *a, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length < 0) return NULL;
    size_t size = (size_t)length + 1;
    char *text = take_raw(a, size);
    if (!text) return NULL;
    va_start(list, format);
    (void)vsnprintf(text, size, format, list);
    va_end(list);
    return text;
}

arena_position arena_mark(const arena *a)
{
    return (arena_position){a->head, a->head ? a->head->used : 0};
}

void arena_release(arena *a, arena_position to)
{
    while (a->head && a->head != to.chunk) release_head(a);
    if (a->head) a->head->used = to.used;
    else arena_clear(a);
}

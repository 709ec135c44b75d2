#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise, sbrk */
#endif
#include "memory.h"
#include <SuiteSparse_config.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

/* What stands in front of a block: who frees one does not tell its size. SuiteSparse's
 * blocks are in no list, for it gives them back itself. */
typedef union header {
    struct {
        size_t size;   /* with the header */
        size_t number; /* of the command's, from 1 on as they are taken */
        union header *older, *newer;
    } of;
    max_align_t alignment;
} header;

/* What the command has taken, the last one first, and how often it has. */
static header *newest;
static size_t taken;
static bool was_lost;
static dae_name_buffer name;

static limits *current;

static header *resize(header *old, size_t size)
{
    const dae_allocator *a = current ? &current->allocator
                                     : dae_allocator_default();
    if (size > SIZE_MAX - sizeof(header)) return NULL;
    size_t whole = size + sizeof(header);
    header *h = a->resize(a->context, old, old ? old->of.size : 0, whole);
    if (!h) return NULL;
    h->of.size = whole;
    return h;
}

void memory_keep_pages(void)
{
#ifdef __GLIBC__
    /* a failure changes no result */
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, INT32_MAX);
    (void)mallopt(M_TOP_PAD, 64 << 20);
    memory_enlarge_pages();
#endif
}

void memory_enlarge_pages(void)
{
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
    static char *advised;
    enum { PAGE = 4096 };
    char *end = sbrk(0);
    if (end == advised) return;
    char *from = advised ? advised : end;
    from -= (uintptr_t)from % PAGE;
    if (end > from) (void)madvise(from, (size_t)(end - from), MADV_HUGEPAGE);
    advised = end;
#endif
}

static void give_back(header *h)
{
    const dae_allocator *a = current ? &current->allocator
                                     : dae_allocator_default();
    (void)a->resize(a->context, h, h->of.size, 0);
}

/* ---- SuiteSparse's ---- */

static void *block_of(header *h)
{
    return h ? h + 1 : NULL;
}

static header *header_of(void *block)
{
    return block ? (header *)block - 1 : NULL;
}

static void *take(size_t size)
{
    return block_of(resize(NULL, size));
}

static void *take_zeroed(size_t count, size_t size)
{
    void *block = size && count > SIZE_MAX / size ? NULL : take(count * size);
    return block ? memset(block, 0, count * size) : NULL;
}

static void *take_again(void *block, size_t size)
{
    return block_of(resize(header_of(block), size));
}

static void drop(void *block)
{
    if (block) give_back(header_of(block));
}

/* ---- the command's ---- */

/* Its neighbours know where it is. */
static void link_up(header *h)
{
    if (h->of.older) h->of.older->of.newer = h;
    if (h->of.newer) h->of.newer->of.older = h;
    else newest = h;
}

void *memory_resize(void *block, size_t size)
{
    header *h = resize(header_of(block), size);
    if (!h) {
        was_lost = true;
        return NULL;
    }
    if (!block) {
        h->of.number = ++taken;
        h->of.older = newest;
        h->of.newer = NULL;
    }
    link_up(h);
    return h + 1;
}

void *memory_take(size_t count, size_t size)
{
    const bool is_possible = !size || count <= SIZE_MAX / size;
    void *block = memory_resize(NULL, is_possible ? count * size : SIZE_MAX);
    return block ? memset(block, 0, count * size) : NULL;
}

void memory_drop(void *block)
{
    if (!block) return;
    header *h = header_of(block);
    if (h->of.older) h->of.older->of.newer = h->of.newer;
    if (h->of.newer) h->of.newer->of.older = h->of.older;
    else newest = h->of.older;
    give_back(h);
}

char *memory_copy(const char *text, size_t length)
{
    char *copy = memory_take(length + 1, 1);
    return copy ? memcpy(copy, text, length) : NULL;
}

bool memory_grow(void *list, size_t count, size_t *room, size_t size)
{
    void *items;
    if (count < *room) return true;
    memcpy(&items, list, sizeof items); /* a pointer of any type */
    const size_t wanted = *room ? 2 * *room : 64;
    const bool is_possible = wanted <= SIZE_MAX / size;
    items = memory_resize(items, is_possible ? wanted * size : SIZE_MAX);
    if (!items) return false;
    memcpy(list, &items, sizeof items);
    *room = wanted;
    return true;
}

size_t *memory_text_order(
    const dae_problem *problem, dae_name_kind kind, size_t count)
{
    const dae_allocator *a = current ? &current->allocator : NULL;
    size_t *at = memory_take(count + 1, sizeof *at);
    return at && memory_sufficed(dae_text_order(problem, kind, count, a, at))
        ? at
        : NULL;
}

dae_name_buffer *memory_name(void)
{
    return &name;
}

size_t memory_mark(void)
{
    return taken;
}

void memory_release(size_t mark)
{
    while (newest && newest->of.number > mark) memory_drop(newest + 1);
    if (mark) return;
    was_lost = false;
    (void)dae_name_done(&name);
}

bool memory_was_lost(void)
{
    return was_lost || name.failed;
}

bool memory_sufficed(dae_status st)
{
    if (st) was_lost = true;
    return !st;
}

void memory_found(void)
{
    was_lost = false;
    if (name.failed) (void)dae_name_done(&name);
}

/* ---- whose limits ---- */

void memory_use(limits *l)
{
    current = l;
    SuiteSparse_config.malloc_func = take;
    SuiteSparse_config.calloc_func = take_zeroed;
    SuiteSparse_config.realloc_func = take_again;
    SuiteSparse_config.free_func = drop;
}

void memory_use_none(void)
{
    current = NULL;
}

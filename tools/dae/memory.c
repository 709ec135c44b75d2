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

/* The size of a block stands in front of it: who frees one does not tell. */
typedef union header {
    size_t size; /* with the header */
    max_align_t alignment;
} header;

static limits *current;

static void *resize(header *old, size_t size)
{
    const dae_allocator *a = current ? &current->allocator
                                     : dae_allocator_default();
    if (size > SIZE_MAX - sizeof(header)) return NULL;
    size_t whole = size + sizeof(header);
    header *h = a->resize(a->context, old, old ? old->size : 0, whole);
    if (!h) return NULL;
    h->size = whole;
    return h + 1;
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

static void *take(size_t size)
{
    return resize(NULL, size);
}

void *memory_resize(void *block, size_t size)
{
    return resize(block ? (header *)block - 1 : NULL, size);
}

void *memory_take(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) return NULL;
    void *block = take(count * size);
    if (block) memset(block, 0, count * size);
    return block;
}

void memory_drop(void *block)
{
    if (!block) return;
    header *h = (header *)block - 1;
    const dae_allocator *a = current ? &current->allocator
                                     : dae_allocator_default();
    (void)a->resize(a->context, h, h->size, 0);
}

size_t *memory_text_order(
    const dae_problem *problem, dae_name_kind kind, size_t count)
{
    const dae_allocator *a = current ? &current->allocator : NULL;
    size_t *at = memory_take(count + 1, sizeof *at);
    if (!at || !dae_text_order(problem, kind, count, a, at)) return at;
    memory_drop(at);
    return NULL;
}

void memory_use(limits *l)
{
    current = l;
    SuiteSparse_config.malloc_func = take;
    SuiteSparse_config.calloc_func = memory_take;
    SuiteSparse_config.realloc_func = memory_resize;
    SuiteSparse_config.free_func = memory_drop;
}

void memory_use_none(void)
{
    current = NULL;
}

/* The default allocator and checked sizes over any allocator. Every size of
 * the library passes through size_mul, so no product ever wraps around. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/alloc.h"
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

/* From here on blocks have large pages inside, as a rule. */
enum { LARGE = 2 << 20, PAGE = 4096 };

/* Vectors of a large model are read in no order that a processor could guess,
 * and with small pages every second access misses its table of pages: large
 * pages are worth a quarter of the time. Only advice: where it is not taken,
 * nothing is lost. */
static void advise_large_pages(void *block, size_t size)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (!block || size < LARGE) return;
    const size_t before = (PAGE - (uintptr_t)block % PAGE) % PAGE;
    const size_t inside = (size - before) / PAGE * PAGE;
    (void)madvise((char *)block + before, inside, MADV_HUGEPAGE);
#else
    (void)block;
    (void)size;
#endif
}

/* Gives back the pages of so many bytes inside a large block of which nothing is to be
 * kept: they are none until something is written to them, and 0 until then. */
static void drop_pages(void *block, size_t size, size_t page)
{
#if defined(__linux__)
    const size_t before = (page - (uintptr_t)block % page) % page;
    if (!block || size < before + LARGE) return;
    const size_t inside = (size - before) / page * page;
    (void)madvise((char *)block + before, inside, MADV_DONTNEED);
#else
    (void)block;
    (void)size;
    (void)page;
#endif
}

static void *resize_with_libc(
    void *context, void *block, size_t old_size, size_t size)
{
    (void)context;
    if (size == 0) {
        drop_pages(block, old_size, PAGE);
        free(block);
        return NULL;
    }
    void *to = block ? realloc(block, size) : malloc(size);
    if (!block) drop_pages(to, size, LARGE);
    advise_large_pages(to, size);
    return to;
}

const dae_allocator *dae_allocator_default(void)
{
    static const dae_allocator libc = {resize_with_libc, NULL};
    return &libc;
}

const dae_allocator *alloc_or_default(const dae_allocator *allocator)
{
    return allocator ? allocator : dae_allocator_default();
}

/* The bytes of `count` items; a count of 0 still has one byte, so that NULL
 * always means failure. Blocks above half the address space are refused:
 * differences of pointers into them would overflow. */
static bool block_size(size_t count, size_t size, size_t *bytes)
{
    if (!size_mul(count, size, bytes)) return false;
    if (*bytes > SIZE_MAX / 2) return false;
    if (*bytes == 0) *bytes = 1;
    return true;
}

static bool is_zero(const unsigned char *block, size_t size)
{
    unsigned char any = 0;
    for (size_t k = 0; k < size; k++) any |= block[k];
    return any == 0;
}

/* A page that is 0 is not written to: what is fresh stays none until it is needed. Where
 * asserts are on all is written, as valgrind takes what is fresh for undefined. */
void alloc_clear(void *block, size_t bytes)
{
#ifdef NDEBUG
    const bool may_be_fresh = bytes >= LARGE;
#else
    const bool may_be_fresh = false;
#endif
    unsigned char *at = block;
    for (; may_be_fresh && bytes >= PAGE; at += PAGE, bytes -= PAGE)
        if (!is_zero(at, PAGE)) memset(at, 0, PAGE);
    memset(at, 0, bytes);
}

void *alloc_zeroed(const dae_allocator *a, size_t count, size_t size)
{
    size_t bytes;
    if (!block_size(count, size, &bytes)) return NULL;
    void *block = a->resize(a->context, NULL, 0, bytes);
    if (block) alloc_clear(block, bytes);
    return block;
}

void *alloc_resize(const dae_allocator *a, void *block, size_t old_count,
    size_t count, size_t size)
{
    size_t bytes, old_bytes = 0;
    if (!block_size(count, size, &bytes)) return NULL;
    if (block && !block_size(old_count, size, &old_bytes)) return NULL;
    return a->resize(a->context, block, old_bytes, bytes);
}

void alloc_free(const dae_allocator *a, void *block, size_t count, size_t size)
{
    size_t bytes = 0;
    if (!block || !block_size(count, size, &bytes)) return;
    (void)a->resize(a->context, block, bytes, 0);
}

bool array_reserve(const dae_allocator *a, void **items, size_t count,
    size_t *capacity, size_t more, size_t size)
{
    size_t needed;
    if (!size_add(count, more, &needed)) return false;
    if (needed <= *capacity) return true;
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < needed)
        wanted = wanted > SIZE_MAX / 2 ? needed : wanted * 2;
    void *grown = alloc_resize(a, *items, *capacity, wanted, size);
    if (!grown && wanted > needed) {
        /* No room to double: an eighth more. By still less, near a limit, an
         * array would be copied as often as it has items. */
        size_t eighth = needed + needed / 8;
        wanted = eighth < wanted ? eighth : needed;
        grown = alloc_resize(a, *items, *capacity, wanted, size);
    }
    if (!grown) return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

void array_trim(const dae_allocator *a, void **items, size_t count,
    size_t *capacity, size_t size)
{
    if (count == 0 || count == *capacity) return;
    void *trimmed = alloc_resize(a, *items, *capacity, count, size);
    if (!trimmed) return;
    *items = trimmed;
    *capacity = count;
}

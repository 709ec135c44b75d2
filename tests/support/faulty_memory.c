/* Every block has its size in front of it, so that an owner that forgets how
 * much it has is found out. */
#include "faulty_memory.h"

#include "base/splitmix.h"
#include <SuiteSparse_config.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* As malloc aligns. */
enum { HEAD = 16 };

/* SuiteSparse's hooks have no argument to find it by. */
static faulty_memory *hooked;

static size_t size_of(const void *block)
{
    size_t size;
    memcpy(&size, (const char *)block - HEAD, sizeof size);
    return size;
}

static bool must_fail(faulty_memory *m)
{
    const size_t call = m->calls++;
    const bool fails = m->fault == MEMORY_FAILS_ONCE ? call == m->fail_at
                                                     : call >= m->fail_at;
    m->failures += fails;
    return fails;
}

static void give_back(faulty_memory *m, void *block)
{
    if (!block) return;
    m->blocks--;
    free((char *)block - HEAD);
}

static void *grow(faulty_memory *m, void *block, size_t size)
{
    if (must_fail(m) || size > SIZE_MAX - HEAD) return NULL;
    char *old = block ? (char *)block - HEAD : NULL;
    char *head = realloc(old, HEAD + size);
    if (!head) return NULL;
    m->blocks += !block;
    memcpy(head, &size, sizeof size);
    return head + HEAD;
}

static void *resize(void *context, void *block, size_t old_size, size_t size)
{
    faulty_memory *m = context;
    if (block && size_of(block) != old_size) m->mistold++;
    if (size) return grow(m, block, size);
    give_back(m, block);
    return NULL;
}

/* ---- SuiteSparse ---- */

static void *hook_malloc(size_t size)
{
    return grow(hooked, NULL, size ? size : 1);
}

static void *hook_calloc(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) return NULL;
    void *block = hook_malloc(count * size);
    if (block) memset(block, 0, count * size);
    return block;
}

static void *hook_realloc(void *block, size_t size)
{
    return grow(hooked, block, size ? size : 1);
}

static void hook_free(void *block)
{
    give_back(hooked, block);
}

void memory_init(faulty_memory *m)
{
    *m = (faulty_memory){.allocator = {resize, m}, .fail_at = SIZE_MAX};
    hooked = m;
    SuiteSparse_config.malloc_func = hook_malloc;
    SuiteSparse_config.calloc_func = hook_calloc;
    SuiteSparse_config.realloc_func = hook_realloc;
    SuiteSparse_config.free_func = hook_free;
}

void memory_arm(faulty_memory *m, memory_fault fault, size_t fail_at)
{
    m->fault = fault;
    m->fail_at = fail_at;
    m->calls = m->failures = 0;
}

void memory_heal(faulty_memory *m)
{
    m->fail_at = SIZE_MAX;
}

size_t memory_choose(
    const char *text, memory_fault fault, size_t share, size_t block)
{
    uint64_t z = (uint64_t)fault;
    for (; *text; text++) z = splitmix(z ^ (uint64_t)(unsigned char)*text);
    return block * share + (size_t)(splitmix(z ^ block) % share);
}

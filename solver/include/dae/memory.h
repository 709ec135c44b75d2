/* The one door through which all memory of the library comes. */
#ifndef DAE_MEMORY_H
#define DAE_MEMORY_H

#include <dae/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Like realloc with the old size told: `block` is NULL to allocate, `size` 0
 * to free (returns NULL). On failure it returns NULL and `block` stays valid.
 * Blocks are aligned as malloc aligns them. */
typedef void *dae_resize_fn(
    void *context, void *block, size_t old_size, size_t size);

typedef struct dae_allocator {
    dae_resize_fn *resize;
    void *context;
} dae_allocator;

/* malloc, realloc and free of the C library. Wherever an API takes a
 * `const dae_allocator *`, NULL means this one. */
DAE_API const dae_allocator *dae_allocator_default(void);

#ifdef __cplusplus
}
#endif
#endif

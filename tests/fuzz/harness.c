#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void *resize_limited(
    void *context, void *block, size_t old_size, size_t size)
{
    harness *h = context;
    const dae_allocator *libc = dae_allocator_default();
    size_t others = h->taken - (block ? old_size : 0);
    if (size > HARNESS_MEMORY || others > HARNESS_MEMORY - size) return NULL;
    void *resized = libc->resize(libc->context, block, old_size, size);
    if (resized || size == 0) h->taken = others + size;
    return resized;
}

bool harness_start(harness *h)
{
    *h = (harness){.started = processor_seconds()};
    h->allocator = (dae_allocator){resize_limited, h};
    return dae_diagnostics_create(&h->allocator, &h->ds) == DAE_OK;
}

void harness_finish(harness *h)
{
    for (size_t i = 0; i < dae_diagnostics_count(h->ds); i++)
        for (int color = 0; color < 2; color++) {
            const dae_diagnostic *d = dae_diagnostics_at(h->ds, i);
            dae_status st = dae_diagnostic_render(
                d, color, harness_discard, NULL);
            harness_require(!st, "a diagnostic can be rendered");
        }
    dae_diagnostics_free(h->ds);
    harness_require(h->taken == 0, "all memory is given back");
    double seconds = processor_seconds() - h->started;
    harness_require(seconds < HARNESS_PATIENCE, "the time limit is kept");
}

int harness_stop(void *context)
{
    const harness *h = context;
    return processor_seconds() - h->started > HARNESS_SECONDS;
}

int harness_discard(void *context, const char *text, size_t length)
{
    (void)context;
    (void)text;
    (void)length;
    return 0;
}

/* The counters that clang puts beside the code, between names that the linker
 * makes; without them nothing lies there. */
extern uint8_t __start___sancov_cntrs[] __attribute__((weak));
extern uint8_t __stop___sancov_cntrs[] __attribute__((weak));

void harness_forget_reached(void)
{
    uint8_t *from = __start___sancov_cntrs;
    if (from) memset(from, 0, (size_t)(__stop___sancov_cntrs - from));
}

double *harness_numbers(size_t count)
{
    double *values = malloc((count + !count) * sizeof *values);
    if (!values) abort();
    return values;
}

void harness_require(bool holds, const char *promise)
{
    if (holds) return;
    (void)fprintf(stderr, "fuzz: broken promise: %s\n", promise);
    abort();
}

void harness_check_failure(const harness *h, dae_status st)
{
    if (!st || st == DAE_INTERRUPTED || st == DAE_MEMORY) return;
    harness_require(dae_diagnostics_error_count(h->ds) > 0,
        "a failure comes with an error");
}

/* What the fuzz targets share: memory and time within limits, as a careful
 * caller sets them, and one way to say that a promise was broken. */
#ifndef FUZZ_HARNESS_H
#define FUZZ_HARNESS_H

#include <dae/dae.h>
#include <stdbool.h>
#include <stdint.h>

/* What libFuzzer and replay.c call. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The limits of one input. Asked to stop, everything must end within the
 * patience: many times the limit, since a sanitized build on a busy machine is
 * slow, and far below what a loop without a budget takes. */
#define HARNESS_MEMORY ((size_t)64 << 20)
#define HARNESS_SECONDS 0.25
#define HARNESS_PATIENCE 10.0

typedef struct harness {
    dae_allocator allocator; /* refuses beyond HARNESS_MEMORY */
    size_t taken;
    double started; /* processor time, s */
    dae_diagnostics *ds;
} harness;

bool harness_start(harness *h);
/* Renders what was reported; everything taken must have been given back. */
void harness_finish(harness *h);

/* A dae_interrupt_fn: whether the time is over. */
int harness_stop(void *context);
/* A dae_write_fn that drops the text. */
int harness_discard(void *context, const char *text, size_t length);
/* Makes libFuzzer forget what was reached so far with this input, so that it is
 * kept only for what it reaches from here on. */
void harness_forget_reached(void);
/* An array of just this size, to be freed; what it holds is unknown. */
double *harness_numbers(size_t count);
/* Ends the process with a word. */
void harness_require(bool holds, const char *promise);
/* A failure comes with an error, but where the caller caused it. */
void harness_check_failure(const harness *h, dae_status st);

#endif

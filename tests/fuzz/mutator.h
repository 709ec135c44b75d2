/* What libFuzzer asks of a mutator of our own, and calls it by. */
#ifndef FUZZ_MUTATOR_H
#define FUZZ_MUTATOR_H

#include "support/random.h"

#include <stddef.h>
#include <stdint.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t limit);
size_t LLVMFuzzerCustomMutator(
    uint8_t *data, size_t size, size_t limit, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size,
    const uint8_t *b, size_t b_size, uint8_t *out, size_t limit, unsigned seed);

/* A generator of its own for each mutation that libFuzzer numbers. */
static inline random_state seeded(unsigned seed)
{
    random_state r = {(seed + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15)};
    (void)random_next(&r);
    return r;
}

#endif

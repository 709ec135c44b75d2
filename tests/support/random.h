/* A small generator with a seed of its own: the same numbers everywhere. */
#ifndef SUPPORT_RANDOM_H
#define SUPPORT_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct random_state {
    uint64_t s; /* not zero */
} random_state;

/* xorshift64* */
static inline uint64_t random_next(random_state *r)
{
    r->s ^= r->s >> 12;
    r->s ^= r->s << 25;
    r->s ^= r->s >> 27;
    return r->s * UINT64_C(2685821657736338717);
}

/* 0 <= value < below */
static inline size_t random_below(random_state *r, size_t below)
{
    return (size_t)((random_next(r) >> 11) % below);
}

/* -1 <= value < 1 */
static inline double random_unit(random_state *r)
{
    return (double)(random_next(r) >> 11) / 4503599627370496.0 - 1;
}

#endif

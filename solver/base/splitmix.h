/* Numbers that look random and follow from a counter alone [SLF14]: the same in
 * every run, in any order. */
#ifndef BASE_SPLITMIX_H
#define BASE_SPLITMIX_H

#include <stdint.h>

/* Every bit of the counter reaches all of the result. */
static inline uint64_t splitmix(uint64_t z)
{
    z += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* In [-1, 1), from the upper bits. */
static inline double splitmix_unit(uint64_t bits)
{
    return (double)(bits >> 11) / 4503599627370496.0 - 1;
}

#endif

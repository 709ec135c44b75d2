/* The larger and the smaller of two numbers, without a call: of a number and a NaN the
 * number, as fmax and fmin have it. And what tells 0 from -0, and a NaN from none. */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include <stdint.h>
#include <string.h>

static inline double larger(double a, double b)
{
    return a >= b || b != b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a <= b || b != b ? a : b;
}

static inline uint64_t value_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif

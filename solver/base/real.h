/* The larger and the smaller of two numbers, without a call: of a number and a NaN the
 * number, as fmax and fmin have it. */
#ifndef BASE_REAL_H
#define BASE_REAL_H

static inline double larger(double a, double b)
{
    return a >= b || b != b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a <= b || b != b ? a : b;
}

#endif

/* The numbers of extended precision. A formula of order 6 with index 3 leaves
 * errors of 1e-12 and divides rounding by the square of the step: x87's 64 bits
 * give three digits of such an error, 113 bits give fifteen. So `dae_long` is
 * IEEE quadruple precision where the platform has it with its functions (long
 * double itself, as on aarch64, or __float128 with glibc on x86-64), else long
 * double, of at least 64 bits.
 *
 * It converts to and from double and long double as numbers do. printf and the
 * functions of <math.h> want a conversion first. */
#ifndef DAE_LONG_H
#define DAE_LONG_H

#include <dae/status.h>
#include <float.h>
#include <stdint.h> /* tells whose C library it is */

#ifdef __cplusplus
extern "C" {
#endif

#if LDBL_MANT_DIG >= 113
typedef long double dae_long;
#define DAE_LONG_BITS LDBL_MANT_DIG
#elif defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__)
__extension__ typedef __float128 dae_long;
#define DAE_LONG_BITS 113
#elif LDBL_MANT_DIG >= 64
typedef long double dae_long;
#define DAE_LONG_BITS LDBL_MANT_DIG
#else
#error "neither long double nor __float128 has 64 bits or more here"
#endif

/* Half of it is the largest relative error of rounding: 2^(1 - DAE_LONG_BITS),
 * a power of two, exact in a double. */
#define DAE_LONG_EPSILON                                                       \
    (DAE_LONG_BITS >= 113 ? 1.925929944387235853055977942584927e-34            \
                          : 1.084202172485504434007452800869941711e-19)

/* A decimal number, as strtold reads it; *end (NULL: not wanted) is behind it.
 * For 0.1 that is not the double 0.1. */
DAE_API dae_long dae_long_read(const char *text, char **end);
DAE_API dae_long dae_long_abs(dae_long x);

#ifdef __cplusplus
}
#endif
#endif

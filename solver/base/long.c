/* Reading numbers of extended precision. */
#include "base/long_math.h"
#include <stdlib.h>

#if LDBL_MANT_DIG >= 113 || DAE_LONG_BITS < 113
#define READ strtold
#else
#define READ strtof128
dae_long strtof128(const char *text, char **end);
#endif

dae_long dae_long_read(const char *text, char **end)
{
    if (!text && end) *end = NULL;
    return text ? READ(text, end) : 0;
}

dae_long dae_long_abs(dae_long x)
{
    return LONG_F(fabs)(x);
}

/* The functions of <math.h> for dae_long: LONG_F(sin)(x). Those of __float128
 * are glibc's, which declares them for gcc alone. */
#ifndef BASE_LONG_MATH_H
#define BASE_LONG_MATH_H

#include <dae/long.h>
#include <math.h>

#if LDBL_MANT_DIG >= 113 || DAE_LONG_BITS < 113
#define LONG_F(f) f##l
#else
#define LONG_F(f) f##f128
#define LONG_F1(f) dae_long f##f128(dae_long)
#define LONG_F2(f) dae_long f##f128(dae_long, dae_long)
LONG_F1(sin);
LONG_F1(cos);
LONG_F1(tan);
LONG_F1(asin);
LONG_F1(acos);
LONG_F1(atan);
LONG_F1(sinh);
LONG_F1(cosh);
LONG_F1(tanh);
LONG_F1(asinh);
LONG_F1(acosh);
LONG_F1(atanh);
LONG_F1(sqrt);
LONG_F1(cbrt);
LONG_F1(exp);
LONG_F1(expm1);
LONG_F1(log);
LONG_F1(log1p);
LONG_F1(log10);
LONG_F1(erf);
LONG_F1(fabs);
LONG_F1(floor);
LONG_F1(ceil);
LONG_F2(atan2);
LONG_F2(hypot);
LONG_F2(pow);
#undef LONG_F1
#undef LONG_F2
#endif

#endif

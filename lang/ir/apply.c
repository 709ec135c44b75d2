/* What every operation means, and the families of functions of rotations that
 * are smooth through 0.
 *
 * With  F_{m,k}(a) = integral over 0..1 of (1-u)^m/m! u^k cos(u a + k pi/2),
 * SINC_k, COSC_k and SINCC_k are F_{0,k}, F_{1,k}, F_{2,k}. Differentiating
 * a f = sin a, a^2 g = 1 - cos a, a^3 h = a - sin a gives for f, g, h
 *
 *     a f_{k+1} + (k+1) f_k = sin(a + (k+1) pi/2)
 *     a g_{k+1} + (k+2) g_k = f_k
 *     a h_{k+1} + (k+3) h_k = g_k .
 *
 * Going down from k+1 to k multiplies errors by a/(k+m+1), going up by the
 * inverse. Each is used where it damps. Up to k = 12 the result is within 5
 * units in the last place of the larger of |value| and F's bound k!/(k+m+1)!,
 * up to k = 255, the last index a node can hold, within 200. */
#include "base/long_math.h"
#include "ir/shape.h"

#include <assert.h>
#include <math.h>

/* Even index 255 with |a| = 258 is damped within this many further steps. */
enum { family_steps_max = 1200 };

#define REAL double
#define F(f) f
#define OWN(f) f
#define APPLY node_apply
#define DAMPING 0x1p-56
#include "ir/apply_real.h"

#define REAL dae_long
#define F(f) LONG_F(f)
#define OWN(f) f##_long
#define APPLY node_apply_long
#define DAMPING (DAE_LONG_EPSILON / 16)
#include "ir/apply_real.h"

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
#include "ir/shape.h"

#include <assert.h>
#include <math.h>

/* Going down starts where an error of the size of the start value is damped
 * below this: a quarter of a rounding error. */
static const double start_damping = 0x1p-56;
/* Even index 255 with |a| = 258 is damped within this many further steps. */
enum { family_steps_max = 1200 };

/* sin(a + k pi/2), given sine and cosine of a */
static double shifted_sine(double sine, double cosine, unsigned k)
{
    switch (k % 4) {
    case 0: return sine;
    case 1: return cosine;
    case 2: return -sine;
    default: return -cosine;
    }
}

/* Downwards, from an index so high that starting with 0 does not matter. */
static double family_down(unsigned m, unsigned k, double a)
{
    double damping = 1, size = fabs(a);
    unsigned top = k;
    while (damping > start_damping && top < k + family_steps_max) {
        top++;
        damping *= size / top;
    }
    double sine = sin(a), cosine = cos(a);
    double f = 0, g = 0, h = 0;
    for (unsigned j = top; j-- > k;) {
        f = (shifted_sine(sine, cosine, j + 1) - a * f) / (j + 1);
        if (m > 0) g = (f - a * g) / (j + 2);
        if (m > 1) h = (g - a * h) / (j + 3);
    }
    return m == 0 ? f : m == 1 ? g : h;
}

/* Upwards, from the functions themselves. */
static double family_up(unsigned m, unsigned k, double a)
{
    double sine = sin(a), cosine = cos(a), half = sin(a / 2) / (a / 2);
    double f = sine / a, g = half * half / 2, h = (a - sine) / a / a / a;
    for (unsigned j = 0; j < k; j++) {
        /* the next h needs this g, the next g this f */
        h = (g - (j + 3) * h) / a;
        g = (f - (j + 2) * g) / a;
        f = (shifted_sine(sine, cosine, j + 1) - (j + 1) * f) / a;
    }
    return m == 0 ? f : m == 1 ? g : h;
}

static double family(unsigned m, unsigned k, double a)
{
    if (k == 0 && a != 0) { /* direct forms without cancellation */
        if (m == 0) return sin(a) / a;
        if (m == 1) {
            double half = sin(a / 2) / (a / 2);
            return half * half / 2;
        }
    }
    return fabs(a) > k + m + 1 ? family_up(m, k, a) : family_down(m, k, a);
}

/* Stumpff's functions by their series where its terms fall from the first
 * one, else upwards from cosine and sine (of an imaginary angle for a < 0) by
 * c_{k+2} = (1/k! - c_k)/a, which does not cancel there. */
static double stumpff_series(unsigned k, double a)
{
    double term = 1;
    for (unsigned j = 2; j <= k; j++) term /= j;
    double sum = term;
    for (unsigned j = k; term != 0 && j < k + 400; j += 2) {
        term *= -a / ((j + 1.0) * (j + 2.0));
        if (sum + term == sum) break;
        sum += term;
    }
    return sum;
}

static double stumpff(unsigned k, double a)
{
    if (!(fabs(a) > (k + 1.0) * (k + 2.0))) return stumpff_series(k, a);
    double angle = sqrt(fabs(a)), factorial = 1;
    double c = k % 2 ? (a > 0 ? sin(angle) : sinh(angle)) / angle
                     : (a > 0 ? cos(angle) : cosh(angle));
    for (unsigned j = k % 2; j < k; j += 2) {
        c = (1 / factorial - c) / a;
        factorial *= (j + 1.0) * (j + 2.0);
    }
    return c;
}

/* By repeated squaring, so that every machine multiplies alike. */
static double integer_power(double a, int32_t exponent)
{
    uint32_t e = exponent < 0 ? 0u - (uint32_t)exponent : (uint32_t)exponent;
    double power = 1, square = a;
    for (; e > 0; e >>= 1) {
        if (e & 1) power *= square;
        if (e > 1) square *= square;
    }
    return exponent < 0 ? 1 / power : power;
}

static double sign_of(double a)
{
    if (a > 0) return 1;
    if (a < 0) return -1;
    return a == 0 ? 0 : a; /* NaN stays */
}

double node_apply(const node *n, double a, double b, double c)
{
    assert(n->op != NODE_HOLE && n->op < NODE_OP_COUNT);
    switch ((node_op)n->op) {
    case NODE_CONST: return n->value;
    case NODE_ADD: return a + b;
    case NODE_SUB: return a - b;
    case NODE_MUL: return a * b;
    case NODE_DIV: return a / b;
    case NODE_NEG: return -a;
    case NODE_POW: return pow(a, b);
    case NODE_POWI: return integer_power(a, n->exponent);
    case NODE_SQRT: return sqrt(a);
    case NODE_CBRT: return cbrt(a);
    case NODE_EXP: return exp(a);
    case NODE_EXPM1: return expm1(a);
    case NODE_LOG: return log(a);
    case NODE_LOG1P: return log1p(a);
    case NODE_LOG10: return log10(a);
    case NODE_SIN: return sin(a);
    case NODE_COS: return cos(a);
    case NODE_TAN: return tan(a);
    case NODE_ASIN: return asin(a);
    case NODE_ACOS: return acos(a);
    case NODE_ATAN: return atan(a);
    case NODE_ATAN2: return atan2(a, b);
    case NODE_SINH: return sinh(a);
    case NODE_COSH: return cosh(a);
    case NODE_TANH: return tanh(a);
    case NODE_ASINH: return asinh(a);
    case NODE_ACOSH: return acosh(a);
    case NODE_ATANH: return atanh(a);
    case NODE_HYPOT: return hypot(a, b);
    case NODE_ERF: return erf(a);
    case NODE_ABS: return fabs(a);
    case NODE_SIGN: return sign_of(a);
    case NODE_FLOOR: return floor(a);
    case NODE_CEIL: return ceil(a);
    case NODE_MOD: return a - b * floor(a / b);
    case NODE_MIN: return b < a || b != b ? b : a;
    case NODE_MAX: return b > a || b != b ? b : a;
    case NODE_SINC: return family(0, n->order, a);
    case NODE_COSC: return family(1, n->order, a);
    case NODE_SINCC: return family(2, n->order, a);
    case NODE_STUMPFF: return stumpff(n->order, a);
    case NODE_LT: return a < b;
    case NODE_LE: return a <= b;
    case NODE_EQ: return a == b;
    case NODE_NE: return a != b;
    case NODE_AND: return a != 0 && b != 0;
    case NODE_OR: return a != 0 || b != 0;
    case NODE_NOT: return a == 0;
    case NODE_SELECT: return a != 0 ? b : c;
    case NODE_HOLE: /* its value is not an operation's */
    case NODE_OP_COUNT: break;
    }
    return (double)NAN;
}

/* node_apply and its helpers for one kind of number; included by apply.c once
 * per kind with
 *     REAL     the numbers
 *     F(f)     the function f of the C library for them
 *     OWN(f)   the helper f of this file for them
 *     APPLY    the function's name
 *     DAMPING  going down starts where an error of the size of the start value
 *              is damped below this: a quarter of a rounding error.
 * No include guard on purpose. */

/* sin(a + k pi/2), given sine and cosine of a */
static REAL OWN(shifted_sine)(REAL sine, REAL cosine, unsigned k)
{
    switch (k % 4) {
    case 0: return sine;
    case 1: return cosine;
    case 2: return -sine;
    default: return -cosine;
    }
}

/* Downwards, from an index so high that starting with 0 does not matter. */
static REAL OWN(family_down)(unsigned m, unsigned k, REAL a)
{
    REAL damping = 1, size = F(fabs)(a);
    unsigned top = k;
    while (damping > (REAL)DAMPING && top < k + family_steps_max) {
        top++;
        damping *= size / top;
    }
    REAL sine = F(sin)(a), cosine = F(cos)(a);
    REAL f = 0, g = 0, h = 0;
    for (unsigned j = top; j-- > k;) {
        f = (OWN(shifted_sine)(sine, cosine, j + 1) - a * f) / (j + 1);
        if (m > 0) g = (f - a * g) / (j + 2);
        if (m > 1) h = (g - a * h) / (j + 3);
    }
    return m == 0 ? f : m == 1 ? g : h;
}

/* Upwards, from the functions themselves. */
static REAL OWN(family_up)(unsigned m, unsigned k, REAL a)
{
    REAL sine = F(sin)(a), cosine = F(cos)(a), half = F(sin)(a / 2) / (a / 2);
    REAL f = sine / a, g = half * half / 2, h = (a - sine) / a / a / a;
    for (unsigned j = 0; j < k; j++) {
        /* the next h needs this g, the next g this f */
        h = (g - (j + 3) * h) / a;
        g = (f - (j + 2) * g) / a;
        f = (OWN(shifted_sine)(sine, cosine, j + 1) - (j + 1) * f) / a;
    }
    return m == 0 ? f : m == 1 ? g : h;
}

static REAL OWN(family)(unsigned m, unsigned k, REAL a)
{
    if (k == 0 && a != 0) { /* direct forms without cancellation */
        if (m == 0) return F(sin)(a) / a;
        if (m == 1) {
            REAL half = F(sin)(a / 2) / (a / 2);
            return half * half / 2;
        }
    }
    return F(fabs)(a) > k + m + 1 ? OWN(family_up)(m, k, a)
                                  : OWN(family_down)(m, k, a);
}

/* Stumpff's functions by their series where its terms fall from the first
 * one, else upwards from cosine and sine (of an imaginary angle for a < 0) by
 * c_{k+2} = (1/k! - c_k)/a, which does not cancel there. */
static REAL OWN(stumpff_series)(unsigned k, REAL a)
{
    REAL term = 1;
    for (unsigned j = 2; j <= k; j++) term /= j;
    REAL sum = term;
    for (unsigned j = k; term != 0 && j < k + 400; j += 2) {
        term *= -a / ((REAL)(j + 1) * (REAL)(j + 2));
        if (sum + term == sum) break;
        sum += term;
    }
    return sum;
}

static REAL OWN(stumpff)(unsigned k, REAL a)
{
    if (!(F(fabs)(a) > (REAL)(k + 1) * (REAL)(k + 2)))
        return OWN(stumpff_series)(k, a);
    REAL angle = F(sqrt)(F(fabs)(a)), factorial = 1;
    REAL c = k % 2 ? (a > 0 ? F(sin)(angle) : F(sinh)(angle)) / angle
                   : (a > 0 ? F(cos)(angle) : F(cosh)(angle));
    for (unsigned j = k % 2; j < k; j += 2) {
        c = (1 / factorial - c) / a;
        factorial *= (REAL)(j + 1) * (REAL)(j + 2);
    }
    return c;
}

/* By repeated squaring, so that every machine multiplies alike. */
static REAL OWN(integer_power)(REAL a, int32_t exponent)
{
    uint32_t e = exponent < 0 ? 0u - (uint32_t)exponent : (uint32_t)exponent;
    REAL power = 1, square = a;
    for (; e > 0; e >>= 1) {
        if (e & 1) power *= square;
        if (e > 1) square *= square;
    }
    return exponent < 0 ? 1 / power : power;
}

static REAL OWN(sign_of)(REAL a)
{
    if (a > 0) return 1;
    if (a < 0) return -1;
    return a == 0 ? 0 : a; /* NaN stays */
}

REAL APPLY(const node *n, REAL a, REAL b, REAL c)
{
    assert(n->op != NODE_HOLE && n->op < NODE_OP_COUNT);
    switch ((node_op)n->op) {
    case NODE_CONST: return (REAL)n->value;
    case NODE_ADD: return a + b;
    case NODE_SUB: return a - b;
    case NODE_MUL: return a * b;
    case NODE_DIV: return a / b;
    case NODE_NEG: return -a;
    case NODE_POW: return F(pow)(a, b);
    case NODE_POWI: return OWN(integer_power)(a, n->exponent);
    case NODE_SQRT: return F(sqrt)(a);
    case NODE_CBRT: return F(cbrt)(a);
    case NODE_EXP: return F(exp)(a);
    case NODE_EXPM1: return F(expm1)(a);
    case NODE_LOG: return F(log)(a);
    case NODE_LOG1P: return F(log1p)(a);
    case NODE_LOG10: return F(log10)(a);
    case NODE_SIN: return F(sin)(a);
    case NODE_COS: return F(cos)(a);
    case NODE_TAN: return F(tan)(a);
    case NODE_ASIN: return F(asin)(a);
    case NODE_ACOS: return F(acos)(a);
    case NODE_ATAN: return F(atan)(a);
    case NODE_ATAN2: return F(atan2)(a, b);
    case NODE_SINH: return F(sinh)(a);
    case NODE_COSH: return F(cosh)(a);
    case NODE_TANH: return F(tanh)(a);
    case NODE_ASINH: return F(asinh)(a);
    case NODE_ACOSH: return F(acosh)(a);
    case NODE_ATANH: return F(atanh)(a);
    case NODE_HYPOT: return F(hypot)(a, b);
    case NODE_ERF: return F(erf)(a);
    case NODE_ABS: return F(fabs)(a);
    case NODE_SIGN: return OWN(sign_of)(a);
    case NODE_FLOOR: return F(floor)(a);
    case NODE_CEIL: return F(ceil)(a);
    case NODE_MOD: return a - b * F(floor)(a / b);
    case NODE_MIN: return b < a || b != b ? b : a;
    case NODE_MAX: return b > a || b != b ? b : a;
    case NODE_SINC: return OWN(family)(0, n->order, a);
    case NODE_COSC: return OWN(family)(1, n->order, a);
    case NODE_SINCC: return OWN(family)(2, n->order, a);
    case NODE_STUMPFF: return OWN(stumpff)(n->order, a);
    case NODE_PIECE:
        return n->table ? OWN(signal_piece)(n->table, a) : (REAL)NAN;
    case NODE_TABLE:
        return n->table ? OWN(signal_value)(n->table, n->order, a, b)
                        : (REAL)NAN;
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
    return (REAL)NAN;
}

#undef REAL
#undef F
#undef OWN
#undef APPLY
#undef DAMPING

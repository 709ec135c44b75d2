/* Power series of every operation: against Cauchy's integral of the function
 * in the complex plane in long double, against coefficients known in closed
 * form, and of random expressions against their symbolic time derivatives. */
#include "lang/series_support.h"

#include <complex.h>

typedef long double complex point;

/* ---- Cauchy's integral ----------------------------------------------------- */

enum { TERMS = 12, CIRCLE = 160 };

static point integer_power(point a, int exponent)
{
    point r = 1;
    for (int k = 0; k < abs(exponent); k++) r *= a;
    return exponent < 0 ? 1 / r : r;
}

static point error_function(point a)
{
    point term = a, sum = 0;
    for (int k = 0; k < 120; k++) {
        sum += term / (2 * k + 1);
        term *= -a * a / (k + 1);
    }
    return 2 / sqrtl(acosl(-1.0L)) * sum;
}

static point stumpff(unsigned k, point a)
{
    point term = 1, sum = 0;
    for (unsigned j = 2; j <= k; j++) term /= j;
    for (unsigned i = 0; i < 120; i++) {
        sum += term;
        term *= -a / ((k + 2 * i + 1.0L) * (k + 2 * i + 2.0L));
    }
    return sum;
}

/* The k-th derivative of sin(a)/a, (1 - cos a)/a^2, (a - sin a)/a^3 by their
 * power series. */
static point family(unsigned m, unsigned k, point a)
{
    unsigned first = (k + 1) / 2;
    point power = k % 2 ? a : 1, sum = 0;
    long double weight = first % 2 ? -1 : 1;
    for (unsigned i = 2; i <= 2 * first + 1 + m; i++) weight /= i;
    for (unsigned i = 0; i < k; i++) weight *= 2 * first - i;
    for (unsigned j = first; j < first + 50; j++) {
        const long double n = 2 * j;
        sum += weight * power;
        power *= a * a;
        weight *= -(n + 1) * (n + 2) / ((n + 1 - k) * (n + 2 - k))
            / ((n + 2 + m) * (n + 3 + m));
    }
    return sum;
}

/* Around real values a0, b0, which choose the branch. */
static point function(
    const node *n, point a, point b, point c, double a0, double b0)
{
    switch ((node_op)n->op) {
    case NODE_ADD: return a + b;
    case NODE_SUB: return a - b;
    case NODE_MUL: return a * b;
    case NODE_DIV: return a / b;
    case NODE_NEG: return -a;
    case NODE_POW: return cexpl(b * clogl(a));
    case NODE_POWI: return integer_power(a, n->exponent);
    case NODE_SQRT: return csqrtl(a);
    case NODE_CBRT: return a0 > 0 ? cexpl(clogl(a) / 3) : -cexpl(clogl(-a) / 3);
    case NODE_EXP: return cexpl(a);
    case NODE_EXPM1: return cexpl(a) - 1;
    case NODE_LOG: return clogl(a);
    case NODE_LOG1P: return clogl(1 + a);
    case NODE_LOG10: return clogl(a) / logl(10.0L);
    case NODE_SIN: return csinl(a);
    case NODE_COS: return ccosl(a);
    case NODE_TAN: return ctanl(a);
    case NODE_ASIN: return casinl(a);
    case NODE_ACOS: return cacosl(a);
    case NODE_ATAN: return catanl(a);
    case NODE_ATAN2: /* turned so that the values are on the positive axis */
        return atan2l(a0, b0) + catanl((a * b0 - b * a0) / (b * b0 + a * a0));
    case NODE_SINH: return csinhl(a);
    case NODE_COSH: return ccoshl(a);
    case NODE_TANH: return ctanhl(a);
    case NODE_ASINH: return casinhl(a);
    case NODE_ACOSH: return cacoshl(a);
    case NODE_ATANH: return catanhl(a);
    case NODE_HYPOT: return csqrtl(a * a + b * b);
    case NODE_ERF: return error_function(a);
    case NODE_ABS: return a0 < 0 ? -a : a;
    case NODE_SIGN: return a0 < 0 ? -1 : 1;
    case NODE_FLOOR: return floor(a0);
    case NODE_CEIL: return ceil(a0);
    case NODE_MOD: return a - b * floor(a0 / b0);
    case NODE_MIN: return a0 < b0 ? a : b;
    case NODE_MAX: return a0 > b0 ? a : b;
    case NODE_SINC: return family(0, n->order, a);
    case NODE_COSC: return family(1, n->order, a);
    case NODE_SINCC: return family(2, n->order, a);
    case NODE_STUMPFF: return stumpff(n->order, a);
    case NODE_LT:
    case NODE_LE: return a0 < b0;
    case NODE_EQ: return 0;
    case NODE_NE:
    case NODE_AND:
    case NODE_OR: return 1;
    case NODE_NOT: return 0;
    default: return a0 != 0 ? b : c; /* SELECT */
    }
}

/* How far from the values the function is analytic, at most 1. */
static double distance(const node *n, double a, double b)
{
    double d = 1;
    switch ((node_op)n->op) {
    case NODE_DIV: d = fabs(b); break;
    case NODE_POW:
    case NODE_POWI:
    case NODE_SQRT:
    case NODE_CBRT:
    case NODE_LOG:
    case NODE_LOG10: d = fabs(a); break;
    case NODE_LOG1P: d = 1 + a; break;
    case NODE_TAN: d = 1.57 - fabs(a); break;
    case NODE_ASIN:
    case NODE_ACOS:
    case NODE_ATANH: d = 1 - fabs(a); break;
    case NODE_ACOSH: d = a - 1; break;
    case NODE_ATAN2:
    case NODE_HYPOT: d = hypot(a, b) / 2; break;
    default: break;
    }
    return d < 1 ? d : 1;
}

static point value_of(const double *a, point s)
{
    point sum = 0;
    for (size_t k = TERMS; k-- > 0;) sum = sum * s + a[k];
    return sum;
}

typedef struct reference {
    long double coefficient[TERMS], bound[TERMS];
} reference;

/* With |a_k| <= 1 a curve stays within r/(1-r) of its value for |s| <= r. */
static reference integrate(
    const node *n, const series *a, const series *b, const series *c)
{
    reference f = {{0}, {0}};
    long double d = 0.6L * distance(n, a->at[0], b->at[0]), r = d / (1 + d);
    long double most = 0, turn = 2 * acosl(-1.0L);
    for (int j = 0; j < CIRCLE; j++) {
        point unit = cexpl(I * (turn * j / CIRCLE));
        point value = function(n, value_of(a->at, r * unit),
            value_of(b->at, r * unit), value_of(c->at, r * unit), a->at[0],
            b->at[0]);
        if (cabsl(value) > most) most = cabsl(value);
        for (int k = 0; k < TERMS; k++, value /= r * unit)
            f.coefficient[k] += creall(value) / CIRCLE;
    }
    for (int k = 0; k < TERMS; k++) f.bound[k] = most / powl(r, k);
    return f;
}

/* Values in the operations' domains, away from kinks. */
static void place(node_op op, double *a, double *b, uint64_t *random)
{
    double u = random_number(random);
    switch (op) {
    case NODE_POW:
    case NODE_SQRT:
    case NODE_LOG:
    case NODE_LOG10: *a = exp(3 * u); break;
    case NODE_LOG1P: *a = exp(2 * u) - 1; break;
    case NODE_ASIN:
    case NODE_ACOS:
    case NODE_ATANH: *a = 0.95 * u; break;
    case NODE_ACOSH: *a = 1.05 + exp(2 * u); break;
    case NODE_TAN: *a = 1.4 * u; break;
    case NODE_ERF: *a = 2 * u; break;
    case NODE_FLOOR:
    case NODE_CEIL: *a = floor(5 * u) + 0.4; break;
    case NODE_MOD: *a = *b * (floor(5 * u) + 0.4); break;
    default: break;
    }
}

static series random_curve(const workshop *w, double value, uint64_t *random)
{
    double a[TERMS] = {value};
    for (int k = 1; k < TERMS; k++) a[k] = random_number(random);
    return varying(w, TERMS, a);
}

static void check_operation(const workshop *w, const node *n, uint64_t *random)
{
    double v = 3 * random_number(random), u = 3 * random_number(random);
    place((node_op)n->op, &v, &u, random);
    series a = random_curve(w, v, random), b = random_curve(w, u, random);
    series c = random_curve(w, 1, random);
    reference f = integrate(n, &a, &b, &c);
    series got = apply(w, n, &a, &b, &c);
    assert_int_equal(known(w, &got), TERMS);
    for (int k = 0; k < TERMS; k++) {
        if (!(fabsl((long double)got.at[k] - f.coefficient[k])
                <= 2e-15L * f.bound[k]))
            fail_msg("%s(%g, %g), term %d: %.17g, not %.17Lg (%.2Lg)",
                node_text((node_op)n->op), v, u, k, got.at[k], f.coefficient[k],
                f.bound[k]);
    }
    node_op op = (node_op)n->op; /* the value: the same bits */
    double value = node_apply(
        n, v, node_arity(op) > 1 ? u : 0, node_arity(op) > 2 ? c.at[0] : 0);
    assert_true(got.at[0] == value);
}

static void every_operation_agrees_with_cauchys_integral(void **state)
{
    static const int exponents[] = {-7, -2, -1, 2, 3, 13};
    uint64_t random = 5;
    workshop w;
    (void)state;
    workshop_init(&w, TERMS);
    for (size_t i = 0; i < COUNT_OF(every_op); i++) {
        for (unsigned trial = 0; trial < 36; trial++) {
            node n = {.op = (uint8_t)every_op[i]};
            if (n.op == NODE_POWI) n.exponent = exponents[trial % 6];
            if (node_is_family((node_op)n.op)) n.order = (uint8_t)(trial % 6);
            check_operation(&w, &n, &random);
        }
    }
}

/* Near 0 and far from it, where other formulas are used. */
static void families_agree_at_all_sizes(void **state)
{
    static const node_op ops[] = {
        NODE_SINC, NODE_COSC, NODE_SINCC, NODE_STUMPFF};
    static const double sizes[] = {0, 1e-300, -1e-9, 1e-3, -0.5, 1.9, -2.1, 5.9,
        6.1, -11, 13, 19, -21, 29};
    uint64_t random = 8;
    workshop w;
    (void)state;
    workshop_init(&w, TERMS);
    for (size_t i = 0; i < COUNT_OF(ops); i++)
        for (size_t j = 0; j < COUNT_OF(sizes); j++)
            for (unsigned k = 0; k < 7; k++) {
                node n = {.op = (uint8_t)ops[i], .order = (uint8_t)k};
                bool is_far = ops[i] != NODE_STUMPFF && fabs(sizes[j]) > 14;
                series a = random_curve(&w, sizes[j], &random);
                if (is_far) continue; /* the reference cancels */
                reference f = integrate(&n, &a, &a, &a);
                series got = apply(&w, &n, &a, NULL, NULL);
                for (int t = 0; t < TERMS; t++)
                    if (!(fabsl((long double)got.at[t] - f.coefficient[t])
                            <= 1e-14L * f.bound[t]))
                        fail_msg("%s_%u(%g), term %d: %.17g, not %.17Lg",
                            node_text(ops[i]), k, sizes[j], t, got.at[t],
                            f.coefficient[t]);
            }
}

/* ---- closed forms ---------------------------------------------------------- */

typedef struct closed_form {
    node_op op;
    uint8_t order;
    double value; /* of the operand, which is value + s */
    double terms[8];
} closed_form;

static const closed_form forms[] = {
    {NODE_EXP, 0, 0,
        {1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040}},
    {NODE_EXPM1, 0, 0,
        {0, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040}},
    {NODE_LOG, 0, 1,
        {0, 1, -1.0 / 2, 1.0 / 3, -1.0 / 4, 1.0 / 5, -1.0 / 6, 1.0 / 7}},
    {NODE_LOG1P, 0, 0,
        {0, 1, -1.0 / 2, 1.0 / 3, -1.0 / 4, 1.0 / 5, -1.0 / 6, 1.0 / 7}},
    {NODE_SQRT, 0, 1,
        {1, 1.0 / 2, -1.0 / 8, 1.0 / 16, -5.0 / 128, 7.0 / 256, -21.0 / 1024,
            33.0 / 2048}},
    {NODE_CBRT, 0, 1,
        {1, 1.0 / 3, -1.0 / 9, 5.0 / 81, -10.0 / 243, 22.0 / 729, -154.0 / 6561,
            374.0 / 19683}},
    {NODE_CBRT, 0, -8,
        {-2, 1.0 / 12, 1.0 / 288, 5.0 / 20736, 5.0 / 248832, 11.0 / 5971968,
            77.0 / 429981696, 187.0 / 10319560704}},
    {NODE_SIN, 0, 0, {0, 1, 0, -1.0 / 6, 0, 1.0 / 120, 0, -1.0 / 5040}},
    {NODE_COS, 0, 0, {1, 0, -1.0 / 2, 0, 1.0 / 24, 0, -1.0 / 720, 0}},
    {NODE_TAN, 0, 0, {0, 1, 0, 1.0 / 3, 0, 2.0 / 15, 0, 17.0 / 315}},
    {NODE_ASIN, 0, 0, {0, 1, 0, 1.0 / 6, 0, 3.0 / 40, 0, 5.0 / 112}},
    {NODE_ATAN, 0, 0, {0, 1, 0, -1.0 / 3, 0, 1.0 / 5, 0, -1.0 / 7}},
    {NODE_SINH, 0, 0, {0, 1, 0, 1.0 / 6, 0, 1.0 / 120, 0, 1.0 / 5040}},
    {NODE_COSH, 0, 0, {1, 0, 1.0 / 2, 0, 1.0 / 24, 0, 1.0 / 720, 0}},
    {NODE_TANH, 0, 0, {0, 1, 0, -1.0 / 3, 0, 2.0 / 15, 0, -17.0 / 315}},
    {NODE_ASINH, 0, 0, {0, 1, 0, -1.0 / 6, 0, 3.0 / 40, 0, -5.0 / 112}},
    {NODE_ATANH, 0, 0, {0, 1, 0, 1.0 / 3, 0, 1.0 / 5, 0, 1.0 / 7}},
    {NODE_ERF, 0, 0, /* 2/sqrt(pi) (s - s^3/3 + s^5/10 - s^7/42) */
        {0, 1.1283791670955126, 0, -0.37612638903183752, 0, 0.11283791670955126,
            0, -0.026866170645131252}},
    {NODE_SINC, 0, 0, {1, 0, -1.0 / 6, 0, 1.0 / 120, 0, -1.0 / 5040, 0}},
    {NODE_SINC, 1, 0,
        {0, -1.0 / 3, 0, 1.0 / 30, 0, -1.0 / 840, 0, 1.0 / 45360}},
    {NODE_COSC, 0, 0,
        {1.0 / 2, 0, -1.0 / 24, 0, 1.0 / 720, 0, -1.0 / 40320, 0}},
    {NODE_SINCC, 0, 0,
        {1.0 / 6, 0, -1.0 / 120, 0, 1.0 / 5040, 0, -1.0 / 362880, 0}},
    {NODE_STUMPFF, 0, 0,
        {1, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
            1.0 / 479001600, -1.0 / 87178291200.0}},
    {NODE_STUMPFF, 3, 0,
        {1.0 / 6, -1.0 / 120, 1.0 / 5040, -1.0 / 362880, 1.0 / 39916800,
            -1.0 / 6227020800.0, 1.0 / 1307674368000.0,
            -1.0 / 355687428096000.0}},
};

static void known_expansions_come_out(void **state)
{
    workshop w;
    (void)state;
    workshop_init(&w, 8);
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        const closed_form *f = &forms[i];
        node n = {.op = (uint8_t)f->op, .order = f->order};
        series a = VARYING(&w, f->value, 1);
        series got = apply(&w, &n, &a, NULL, NULL);
        assert_int_equal(known(&w, &got), 8);
        for (int k = 0; k < 8; k++)
            if (!(fabs(got.at[k] - f->terms[k]) <= 1e-15 * fabs(f->terms[k])))
                fail_msg("%s, term %d: %.17g, not %.17g", node_text(f->op), k,
                    got.at[k], f->terms[k]);
    }
}

/* Far outside, where squares and cosines overflow or digits could be lost. */
static void extreme_values_keep_their_digits(void **state)
{
    workshop w;
    (void)state;
    workshop_init(&w, 3);
    /* tanh(20 + s): 1 - 2/(1 + e^40 e^(2s)); first 4 e^-40, then -4 e^-40 */
    node n = {.op = NODE_TANH};
    series a = VARYING(&w, 20, 1), r = apply(&w, &n, &a, NULL, NULL);
    assert_true(fabs(r.at[1] / (4 * exp(-40)) - 1) < 1e-14);
    assert_true(fabs(r.at[2] / (-4 * exp(-40)) - 1) < 1e-14);
    /* hypot(3e200 + s, 4e200) = 5e200 + 0.6 s + ... */
    series x = VARYING(&w, 3e200, 1), y = constant(&w, 4e200);
    n.op = NODE_HYPOT;
    r = apply(&w, &n, &x, &y, NULL);
    assert_true(fabs(r.at[1] - 0.6) < 1e-15);
    /* atan2(3e200 + s, 4e200): 4e200/25e400 s */
    n.op = NODE_ATAN2;
    r = apply(&w, &n, &x, &y, NULL);
    assert_true(fabs(r.at[1] / 1.6e-201 - 1) < 1e-15);
    /* expm1(-40 + s): e^-40 s */
    a = VARYING(&w, -40, 1);
    n.op = NODE_EXPM1;
    r = apply(&w, &n, &a, NULL, NULL);
    assert_true(fabs(r.at[1] / exp(-40) - 1) < 1e-15);
}

/* ---- random expressions ---------------------------------------------------- */

enum { RATES = 4 };

typedef struct curves {
    double coefficient[random_unknowns + random_definitions][MOST_TERMS];
    double param[2], time;
} curves;

static const double *curve_of(const curves *c, const node *hole)
{
    return hole->kind == LEAF_UNKNOWN
        ? c->coefficient[hole->a]
        : c->coefficient[random_unknowns + hole->a - 20];
}

/* The order-th derivative's coefficient k. */
static double rate_of(const double *a, unsigned order, size_t k)
{
    double factor = 1;
    for (unsigned o = 1; o <= order; o++) factor *= (double)(k + o);
    return factor * a[k + order];
}

static dual leaf_at(const void *context, const node *hole)
{
    const curves *c = context;
    dual r = {0, 0, false};
    if (hole->kind == LEAF_PARAM) r.v = c->param[hole->a - 10];
    else if (hole->kind == LEAF_TIME) r.v = c->time;
    else r.v = rate_of(curve_of(c, hole), hole->order, 0);
    return r;
}

static double leaf_number(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    node hole = {.kind = (uint8_t)kind, .order = (uint8_t)order, .a = number};
    return (double)leaf_at(context, &hole).v;
}

static series leaf_series(const workshop *w, const curves *c, const node *hole)
{
    double a[MOST_TERMS] = {c->time, 1};
    if (hole->kind == LEAF_PARAM) return constant(w, c->param[hole->a - 10]);
    for (size_t k = 0; k < w->room.terms && hole->kind != LEAF_TIME; k++)
        a[k] = rate_of(curve_of(c, hole), hole->order, k);
    return varying(w, w->room.terms, a);
}

/* Series of the nodes 0 .. count-1. */
static series *shape_series(
    const workshop *w, const shape_pool *p, size_t count, const curves *c)
{
    series *v = calloc(count, sizeof *v);
    assert_non_null(v);
    for (size_t i = 0; i < count; i++) {
        const node *n = &p->nodes.items[i];
        int arity = node_arity((node_op)n->op);
        if (n->op == NODE_CONST) v[i] = constant(w, n->value);
        else if (n->op == NODE_HOLE) v[i] = leaf_series(w, c, n);
        else
            v[i] = apply(w, n, &v[n->a], arity > 1 ? &v[n->b] : NULL,
                arity > 2 ? &v[n->c] : NULL);
    }
    return v;
}

static curves random_curves(uint64_t *random)
{
    curves c;
    double scale = random_below(random, 2) ? 1 : 3;
    for (size_t i = 0; i < COUNT_OF(c.coefficient); i++)
        for (int k = 0; k < MOST_TERMS; k++)
            c.coefficient[i][k] = scale * random_number(random);
    for (int i = 0; i < 2; i++) c.param[i] = scale * random_number(random);
    c.time = random_number(random);
    return c;
}

typedef struct tally {
    int compared, missing;
} tally;

/* The k-th symbolic derivative, in long double and in double: what the two
 * differ by is what the expression makes of rounding errors. */
static void compare_rate(shape_pool *p, node_id rate, unsigned k,
    const series *got, curves *c, tally *t)
{
    double rounded, factorial = 1;
    for (unsigned j = 2; j <= k; j++) factorial *= j;
    dual *values = dual_pass(p, leaf_at, c);
    long double exact = values[rate].v / factorial;
    free(values);
    assert_int_equal(
        shape_eval(p, rate, leaf_number, c, NULL, &rounded), DAE_OK);
    long double noise = fabsl(rounded / factorial - exact);
    if (!isfinite(exact) || !isfinite(rounded) || fabsl(exact) > 1e100L) return;
    if (isnan(got->at[k])) {
        t->missing++;
        return;
    }
    long double error = fabsl(got->at[k] - exact);
    t->compared++;
    if (!(error <= 1e-11L * (1 + fabsl(exact)) + 1e3L * noise))
        fail_msg("term %u: %.17g, not %.17Lg (noise %.2Lg)", k, got->at[k],
            exact, noise);
}

static void compare_shape(
    random_kind kind, int depth, uint64_t *random, tally *t)
{
    workshop w;
    shape_pool p;
    shape_pool_init(&p, NULL);
    workshop_init(&w, RATES + 1);
    node_id rate = random_shape(&p, random, kind, depth);
    curves c = random_curves(random);
    series *v = shape_series(&w, &p, p.nodes.count, &c);
    const series got = v[rate];
    for (unsigned k = 1; k <= RATES && isfinite(got.at[0]); k++) {
        if (diff_time(&p, rate, 3000, &rate)) break;
        compare_rate(&p, rate, k, &got, &c, t);
    }
    free(v);
    shape_pool_clear(&p);
}

static void random_expressions_agree_with_symbolic_derivatives(void **state)
{
    uint64_t random = 77;
    tally smooth = {0, 0}, every = {0, 0};
    (void)state;
    for (int i = 0; i < 500; i++) {
        compare_shape(smooth_kind, 1 + i % 4, &random, &smooth);
        compare_shape(every_kind, 1 + i % 4, &random, &every);
    }
    assert_true(smooth.compared > 1500);
    assert_int_equal(smooth.missing, 0);
    assert_true(every.compared > 800);
    /* branch by branch, the symbolic ones pass over kinks, as that of x == x */
    assert_true(every.missing < every.compared / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_agrees_with_cauchys_integral),
        cmocka_unit_test(families_agree_at_all_sizes),
        cmocka_unit_test(known_expansions_come_out),
        cmocka_unit_test(extreme_values_keep_their_digits),
        cmocka_unit_test(random_expressions_agree_with_symbolic_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

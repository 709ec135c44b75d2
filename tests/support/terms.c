#include "terms.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool terms_create(terms *s)
{
    memset(s, 0, sizeof *s);
    s->at = malloc(TERMS_MOST * sizeof *s->at);
    return s->at != NULL;
}

void terms_free(terms *s)
{
    free(s->at);
    s->at = NULL;
}

static int make(terms *s, term_kind kind, int a, int b)
{
    if (s->count == TERMS_MOST) {
        s->is_full = true;
        return 0;
    }
    s->at[s->count] = (term){kind, a, b};
    return s->count++;
}

static bool is_number(const terms *s, int a, int value)
{
    return s->at[a].kind == TERM_NUMBER && s->at[a].a == value;
}

int term_number(terms *s, int value)
{
    return make(s, TERM_NUMBER, value, 0);
}

int term_time(terms *s)
{
    return make(s, TERM_TIME, 0, 0);
}

int term_unknown(terms *s, int j)
{
    return make(s, TERM_UNKNOWN, j, 0);
}

int term_add(terms *s, int a, int b)
{
    if (is_number(s, a, 0)) return b;
    if (is_number(s, b, 0)) return a;
    return make(s, TERM_ADD, a, b);
}

int term_mul(terms *s, int a, int b)
{
    if (is_number(s, a, 0) || is_number(s, b, 1)) return a;
    if (is_number(s, b, 0) || is_number(s, a, 1)) return b;
    if (s->at[b].kind == TERM_NUMBER) return make(s, TERM_MUL, b, a);
    return make(s, TERM_MUL, a, b);
}

int term_apply(terms *s, term_kind kind, int a)
{
    return make(s, kind, a, 0);
}

int term_derivative(terms *s, int a, int times)
{
    for (int k = 0; k < times; k++) a = make(s, TERM_DERIVATIVE, a, 0);
    return a;
}

static bool is_pair(term_kind kind)
{
    return kind == TERM_ADD || kind == TERM_MUL;
}

static bool is_leaf(term_kind kind)
{
    return kind <= TERM_UNKNOWN;
}

int term_substitute(terms *s, int root, const int *map)
{
    int *to = malloc((size_t)(root + 1) * sizeof *to);
    if (!to) {
        s->is_full = true;
        return 0;
    }
    for (int k = 0; k <= root; k++) {
        term e = s->at[k];
        if (e.kind == TERM_UNKNOWN) {
            to[k] = map[e.a];
        } else if (is_leaf(e.kind)) {
            to[k] = k;
        } else if (is_pair(e.kind)) {
            bool is_same = to[e.a] == e.a && to[e.b] == e.b;
            to[k] = is_same          ? k
                : e.kind == TERM_ADD ? term_add(s, to[e.a], to[e.b])
                                     : term_mul(s, to[e.a], to[e.b]);
        } else {
            to[k] = to[e.a] == e.a ? k : term_apply(s, e.kind, to[e.a]);
        }
        if (s->is_full) break;
    }
    int made = s->is_full ? 0 : to[root];
    free(to);
    return made;
}

/* ---- derivatives ------------------------------------------------------------- */

/* of an expanded term */
static int derive(terms *s, int a)
{
    term e = s->at[a];
    if (s->is_full) return 0;
    switch (e.kind) {
    case TERM_NUMBER: return term_number(s, 0);
    case TERM_TIME: return term_number(s, 1);
    case TERM_UNKNOWN:
    case TERM_DERIVATIVE: return term_derivative(s, a, 1);
    case TERM_ADD: return term_add(s, derive(s, e.a), derive(s, e.b));
    case TERM_MUL:
        if (e.a == e.b)
            return term_mul(
                s, term_number(s, 2), term_mul(s, e.a, derive(s, e.a)));
        return term_add(s, term_mul(s, derive(s, e.a), e.b),
            term_mul(s, e.a, derive(s, e.b)));
    case TERM_SIN:
        return term_mul(s, term_apply(s, TERM_COS, e.a), derive(s, e.a));
    case TERM_COS:
        return term_mul(s, term_number(s, -1),
            term_mul(s, term_apply(s, TERM_SIN, e.a), derive(s, e.a)));
    case TERM_EXP: return term_mul(s, a, derive(s, e.a));
    case TERM_INVERSE:
    default:
        return term_mul(s, term_number(s, -1),
            term_mul(s, term_mul(s, a, a), derive(s, e.a)));
    }
}

int term_expand(terms *s, int root)
{
    int *to = malloc((size_t)(root + 1) * sizeof *to);
    if (!to) {
        s->is_full = true;
        return 0;
    }
    for (int k = 0; k <= root && !s->is_full; k++) {
        term e = s->at[k];
        if (is_leaf(e.kind)) to[k] = k;
        else if (e.kind == TERM_ADD) to[k] = term_add(s, to[e.a], to[e.b]);
        else if (e.kind == TERM_MUL) to[k] = term_mul(s, to[e.a], to[e.b]);
        else if (e.kind == TERM_DERIVATIVE) to[k] = derive(s, to[e.a]);
        else to[k] = term_apply(s, e.kind, to[e.a]);
    }
    int made = s->is_full ? 0 : to[root];
    free(to);
    return made;
}

/* ---- text -------------------------------------------------------------------- */

void text_say(term_text *out, const char *format, ...)
{
    va_list list;
    if (out->length >= out->size) return;
    va_start(list, format);
    int length = vsnprintf(
        out->text + out->length, out->size - out->length, format, list);
    va_end(list);
    if (length > 0) out->length += (size_t)length;
}

enum { SUM, PRODUCT, PRIMARY };

typedef struct printer {
    const terms *s;
    const term_style *style;
    term_text *out;
} printer;

static int name_of(const term_style *style, int a)
{
    for (int k = 0; k < style->named_count; k++)
        if (style->named[k] == a) return k + 1;
    return 0;
}

static void print(const printer *p, int a, int level, bool is_whole);

static void print_sum(const printer *p, term e)
{
    print(p, e.a, SUM, false);
    term b = p->s->at[e.b];
    bool is_negative = (b.kind == TERM_NUMBER && b.a < 0)
        || (b.kind == TERM_MUL && p->s->at[b.a].kind == TERM_NUMBER
            && p->s->at[b.a].a < 0);
    if (!is_negative || name_of(p->style, e.b)) {
        text_say(p->out, " + ");
        print(p, e.b, SUM, false);
        return;
    }
    int value = b.kind == TERM_NUMBER ? b.a : p->s->at[b.a].a;
    text_say(p->out, " - ");
    if (b.kind == TERM_NUMBER || value != -1) text_say(p->out, "%d", -value);
    if (b.kind != TERM_NUMBER) {
        if (value != -1) text_say(p->out, "*");
        print(p, b.b, PRODUCT, false);
    }
}

static void print_product(const printer *p, term e)
{
    if (e.a == e.b) {
        print(p, e.a, PRIMARY, false);
        text_say(p->out, "^2");
    } else if (p->s->at[e.a].kind == TERM_NUMBER && p->s->at[e.a].a == -1) {
        text_say(p->out, "-");
        print(p, e.b, PRODUCT, false);
    } else {
        print(p, e.a, PRODUCT, false);
        text_say(p->out, "*");
        print(p, e.b, PRODUCT, false);
    }
}

static void print_other(const printer *p, term e)
{
    static const char *const name[] = {
        [TERM_SIN] = "sin", [TERM_COS] = "cos", [TERM_EXP] = "exp"};
    const int *numbers = p->style->unknown_numbers;
    switch (e.kind) {
    case TERM_NUMBER: text_say(p->out, "%d", e.a); break;
    case TERM_TIME: text_say(p->out, "t"); break;
    case TERM_UNKNOWN:
        text_say(p->out, "x%d", (numbers ? numbers[e.a] : e.a) + 1);
        break;
    case TERM_INVERSE:
        text_say(p->out, "1/");
        print(p, e.a, PRIMARY, false);
        break;
    case TERM_DERIVATIVE:
        print(p, e.a, PRIMARY, false);
        text_say(p->out, "'");
        break;
    default:
        text_say(p->out, "%s(", name[e.kind]);
        print(p, e.a, SUM, false);
        text_say(p->out, ")");
    }
}

static void print(const printer *p, int a, int level, bool is_whole)
{
    if (p->out->length >= p->out->size) return;
    int name = is_whole ? 0 : name_of(p->style, a);
    term e = p->s->at[a];
    if (name) {
        text_say(p->out, "%s%d", p->style->name, name);
        return;
    }
    bool is_negative = e.kind == TERM_NUMBER && e.a < 0;
    bool is_minus = e.kind == TERM_MUL && p->s->at[e.a].kind == TERM_NUMBER
        && p->s->at[e.a].a < 0;
    bool has_brackets = (e.kind == TERM_ADD && level > SUM)
        || (e.kind == TERM_MUL && level > PRODUCT)
        || (is_negative && level > SUM) || (is_minus && level > SUM)
        || (e.kind == TERM_INVERSE && level > SUM);
    if (has_brackets) text_say(p->out, "(");
    if (e.kind == TERM_ADD) print_sum(p, e);
    else if (e.kind == TERM_MUL) print_product(p, e);
    else print_other(p, e);
    if (has_brackets) text_say(p->out, ")");
}

void term_print(const terms *s, int root, const term_style *style,
    bool is_whole, term_text *out)
{
    printer p = {s, style, out};
    print(&p, root, SUM, is_whole);
}

/* ---- numbers ----------------------------------------------------------------- */

scalar scalar_of(bool is_exact, int64_t value)
{
    scalar x;
    if (is_exact) {
        int64_t rest = value % (int64_t)SCALAR_PRIME;
        x.exact = (uint64_t)(rest < 0 ? rest + (int64_t)SCALAR_PRIME : rest);
    } else {
        x.real = (double)value;
    }
    return x;
}

scalar scalar_add(bool is_exact, scalar a, scalar b)
{
    if (is_exact) a.exact = (a.exact + b.exact) % SCALAR_PRIME;
    else a.real += b.real;
    return a;
}

scalar scalar_mul(bool is_exact, scalar a, scalar b)
{
    if (is_exact) a.exact = a.exact * b.exact % SCALAR_PRIME;
    else a.real *= b.real;
    return a;
}

scalar scalar_inverse(bool is_exact, scalar a)
{
    if (!is_exact) return (scalar){.real = 1 / a.real};
    scalar power = a, result = {.exact = 1};
    for (uint64_t e = SCALAR_PRIME - 2; e; e >>= 1) {
        if (e & 1) result = scalar_mul(true, result, power);
        power = scalar_mul(true, power, power);
    }
    return result;
}

bool scalar_is_zero(bool is_exact, scalar a)
{
    return is_exact ? a.exact == 0 : !(fabs(a.real) > 0);
}

/* sin, cos, exp of a constant: in the prime field a point of the circle and a
 * number that depend on the argument, else at random (splitmix64). */
static scalar constant_of(bool is_exact, term_kind kind, scalar a)
{
    if (!is_exact) {
        double x = a.real;
        a.real = kind == TERM_SIN ? sin(x) : kind == TERM_COS ? cos(x) : exp(x);
        return a;
    }
    uint64_t z = a.exact + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    scalar r = {.exact = 1 + (z >> 33) % (SCALAR_PRIME - 1)};
    if (kind == TERM_EXP) return r;
    scalar square = scalar_mul(true, r, r), one = {.exact = 1};
    scalar below = scalar_inverse(true, scalar_add(true, one, square));
    scalar above = kind == TERM_SIN
        ? scalar_add(true, r, r)
        : scalar_add(true, one, (scalar){.exact = SCALAR_PRIME - square.exact});
    return scalar_mul(true, above, below);
}

/* ---- series ------------------------------------------------------------------ */

bool term_series_create(
    term_series *e, const terms *s, bool is_exact, int length, scalar t0)
{
    size_t count = (size_t)s->count * (size_t)length;
    *e = (term_series){
        .terms = s, .is_exact = is_exact, .length = length, .t0 = t0};
    e->value = calloc(count, sizeof *e->value);
    e->tangent = calloc(count, sizeof *e->tangent);
    e->is_needed = calloc((size_t)s->count, sizeof *e->is_needed);
    e->is_fixed = calloc((size_t)s->count, sizeof *e->is_fixed);
    for (int k = 1; k < length; k++)
        e->per[k] = scalar_inverse(is_exact, scalar_of(is_exact, k));
    return e->value && e->tangent && e->is_needed && e->is_fixed;
}

void term_series_free(term_series *e)
{
    free(e->value);
    free(e->tangent);
    free(e->is_needed);
    free(e->is_fixed);
}

void term_series_need(term_series *e, const int *roots, int count)
{
    const terms *s = e->terms;
    memset(e->is_needed, 0, (size_t)s->count * sizeof *e->is_needed);
    for (int k = 0; k < count; k++) e->is_needed[roots[k]] = true;
    for (int k = s->count - 1; k >= 0; k--) {
        if (!e->is_needed[k] || is_leaf(s->at[k].kind)) continue;
        e->is_needed[s->at[k].a] = true;
        if (is_pair(s->at[k].kind)) e->is_needed[s->at[k].b] = true;
    }
}

/* the sum of u[i] * v[k - i] for i = from .. k */
static scalar convolve(
    bool is_exact, int from, int k, const scalar *u, const scalar *v)
{
    scalar sum = scalar_of(is_exact, 0);
    if (!is_exact) {
        for (int i = from; i <= k; i++) sum.real += u[i].real * v[k - i].real;
        return sum;
    }
    /* below three squares of the prime, which 64 bits hold */
    const uint64_t most = 2 * SCALAR_PRIME * SCALAR_PRIME;
    for (int i = from; i <= k; i++) {
        sum.exact += u[i].exact * v[k - i].exact;
        if (sum.exact >= most) sum.exact -= most;
    }
    sum.exact %= SCALAR_PRIME;
    return sum;
}

/* w = u * v */
static void multiply(
    bool is_exact, int length, const scalar *u, const scalar *v, scalar *w)
{
    for (int k = 0; k < length; k++) w[k] = convolve(is_exact, 0, k, u, v);
}

static void invert(bool is_exact, int length, const scalar *u, scalar *w)
{
    scalar first = scalar_inverse(is_exact, u[0]);
    scalar minus = scalar_mul(is_exact, first, scalar_of(is_exact, -1));
    w[0] = first;
    for (int k = 1; k < length; k++)
        w[k] = scalar_mul(is_exact, convolve(is_exact, 1, k, u, w), minus);
}

/* u' with each coefficient one place later, so that a convolution with it gives
 * k times the integral's */
static void shifted(bool is_exact, int length, const scalar *u, scalar *du)
{
    for (int k = 0; k < length; k++)
        du[k] = scalar_mul(is_exact, scalar_of(is_exact, k), u[k]);
}

static void exponential(const term_series *e, const scalar *u, scalar *w)
{
    scalar du[TERMS_LENGTH];
    shifted(e->is_exact, e->length, u, du);
    w[0] = constant_of(e->is_exact, TERM_EXP, u[0]);
    for (int k = 1; k < e->length; k++)
        w[k] = scalar_mul(
            e->is_exact, convolve(e->is_exact, 1, k, du, w), e->per[k]);
}

static void circular(
    const term_series *e, const scalar *u, scalar *sine, scalar *cosine)
{
    scalar du[TERMS_LENGTH], minus = scalar_of(e->is_exact, -1);
    bool is_exact = e->is_exact;
    shifted(is_exact, e->length, u, du);
    sine[0] = constant_of(is_exact, TERM_SIN, u[0]);
    cosine[0] = constant_of(is_exact, TERM_COS, u[0]);
    for (int k = 1; k < e->length; k++) {
        scalar s = convolve(is_exact, 1, k, du, cosine);
        scalar c = convolve(is_exact, 1, k, du, sine);
        sine[k] = scalar_mul(is_exact, s, e->per[k]);
        cosine[k] = scalar_mul(
            is_exact, scalar_mul(is_exact, c, minus), e->per[k]);
    }
}

static void derivative(bool is_exact, int length, const scalar *u, scalar *w)
{
    for (int k = 0; k + 1 < length; k++)
        w[k] = scalar_mul(is_exact, scalar_of(is_exact, k + 1), u[k + 1]);
    w[length - 1] = scalar_of(is_exact, 0);
}

static void evaluate_one(term_series *e, term c, const scalar *along, scalar *w)
{
    scalar other[TERMS_LENGTH];
    bool x = e->is_exact;
    int n = e->length;
    const scalar *a = is_leaf(c.kind) ? NULL : e->value + c.a * n;
    switch (c.kind) {
    case TERM_NUMBER:
    case TERM_TIME:
        for (int k = 0; k < n; k++) w[k] = scalar_of(x, 0);
        w[0] = c.kind == TERM_TIME ? e->t0 : scalar_of(x, c.a);
        if (c.kind == TERM_TIME && n > 1) w[1] = scalar_of(x, 1);
        break;
    case TERM_UNKNOWN: memcpy(w, along + c.a * n, (size_t)n * sizeof *w); break;
    case TERM_ADD:
        for (int k = 0; k < n; k++)
            w[k] = scalar_add(x, a[k], e->value[c.b * n + k]);
        break;
    case TERM_MUL: multiply(x, n, a, e->value + c.b * n, w); break;
    case TERM_SIN: circular(e, a, w, other); break;
    case TERM_COS: circular(e, a, other, w); break;
    case TERM_EXP: exponential(e, a, w); break;
    case TERM_INVERSE: invert(x, n, a, w); break;
    case TERM_DERIVATIVE: derivative(x, n, a, w); break;
    }
}

void term_series_evaluate(term_series *e, const scalar *along)
{
    for (int k = 0; k < e->terms->count; k++) {
        term c = e->terms->at[k];
        if (!e->is_needed[k] || e->is_fixed[k]) continue;
        evaluate_one(e, c, along, e->value + k * e->length);
        /* known functions of time stay what they are */
        e->is_fixed[k] = c.kind == TERM_NUMBER || c.kind == TERM_TIME
            || (c.kind != TERM_UNKNOWN && e->is_fixed[c.a]
                && (!is_pair(c.kind) || e->is_fixed[c.b]));
    }
}

/* du is the change of the operand, w the term's value, dw its change */
static void differentiate_function(
    term_series *e, term c, const scalar *du, const scalar *w, scalar *dw)
{
    scalar sine[TERMS_LENGTH], factor[TERMS_LENGTH];
    bool x = e->is_exact;
    int n = e->length;
    const scalar *u = e->value + c.a * n;
    if (c.kind == TERM_EXP) {
        multiply(x, n, w, du, dw);
        return;
    }
    if (c.kind == TERM_SIN) circular(e, u, sine, factor);
    else if (c.kind == TERM_COS) circular(e, u, factor, sine);
    else multiply(x, n, w, w, factor);
    if (c.kind != TERM_SIN)
        for (int k = 0; k < n; k++)
            factor[k] = scalar_mul(x, factor[k], scalar_of(x, -1));
    multiply(x, n, factor, du, dw);
}

static void differentiate_one(
    term_series *e, int at, int j, int l, const bool *is_still)
{
    scalar other[TERMS_LENGTH];
    term c = e->terms->at[at];
    bool x = e->is_exact;
    int n = e->length;
    scalar *dw = e->tangent + at * n;
    const scalar *w = e->value + at * n;
    const scalar *da = is_leaf(c.kind) ? NULL : e->tangent + c.a * n;
    int b = is_pair(c.kind) ? c.b * n : 0;
    if (is_leaf(c.kind)) {
        for (int k = 0; k < n; k++) dw[k] = scalar_of(x, 0);
        if (c.kind == TERM_UNKNOWN && c.a == j) dw[l] = scalar_of(x, 1);
    } else if (c.kind == TERM_ADD) {
        for (int k = 0; k < n; k++)
            dw[k] = scalar_add(x, da[k], e->tangent[b + k]);
    } else if (c.kind == TERM_MUL) {
        multiply(x, n, da, e->value + b, dw);
        if (is_still[c.b]) return;
        multiply(x, n, e->value + c.a * n, e->tangent + b, other);
        for (int k = 0; k < n; k++) dw[k] = scalar_add(x, dw[k], other[k]);
    } else if (c.kind == TERM_DERIVATIVE) {
        derivative(x, n, da, dw);
    } else {
        differentiate_function(e, c, da, w, dw);
    }
}

void term_series_differentiate(term_series *e, int j, int l)
{
    int n = e->length;
    bool *is_still = malloc((size_t)e->terms->count * sizeof *is_still);
    if (!is_still) abort();
    for (int k = 0; k < e->terms->count; k++) {
        term c = e->terms->at[k];
        if (!e->is_needed[k]) continue;
        is_still[k] = c.kind == TERM_UNKNOWN ? c.a != j
            : is_leaf(c.kind)
            ? true
            : is_still[c.a] && (!is_pair(c.kind) || is_still[c.b]);
        if (!is_still[k]) {
            differentiate_one(e, k, j, l, is_still);
            continue;
        }
        scalar *dw = e->tangent + k * n;
        for (int i = 0; i < n; i++) dw[i] = scalar_of(e->is_exact, 0);
    }
    free(is_still);
}

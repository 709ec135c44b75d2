#include "code/series_choice.h"

bool series_is_choice(node_op op)
{
    switch (op) {
    case NODE_ABS:
    case NODE_SIGN:
    case NODE_FLOOR:
    case NODE_CEIL:
    case NODE_MOD:
    case NODE_MIN:
    case NODE_MAX:
    case NODE_SELECT: return true;
    default: return op >= NODE_LT && op <= NODE_NOT;
    }
}

/* How a function of time that is `distance` away from where something
 * switches goes past it. */
typedef enum passage {
    STAYS,  /* away from it, or always on it */
    ABOVE,  /* touches it and is above before and after */
    BELOW,  /* the same from below */
    CROSSES /* goes through, or nobody knows */
} passage;

/* The order in s of what is known of a - b. */
static size_t order_of_difference(
    const series_room *m, const double *a, const double *b)
{
    size_t known = series_least(series_known(m, a), series_known(m, b));
    for (size_t k = 0; k < known; k++)
        if (a[k] != b[k]) return k;
    return known;
}

/* Of a - b. */
static passage pass(const series_room *m, const double *a, const double *b)
{
    size_t known = series_least(series_known(m, a), series_known(m, b));
    size_t order = order_of_difference(m, a, b);
    if (series_is_constant(m, a) && series_is_constant(m, b)) return STAYS;
    if (known == 0) return CROSSES;
    if (order == 0) return STAYS;
    if (order == known || order % 2 == 1) return CROSSES;
    return a[order] > b[order] ? ABOVE : BELOW;
}

/* A step function with this value: a jump, or a constant. */
static void set_step(
    const series_room *m, double value, bool jumps, double *out)
{
    series_set(m, value, out);
    if (jumps) series_close(m, 0, out);
}

/* A series or its negative, with the terms before the two part. */
static void magnitude(const series_room *m, const double *a, double *out)
{
    double *zero = m->temp[0];
    series_set(m, 0, zero);
    passage way = pass(m, a, zero);
    bool is_negative = a[0] < 0 || way == BELOW;
    series_scale(m, a, is_negative ? -1 : 1, out);
    out[0] = fabs(a[0]);
    if (way == CROSSES)
        series_close(m, (double)order_of_difference(m, a, zero), out);
}

static void sign_of(
    const series_room *m, const node *n, const double *a, double *out)
{
    series_set(m, 0, m->temp[0]);
    bool jumps = pass(m, a, m->temp[0]) != STAYS;
    set_step(m, node_apply(n, a[0], 0, 0), jumps, out);
}

/* floor stays where a touches the whole number from above, ceil from below. */
static void whole(
    const series_room *m, const node *n, const double *a, double *out)
{
    passage harmless = n->op == NODE_FLOOR ? ABOVE : BELOW;
    series_set(m, rint(a[0]), m->temp[0]);
    passage way = pass(m, a, m->temp[0]);
    bool jumps = way != STAYS && way != harmless;
    set_step(m, node_apply(n, a[0], 0, 0), jumps, out);
}

/* a - b*floor(a/b) */
static void remainder_of(
    const series_room *m, const double *a, const double *b, double *out)
{
    const node floor_node = {.op = NODE_FLOOR};
    double *quotient = m->temp[1], *product = m->temp[0];
    series_div(m, a, b, quotient);
    whole(m, &floor_node, quotient, out);
    series_mul(m, b, out, product);
    if (out[m->terms] == 0) series_close(m, 0, product);
    series_sub(m, a, product, out);
}

/* MIN and MAX. */
static void extremum(const series_room *m, const node *n, const double *a,
    const double *b, double *out)
{
    passage way = pass(m, a, b);
    bool is_second = n->op == NODE_MIN ? b[0] < a[0] : b[0] > a[0];
    if (b[0] != b[0]) is_second = true;
    else if (way == ABOVE) is_second = n->op == NODE_MIN;
    else if (way == BELOW) is_second = n->op == NODE_MAX;
    series_copy(m, is_second ? b : a, out);
    if (way == CROSSES)
        series_close(m, (double)order_of_difference(m, a, b), out);
}

/* What the comparison says for a - b < 0, = 0, > 0. */
static bool compare(node_op op, int side)
{
    switch (op) {
    case NODE_LT: return side < 0;
    case NODE_LE: return side <= 0;
    case NODE_EQ: return side == 0;
    default: return side != 0; /* NE */
    }
}

static void comparison(const series_room *m, const node *n, const double *a,
    const double *b, double *out)
{
    passage way = pass(m, a, b);
    node_op op = (node_op)n->op;
    bool here = compare(op, 0), jumps = false;
    if (way == CROSSES) jumps = true;
    if (way == ABOVE) jumps = compare(op, 1) != here;
    if (way == BELOW) jumps = compare(op, -1) != here;
    set_step(m, node_apply(n, a[0], b[0], 0), jumps, out);
}

/* 1, 0: true, false, here and close by; -1: nobody knows. */
static int truth(const series_room *m, const double *a)
{
    if (series_known(m, a) == 0) return -1;
    if (a[0] != 0) return 1; /* NaN too, as node_apply */
    return series_is_constant(m, a) ? 0 : -1;
}

static void logic(const series_room *m, const node *n, const double *a,
    const double *b, double *out)
{
    int p = truth(m, a), q = n->op == NODE_NOT ? 0 : truth(m, b);
    bool jumps = p < 0 || q < 0;
    int decides = n->op == NODE_OR; /* whatever the other one is */
    if (n->op != NODE_NOT && (p == decides || q == decides)) jumps = false;
    double second = n->op == NODE_NOT ? 0 : b[0];
    set_step(m, node_apply(n, a[0], second, 0), jumps, out);
}

/* Where the condition switches, the branches' common terms are left. */
static void choice(const series_room *m, const double *a, const double *b,
    const double *c, double *out)
{
    series_copy(m, a[0] != 0 ? b : c, out);
    if (truth(m, a) < 0)
        series_close(m, (double)order_of_difference(m, b, c), out);
}

void series_choice(const series_room *m, const node *n, const double *a,
    const double *b, const double *c, double *out)
{
    switch ((node_op)n->op) {
    case NODE_ABS: magnitude(m, a, out); return;
    case NODE_SIGN: sign_of(m, n, a, out); return;
    case NODE_FLOOR:
    case NODE_CEIL: whole(m, n, a, out); return;
    case NODE_MOD: remainder_of(m, a, b, out); return;
    case NODE_MIN:
    case NODE_MAX: extremum(m, n, a, b, out); return;
    case NODE_SELECT: choice(m, a, b, c, out); return;
    case NODE_AND:
    case NODE_OR:
    case NODE_NOT: logic(m, n, a, b, out); return;
    default: comparison(m, n, a, b, out); return;
    }
}

/* An expression as nodes in the order in which it is to be read, for the
 * printer of shapes. The pool's makers would bring operands into an order of
 * their own, so the nodes are put down as they are, and never looked up. */
#include "ir/algebra.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDING (2 * DBL_EPSILON)

typedef struct display {
    const algebra *a;
    shape_pool pool;
    node_id *nodes; /* per expression; NODE_NONE: not made */
    uint8_t *needed;
} display;

static node_id put_node(display *d, node n)
{
    if (d->pool.failed) return NODE_NONE;
    if (!ARRAY_PUSH(d->pool.allocator, &d->pool.nodes, n)) {
        d->pool.failed = true;
        return NODE_NONE;
    }
    return (node_id)d->pool.nodes.count - 1;
}

/* What products of numbers leave: 0.30000000000000004 is 0.3. */
static double without_rounding(double value)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.15g", value);
    double shorter = strtod(text, NULL);
    return fabs(shorter - value) <= ROUNDING * fabs(value) ? shorter : value;
}

static node_id put_number(display *d, double value)
{
    value = without_rounding(value);
    return put_node(d, (node){.op = NODE_CONST, .value = value});
}

static node_id put_binary(display *d, node_op op, node_id a, node_id b)
{
    return put_node(d, (node){.op = (uint8_t)op, .a = a, .b = b});
}

static node_id put_power(display *d, expr_id base, int32_t exponent)
{
    node n = {.op = NODE_POWI, .a = d->nodes[base]};
    if (exponent == 1) return n.a;
    n.exponent = exponent;
    return put_node(d, n);
}

/* The product of the powers with positive (or negative) exponents after
 * `start`, or `start` where there are none. */
static node_id put_powers(
    display *d, const expr_term *t, bool is_below, node_id start)
{
    for (uint32_t k = 0; k < t->count; k++) {
        int32_t exponent = t->factors[k].exponent;
        if ((exponent < 0) != is_below) continue;
        node_id power = put_power(
            d, t->factors[k].base, is_below ? -exponent : exponent);
        start = start == NODE_NONE ? power
                                   : put_binary(d, NODE_MUL, start, power);
    }
    return start;
}

static bool has_above(const expr_term *t)
{
    for (uint32_t k = 0; k < t->count; k++)
        if (t->factors[k].exponent > 0) return true;
    return false;
}

/* The first factor of a term takes the minus sign: -x*y. */
static node_id put_negative(display *d, const expr_term *t)
{
    expr_term rest = *t;
    expr_factor *factors;
    node_id first = NODE_NONE;
    factors = alloc_zeroed(d->a->allocator, t->count, sizeof *factors);
    if (!factors) {
        d->pool.failed = true;
        return NODE_NONE;
    }
    rest.factors = factors;
    rest.count = 0;
    for (uint32_t k = 0; k < t->count; k++) {
        expr_factor f = t->factors[k];
        if (first == NODE_NONE && f.exponent > 0)
            first = put_power(d, f.base, f.exponent);
        else factors[rest.count++] = f;
    }
    first = put_node(d, (node){.op = NODE_NEG, .a = first});
    first = put_powers(d, &rest, false, first);
    alloc_free(d->a->allocator, factors, t->count, sizeof *factors);
    return first;
}

/* Numbers of more digits than these are rather written as quotients. */
enum { SHORT_DIGITS = 7, DIVISOR_MOST = 99 };

/* 3 for 0.333..., 0.666...; 1 where the number is short or no quotient. */
static int divisor_of(double value)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.*g", SHORT_DIGITS, value);
    if (strtod(text, NULL) == value) return 1;
    for (int q = 3; q <= DIVISOR_MOST; q++) {
        double whole = nearbyint(value * q);
        if (whole != 0 && fabs(whole) < 1000 && whole / q == value) return q;
    }
    return 1;
}

static node_id put_term(display *d, const expr_term *t, double coefficient)
{
    node_id above = NODE_NONE, below = NODE_NONE;
    coefficient = without_rounding(coefficient);
    int divisor = divisor_of(coefficient);
    if (divisor > 1) {
        coefficient = nearbyint(coefficient * divisor);
        below = put_number(d, divisor);
    }
    if (coefficient == -1 && has_above(t)) {
        above = put_negative(d, t);
    } else {
        if (coefficient != 1 || !has_above(t))
            above = put_number(d, coefficient);
        above = put_powers(d, t, false, above);
    }
    below = put_powers(d, t, true, below);
    return below == NODE_NONE ? above : put_binary(d, NODE_DIV, above, below);
}

static node_id put_sum(display *d, const expr *x)
{
    if (x->count == 0) return put_number(d, 0);
    node_id sum = put_term(d, &x->terms[0], x->terms[0].coefficient);
    for (uint32_t k = 1; k < x->count; k++) {
        double c = x->terms[k].coefficient;
        node_id more = put_term(d, &x->terms[k], fabs(c));
        sum = put_binary(d, c < 0 ? NODE_SUB : NODE_ADD, sum, more);
    }
    return sum;
}

static node_id put_expr(display *d, const expr *x)
{
    if (x->op == EXPR_SUM) return put_sum(d, x);
    node n = algebra_operation(x);
    n.kind = x->kind;
    if (x->op == NODE_HOLE) {
        n.a = x->number;
        return put_node(d, n);
    }
    n.a = d->nodes[x->operand[0]];
    if (x->operand[1] != EXPR_NONE) n.b = d->nodes[x->operand[1]];
    if (x->operand[2] != EXPR_NONE) n.c = d->nodes[x->operand[2]];
    return put_node(d, n);
}

/* What is above needs its parts, which have smaller ids. */
static void mark_needed(display *d, expr_id root)
{
    d->needed[root] = 1;
    for (expr_id id = root + 1; id-- > 0;) {
        const expr *x = algebra_expr(d->a, id);
        if (!d->needed[id] || x->op == NODE_HOLE) continue;
        for (uint32_t k = 0; k < x->count; k++)
            for (uint32_t f = 0; f < x->terms[k].count; f++)
                d->needed[x->terms[k].factors[f].base] = 1;
        for (int k = 0; k < 3 && x->op != EXPR_SUM; k++)
            if (x->operand[k] != EXPR_NONE) d->needed[x->operand[k]] = 1;
    }
}

dae_status algebra_print(const algebra *a, expr_id root, size_t limit,
    print_leaf_fn *leaf, void *leaf_context, dae_write_fn *write, void *context)
{
    size_t count = (size_t)root + 1;
    display d = {.a = a};
    shape_pool_init(&d.pool, a->allocator);
    d.nodes = alloc_zeroed(a->allocator, count, sizeof *d.nodes);
    d.needed = alloc_zeroed(a->allocator, count, 1);
    dae_status st = d.nodes && d.needed ? DAE_OK : DAE_MEMORY;
    if (!st) mark_needed(&d, root);
    for (expr_id id = 0; !st && id <= root; id++)
        if (d.needed[id]) d.nodes[id] = put_expr(&d, algebra_expr(a, id));
    if (d.pool.failed) st = DAE_MEMORY;
    if (!st)
        st = shape_print(
            &d.pool, d.nodes[root], limit, leaf, leaf_context, write, context);
    alloc_free(a->allocator, d.nodes, count, sizeof *d.nodes);
    alloc_free(a->allocator, d.needed, count, 1);
    shape_pool_clear(&d.pool);
    return st;
}

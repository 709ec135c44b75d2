/* Arithmetic on one number at a time: what is known now is computed now,
 * what depends on params only becomes a param node, the rest a shape node.
 * The folder and the interpreter share node_apply, so folding never changes a
 * bit of the result. */
#include "sema/lowering.h"

#include "ir/rounding.h"
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

value fail_value(
    lowering *l, diag_code code, text_span span, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    report(l->ds, code, l->source, span, "%s", text);
    if (code == DIAG_E0004 || code == DIAG_E0106) l->hit_limit = true;
    return value_error();
}

static value no_memory(lowering *l)
{
    l->failed_memory = true;
    return value_error();
}

static value from_param(lowering *l, node_id id)
{
    if (id == NODE_NONE) return no_memory(l);
    double number;
    if (shape_is_const(&l->s->params, id, &number)) {
        return value_number(number);
    }
    return (value){.kind = VALUE_PARAM, .node = id};
}

/* An expression that simplified to a number is a number again. */
static value from_shape(lowering *l, node_id id)
{
    if (id == NODE_NONE) return no_memory(l);
    double number;
    if (shape_is_const(&l->s->shapes, id, &number)) {
        return value_number(number);
    }
    return (value){.kind = VALUE_EXPR, .node = id};
}

/* Below, a number is as good as any that is written. */
static const float ROUNDED = 1e-3F;

bool value_note_rounding(lowering *l, value v, node_id id)
{
    if (v.kind != VALUE_NUMBER || v.rounding < ROUNDED || id == NODE_NONE)
        return true;
    if (!system_note_rounding(
            l->s, id, v.number, (double)v.rounding * fabs(v.number)))
        return true;
    l->failed_memory = true;
    return false;
}

static node_id param_node(lowering *l, value v)
{
    if (v.kind != VALUE_NUMBER) return v.node;
    const node_id id = shape_const(&l->s->params, v.number);
    return value_note_rounding(l, v, id) ? id : NODE_NONE;
}

static double rounding_of(value v)
{
    return v.rounding > 0 ? (double)v.rounding * fabs(v.number)
                          : rounding_of_number(v.number);
}

/* A number that was computed of others, with what rounding may have done. */
static value computed(const node *n, double result, value x, value y)
{
    value out = value_number(result);
    const double v[3] = {x.number, y.number, 0};
    const double error[3] = {rounding_of(x), rounding_of(y), 0};
    if (result == 0 || !isfinite(result)) return out;
    /* as indices are */
    if (error[0] == 0 && error[1] == 0 && number_is_whole(result)) return out;
    out.rounding = (float)fmin(
        rounding_of_node(n, v, error, result) / fabs(result), (double)FLT_MAX);
    return out;
}

/* Folding may not hide a value that has no meaning: log(-1), 1/0. */
static value folded(
    lowering *l, const node *n, value x, value y, text_span span)
{
    const double a = x.number, b = y.number;
    double result = node_apply(n, a, b, 0);
    bool operands = isfinite(a) && isfinite(b);
    if (isfinite(result) || (!operands && !isnan(result)))
        return computed(n, result, x, y);
    const char *text = node_text((node_op)n->op);
    if (node_arity((node_op)n->op) == 1) {
        return fail_value(
            l, DIAG_E0213, span, "`%s(%.12g)` has no value", text, a);
    }
    return fail_value(
        l, DIAG_E0213, span, "`%.12g %s %.12g` has no value", a, text, b);
}

value scalar_unary(lowering *l, node_op op, value a, text_span span)
{
    switch (a.kind) {
    case VALUE_ERROR: return a;
    case VALUE_NUMBER:
        return folded(l, &(node){.op = (uint8_t)op}, a, value_number(0), span);
    case VALUE_PARAM:
        return from_param(l, shape_unary(&l->s->params, op, a.node));
    default: break;
    }
    if (op == NODE_SIGN && l->slides && value_moves(l, a))
        return sliding_sign(l, a.node, span);
    return from_shape(l, shape_unary(&l->s->shapes, op, a.node));
}

/* x^2 and x^0.5 are shapes of their own; the exponent is part of them. */
static value power(lowering *l, value a, double exponent)
{
    bool is_whole = exponent == floor(exponent) && fabs(exponent) <= 1024;
    shape_pool *pool = a.kind == VALUE_PARAM ? &l->s->params : &l->s->shapes;
    node_id id = is_whole ? shape_powi(pool, a.node, (int32_t)exponent)
                          : shape_unary(pool, NODE_SQRT, a.node);
    return a.kind == VALUE_PARAM ? from_param(l, id) : from_shape(l, id);
}

static bool is_power(node_op op, value a, value b)
{
    if (op != NODE_POW || a.kind == VALUE_NUMBER) return false;
    if (b.kind != VALUE_NUMBER) return false;
    return b.number == 0.5
        || (b.number == floor(b.number) && fabs(b.number) <= 1024);
}

value scalar_binary(lowering *l, node_op op, value a, value b, text_span span)
{
    if (a.kind == VALUE_ERROR) return a;
    if (b.kind == VALUE_ERROR) return b;
    if (a.kind == VALUE_NUMBER && b.kind == VALUE_NUMBER)
        return folded(l, &(node){.op = (uint8_t)op}, a, b, span);
    if (op == NODE_DIV && b.kind == VALUE_NUMBER && b.number == 0) {
        return fail_value(l, DIAG_E0213, span, "division by zero");
    }
    if (is_power(op, a, b)) return power(l, a, b.number);
    if (value_is_constant(a) && value_is_constant(b)) {
        node_id x = param_node(l, a), y = param_node(l, b);
        return from_param(l, shape_binary(&l->s->params, op, x, y));
    }
    node_id x = builder_node(l, a), y = builder_node(l, b);
    const value v = from_shape(l, shape_binary(&l->s->shapes, op, x, y));
    return op == NODE_MUL ? factors_signed_root(l, v, span) : v;
}

value scalar_select(lowering *l, value c, value a, value b, text_span span)
{
    if (c.kind == VALUE_ERROR) return c;
    if (a.kind == VALUE_ERROR) return a;
    if (b.kind == VALUE_ERROR) return b;
    node_id x = builder_node(l, c), y = builder_node(l, a);
    node_id z = builder_node(l, b);
    const value v = from_shape(l, shape_select(&l->s->shapes, x, y, z));
    const value w = factors_signed_root(l, v, span);
    return l->slides && w.kind == VALUE_EXPR ? sliding_choice(l, w, span) : w;
}

value scalar_family(lowering *l, node_op op, unsigned index, value a)
{
    if (a.kind == VALUE_ERROR) return a;
    if (a.kind == VALUE_NUMBER) {
        node n = {.op = (uint8_t)op, .order = (uint8_t)index};
        return value_number(node_apply(&n, a.number, 0, 0));
    }
    if (a.kind == VALUE_PARAM) {
        return from_param(l, shape_family(&l->s->params, op, index, a.node));
    }
    return from_shape(l, shape_family(&l->s->shapes, op, index, a.node));
}

static value prime_leaf(
    lowering *l, const node *n, unsigned order, text_span span)
{
    unsigned total = n->order + order;
    if (total > MAX_PRIMES) {
        return fail_value(l, DIAG_E0216, span,
            "a derivative of order %u is beyond the limit of %d", total,
            MAX_PRIMES);
    }
    return from_shape(
        l, shape_hole(&l->s->shapes, (leaf_kind)n->kind, n->a, total));
}

value scalar_prime(lowering *l, value a, unsigned order, text_span span)
{
    if (a.kind == VALUE_ERROR || order == 0) return a;
    if (value_is_constant(a)) return value_number(0);
    node n = *shape_node(&l->s->shapes, a.node);
    bool moves = n.kind == LEAF_UNKNOWN || n.kind == LEAF_DEFINITION;
    if (n.op == NODE_HOLE && moves) {
        return prime_leaf(l, &n, order, span);
    }
    if (n.op == NODE_HOLE && n.kind == LEAF_HELD) {
        return fail_value(
            l, DIAG_E0218, span, "a discrete variable has no derivative");
    }
    node_id id = a.node;
    size_t before = l->s->shapes.nodes.count;
    for (unsigned k = 0; k < order; k++) {
        if (loop_tick(l, span)) return value_error();
        size_t made = l->s->shapes.nodes.count - before;
        size_t budget = made < DIFF_BUDGET ? DIFF_BUDGET - made : 0;
        dae_status st = diff_time(&l->s->shapes, id, budget, &id);
        if (st == DAE_MEMORY) return no_memory(l);
        if (st) {
            return fail_value(l, DIAG_E0216, span,
                "the derivative of order %u of this expression is too large",
                order);
        }
    }
    return from_shape(l, id);
}

const char *choice_help(const lowering *l, const char *otherwise)
{
    return !l->is_choosing
        ? otherwise
        : "an `if` block chooses equations before the run, by numbers and "
          "params; what changes in it is chosen within an equation, "
          "`x' = if c then a else b`, and what happens once stands in "
          "`when c`";
}

bool value_of_choice(lowering *l, const ast_expr *condition, double *holds)
{
    l->is_choosing = true;
    const value v = lower_scalar(l, condition);
    const bool is_known = value_force(
        l, v, condition->span, "the condition of an `if` block", holds);
    l->is_choosing = false;
    return is_known;
}

bool value_force(
    lowering *l, value v, text_span span, const char *what, double *number)
{
    if (v.kind == VALUE_ERROR) return false;
    if (v.kind == VALUE_NUMBER) {
        *number = v.number;
        return true;
    }
    if (v.kind != VALUE_PARAM) {
        report(l->ds, DIAG_E0206, l->source, span,
            "%s must be known before the run starts", what);
        report_help(l->ds, "%s",
            choice_help(
                l, "use numbers, params, loop indices and functions of them"));
        return false;
    }
    if (system_param_mark(l->s, v.node) || system_params_update(l->s)) {
        l->failed_memory = true;
        return false;
    }
    *number = l->s->param_values.items[v.node];
    return true;
}

bool value_force_integer(
    lowering *l, value v, text_span span, const char *what, int64_t *integer)
{
    double x;
    if (!value_force(l, v, span, what, &x)) return false;
    double whole = nearbyint(x);
    if (isnan(x)) {
        fail_value(l, DIAG_E0213, span, "%s has no value", what);
        return false;
    }
    if (!isfinite(x) || fabs(whole) > 9007199254740992.0) {
        fail_value(l, DIAG_E0206, span, "%s is %.12g", what, x);
        return false;
    }
    /* h = 1/n leaves 4.000000000000001 where 4 is meant. */
    if (fabs(x - whole) > 1e-9 * fmax(1, fabs(x))) {
        fail_value(l, DIAG_E0206, span,
            "%s must be a whole number, but is %.12g", what, x);
        return false;
    }
    *integer = (int64_t)whole;
    return true;
}

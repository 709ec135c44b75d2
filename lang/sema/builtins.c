/* Calls: the functions of the language, and functions of the user, which are
 * inlined with their arguments' values. */
#include "sema/tables.h"

#include <string.h>

enum special {
    PLAIN,
    SUM,
    PROD,
    MINIMUM,
    MAXIMUM,
    DOT,
    CROSS,
    NORM,
    OUTER,
    TRANSPOSE,
    IDENTITY,
    ZEROS,
    ONES,
    DER,
    SMOOTH,
    INITIAL,
    STUMPFF,
    TABLE,
    LATER
};

static const builtin builtins[] = {
    {"sin", NODE_SIN, 1, 1, PLAIN},
    {"cos", NODE_COS, 1, 1, PLAIN},
    {"tan", NODE_TAN, 1, 1, PLAIN},
    {"asin", NODE_ASIN, 1, 1, PLAIN},
    {"acos", NODE_ACOS, 1, 1, PLAIN},
    {"atan", NODE_ATAN, 1, 1, PLAIN},
    {"atan2", NODE_ATAN2, 2, 2, PLAIN},
    {"sinh", NODE_SINH, 1, 1, PLAIN},
    {"cosh", NODE_COSH, 1, 1, PLAIN},
    {"tanh", NODE_TANH, 1, 1, PLAIN},
    {"asinh", NODE_ASINH, 1, 1, PLAIN},
    {"acosh", NODE_ACOSH, 1, 1, PLAIN},
    {"atanh", NODE_ATANH, 1, 1, PLAIN},
    {"exp", NODE_EXP, 1, 1, PLAIN},
    {"log", NODE_LOG, 1, 1, PLAIN},
    {"log10", NODE_LOG10, 1, 1, PLAIN},
    {"log1p", NODE_LOG1P, 1, 1, PLAIN},
    {"expm1", NODE_EXPM1, 1, 1, PLAIN},
    {"sqrt", NODE_SQRT, 1, 1, PLAIN},
    {"cbrt", NODE_CBRT, 1, 1, PLAIN},
    {"abs", NODE_ABS, 1, 1, PLAIN},
    {"sign", NODE_SIGN, 1, 1, PLAIN},
    {"min", NODE_MIN, 1, 255, MINIMUM},
    {"max", NODE_MAX, 1, 255, MAXIMUM},
    {"hypot", NODE_HYPOT, 2, 2, PLAIN},
    {"erf", NODE_ERF, 1, 1, PLAIN},
    {"floor", NODE_FLOOR, 1, 1, PLAIN},
    {"ceil", NODE_CEIL, 1, 1, PLAIN},
    {"mod", NODE_MOD, 2, 2, PLAIN},
    {"sinc", NODE_SINC, 1, 1, PLAIN},
    {"cosc", NODE_COSC, 1, 1, PLAIN},
    {"sincc", NODE_SINCC, 1, 1, PLAIN},
    {"stumpff", NODE_STUMPFF, 2, 2, STUMPFF},
    {"sum", NODE_ADD, 1, 1, SUM},
    {"prod", NODE_MUL, 1, 1, PROD},
    {"dot", -1, 2, 2, DOT},
    {"cross", -1, 2, 2, CROSS},
    {"norm", -1, 1, 1, NORM},
    {"outer", -1, 2, 2, OUTER},
    {"transpose", -1, 1, 1, TRANSPOSE},
    {"identity", -1, 1, 1, IDENTITY},
    {"zeros", -1, 1, SYSTEM_MAX_RANK, ZEROS},
    {"ones", -1, 1, SYSTEM_MAX_RANK, ONES},
    {"der", -1, 1, 2, DER},
    {"smooth", -1, 1, 1, SMOOTH},
    {"initial", -1, 1, 1, INITIAL},
    {"table", -1, 0, 255, TABLE},
    {"rate", -1, 0, 255, LATER},
};

size_t builtin_count(void)
{
    return sizeof builtins / sizeof builtins[0];
}

const builtin *builtin_at(size_t i)
{
    return &builtins[i];
}

const builtin *builtin_find(const char *name)
{
    for (size_t k = 0; k < builtin_count(); k++) {
        const bool is_close = builtins[k].name[0] == name[0];
        if (is_close && strcmp(builtins[k].name, name) == 0)
            return &builtins[k];
    }
    return NULL;
}

/* ---- vectors and matrices -------------------------------------------------- */

static bool is_vector(value v, int64_t length)
{
    return is_array(v) && v.array->rank == 1
        && (length < 0 || v.array->extent[0] == length);
}

static value wrong_shape(
    lowering *l, const ast_expr *e, const char *what, value v)
{
    if (v.kind == VALUE_ERROR) return v;
    return fail_value(
        l, DIAG_E0204, e->span, "%s, not %s", what, array_shape_text(l, v));
}

/* a[i]*b[j]. Nodes are numbered as they are made, and C leaves open which
 * argument is worked out first. */
static value item_product(lowering *l, const value_array *a, size_t i,
    const value_array *b, size_t j, text_span span)
{
    value x = array_item(l, a, i);
    return scalar_binary(l, NODE_MUL, x, array_item(l, b, j), span);
}

static value cross_item(
    lowering *l, value a, value b, size_t i, size_t j, text_span span)
{
    value x = item_product(l, a.array, i, b.array, j, span);
    value y = item_product(l, a.array, j, b.array, i, span);
    return scalar_binary(l, NODE_SUB, x, y, span);
}

static value lower_cross(lowering *l, const ast_expr *e, value a, value b)
{
    const char *what = "`cross` takes two vectors of length 3";
    if (!is_vector(a, 3)) return wrong_shape(l, e, what, a);
    if (!is_vector(b, 3)) return wrong_shape(l, e, what, b);
    int64_t extent = 3;
    value r = array_make(l, 1, &extent);
    for (size_t k = 0; is_array(r) && k < 3; k++) {
        value v = cross_item(l, a, b, (k + 1) % 3, (k + 2) % 3, e->span);
        if (v.kind == VALUE_ERROR) return v;
        r.array->items[k] = v;
    }
    return r;
}

static value lower_norm(lowering *l, const ast_expr *e, value a)
{
    if (!is_array(a)) return scalar_unary(l, NODE_ABS, a, e->span);
    value squares = array_binary(l, NODE_MUL, a, a, e->span);
    if (!is_array(squares)) return squares;
    value sum = fold_array(l, NODE_ADD, squares.array, e->span);
    return scalar_unary(l, NODE_SQRT, sum, e->span);
}

static value lower_outer(lowering *l, const ast_expr *e, value a, value b)
{
    const char *what = "`outer` takes two vectors";
    if (!is_vector(a, -1)) return wrong_shape(l, e, what, a);
    if (!is_vector(b, -1)) return wrong_shape(l, e, what, b);
    int64_t extent[2] = {a.array->extent[0], b.array->extent[0]};
    value r = array_make(l, 2, extent);
    for (size_t k = 0; is_array(r) && k < r.array->count; k++) {
        size_t columns = (size_t)extent[1];
        value v = item_product(
            l, a.array, k / columns, b.array, k % columns, e->span);
        if (v.kind == VALUE_ERROR || loop_tick(l, e->span))
            return value_error();
        r.array->items[k] = v;
    }
    return r;
}

static value lower_transpose(lowering *l, const ast_expr *e, value a)
{
    if (!is_array(a) || a.array->rank != 2) {
        return wrong_shape(l, e, "`transpose` takes a matrix", a);
    }
    int64_t extent[2] = {a.array->extent[1], a.array->extent[0]};
    value r = array_make(l, 2, extent);
    for (size_t k = 0; is_array(r) && k < r.array->count; k++) {
        size_t rows = (size_t)extent[1], i = k / rows, j = k % rows;
        r.array->items[k] = array_item(l, a.array, j * (size_t)extent[0] + i);
    }
    return r;
}

/* identity(n), zeros(n, m, ...), ones(n, m, ...). */
static value lower_filled(lowering *l, const ast_expr *e, int special)
{
    int64_t extent[SYSTEM_MAX_RANK];
    uint32_t rank = special == IDENTITY ? 2 : e->count;
    for (uint32_t k = 0; k < e->count; k++) {
        value v = lower_scalar(l, e->items[k]);
        if (!value_force_integer(
                l, v, e->items[k]->span, "a size", &extent[k])) {
            return value_error();
        }
        if (extent[k] < 0 || extent[k] > 100000000) {
            diag_code code = extent[k] < 0 ? DIAG_E0204 : DIAG_E0004;
            return fail_value(l, code, e->items[k]->span, "a size of %lld",
                (long long)extent[k]);
        }
    }
    if (special == IDENTITY) extent[1] = extent[0];
    value r = array_make(l, rank, extent);
    for (size_t k = 0; is_array(r) && k < r.array->count; k++) {
        bool is_diagonal = special == IDENTITY
            && k / (size_t)extent[0] == k % (size_t)extent[0];
        r.array->items[k] = value_number(is_diagonal || special == ONES);
    }
    return r;
}

/* ---- special functions ------------------------------------------------------- */

static value lower_der(lowering *l, const ast_expr *e)
{
    int64_t order = 1;
    if (e->count == 2
        && !value_force_integer(l, lower_scalar(l, e->items[1]),
            e->items[1]->span, "the order of a derivative", &order)) {
        return value_error();
    }
    if (order < 0 || order > MAX_PRIMES) {
        return fail_value(l, DIAG_E0216, e->span, "a derivative of order %lld",
            (long long)order);
    }
    return array_prime(l, lower_expr(l, e->items[0]), (unsigned)order, e->span);
}

/* stumpff(k, s): k is a whole number from 0 to 64. */
static value lower_stumpff(lowering *l, const ast_expr *e)
{
    int64_t k;
    value index = lower_scalar(l, e->items[0]);
    if (!value_force_integer(l, index, e->items[0]->span,
            "the number of a Stumpff function", &k)) {
        return value_error();
    }
    if (k < 0 || k > 64) {
        return fail_value(l, DIAG_E0213, e->items[0]->span,
            "the number of a Stumpff function is 0 to 64, not %lld",
            (long long)k);
    }
    value s = lower_scalar(l, e->items[1]);
    return scalar_family(l, NODE_STUMPFF, (unsigned)k, s);
}

/* A number that the start fills in, a param of its own. */
static value initial_item(lowering *l, const ast_expr *e, value v)
{
    if (v.kind != VALUE_EXPR) return v;
    term t;
    system_tables *s = l->s;
    size_t element = s->param_inputs.count;
    name_block name = {.name = "initial",
        .first = element,
        .count = 1,
        .span = e->span,
        .unit = "",
        .doc = ""};
    bool ok = !term_finish(l, v.node, &t)
        && !system_add_row(
            s, GROUP_START, t.root, t.count, (uint32_t)s->start_count, t.holes)
        && ARRAY_PUSH(s->allocator, &s->param_names, name)
        && ARRAY_PUSH(s->allocator, &s->param_inputs, 0.0)
        && ARRAY_PUSH(s->allocator, &s->param_is_structural, 0)
        && ARRAY_PUSH(s->allocator, &s->param_nodes, NODE_NONE);
    if (ok && s->start_count == 0) s->start_first = element;
    s->start_count++;
    node_id id = ok ? system_param_element(s, element) : NODE_NONE;
    if (id == NODE_NONE) {
        l->failed_memory = true;
        return value_error();
    }
    return (value){.kind = VALUE_PARAM, .node = id};
}

/* initial(e): e at the consistent start; of an array all its elements. */
static value lower_initial(lowering *l, const ast_expr *e)
{
    if (!l->allow_initial) {
        value error = fail_value(l, DIAG_E0203, e->span,
            "`initial` may stand in `expect` and `plot` lines only");
        report_help(l->ds, "give the value a name with `param`");
        return error;
    }
    value v = lower_expr(l, e->items[0]);
    if (!is_array(v)) return initial_item(l, e, v);
    value r = array_make(l, v.array->rank, v.array->extent);
    for (size_t k = 0; is_array(r) && k < v.array->count; k++) {
        value item = initial_item(l, e, array_item(l, v.array, k));
        if (item.kind == VALUE_ERROR) return item;
        r.array->items[k] = item;
    }
    return r;
}

/* min, max, sum, prod: of an array all elements, of several numbers these. */
static value lower_fold(lowering *l, const ast_expr *e, node_op op)
{
    if (e->count == 1 && e->items[0]->kind == AST_COMPREHENSION) {
        return lower_comprehension(l, e->items[0], op);
    }
    value v = lower_expr(l, e->items[0]);
    if (e->count == 1) {
        return is_array(v) ? fold_array(l, op, v.array, e->span) : v;
    }
    for (uint32_t k = 1; k < e->count && v.kind != VALUE_ERROR; k++) {
        v = array_binary(l, op, v, lower_expr(l, e->items[k]), e->span);
    }
    return v;
}

/* A definition of its own, so that who looks for kinks sees the word. */
static value smooth_item(lowering *l, value v, text_span span)
{
    if (v.kind != VALUE_EXPR) return v;
    const node *n = shape_node(&l->s->shapes, v.node);
    if (n->op == NODE_HOLE && n->kind != LEAF_DEFINITION) return v;
    text_span outer = l->part_span;
    l->part_span = span;
    v = define_term(l, DEFINITION_PART, v.node);
    l->part_span = outer;
    if (v.kind == VALUE_ERROR) return v;
    l->s->definitions.items[v.node].is_smooth = true;
    return value_resolve(l, v);
}

static value lower_smooth(lowering *l, const ast_expr *e)
{
    value v = lower_expr(l, e->items[0]);
    if (!is_array(v)) return smooth_item(l, v, e->span);
    value r = array_make(l, v.array->rank, v.array->extent);
    if (!is_array(r)) return r;
    memcpy(r.array->lower, v.array->lower, sizeof r.array->lower);
    for (size_t k = 0; k < v.array->count; k++) {
        value item = smooth_item(l, array_item(l, v.array, k), e->span);
        if (item.kind == VALUE_ERROR) return item;
        r.array->items[k] = item;
    }
    return r;
}

static value lower_special(lowering *l, const ast_expr *e, const builtin *b)
{
    switch (b->special) {
    case SUM:
    case PROD:
    case MINIMUM:
    case MAXIMUM: return lower_fold(l, e, (node_op)b->op);
    case IDENTITY:
    case ZEROS:
    case ONES: return lower_filled(l, e, b->special);
    case DER: return lower_der(l, e);
    case SMOOTH: return lower_smooth(l, e);
    case INITIAL: return lower_initial(l, e);
    case STUMPFF: return lower_stumpff(l, e);
    case TABLE: return lower_table(l, e);
    case LATER:
        return fail_value(
            l, DIAG_E0210, e->span, "`%s(...)` is not available yet", b->name);
    default: break;
    }
    value a = lower_expr(l, e->items[0]);
    if (a.kind == VALUE_ERROR) return a;
    if (b->special == NORM) return lower_norm(l, e, a);
    if (b->special == TRANSPOSE) return lower_transpose(l, e, a);
    value c = lower_expr(l, e->items[1]);
    if (c.kind == VALUE_ERROR) return c;
    if (b->special == DOT) return array_dot(l, a, c, e->span);
    if (b->special == CROSS) return lower_cross(l, e, a, c);
    return lower_outer(l, e, a, c);
}

static value lower_builtin(lowering *l, const ast_expr *e, const builtin *b)
{
    if (b->special != PLAIN) return lower_special(l, e, b);
    value v = lower_expr(l, e->items[0]);
    if (b->most == 1) return array_unary(l, (node_op)b->op, v, e->span);
    if (v.kind == VALUE_ERROR) return v;
    return array_binary(
        l, (node_op)b->op, v, lower_expr(l, e->items[1]), e->span);
}

/* ---- functions of the user ----------------------------------------------------- */

/* name = expr lines of the body, in order. */
static bool bind_body(lowering *l, const ast_stmt *fun, uint32_t *pushed)
{
    for (uint32_t k = 0; k < fun->body_count; k++) {
        const ast_stmt *line = fun->body[k];
        if (line->kind == AST_EVENT) return false; /* told of by resolve */
        if (line->kind != AST_EQUATION || line->left->kind != AST_NAME) {
            fail_value(l, DIAG_E0203, line->span,
                "the body of a function holds lines `name = expression`");
            return false;
        }
        value v = lower_expr(l, line->right);
        if (v.kind == VALUE_ERROR) return false;
        local_push(l, line->left->name, v);
        if (l->failed_memory) return false;
        ++*pushed;
    }
    return true;
}

static value inline_function(
    lowering *l, const ast_stmt *fun, const value *arguments)
{
    size_t visible = l->locals.count;
    uint32_t pushed = 0;
    for (; pushed < fun->param_count && !l->failed_memory; pushed++) {
        local_push(l, fun->params[pushed], arguments[pushed]);
    }
    value v = value_error();
    if (!l->failed_memory && bind_body(l, fun, &pushed)) {
        v = lower_expr(l, fun->result);
    }
    while (l->locals.count > visible) local_pop(l);
    return v;
}

/* Functions that call each other twice or more double their work with every
 * level. Arguments are part of what the call costs; what a loop repeats is
 * the loop's, whose turns are limited apart. */
static bool count_call(lowering *l, const ast_expr *e)
{
    if (l->call_depth == 0) {
        l->inlined = 0;
        l->outer_call = e->span;
        l->turns_before = l->iterations - l->calls;
    }
    int64_t turns = l->iterations - l->calls - l->turns_before;
    if (turns > MAX_INLINED_TURNS) turns = MAX_INLINED_TURNS;
    if (++l->inlined <= MAX_INLINED + INLINED_PER_TURN * turns) return true;
    fail_value(l, DIAG_E0004, l->outer_call,
        "this call comes to more than %d calls of functions inside each other",
        MAX_INLINED);
    report_help(l->ds, "name what is used twice: y = f(x), then y*y");
    return false;
}

static value call_function(lowering *l, const ast_expr *e, const symbol *s)
{
    const ast_stmt *fun = s->stmt;
    if (pending_call(l, s)) {
        pending_report(l, s, e->span);
        return value_error();
    }
    if (l->call_depth >= MAX_CALL_DEPTH) {
        return fail_value(l, DIAG_E0106, e->span,
            "functions call each other more than %d deep here", MAX_CALL_DEPTH);
    }
    if (!count_call(l, e)) return value_error();
    value *arguments = ARENA_ARRAY(
        &l->scratch, value, (size_t)fun->param_count + 1);
    if (!arguments) {
        l->failed_memory = true;
        return value_error();
    }
    for (uint32_t k = 0; k < fun->param_count; k++) {
        arguments[k] = lower_expr(l, e->items[k]);
        if (arguments[k].kind == VALUE_ERROR) return value_error();
    }
    l->calls++;
    if (loop_tick(l, e->span)) return value_error();
    size_t scope = scope_enter(l);
    const pending now = {l->pending, s, false};
    l->pending = &now;
    l->call_depth++;
    value v = inline_function(l, fun, arguments);
    l->call_depth--;
    l->pending = now.outer;
    scope_leave(l, scope);
    return v;
}

value lower_call(lowering *l, const ast_expr *e)
{
    /* Wrong names and counts of arguments were reported by resolve. */
    if (e->a->kind != AST_NAME) return value_error();
    symbol *s = symbol_find(l, e->a->name);
    if (s && s->kind == SYMBOL_FUN) {
        bool fits = e->count == s->stmt->param_count;
        return fits ? call_function(l, e, s) : value_error();
    }
    const builtin *b = l->builtin_of[e->a->name];
    bool fits = b && e->count >= b->least
        && (b->most == 255 || e->count <= b->most);
    return fits ? lower_builtin(l, e, b) : value_error();
}

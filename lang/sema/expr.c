/* Expressions to values. The tree's depth is limited by the parser, so this
 * recurses over it. */
#include "sema/tables.h"

static node_op operation(uint8_t op)
{
    switch ((ast_op)op) {
    case AST_ADD: return NODE_ADD;
    case AST_SUB: return NODE_SUB;
    case AST_MUL: return NODE_MUL;
    case AST_DIV: return NODE_DIV;
    case AST_POW: return NODE_POW;
    case AST_LT: return NODE_LT;
    case AST_LE: return NODE_LE;
    case AST_GT: return NODE_LT; /* with the operands exchanged */
    case AST_GE: return NODE_LE;
    case AST_EQ: return NODE_EQ;
    case AST_NE: return NODE_NE;
    case AST_AND: return NODE_AND;
    case AST_OR: return NODE_OR;
    default: return NODE_ADD;
    }
}

static value combine(lowering *l, uint8_t op, value a, value b, text_span span)
{
    if (a.kind == VALUE_ERROR) return a;
    if (b.kind == VALUE_ERROR) return b;
    if (!is_array(a) && !is_array(b)) {
        bool swap = op == AST_GT || op == AST_GE;
        return swap ? scalar_binary(l, operation(op), b, a, span)
                    : scalar_binary(l, operation(op), a, b, span);
    }
    if (op == AST_MUL && is_array(a) && is_array(b)
        && (a.array->rank == 2 || b.array->rank == 2)) {
        return array_product(l, a, b, span);
    }
    if (op == AST_GT || op == AST_GE) {
        return array_binary(l, operation(op), b, a, span);
    }
    return array_binary(l, operation(op), a, b, span);
}

/* A condition of params alone is known now and makes them structural. */
static bool known_truth(lowering *l, value v, text_span span, bool *truth)
{
    if (v.kind == VALUE_NUMBER) {
        *truth = v.number != 0;
        return true;
    }
    double x;
    if (v.kind != VALUE_PARAM || !value_force(l, v, span, "a condition", &x)) {
        return false;
    }
    *truth = x != 0;
    return true;
}

/* and/or stop at the first operand that decides, so that the others may be
 * meaningless there (i > 1 and T[i-1] > 0). */
static value lower_logic(lowering *l, const ast_expr *e)
{
    bool is_and = e->ops[0] == AST_AND;
    value result = value_number(is_and);
    for (uint32_t k = 0; k < e->count; k++) {
        value v = lower_scalar(l, e->items[k]);
        if (v.kind == VALUE_ERROR) return v;
        bool truth;
        if (known_truth(l, v, e->items[k]->span, &truth)) {
            if (truth != is_and) return value_number(truth);
            continue;
        }
        bool is_first = result.kind == VALUE_NUMBER;
        result = is_first
            ? v
            : scalar_binary(l, is_and ? NODE_AND : NODE_OR, result, v, e->span);
    }
    return result;
}

static value lower_chain(lowering *l, const ast_expr *e)
{
    if (e->ops[0] == AST_AND || e->ops[0] == AST_OR) return lower_logic(l, e);
    if (e->count > INLINE_ITEMS && e->ops[0] == AST_ADD) {
        return lower_long_chain(l, e);
    }
    value v = lower_expr(l, e->items[0]);
    for (uint32_t k = 1; k < e->count; k++) {
        if (v.kind == VALUE_ERROR) return v;
        text_span span = {e->items[0]->span.begin, e->items[k]->span.end};
        v = combine(l, e->ops[k], v, lower_expr(l, e->items[k]), span);
    }
    return v;
}

/* The value of the first branch whose condition holds or may hold. */
static value lower_if(lowering *l, const ast_expr *e)
{
    uint32_t pairs = e->count / 2;
    value *conditions = ARENA_ARRAY(&l->scratch, value, pairs + 1);
    value *branches = ARENA_ARRAY(&l->scratch, value, pairs + 1);
    if (!conditions || !branches) {
        l->failed_memory = true;
        return value_error();
    }
    uint32_t open = 0;
    value last = value_error();
    bool is_decided = false;
    for (uint32_t k = 0; k < pairs && !is_decided; k++) {
        value c = lower_scalar(l, e->items[2 * k]);
        if (c.kind == VALUE_ERROR) return c;
        bool truth;
        bool is_known = known_truth(l, c, e->items[2 * k]->span, &truth);
        if (is_known && !truth) continue;
        value v = lower_expr(l, e->items[2 * k + 1]);
        if (v.kind == VALUE_ERROR) return v;
        if (is_known) {
            last = v;
            is_decided = true;
        } else {
            conditions[open] = c;
            branches[open++] = v;
        }
    }
    if (!is_decided) last = lower_expr(l, e->items[e->count - 1]);
    while (open-- > 0) {
        last = array_select(l, conditions[open], branches[open], last, e->span);
    }
    return last;
}

/* [a, b, c]; of vectors: a matrix by rows. */
static value lower_vector(lowering *l, const ast_expr *e)
{
    if (e->count == 1 && e->items[0]->kind == AST_COMPREHENSION) {
        return lower_listing(l, e->items[0]);
    }
    if (e->count == 0) {
        int64_t none = 0;
        return array_make(l, 1, &none);
    }
    value first = lower_expr(l, e->items[0]);
    if (first.kind == VALUE_ERROR) return first;
    size_t inner = is_array(first) ? first.array->count : 1;
    int64_t extent[SYSTEM_MAX_RANK] = {e->count};
    uint32_t rank = 1;
    if (is_array(first)) {
        if (first.array->rank >= SYSTEM_MAX_RANK) {
            return fail_value(l, DIAG_E0204, e->span, "too many dimensions");
        }
        for (uint32_t d = 0; d < first.array->rank; d++) {
            extent[rank++] = first.array->extent[d];
        }
    }
    value r = array_make(l, rank, extent);
    for (uint32_t k = 0; is_array(r) && k < e->count; k++) {
        value v = k ? lower_expr(l, e->items[k]) : first;
        if (v.kind == VALUE_ERROR) return v;
        if (is_array(v) != is_array(first)
            || (is_array(v) && !array_same_shape(v.array, first.array))) {
            return fail_value(l, DIAG_E0204, e->items[k]->span,
                "this item is %s, the first is %s", array_shape_text(l, v),
                array_shape_text(l, first));
        }
        for (size_t i = 0; i < inner; i++) {
            r.array->items[k * inner + i] = is_array(v)
                ? array_item(l, v.array, i)
                : v;
        }
    }
    return r;
}

static value symbol_value(
    lowering *l, symbol *s, unsigned order, text_span span)
{
    if (s->kind == SYMBOL_TIME) {
        if (order) return value_number(order == 1);
        return builder_leaf_value(l, LEAF_TIME, 0, 0);
    }
    if (s->kind == SYMBOL_CONSTANT) {
        return value_number(order ? 0 : s->constant);
    }
    if (s->kind == SYMBOL_FUN) {
        value error = fail_value(l, DIAG_E0203, span,
            "`%s` is a function and needs its arguments",
            word_text(l, s->name));
        report_help(l->ds, "write %s(...)", word_text(l, s->name));
        return error;
    }
    if (s->kind == SYMBOL_TABLE) return value_error(); /* reported */
    if (!symbol_dims(l, s)) return value_error();
    if (s->rank == 0) return symbol_element(l, s, 0, order, span);
    if (l->element != NO_ELEMENT) {
        return symbol_element(l, s, l->element, order, span);
    }
    value w = array_window(l, s);
    return order ? array_prime(l, w, order, span) : w;
}

static value lower_name(lowering *l, const ast_expr *e, unsigned order)
{
    uint32_t inner = e->name < l->name_count ? l->innermost[e->name] : 0;
    if (inner) {
        value v = value_resolve(l, l->locals.items[inner - 1].value);
        return order ? array_prime(l, v, order, e->span) : v;
    }
    symbol *s = symbol_find(l, e->name);
    if (!s) return value_error(); /* reported by resolve */
    return symbol_value(l, s, order, e->span);
}

/* base[...]; a declared array's elements are found without a window. */
static value lower_index(lowering *l, const ast_expr *e, unsigned order)
{
    const ast_expr *base = e->a;
    if (base->kind == AST_NAME && !l->innermost[base->name]) {
        symbol *s = symbol_find(l, base->name);
        if (!s) return value_error();
        if (s->kind < SYMBOL_FUN) return symbol_index(l, e, s, order);
    }
    value v = array_index(l, e, lower_expr(l, base));
    return order ? array_prime(l, v, order, e->span) : v;
}

static value lower_prime(lowering *l, const ast_expr *e)
{
    if (e->number > MAX_PRIMES) {
        return fail_value(l, DIAG_E0216, e->span,
            "%.0f primes are beyond the limit of %d", e->number, MAX_PRIMES);
    }
    unsigned order = (unsigned)e->number;
    if (e->a->kind == AST_NAME) return lower_name(l, e->a, order);
    if (e->a->kind == AST_INDEX) return lower_index(l, e->a, order);
    return array_prime(l, lower_expr(l, e->a), order, e->span);
}

static value lower_not(lowering *l, const ast_expr *e)
{
    value v = lower_scalar(l, e->a);
    bool truth;
    if (v.kind == VALUE_ERROR) return v;
    if (known_truth(l, v, e->span, &truth)) return value_number(!truth);
    return scalar_unary(l, NODE_NOT, v, e->span);
}

static value lower_kind(lowering *l, const ast_expr *e)
{
    switch ((ast_expr_kind)e->kind) {
    case AST_NUMBER:
    case AST_BOOL: return value_number(e->number);
    case AST_NAME: return lower_name(l, e, 0);
    case AST_INDEX: return lower_index(l, e, 0);
    case AST_PRIME: return lower_prime(l, e);
    case AST_NEG: return array_unary(l, NODE_NEG, lower_expr(l, e->a), e->span);
    case AST_PLUS: return lower_expr(l, e->a);
    case AST_NOT: return lower_not(l, e);
    case AST_CHAIN: return lower_chain(l, e);
    case AST_BINARY: {
        value a = lower_expr(l, e->a);
        if (a.kind == VALUE_ERROR) return a;
        return combine(l, e->op, a, lower_expr(l, e->b), e->span);
    }
    case AST_IF: return lower_if(l, e);
    case AST_CALL: return lower_call(l, e);
    case AST_VECTOR: return lower_vector(l, e);
    case AST_STRING:
        return fail_value(l, DIAG_E0203, e->span, "a text is not a number");
    case AST_FIELD: return lower_field(l, e);
    default: return value_error();
    }
}

value lower_expr(lowering *l, const ast_expr *e)
{
    if (l->depth >= MAX_LOWER_DEPTH) {
        return fail_value(l, DIAG_E0106, e->span,
            "definitions and functions are nested too deeply here");
    }
    l->depth++;
    value v = lower_kind(l, e);
    l->depth--;
    return v;
}

/* A comparison, also under `not`. */
static bool is_condition(const ast_expr *e)
{
    while (e->kind == AST_NOT) e = e->a;
    return e->kind == AST_BINARY && e->op >= AST_LT && e->op <= AST_NE;
}

value lower_scalar(lowering *l, const ast_expr *e)
{
    value v = lower_expr(l, e);
    if (!is_array(v)) return v;
    v = fail_value(l, DIAG_E0204, e->span,
        "a number is needed here, but this is %s", array_shape_text(l, v));
    if (is_condition(e))
        report_help(l->ds,
            "a condition is one truth value: ask for one element, `x[1] < c`, "
            "for any of them, `min(x) < c`, for all, `max(x) < c`, or write a "
            "loop around it");
    return v;
}

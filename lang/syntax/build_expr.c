/* Nodes of expressions. A chain grows in place, so a sum of a million terms
 * is one node and costs linear time. */
#include "base/number.h"
#include "base/report.h"
#include "syntax/build.h"
#include <math.h>
#include <string.h>

static ast_expr *make(builder *b, ast_expr_kind kind, text_span span)
{
    ast_expr *e = builder_take(b, sizeof *e);
    if (!e) return NULL;
    e->kind = (uint8_t)kind;
    e->depth = 1;
    e->span = span;
    e->name = INTERN_NONE;
    return e;
}

/* `e` stands above `child`, which may be NULL. */
static void stand_above(builder *b, ast_expr *e, const ast_expr *child)
{
    if (!child || child->depth < e->depth) return;
    if (child->depth >= AST_MAX_DEPTH) {
        builder_too_deep(b, (text_span){e->span.begin, e->span.begin + 1});
        return;
    }
    e->depth = (uint16_t)(child->depth + 1);
}

static void stand_above_iters(builder *b, ast_expr *e, const ast_iters *iters)
{
    for (uint32_t i = 0; i < iters->count; i++) {
        stand_above(b, e, iters->items[i].first);
        stand_above(b, e, iters->items[i].last);
        stand_above(b, e, iters->items[i].step);
    }
    stand_above(b, e, iters->where);
}

/* Moves a list's items into a node. */
static void take_items(builder *b, ast_expr *e, expr_list *list)
{
    if (!list) return;
    e->items = list->items;
    e->count = list->count;
    for (uint32_t i = 0; i < e->count; i++) stand_above(b, e, e->items[i]);
    builder_reuse(b, list);
}

/* A number, and not one that the scanner has told is none, with a digit other
 * than 0 before its exponent. */
static bool is_nonzero_number(const char *text, size_t length)
{
    bool is_nonzero = false, in_exponent = false;
    for (size_t i = 0; i < length; i++) {
        if (!strchr("0123456789.eE+-", text[i])) return false;
        in_exponent |= text[i] == 'e' || text[i] == 'E';
        is_nonzero |= !in_exponent && text[i] > '0' && text[i] <= '9';
    }
    return is_nonzero;
}

ast_expr *ast_number(builder *b, token t)
{
    const char *text = b->source->text + t.span.begin;
    size_t length = t.span.end - t.span.begin;
    ast_expr *e = make(b, AST_NUMBER, t.span);
    if (!e) return NULL;
    e->number = number_value(text, length);
    bool is_lost = e->number == 0 && is_nonzero_number(text, length);
    if (isfinite(e->number) && !is_lost) return e;
    b->errors++;
    report(b->ds, DIAG_E0105, b->source, t.span,
        is_lost ? "the number is smaller than any double but 0"
                : "the number is larger than any double");
    report_help(b->ds, is_lost ? "write `0`" : "write `inf` for infinity");
    return e;
}

ast_expr *ast_bool(builder *b, token t, bool value)
{
    ast_expr *e = make(b, AST_BOOL, t.span);
    if (e) e->number = value;
    return e;
}

ast_expr *ast_string(builder *b, token t)
{
    ast_expr *e = make(b, AST_STRING, t.span);
    if (!e) return NULL;
    uint32_t length;
    const char *text = token_text(b->source, t, &length);
    e->name = intern_add(b->names, text, length);
    if (e->name == INTERN_NONE && !b->status) b->status = DAE_MEMORY;
    return e;
}

ast_expr *ast_name(builder *b, token t)
{
    ast_expr *e = make(b, AST_NAME, t.span);
    if (e) e->name = builder_name(b, t.span);
    return e;
}

ast_expr *ast_parens(builder *b, token open, ast_expr *e, token close)
{
    if (b->status) return NULL;
    e->span = ast_span(open.span, close.span);
    return e;
}

ast_expr *ast_unary(builder *b, ast_expr_kind kind, token op, ast_expr *operand)
{
    if (b->status) return NULL;
    ast_expr *e = make(b, kind, ast_span(op.span, operand->span));
    if (!e) return NULL;
    e->a = operand;
    stand_above(b, e, operand);
    return e;
}

ast_expr *ast_binary(builder *b, ast_op op, ast_expr *left, ast_expr *right)
{
    if (b->status) return NULL;
    ast_expr *e = make(b, AST_BINARY, ast_span(left->span, right->span));
    if (!e) return NULL;
    e->op = (uint8_t)op;
    e->a = left;
    e->b = right;
    stand_above(b, e, left);
    stand_above(b, e, right);
    return e;
}

static ast_op family(ast_op op)
{
    if (op == AST_SUB) return AST_ADD;
    return op == AST_DIV ? AST_MUL : op;
}

static void chain_push(builder *b, ast_expr *e, ast_op op, ast_expr *item)
{
    if (!BUILDER_GROW(b, e->items, e->count)
        || !BUILDER_GROW(b, e->ops, e->count))
        return;
    e->items[e->count] = item;
    e->ops[e->count++] = (uint8_t)op;
    e->span.end = item->span.end;
    stand_above(b, e, item);
}

ast_expr *ast_chain(builder *b, ast_op op, ast_expr *left, ast_expr *right)
{
    if (b->status) return NULL;
    ast_expr *e = left;
    if (left->kind != AST_CHAIN || left->ops[0] != family(op)) {
        e = make(b, AST_CHAIN, left->span);
        if (!e) return NULL;
        chain_push(b, e, family(op), left);
        if (b->status) return NULL;
    }
    chain_push(b, e, op, right);
    return e;
}

ast_expr *ast_if(builder *b, token word, ast_expr *condition, ast_expr *value,
    expr_list *elifs, ast_expr *otherwise)
{
    if (b->status) return NULL;
    ast_expr *e = make(b, AST_IF, ast_span(word.span, otherwise->span));
    uint32_t rest = elifs ? elifs->count : 0;
    ast_expr **items = builder_take(b, ((size_t)rest + 3) * sizeof *items);
    if (!e || !items) return NULL;
    items[0] = condition;
    items[1] = value;
    if (rest) memcpy(items + 2, elifs->items, rest * sizeof *items);
    items[rest + 2] = otherwise;
    e->items = items;
    e->count = rest + 3;
    for (uint32_t i = 0; i < e->count; i++) stand_above(b, e, items[i]);
    if (elifs) builder_reuse(b, elifs);
    return e;
}

ast_expr *ast_prime(builder *b, ast_expr *inner, token prime)
{
    if (b->status) return NULL;
    text_span span = ast_span(inner->span, prime.span);
    if (inner->kind == AST_PRIME) {
        inner->number++;
        inner->span = span;
        return inner;
    }
    ast_expr *e = make(b, AST_PRIME, span);
    if (!e) return NULL;
    e->a = inner;
    e->number = 1;
    stand_above(b, e, inner);
    return e;
}

ast_expr *ast_field(builder *b, ast_expr *of, token name)
{
    if (b->status) return NULL;
    ast_expr *e = make(b, AST_FIELD, ast_span(of->span, name.span));
    if (!e) return NULL;
    e->a = of;
    e->name = builder_name(b, name.span);
    stand_above(b, e, of);
    return e;
}

ast_expr *ast_vector(builder *b, token open, expr_list *items, token close)
{
    if (b->status) return NULL;
    ast_expr *e = make(b, AST_VECTOR, ast_span(open.span, close.span));
    if (!e) return NULL;
    if (items && items->names) {
        b->errors++;
        report(b->ds, DIAG_E0102, b->source, items->name_span,
            "an item of a vector has no name");
        report_help(b->ds, "write the items alone: `[a, b, c]`");
    }
    take_items(b, e, items);
    return e;
}

ast_expr *ast_call(builder *b, ast_expr *callee, expr_list *args, token close)
{
    if (b->status) return NULL;
    ast_expr *e = make(b, AST_CALL, ast_span(callee->span, close.span));
    if (!e) return NULL;
    e->a = callee;
    e->names = args ? args->names : NULL;
    stand_above(b, e, callee);
    take_items(b, e, args);
    return e;
}

/* `1 [kg]`: a unit as it is printed. */
static void refuse_elements(builder *b, const ast_expr *number, token close)
{
    const char *text = b->source->text;
    uint32_t open = number->span.end;
    while (text[open] != '[' && open < close.span.begin) open++;
    int length = (int)(close.span.begin - open) - 1;
    b->errors++;
    report(b->ds, DIAG_E0102, b->source, (text_span){open, close.span.end},
        "a number has no elements");
    report_help(b->ds, "a unit stands in braces: `{%.*s}`",
        length > 60 ? 60 : length, text + open + 1);
}

ast_expr *ast_index(builder *b, ast_expr *array, expr_list *items, token close)
{
    if (b->status) return NULL;
    ast_expr *e = make(b, AST_INDEX, ast_span(array->span, close.span));
    if (!e) return NULL;
    if (array->kind == AST_NUMBER) refuse_elements(b, array, close);
    e->a = array;
    stand_above(b, e, array);
    take_items(b, e, items);
    return e;
}

ast_expr *ast_colon(builder *b, token t)
{
    return make(b, AST_COLON, t.span);
}

ast_expr *ast_index_range(builder *b, ast_expr *first, ast_expr *last)
{
    if (b->status) return NULL;
    ast_expr *e = make(b, AST_RANGE, ast_span(first->span, last->span));
    ast_expr **items = builder_take(b, 2 * sizeof *items);
    if (!e || !items) return NULL;
    items[0] = first;
    items[1] = last;
    e->items = items;
    e->count = 2;
    stand_above(b, e, first);
    stand_above(b, e, last);
    return e;
}

expr_list *ast_comprehension(
    builder *b, ast_expr *inner, token word, ast_iters *iters)
{
    if (b->status) return NULL;
    ast_expr *e = make(
        b, AST_COMPREHENSION, ast_span(inner->span, iters->span));
    if (!e) return NULL;
    iters->span.begin = word.span.begin;
    e->a = inner;
    e->iters = iters;
    stand_above(b, e, inner);
    stand_above_iters(b, e, iters);
    return ast_list(b, NULL, e);
}

ast_arg ast_argument(token name, ast_expr *value)
{
    return (ast_arg){name, value};
}

expr_list *ast_args(builder *b, expr_list *list, ast_arg arg)
{
    list = ast_list(b, list, arg.value);
    if (!list || (arg.name.kind == 0 && !list->names)) return list;
    uint32_t k = list->count - 1;
    if (!list->names) {
        /* the items before have no names; room as ast_list has it */
        uint32_t room = 2;
        while (room < list->count) room *= 2;
        list->names = builder_take(b, room * sizeof *list->names);
        if (!list->names) return NULL;
        memset(list->names, 0xFF, room * sizeof *list->names);
        list->name_span = arg.name.span;
    } else if (!BUILDER_GROW(b, list->names, k)) {
        return NULL;
    }
    list->names[k] = arg.name.kind ? builder_name(b, arg.name.span)
                                   : INTERN_NONE;
    return list;
}

expr_list *ast_list(builder *b, expr_list *list, ast_expr *e)
{
    if (b->status) return NULL;
    if (!list && b->spare) {
        list = b->spare;
        b->spare = list->next;
        memset(list, 0, sizeof *list);
    } else if (!list) {
        list = builder_take(b, sizeof *list);
        if (!list) return NULL;
    }
    if (!BUILDER_GROW(b, list->items, list->count)) return NULL;
    list->items[list->count++] = e;
    return list;
}

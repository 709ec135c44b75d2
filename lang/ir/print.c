/* The printer: a stack of things still to be written, nodes and bits of text,
 * with the weakest binding a node may have at its place. A node that binds
 * weaker stands in parentheses. Sums and products may turn their operands
 * round, because a pool keeps both orders as one node. */
#include "ir/print.h"
#include "ir/collect.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How strongly a text binds, weakest first, as the grammar says. An `if` that
 * is a condition or a first branch would need no parentheses; it gets some,
 * as a reader would lose the thread. */
typedef enum binding {
    BINDS_IF,
    BINDS_OR,
    BINDS_AND,
    BINDS_NOT,
    BINDS_COMPARISON, /* not associative */
    BINDS_SUM,
    BINDS_PRODUCT,
    BINDS_MINUS, /* the sign; may follow any operator */
    BINDS_POWER, /* associates to the right */
    BINDS_ALONE
} binding;

enum { primes_max = 3 };   /* more are written der(x, 4) */
enum { PUSHED_MOST = 12 }; /* items of one node, at most */

typedef enum item_kind { ITEM_TEXT, ITEM_NUMBER, ITEM_NODE } item_kind;
typedef struct print_item {
    uint8_t kind;     /* item_kind */
    uint8_t weakest;  /* NODE: binding */
    bool after_else;  /* NODE: an `if` here goes on as elseif */
    node_id id;       /* NODE */
    const char *text; /* TEXT */
    double number;    /* NUMBER */
} print_item;

typedef struct printer {
    const shape_pool *pool;
    print_leaf_fn *leaf;
    void *leaf_context;
    dae_write_fn *write;
    void *context;
    size_t limit, used;
    bool cut;       /* the limit was reached: swallow the rest */
    bool unwritten; /* `write` refused */
    ARRAY(print_item) stack;
} printer;

/* ---- writing ------------------------------------------------------------ */

/* A dae_write_fn, so that leaves' names count too. Pieces are written whole or
 * not at all: no cut goes through a character. */
static int write_piece(void *context, const char *text, size_t length)
{
    printer *w = context;
    if (w->cut || w->unwritten || length == 0) return w->unwritten;
    if (w->limit > 0 && length > w->limit - w->used) {
        w->cut = true;
        text = " ...";
        length = strlen(text);
    } else {
        w->used += length;
    }
    w->unwritten = w->write(w->context, text, length) != 0;
    return w->unwritten;
}

static void write_text(printer *w, const char *text)
{
    (void)write_piece(w, text, strlen(text));
}

/* "1e+06" as "1e6", and a point where the locale has something else. */
static void tidy_number(char *text)
{
    char *to = text;
    bool in_exponent = false, leading = false;
    for (const char *from = text; *from; from++) {
        bool digit = *from >= '0' && *from <= '9';
        if (in_exponent && leading && (*from == '0' || *from == '+')) continue;
        if (*from == 'e') in_exponent = leading = true;
        if (digit) leading = false;
        if (digit || *from == 'e' || *from == '-') {
            *to++ = *from;
        } else if (to > text && to[-1] != '.') {
            *to++ = '.';
        }
    }
    *to = '\0';
}

/* The fewest digits that read back as the same number. */
static void write_number(printer *w, double value)
{
    char text[64];
    if (!isfinite(value)) {
        write_text(w, value != value ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    /* 15 digits survive in every normal number, and %g drops zeros */
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    tidy_number(text);
    write_text(w, text);
}

static dae_status write_leaf(printer *w, const node *n)
{
    char after[32] = "";
    if (n->order > primes_max) {
        write_text(w, "der(");
        (void)snprintf(after, sizeof after, ", %u)", (unsigned)n->order);
    } else {
        memset(after, '\'', n->order);
    }
    dae_status st = w->leaf(
        w->leaf_context, (leaf_kind)n->kind, n->a, n->order, write_piece, w);
    write_text(w, after);
    return st;
}

/* ---- what is to be written ---------------------------------------------- */

static binding binds(const node *n)
{
    switch ((node_op)n->op) {
    case NODE_CONST: return signbit(n->value) ? BINDS_MINUS : BINDS_ALONE;
    case NODE_SELECT: return BINDS_IF;
    case NODE_OR: return BINDS_OR;
    case NODE_AND: return BINDS_AND;
    case NODE_NOT: return BINDS_NOT;
    case NODE_LT:
    case NODE_LE:
    case NODE_EQ:
    case NODE_NE: return BINDS_COMPARISON;
    case NODE_ADD:
    case NODE_SUB: return BINDS_SUM;
    case NODE_MUL:
    case NODE_DIV: return BINDS_PRODUCT;
    case NODE_NEG: return BINDS_MINUS;
    case NODE_POW:
    case NODE_POWI: return BINDS_POWER;
    default: return BINDS_ALONE; /* leaves and calls */
    }
}

/* Items are pushed last one first, into room made before. */
static void push_item(printer *w, print_item item)
{
    assert(w->stack.count < w->stack.capacity);
    w->stack.items[w->stack.count++] = item;
}

static void push_text(printer *w, const char *text)
{
    push_item(w, (print_item){.kind = ITEM_TEXT, .text = text});
}

static void push_number(printer *w, double number)
{
    push_item(w, (print_item){.kind = ITEM_NUMBER, .number = number});
}

static void push_node(printer *w, node_id id, binding weakest)
{
    push_item(w,
        (print_item){.kind = ITEM_NODE,
            .weakest = (uint8_t)weakest,
            .id = shape_as_written(w->pool, id)});
}

static const char *infix_text(node_op op)
{
    switch (op) {
    case NODE_ADD: return " + ";
    case NODE_SUB: return " - ";
    case NODE_LT: return " < ";
    case NODE_LE: return " <= ";
    case NODE_EQ: return " == ";
    case NODE_NE: return " != ";
    case NODE_AND: return " and ";
    case NODE_OR: return " or ";
    default: return node_text(op); /* * / ^ */
    }
}

/* x*(a*b) is a*b*x and x*2 is 2*x; but (a*b)*(c*d) and a*b*2 stay. */
static bool turned_round(const printer *w, const node *n)
{
    if (n->op != NODE_ADD && n->op != NODE_MUL) return false;
    const node *a = shape_node(w->pool, shape_as_written(w->pool, n->a));
    const node *b = shape_node(w->pool, shape_as_written(w->pool, n->b));
    if (binds(a) == binds(n)) return false;
    return binds(b) == binds(n) || (n->op == NODE_MUL && b->op == NODE_CONST);
}

static void push_infix(printer *w, const node *n)
{
    binding self = binds(n), left = self, right = (binding)(self + 1);
    if (n->op == NODE_POW) {
        left = BINDS_ALONE;
        right = BINDS_MINUS;
    } else if (self == BINDS_COMPARISON) {
        left = right;
    }
    bool is_turned = turned_round(w, n);
    push_node(w, is_turned ? n->a : n->b, right);
    push_text(w, infix_text((node_op)n->op));
    push_node(w, is_turned ? n->b : n->a, left);
}

static void push_if(printer *w, const node *n, bool after_else)
{
    const node_id last = shape_as_written(w->pool, n->c);
    print_item other = {
        .kind = ITEM_NODE, .weakest = BINDS_IF, .after_else = true, .id = last};
    push_item(w, other);
    if (shape_node(w->pool, last)->op != NODE_SELECT) push_text(w, " else ");
    push_node(w, n->b, BINDS_OR);
    push_text(w, " then ");
    push_node(w, n->a, BINDS_OR);
    push_text(w, after_else ? " elseif " : "if ");
}

/* The signal of a node as the text names it; NULL: it is not known. */
static const char *signal_text(const printer *w, const node *n)
{
    const signal_list *list = w->pool->signals;
    for (size_t k = 0; list && k < list->items.count; k++)
        if (list->items.items[k].offset == n->c)
            return list->items.items[k].text;
    return NULL;
}

/* The text of the call with primes for its derivatives; what it is looked up at
 * only where that is not the time itself. */
static void push_signal(printer *w, const node *n)
{
    static const char primes[] = "'''''";
    const char *text = signal_text(w, n);
    const node *a = shape_node(w->pool, n->a);
    if (a->op != NODE_HOLE || a->kind != LEAF_TIME) {
        push_text(w, ")");
        push_node(w, n->a, BINDS_IF);
        push_text(w, "(");
    }
    if (n->op == NODE_TABLE)
        push_text(w, primes + (sizeof primes - 1 - n->order));
    push_text(w, text ? text : "table(...)");
}

/* f(a, b); the k-th derivative of sinc and its like is sinc(a, k), the k-th
 * Stumpff function stumpff(k, a). */
static void push_call(printer *w, const node *n)
{
    if (node_has_signal((node_op)n->op)) {
        push_signal(w, n);
        return;
    }
    push_text(w, ")");
    if (n->op == NODE_STUMPFF) {
        push_node(w, n->a, BINDS_IF);
        push_text(w, ", ");
        push_number(w, n->order);
        push_text(w, "stumpff(");
        return;
    }
    if (n->order > 0) {
        push_number(w, n->order);
        push_text(w, ", ");
    }
    for (int k = node_arity((node_op)n->op); k-- > 0;) {
        push_node(w, node_operand(n, k), BINDS_IF);
        if (k > 0) push_text(w, ", ");
    }
    push_text(w, "(");
    push_text(w, node_text((node_op)n->op));
}

static void push_operation(printer *w, const node *n, bool after_else)
{
    switch ((node_op)n->op) {
    case NODE_SELECT: push_if(w, n, after_else); break;
    case NODE_NEG:
        push_node(w, n->a, BINDS_MINUS);
        push_text(w, "-");
        break;
    case NODE_NOT:
        push_node(w, n->a, BINDS_NOT);
        push_text(w, "not ");
        break;
    case NODE_FLOOR: /* which piece of a signal it is: the signal's name */
        if (shape_node(w->pool, n->a)->op == NODE_PIECE)
            n = shape_node(w->pool, n->a);
        push_call(w, n);
        break;
    case NODE_POWI:
        push_number(w, n->exponent);
        push_text(w, "^");
        push_node(w, n->a, BINDS_ALONE);
        break;
    default:
        if (binds(n) == BINDS_ALONE) push_call(w, n);
        else push_infix(w, n);
    }
}

static dae_status write_node(printer *w, print_item item)
{
    const node *n = shape_node(w->pool, item.id);
    if (!ARRAY_RESERVE(w->pool->allocator, &w->stack, PUSHED_MOST))
        return DAE_MEMORY;
    if (binds(n) < (binding)item.weakest) {
        push_text(w, ")");
        push_node(w, item.id, BINDS_IF);
        push_text(w, "(");
    } else if (n->op == NODE_CONST) {
        write_number(w, n->value);
    } else if (n->op == NODE_HOLE) {
        return write_leaf(w, n);
    } else {
        push_operation(w, n, item.after_else);
    }
    return DAE_OK;
}

dae_status shape_print(const shape_pool *p, node_id root, size_t limit,
    print_leaf_fn *leaf, void *leaf_context, dae_write_fn *write, void *context)
{
    printer w = {.pool = p,
        .leaf = leaf,
        .leaf_context = leaf_context,
        .write = write,
        .context = context,
        .limit = limit};
    print_item whole = {.kind = ITEM_NODE,
        .weakest = BINDS_IF,
        .id = shape_as_written(p, root)};
    dae_status st = write_node(&w, whole);
    while (!st && w.stack.count > 0 && !w.cut && !w.unwritten) {
        print_item item = w.stack.items[--w.stack.count];
        if (item.kind == ITEM_TEXT) {
            write_text(&w, item.text);
        } else if (item.kind == ITEM_NUMBER) {
            write_number(&w, item.number);
        } else {
            st = write_node(&w, item);
        }
    }
    ARRAY_FREE(p->allocator, &w.stack);
    return w.unwritten ? DAE_IO : st;
}

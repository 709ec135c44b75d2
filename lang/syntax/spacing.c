/* Sums and comparisons have spaces, products and powers have none; inside an
 * index and in a range sums have none either: `T[i-1,j]`, `1..n-1`. */
#include "syntax/spacing.h"
#include "syntax/ast.h"
#include <string.h>

typedef struct level {
    bool is_index, is_braces;
    bool has_binder; /* an index with `in`: `T[i in 0..n, j in 0..n]` */
    bool is_range;   /* between `in` or `..` and the next comma */
} level;

typedef struct spacing {
    const dae_source *source;
    spacing_item *items;
    size_t count;
    level levels[AST_MAX_DEPTH + 1];
    size_t depth;
} spacing;

static bool opens(unsigned kind)
{
    return kind == TOKEN_LP || kind == TOKEN_LB || kind == TOKEN_LC;
}

static bool closes(unsigned kind)
{
    return kind == TOKEN_RP || kind == TOKEN_RB || kind == TOKEN_RC;
}

/* An operand can end with `t`, given whether one ended just before: two
 * operands do not follow each other, so the second word is a keyword. */
static bool ends_operand(token t, bool after_operand)
{
    switch (t.kind) {
    case TOKEN_NAME:
    case TOKEN_NUMBER:
    case TOKEN_STRING:
    case TOKEN_TRUE:
    case TOKEN_FALSE:
    case TOKEN_PRIME:
    case TOKEN_RP:
    case TOKEN_RB: return true;
    default: return token_is_contextual(t.kind) && !t.begins && !after_operand;
    }
}

static bool has_binder(const spacing *s, size_t i)
{
    uint32_t depth = 0;
    for (i++; i < s->count; i++) {
        unsigned kind = s->items[i].token.kind;
        if (opens(kind)) depth++;
        if (closes(kind) && depth-- == 0) return false;
        if (kind == TOKEN_IN && depth == 0) return true;
    }
    return false;
}

static bool is_tight_operator(unsigned kind)
{
    return kind == TOKEN_STAR || kind == TOKEN_SLASH || kind == TOKEN_POW
        || kind == TOKEN_DOT || kind == TOKEN_DOTDOT;
}

/* `1. .. n` and `a.. .5` would read differently without a space. */
static bool would_merge(const spacing *s, token a, token b)
{
    const char *text = s->source->text;
    return (a.kind == TOKEN_NUMBER && text[a.span.end - 1] == '.'
               && (b.kind == TOKEN_DOTDOT || b.kind == TOKEN_NUMBER))
        || (a.kind == TOKEN_DOTDOT && b.kind == TOKEN_NUMBER
            && text[b.span.begin] == '.');
}

static bool is_sum(unsigned kind)
{
    return kind == TOKEN_PLUS || kind == TOKEN_MINUS;
}

/* No space around a sum's sign here. */
static bool sums_are_tight(const level *l)
{
    return l->is_index || l->is_braces || l->is_range;
}

static uint32_t canonical(
    const spacing *s, const spacing_item *a, const spacing_item *b)
{
    const level *l = &s->levels[s->depth];
    unsigned left = a->token.kind, right = b->token.kind;
    if (right == TOKEN_COMMENT) return 2;
    if (left == TOKEN_NL) return 1;
    if (right == TOKEN_NL || right == TOKEN_COMMA || right == TOKEN_PRIME)
        return 0;
    if (would_merge(s, a->token, b->token)) return 1;
    if (is_tight_operator(left) || is_tight_operator(right)) return 0;
    if (left == TOKEN_LP || left == TOKEN_LB || left == TOKEN_LC) return 0;
    if (closes(right)) return 0;
    if ((right == TOKEN_LP || right == TOKEN_LB) && a->is_operand) return 0;
    if (a->is_prefix) return 0;
    if (right == TOKEN_COLON) return 0;
    if (left == TOKEN_COLON) return s->depth == 0;
    if (left == TOKEN_COMMA) return !l->is_index || l->has_binder;
    bool sum = (is_sum(left) && !a->is_prefix)
        || (is_sum(right) && !b->is_prefix);
    return !(sum && sums_are_tight(l));
}

static bool is_operator(const spacing_item *item)
{
    switch (item->token.kind) {
    case TOKEN_PLUS:
    case TOKEN_MINUS:
    case TOKEN_LT:
    case TOKEN_LE:
    case TOKEN_GT:
    case TOKEN_GE:
    case TOKEN_EQEQ:
    case TOKEN_NE:
    case TOKEN_AND:
    case TOKEN_OR:
    case TOKEN_NOT: return !item->is_prefix;
    default: return false;
    }
}

/* The spaces that the user wrote between two tokens of a line; 0 where there
 * is something else, such as a tab. */
static uint32_t written(
    const spacing *s, const spacing_item *a, const spacing_item *b)
{
    uint32_t from = a->token.span.end, to = b->token.span.begin;
    if (b->newlines || to < from) return 0;
    for (uint32_t i = from; i < to; i++)
        if (s->source->text[i] != ' ') return 0;
    return to - from;
}

static uint32_t between(
    const spacing *s, const spacing_item *a, const spacing_item *b)
{
    uint32_t spaces = canonical(s, a, b), own = written(s, a, b);
    if (spaces == 0 || own <= spaces || a->token.kind == TOKEN_NL)
        return spaces;
    return is_operator(a) || is_operator(b) ? spaces : own;
}

/* The brackets and ranges that the token leaves the next one in. */
static void advance(spacing *s, size_t i)
{
    const spacing_item *item = &s->items[i];
    unsigned kind = item->token.kind;
    if (opens(kind) && s->depth < AST_MAX_DEPTH) {
        bool is_index = kind == TOKEN_LB && i > 0 && s->items[i - 1].is_operand;
        s->levels[++s->depth] = (level){.is_index = is_index,
            .is_braces = kind == TOKEN_LC,
            .has_binder = is_index && has_binder(s, i)};
    } else if (closes(kind) && s->depth > 0) {
        s->depth--;
    }
    level *l = &s->levels[s->depth];
    if (kind == TOKEN_IN || kind == TOKEN_DOTDOT) l->is_range = true;
    if (kind == TOKEN_COMMA || kind == TOKEN_EQ || kind == TOKEN_WHERE
        || kind == TOKEN_NL || item->token.begins)
        l->is_range = false;
}

static void set_one(spacing *s, size_t i, const spacing_item *last)
{
    spacing_item *item = &s->items[i];
    if (item->token.begins) s->depth = 0;
    bool after_operand = last && last->is_operand && !item->token.begins;
    item->is_operand = ends_operand(item->token, after_operand);
    item->is_prefix = is_sum(item->token.kind) && !after_operand;
    /* a closing bracket is judged inside its bracket, all else too */
    if (i > 0) item->spaces = between(s, &s->items[i - 1], item);
    advance(s, i);
}

void spacing_set(const dae_source *source, spacing_item *items, size_t count)
{
    spacing s = {.source = source, .items = items, .count = count};
    const spacing_item *last = NULL;
    for (size_t i = 0; i < count; i++) {
        set_one(&s, i, last);
        if (items[i].token.kind != TOKEN_COMMENT) last = &items[i];
    }
}

bool spacing_statement_ended(const spacing_item *items, size_t count, size_t i)
{
    while (i < count && items[i].token.kind == TOKEN_COMMENT) i++;
    return i == count || items[i].token.begins;
}

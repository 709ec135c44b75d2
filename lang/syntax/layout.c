/* A newline ends a statement unless a bracket is open, the last token cannot
 * end one, or the next line begins with a sign that cannot begin one. A
 * declaration keyword at the start of a line ends the statement before it
 * whatever is open, so that a missing bracket does not swallow the file. */
#include "syntax/layout.h"
#include <stddef.h>
#include <string.h>

void layout_start(layout *l, const dae_source *source, dae_diagnostics *ds)
{
    memset(l, 0, offsetof(layout, open));
    scan_start(&l->scan, source, ds);
    l->last.kind = TOKEN_NL;
    l->at_start = true;
}

void layout_start_at(layout *l, const dae_source *source, uint32_t offset)
{
    memset(l, 0, offsetof(layout, open));
    l->scan.source = source;
    l->scan.at = offset;
    l->last.kind = TOKEN_NL;
    l->last.span.end = offset;
    l->at_start = true;
}

bool layout_begins_declaration(unsigned kind)
{
    switch (kind) {
    case TOKEN_PARAM:
    case TOKEN_VAR:
    case TOKEN_SPECIES:
    case TOKEN_DISC:
    case TOKEN_LET:
    case TOKEN_INPUT:
    case TOKEN_OUTPUT:
    case TOKEN_INIT:
    case TOKEN_FUN:
    case TOKEN_RETURN:
    case TOKEN_WHEN:
    case TOKEN_REACTIONS:
    case TOKEN_MODEL:
    case TOKEN_END: return true;
    default: return false;
    }
}

/* The token after `t`, with nothing consumed and nothing reported. */
static token peek(const layout *l, token t)
{
    scanner ahead = l->scan;
    ahead.ds = NULL;
    ahead.at = t.span.end;
    return scan_token(&ahead);
}

static bool opens(unsigned kind)
{
    return kind == TOKEN_LP || kind == TOKEN_LB || kind == TOKEN_LC;
}

static bool closes(unsigned kind)
{
    return kind == TOKEN_RP || kind == TOKEN_RB || kind == TOKEN_RC;
}

bool layout_line_has(const layout *l, token t, unsigned kind)
{
    scanner ahead = l->scan;
    uint32_t depth = 0;
    ahead.ds = NULL;
    ahead.at = t.span.end;
    for (;;) {
        t = scan_token(&ahead);
        if (t.kind == TOKEN_END_OF_TEXT || t.kind == TOKEN_NEWLINE
            || t.kind == TOKEN_NL)
            return false;
        if (t.kind == kind && depth == 0) return true;
        depth += opens(t.kind);
        depth -= closes(t.kind) && depth > 0;
    }
}

/* Is the contextual word `t` at a statement's beginning a name? A sign or
 * `[` may also begin an expression after a keyword (`expect -x < 1`,
 * `plot [a, b]`): there it is a name where an equation follows. */
static bool is_name_at_start(const layout *l, token t)
{
    switch (peek(l, t).kind) {
    case TOKEN_EQ:
    case TOKEN_ASSIGN:
    case TOKEN_PRIME:
    case TOKEN_DOT:
    case TOKEN_COLON:
    case TOKEN_STAR:
    case TOKEN_SLASH:
    case TOKEN_POW:
    case TOKEN_LT:
    case TOKEN_LE:
    case TOKEN_GT:
    case TOKEN_GE:
    case TOKEN_EQEQ:
    case TOKEN_NE:
    case TOKEN_AND:
    case TOKEN_OR:
    case TOKEN_TILDE: return true;
    case TOKEN_PLUS:
    case TOKEN_MINUS:
    case TOKEN_LB:
        return layout_line_has(l, t, TOKEN_EQ)
            || layout_line_has(l, t, TOKEN_ASSIGN);
    default: return false;
    }
}

/* Words such as `solve` do where what follows them could not follow a name. */
bool layout_begins_statement(const layout *l, token t)
{
    if (layout_begins_declaration(t.kind)) return true;
    switch (t.kind) {
    case TOKEN_USE:
    case TOKEN_SOLVE:
    case TOKEN_IMPORT:
    case TOKEN_EXPECT:
    case TOKEN_PLOT:
    case TOKEN_PORT:
    case TOKEN_CONNECT:
    case TOKEN_STOP:
    case TOKEN_PRINT: break;
    default: return false;
    }
    unsigned next = peek(l, t).kind;
    return next == TOKEN_NAME || next == TOKEN_NUMBER || next == TOKEN_STRING;
}

/* Can a statement end after the last token? */
static bool can_end(const layout *l)
{
    switch (l->last.kind) {
    case TOKEN_PLUS:
    case TOKEN_MINUS:
    case TOKEN_STAR:
    case TOKEN_SLASH:
    case TOKEN_POW:
    case TOKEN_LT:
    case TOKEN_LE:
    case TOKEN_GT:
    case TOKEN_GE:
    case TOKEN_EQEQ:
    case TOKEN_NE:
    case TOKEN_TILDE:
    case TOKEN_EQ:
    case TOKEN_ASSIGN:
    case TOKEN_COMMA:
    case TOKEN_COLON:
    case TOKEN_DOT:
    case TOKEN_DOTDOT:
    case TOKEN_ARROW:
    case TOKEN_BIARROW:
    case TOKEN_FATARROW:
    case TOKEN_AT2:
    case TOKEN_AND:
    case TOKEN_OR:
    case TOKEN_NOT:
    case TOKEN_THEN:
    case TOKEN_IN:
    case TOKEN_PARAM:
    case TOKEN_VAR:
    case TOKEN_SPECIES:
    case TOKEN_DISC:
    case TOKEN_LET:
    case TOKEN_INPUT:
    case TOKEN_OUTPUT:
    case TOKEN_INIT: return false;
    case TOKEN_ELSE: /* of an expression: a branch's begins its statement */
        return l->last.begins;
    default: return true;
    }
}

/* Does a line that begins with `t` go on with the statement before? */
static bool continues(const layout *l, token t)
{
    switch (t.kind) {
    case TOKEN_PLUS:
    case TOKEN_STAR:
    case TOKEN_SLASH:
    case TOKEN_POW:
    case TOKEN_AND:
    case TOKEN_OR:
    case TOKEN_THEN: return true;
    case TOKEN_WHERE: /* or a variable of that name */
        switch (peek(l, t).kind) {
        case TOKEN_EQ:
        case TOKEN_PRIME:
        case TOKEN_DOT:
        case TOKEN_COLON: return false;
        default: return true;
        }
    default: return false;
    }
}

static bool ends_statement(const layout *l, token next)
{
    if (next.kind == TOKEN_END_OF_TEXT || layout_begins_statement(l, next))
        return true;
    if (l->depth > 0 || !can_end(l)) return false;
    return !continues(l, next);
}

static token give(layout *l, token t)
{
    if (t.kind == TOKEN_NL) {
        l->depth = 0;
        l->at_start = true;
        l->is_skipping = false;
    } else {
        t.begins = l->at_start;
        l->at_start = false;
        if (t.begins && token_is_contextual(t.kind) && is_name_at_start(l, t))
            t.kind = TOKEN_NAME;
        if (t.begins) l->first = t.kind;
        if (opens(t.kind) && !l->is_skipping) {
            if (l->depth < AST_MAX_DEPTH) l->open[l->depth] = t.span.begin;
            l->depth++;
        }
        if (closes(t.kind) && l->depth > 0) l->depth--;
    }
    return l->last = t;
}

token layout_next(layout *l)
{
    if (l->has_ahead) {
        l->has_ahead = false;
        return give(l, l->ahead);
    }
    for (bool is_first = l->last.span.end == 0;;) {
        token t = scan_token(&l->scan);
        if (t.kind == TOKEN_COMMENT) continue;
        if (t.kind == TOKEN_NEWLINE) {
            is_first = true;
            continue;
        }
        if (t.kind == TOKEN_END_OF_TEXT) is_first = true;
        t.is_first = is_first;
        if (l->last.kind == TOKEN_NL && t.kind == TOKEN_NL) continue;
        if (l->last.kind == TOKEN_NL || t.kind == TOKEN_NL || !is_first
            || !ends_statement(l, t))
            return give(l, t);
        l->ahead = t;
        l->has_ahead = true;
        uint32_t end = l->last.span.end;
        return give(l, (token){{end, end}, TOKEN_NL, false, false});
    }
}

void layout_skip(layout *l)
{
    if (l->last.kind == TOKEN_NL) return;
    l->depth = 0;
    l->is_skipping = true;
}

void layout_restart(layout *l, token t)
{
    l->ahead = t;
    l->has_ahead = true;
    l->last = (token){{t.span.begin, t.span.begin}, TOKEN_NL, false, false};
    l->depth = 0;
    l->at_start = true;
    l->is_skipping = false;
}

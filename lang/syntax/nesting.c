/* The count is exact for brackets and never below the tree's depth by more
 * than the precedence levels between two brackets; the tree's own depth is
 * checked when nodes are made. */
#include "syntax/nesting.h"
#include <string.h>

void nesting_start(nesting *n)
{
    n->depth = 0;
    n->last = TOKEN_NL;
    memset(&n->now, 0, sizeof n->now);
}

/* Could an operand end with this token? */
static bool ends_operand(unsigned kind)
{
    switch (kind) {
    case TOKEN_NAME:
    case TOKEN_NUMBER:
    case TOKEN_STRING:
    case TOKEN_TRUE:
    case TOKEN_FALSE:
    case TOKEN_PRIME:
    case TOKEN_RP:
    case TOKEN_RB: return true;
    default: return token_is_contextual(kind);
    }
}

static void open_bracket(nesting *n)
{
    uint32_t base = n->now.base + n->now.ifs + n->now.prefixes + 1;
    if (ends_operand(n->last)) n->now.postfixes++;
    if (n->depth < AST_MAX_DEPTH) n->outer[n->depth] = n->now;
    n->depth++;
    n->now = (nesting_level){.base = base};
}

static void close_bracket(nesting *n)
{
    if (n->depth == 0) return;
    n->depth--;
    if (n->depth < AST_MAX_DEPTH) n->now = n->outer[n->depth];
}

uint32_t nesting_count(nesting *n, token t)
{
    bool is_prefix = !ends_operand(n->last);
    switch (t.kind) {
    case TOKEN_LP:
    case TOKEN_LB:
    case TOKEN_LC: open_bracket(n); break;
    case TOKEN_RP:
    case TOKEN_RB:
    case TOKEN_RC: close_bracket(n); break;
    case TOKEN_NL: nesting_start(n); break;
    case TOKEN_IF:
        n->now.ifs++;
        n->now.prefixes = 0;
        break;
    case TOKEN_NOT:
    case TOKEN_POW: n->now.prefixes++; break;
    case TOKEN_PLUS:
    case TOKEN_MINUS:
        n->now.prefixes = is_prefix ? n->now.prefixes + 1 : 0;
        break;
    case TOKEN_PRIME: /* a run of primes is one node */
        n->now.postfixes += n->last != TOKEN_PRIME;
        break;
    case TOKEN_DOT: n->now.postfixes++; break;
    case TOKEN_COMMA:
    case TOKEN_EQ:
        n->now.ifs = 0;
        n->now.prefixes = 0;
        n->now.postfixes = 0;
        break;
    default:
        if (!ends_operand(t.kind)) n->now.prefixes = 0;
        else if (is_prefix && n->last != TOKEN_DOT) n->now.postfixes = 0;
    }
    n->last = t.kind;
    return n->now.base + n->now.ifs + n->now.prefixes + n->now.postfixes;
}
